import type { ToldFacts } from '../../adapters/media-archives/media-archives.ts'
import type { Database } from '../../db/client.ts'
import { newId } from '../../db/new-id.ts'
import { inTransaction, type Sql } from '../../db/sql.ts'
import type { ImportRow } from './imports.store.ts'

/** What can be told of an item that is there. */
export type CompletingFacts = Pick<ToldFacts, 'takenAt' | 'latitude' | 'longitude' | 'description'>

/** What is known of an item, as far as it can be told by another program. */
export interface KnownOfItem {
  id: string
  /** Null when it is not known. */
  takenAt: Date | null
  /** It has a place, or its person wants none kept. */
  isPlaced: boolean
  /** The person, or what it was brought from, said what it is. */
  isDescribed: boolean
  /** This import told something of it before it was interrupted. */
  isOwn: boolean
}

/** What an import told of an item, as it is undone. */
export interface ToldOfItem {
  id: string
  mediaItemId: string
  /** What stands there still and is to be taken back. */
  description: string | null
}

export type ImportedFactsStore = ReturnType<typeof createImportedFactsStore>

/** What imports told of items that were there already, as rows of one person each. */
export function createImportedFactsStore({ pool }: Pick<Database, 'pool'>) {
  const known = async (
    sql: Sql,
    { userId, id }: Pick<ImportRow, 'userId' | 'id'>,
    itemIds: string[],
    { isLocking = false } = {},
  ): Promise<KnownOfItem[]> => {
    const { rows } = await sql.query<KnownOfItem>({
      text: `SELECT m.id, m.taken_at AS "takenAt", m.latitude IS NOT NULL OR NOT m.keeps_place AS "isPlaced",
          EXISTS (SELECT FROM moments o WHERE o.media_item_id = m.id AND o.kind = 'caption' AND o.locked_at IS NOT NULL)
            AS "isDescribed",
          EXISTS (SELECT FROM imported_facts f WHERE f.media_item_id = m.id AND f.import_id = $2) AS "isOwn"
        FROM media_items m WHERE m.user_id = $1 AND m.id = ANY ($3::uuid[]) ORDER BY m.id ${isLocking ? 'FOR NO KEY UPDATE OF m' : ''}`,
      values: [userId, id, itemIds],
    })
    return rows
  }

  return {
    known: (row: Pick<ImportRow, 'userId' | 'id'>, itemIds: string[]): Promise<KnownOfItem[]> =>
      known(pool, row, itemIds),

    /** Items that imports brought from a source, by what they are known by there. */
    async itemsOf({ userId, source }: ImportRow, sourceIds: string[]): Promise<Map<string, string>> {
      const { rows } = await pool.query<{ sourceId: string; itemId: string }>(
        `SELECT source_id AS "sourceId", media_item_id AS "itemId" FROM imported_things
         WHERE user_id = $1 AND source = $2 AND source_id = ANY ($3::text[]) AND media_item_id IS NOT NULL`,
        [userId, source, sourceIds],
      )
      return new Map(rows.map(({ sourceId, itemId }) => [sourceId, itemId]))
    },

    /** Items that imports brought from a source, by what their files are called. */
    async named(
      { userId, source }: ImportRow,
      names: string[],
    ): Promise<{ id: string; name: string; takenAt: Date | null }[]> {
      const { rows } = await pool.query<{ id: string; name: string; takenAt: Date | null }>(
        `SELECT DISTINCT m.id, m.original_filename AS name, m.taken_at AS "takenAt"
         FROM media_items m JOIN imported_things t ON t.media_item_id = m.id AND t.source = $2
         WHERE m.user_id = $1 AND m.original_filename = ANY ($3::text[])`,
        [userId, source, names],
      )
      return rows
    },

    /**
     * Keeps of an item what `choose` says is missing of what is known, and that this import told it.
     * @returns what was kept; null when the item is gone, nothing is missing, or the import was cancelled.
     */
    complete(
      row: ImportRow,
      itemId: string,
      choose: (known: KnownOfItem) => CompletingFacts | null,
    ): Promise<CompletingFacts | null> {
      return inTransaction(pool, async (sql) => {
        const [there] = await known(sql, row, [itemId], { isLocking: true })
        const missing = there === undefined ? null : choose(there)
        if (missing === null) return null
        const { takenAt, latitude, longitude, description } = missing
        const { rows } = await sql.query({
          text: `INSERT INTO imported_facts AS f (id, user_id, import_id, media_item_id, taken_at, latitude, longitude, description)
            SELECT $1, $2, i.id, $4, $5::timestamptz, $6::float8, $7::float8, $8::text FROM imports i
            WHERE i.id = $3 AND i.state = 'running'
            ON CONFLICT (import_id, media_item_id) DO UPDATE SET taken_at = coalesce(f.taken_at, excluded.taken_at),
              latitude = coalesce(f.latitude, excluded.latitude), longitude = coalesce(f.longitude, excluded.longitude),
              description = coalesce(f.description, excluded.description)
            RETURNING f.id`,
          values: [newId(), row.userId, row.id, itemId, takenAt, latitude, longitude, description],
        })
        if (rows.length === 0) return null
        await sql.query({
          text: `UPDATE media_items SET taken_at = coalesce($2::timestamptz, taken_at), latitude = coalesce($3::float8, latitude),
              longitude = coalesce($4::float8, longitude), updated_at = now() WHERE id = $1`,
          values: [itemId, takenAt, latitude, longitude],
        })
        return missing
      })
    },

    /** Forgets some of what an import told of items, where it stands as it was told; those that it told of. */
    async takeBack(importId: string, limit: number): Promise<ToldOfItem[]> {
      const { rows } = await pool.query<ToldOfItem>(
        `WITH told AS (SELECT * FROM imported_facts WHERE import_id = $1 ORDER BY id LIMIT $2),
         forgotten AS (
           UPDATE media_items m SET updated_at = now(),
             taken_at = CASE WHEN m.taken_at = f.taken_at THEN NULL ELSE m.taken_at END,
             latitude = CASE WHEN m.latitude = f.latitude AND m.longitude = f.longitude THEN NULL ELSE m.latitude END,
             longitude = CASE WHEN m.latitude = f.latitude AND m.longitude = f.longitude THEN NULL ELSE m.longitude END
           FROM told f WHERE m.id = f.media_item_id
           RETURNING f.id, m.id AS item_id, CASE WHEN m.caption = f.description THEN f.description END AS description)
         SELECT id, item_id AS "mediaItemId", description FROM forgotten ORDER BY id`,
        [importId, limit],
      )
      return rows
    },

    async remove(ids: string[]): Promise<void> {
      await pool.query('DELETE FROM imported_facts WHERE id = ANY ($1::uuid[])', [ids])
    },
  }
}
