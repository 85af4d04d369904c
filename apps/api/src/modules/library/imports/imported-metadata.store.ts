import type { SidecarFacts } from '../../../parsers/media-archives/media-archives.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { raw, type SqlClient, sql, sqlOf } from '../../../platform/database/sql.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { addsMetadata, type ImportRow } from './imports.store.ts'

/** Metadata from an import that an existing item lacked. */
export interface MissingMetadata
  extends Pick<SidecarFacts, 'takenAt' | 'takenLocal' | 'latitude' | 'longitude' | 'description'> {
  tags: string[]
  /** Tags of the item that another import had added; they stay until both imports are undone. */
  sharedTags: string[]
}

/** Metadata of an item, as far as another program can provide it. */
export interface ItemMetadata {
  id: string
  /** Null when unknown. */
  takenAt: Date | null
  /** True when the item has a location, or the user wants none stored. */
  isPlaced: boolean
  /** True when the item has a caption by the user or from an import. */
  isDescribed: boolean
  tags: string[]
  /** Tags that this import added or shares. */
  ownTags: string[]
  otherImportsTags: string[]
  /** True when this import added metadata to the item before it was interrupted. */
  isOwn: boolean
}

/** Sets or reverts an item's caption, in the transaction that locks it. */
type Describe = (tx: Prisma.TransactionClient, itemId: string, description: string) => Promise<void>

export type ImportedMetadataStore = ReturnType<typeof createImportedMetadataStore>

/** Metadata that imports added to existing items; each row belongs to one user. */
export function createImportedMetadataStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const listItemMetadata = async (
    tx: SqlClient,
    { userId, id }: Pick<ImportRow, 'userId' | 'id'>,
    itemIds: string[],
    { isLocking = false } = {},
  ): Promise<ItemMetadata[]> => {
    const { rows } = await tx.query<ItemMetadata>(sql`SELECT m.id,
        CASE WHEN m.details ? 'taken_from' THEN NULL ELSE m.found_taken_at END AS "takenAt",
        m.found_latitude IS NOT NULL OR NOT m.keeps_place AS "isPlaced",
          EXISTS (SELECT FROM moments o WHERE o.media_item_id = m.id AND o.kind = 'caption' AND o.locked_at IS NOT NULL)
            AS "isDescribed",
          m.tags,
          ARRAY(SELECT unnest(f.tags || f.shared_tags) FROM imported_facts f
            WHERE f.media_item_id = m.id AND f.import_id = ${id}::uuid) AS "ownTags",
          ARRAY(SELECT unnest(f.tags || f.shared_tags) FROM imported_facts f
            WHERE f.media_item_id = m.id AND f.import_id <> ${id}::uuid) AS "otherImportsTags",
          EXISTS (SELECT FROM imported_facts f WHERE f.media_item_id = m.id AND f.import_id = ${id}::uuid AND ${raw(addsMetadata)})
            AS "isOwn"
        FROM media_items m WHERE m.user_id = ${userId}::uuid AND m.id = ANY (${itemIds}::uuid[])
          ORDER BY m.id ${raw(isLocking ? 'FOR NO KEY UPDATE OF m' : '')}`)
    return rows
  }

  return {
    listItemMetadata: (row: Pick<ImportRow, 'userId' | 'id'>, itemIds: string[]): Promise<ItemMetadata[]> =>
      listItemMetadata(pool, row, itemIds),

    /** Ids of items imported from a source, by their ids in that source. */
    async itemsOf({ userId, source }: ImportRow, sourceIds: string[]): Promise<Map<string, string>> {
      const { rows } = await pool.query<{ sourceId: string; itemId: string }>(
        sql`SELECT source_id AS "sourceId", media_item_id AS "itemId" FROM imported_things
         WHERE user_id = ${userId} AND source = ${source} AND source_id = ANY (${sourceIds}::text[])
           AND media_item_id IS NOT NULL`,
      )
      return new Map(rows.map(({ sourceId, itemId }) => [sourceId, itemId]))
    },

    /** Items imported from a source that have one of the file names and come from one of an archive's folders. */
    async findByName(
      { userId, source }: ImportRow,
      names: string[],
      folders: string[],
    ): Promise<{ id: string; name: string; folders: string[]; takenAt: Date | null; archive: string }[]> {
      const { rows } = await pool.query<{
        id: string
        name: string
        folders: string[]
        takenAt: Date | null
        archive: string
      }>(
        sql`SELECT m.id, m.original_filename AS name, t.folders, m.found_taken_at AS "takenAt", i.name AS archive
         FROM media_items m JOIN imported_things t ON t.media_item_id = m.id AND t.source = ${source}
         JOIN imports i ON i.id = t.import_id
         WHERE m.user_id = ${userId} AND m.original_filename = ANY (${names.map(storable)}::text[])
           AND t.folders && ${folders.map(storable)}::text[]`,
      )
      return rows
    },

    /**
     * Adds the metadata that `choose` finds missing, all or nothing, and records its import.
     * @returns false when the item is gone, nothing is missing, or the import was cancelled.
     */
    complete(
      row: ImportRow,
      itemId: string,
      { choose, describe }: { choose: (item: ItemMetadata) => MissingMetadata | null; describe: Describe },
    ): Promise<boolean> {
      return prisma.$transaction(async (prismaTx) => {
        const tx = sqlOf(prismaTx)
        const [existingItem] = await listItemMetadata(tx, row, [itemId], { isLocking: true })
        const missing = existingItem === undefined ? null : choose(existingItem)
        if (missing === null) return false
        const { takenAt, takenLocal, latitude, longitude, description, tags, sharedTags } = missing
        const { rows } =
          await tx.query(sql`INSERT INTO imported_facts AS f (id, user_id, import_id, media_item_id, taken_at, latitude,
            longitude, description,
              tags, shared_tags)
            SELECT ${newId()}::uuid, ${row.userId}::uuid, i.id, ${itemId}::uuid, ${takenAt}::timestamptz, ${latitude}::float8,
              ${longitude}::float8, ${description}::text, ${tags}::text[],
              ${sharedTags}::text[] FROM imports i
            WHERE i.id = ${row.id}::uuid AND i.state = 'running'
            ON CONFLICT (import_id, media_item_id) DO UPDATE SET taken_at = coalesce(f.taken_at, excluded.taken_at),
              latitude = coalesce(f.latitude, excluded.latitude), longitude = coalesce(f.longitude, excluded.longitude),
              description = coalesce(f.description, excluded.description), tags = f.tags || excluded.tags,
              shared_tags = f.shared_tags || excluded.shared_tags
            RETURNING f.id`)
        if (rows.length === 0) return false
        await tx.query(sql`UPDATE media_items SET found_taken_at = coalesce(${takenAt}::timestamptz, found_taken_at),
              found_taken_local = CASE WHEN ${takenAt}::timestamptz IS NULL THEN found_taken_local ELSE ${takenLocal}::timestamp END,
              found_latitude = coalesce(${latitude}::float8, found_latitude),
              found_longitude = coalesce(${longitude}::float8, found_longitude),
              tags = tags || ${tags}::text[], updated_at = now(),
              details = CASE WHEN ${takenAt}::timestamptz IS NULL THEN details ELSE details - 'taken_from' END
            WHERE id = ${itemId}::uuid RETURNING id`)
        if (description !== null) await describe(prismaTx, itemId, description)
        return true
      })
    },

    /**
     * Removes the metadata that an import added from a batch of items, unless it was changed since.
     * @returns the affected items.
     */
    revertBatch(importId: string, limit: number, revertDescription: Describe): Promise<string[]> {
      return prisma.$transaction(async (prismaTx) => {
        const tx = sqlOf(prismaTx)
        const { rows: describedRows } = await tx.query<{
          id: string
          itemId: string
          description: string | null
        }>(sql`SELECT f.id, f.media_item_id AS "itemId", f.description FROM imported_facts f
            JOIN media_items m ON m.id = f.media_item_id WHERE f.import_id = ${importId}::uuid
            ORDER BY m.id LIMIT ${limit}::int FOR NO KEY UPDATE OF m`)
        const ids = describedRows.map(({ id }) => id)
        // Being a separate statement, it sees changes that were committed while the locks were awaited.
        await tx.query(sql`UPDATE media_items m SET updated_at = now(),
              found_taken_at = CASE WHEN m.found_taken_at = f.taken_at THEN NULL ELSE m.found_taken_at END,
              found_taken_local = CASE WHEN m.found_taken_at = f.taken_at THEN NULL ELSE m.found_taken_local END,
              (found_latitude, found_longitude) = (SELECT m.found_latitude, m.found_longitude
                WHERE (m.found_latitude, m.found_longitude) IS DISTINCT FROM (f.latitude, f.longitude)),
              tags = ARRAY(SELECT tag FROM unnest(m.tags) WITH ORDINALITY AS tags (tag, position)
                WHERE tag <> ALL (f.tags || f.shared_tags) OR tag IN (
                  SELECT unnest(o.tags || o.shared_tags) FROM imported_facts o
                  WHERE o.media_item_id = m.id AND o.import_id <> f.import_id)
                ORDER BY position)
            FROM imported_facts f WHERE f.id = ANY (${ids}::uuid[]) AND m.id = f.media_item_id RETURNING m.id`)
        for (const { itemId, description } of describedRows) {
          if (description !== null) await revertDescription(prismaTx, itemId, description)
        }
        await tx.query(sql`DELETE FROM imported_facts WHERE id = ANY (${ids}::uuid[]) RETURNING id`)
        return describedRows.map(({ itemId }) => itemId)
      })
    },
  }
}
