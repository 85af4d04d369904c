import { expect } from 'vitest'
import { createImportedMetadataStore } from '../../src/modules/library/imports/imported-metadata.store.ts'
import type { ImportRow } from '../../src/modules/library/imports/imports.store.ts'
import { newId } from '../../src/platform/database/new-id.ts'
import { addOldUser, type OldVersion } from './old-version.ts'

const [before1, after1] = [newId(), newId()]
const items = Array.from({ length: 300 }, newId)
let userId: string

/** Last version whose imports didn't record the tags that they added. */
export const importedTags: OldVersion = {
  lastMigration: '20261125203000_vector_total',
  outcome: 'undoing imports removes what they added, and the user’s own tags stay',
  async add({ pool }) {
    userId = await addOldUser({ pool }, 'imported')
    await pool.query(
      `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, tags, taken_at)
       SELECT id, $2, 'image', md5(id::text) || md5(id::text), 'nowhere', 'boat.png', 'image/png', 1, '{Boats}', '2017-05-05T14:00:00Z'
       FROM unnest($1::uuid[]) AS given (id)`,
      [items, userId],
    )
    await pool.query(
      `INSERT INTO imports (id, user_id, source, name, state, updated_at)
       SELECT id, $2, 'takeout', 'export.zip', 'running', now() FROM unnest($1::uuid[]) AS given (id)`,
      [[before1, after1], userId],
    )
    await pool.query(
      `INSERT INTO imported_facts (id, user_id, import_id, media_item_id, taken_at)
       SELECT gen_random_uuid(), $2, $3, id, '2017-05-05T14:00:00Z' FROM unnest($1::uuid[]) AS given (id)`,
      [items, userId, before1],
    )
  },
  async expectUpgraded(database) {
    const store = createImportedMetadataStore(database)
    const row = { id: after1, userId } as ImportRow
    const [first = '', second = ''] = items
    const missing = { takenAt: null, takenLocal: null, latitude: null, longitude: null, description: null }
    const describe = () => Promise.resolve()
    const choose = () => ({ ...missing, tags: ['Summer', 'Harbour'], sharedTags: [] })
    for (const id of [first, second]) expect(await store.complete(row, id, { choose, describe })).toBe(true)
    // A tag that the user removes and adds again is the user's own.
    await database.pool.query(`UPDATE media_items SET tags = '{Boats,Harbour}' WHERE id = $1`, [second])
    await database.pool.query(`UPDATE media_items SET tags = '{Boats,Harbour,Summer}' WHERE id = $1`, [second])

    for (const id of [before1, after1]) while ((await store.revertBatch(id, 100, describe)).length > 0);
    const storedItems = await database.prisma.mediaItem.findMany({
      where: { userId },
      select: { id: true, tags: true, takenAt: true },
    })
    expect(storedItems).toHaveLength(items.length)
    for (const { id, tags, takenAt } of storedItems) {
      expect({ tags, takenAt }).toEqual({ tags: id === second ? ['Boats', 'Summer'] : ['Boats'], takenAt: null })
    }
    expect(await database.prisma.importedMetadata.count({ where: { userId } })).toBe(0)
  },
}
