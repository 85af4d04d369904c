import { expect } from 'vitest'
import { newId } from '../../src/platform/database/new-id.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

const [ownId, importedId, importId] = [newId(), newId(), newId()]
const DECOMPOSED = 'Cafe\u0301'
const COMPOSED = 'Caf\u00e9'

/** Last version without NFC for names and tags. */
export const accents: OldVersion = {
  lastMigration: '20261129070000_short_pending_lists',
  outcome: 'names and tags are in NFC, and imported tags still belong to their imports',
  async add({ pool }) {
    const userId = await addOldUser({ pool }, 'accents')
    const insertItem = (id: string, name: string, tags: string[]) =>
      pool.query(
        `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, tags)
         VALUES ($1::uuid, $2, 'image', md5($1::text) || md5($1::text), 'nowhere', $3, 'image/jpeg', 1, $4)`,
        [id, userId, name, tags],
      )
    await insertItem(ownId, `${DECOMPOSED}.jpg`, ['Zoo', DECOMPOSED, 'Boats', COMPOSED])
    await insertItem(importedId, 'Zoo.jpg', ['Zoo', DECOMPOSED])
    await pool.query(
      `INSERT INTO imports (id, user_id, source, name, state, updated_at)
       VALUES ($1, $2, 'takeout', 'export.zip', 'completed', now())`,
      [importId, userId],
    )
    await pool.query(
      `INSERT INTO imported_facts (id, user_id, import_id, media_item_id, tags, shared_tags)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, $5)`,
      [userId, importId, importedId, [DECOMPOSED], ['Zoo']],
    )
  },
  async expectUpgraded({ pool }) {
    const { rows: items } = await pool.query(
      'SELECT original_filename AS name, tags FROM media_items WHERE id = ANY($1) ORDER BY original_filename',
      [[ownId, importedId]],
    )
    expect(items).toEqual([
      { name: `${COMPOSED}.jpg`, tags: ['Zoo', COMPOSED, 'Boats'] },
      { name: 'Zoo.jpg', tags: ['Zoo', COMPOSED] },
    ])
    const { rows: facts } = await pool.query('SELECT tags, shared_tags FROM imported_facts WHERE import_id = $1', [
      importId,
    ])
    expect(facts).toEqual([{ tags: [COMPOSED], shared_tags: ['Zoo'] }])
  },
}
