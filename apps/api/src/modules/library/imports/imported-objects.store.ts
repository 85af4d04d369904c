import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { nothing, type SqlClient, sql } from '../../../platform/database/sql.ts'
import { storable } from '../../../platform/lib/storable.ts'
import type { ImportRow } from './imports.store.ts'

type UndoingImport = Pick<ImportRow, 'id' | 'userId' | 'state'>

/** Some of the conversations and items of an import that still exist. */
export async function listImportedObjects(
  { prisma }: Database,
  id: string,
  limit: number,
): Promise<{ ids: string[]; sessionIds: string[]; mediaItemIds: string[]; unindexedSessionIds: string[] }> {
  const objects = await prisma.importedObject.findMany({ where: { importId: id }, take: limit })
  const sessionIdsOf = (subset: typeof objects) => subset.flatMap(({ sessionId }) => sessionId ?? [])
  return {
    ids: objects.map((object) => object.id),
    sessionIds: sessionIdsOf(objects),
    mediaItemIds: objects.flatMap(({ mediaItemId }) => mediaItemId ?? []),
    /** Conversations that search doesn't find yet. */
    unindexedSessionIds: sessionIdsOf(objects.filter(({ isSearched }) => !isSearched)),
  }
}

/** Marks a finished import as being undone and enqueues the job for it, unless it's already being undone. */
export async function beginUndoing(
  { prisma }: Database,
  userId: string,
  id: string,
  enqueue: (tx: Prisma.TransactionClient, id: string) => Promise<void>,
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    const { count } = await tx.import.updateMany({
      where: { id, userId, state: { in: ['done', 'failed', 'cancelled'] } },
      data: { state: 'undoing' },
    })
    if (count === 1) await enqueue(tx, id)
  })
}

/** An import that is being undone; null for any other. */
export async function findUndoing({ prisma }: Database, id: string): Promise<UndoingImport | null> {
  const row = await prisma.import.findUnique({
    where: { id, state: 'undoing' },
    select: { id: true, userId: true },
  })
  return row && { ...row, state: 'undoing' }
}

/**
 * Detaches undone conversations and items from their import and subtracts them from its count, batch by batch, so that the
 * count is correct even after a restart. Rows of conversations stay, so that a restored conversation isn't imported again;
 * files are recognised by their content instead.
 */
export async function forgetImportedObjects({ pool }: Database, id: string, objectIds: string[]): Promise<void> {
  await pool.query(
    sql`WITH forgotten AS (
       DELETE FROM imported_things WHERE import_id = ${id} AND id = ANY (${objectIds}::uuid[]) AND session_id IS NULL
     ), undone AS (
       UPDATE imported_things SET import_id = NULL, is_searched = true
       WHERE import_id = ${id} AND id = ANY (${objectIds}::uuid[]) AND session_id IS NOT NULL
     )
     UPDATE imports SET imported = greatest(imported - ${objectIds.length}, 0), updated_at = now() WHERE id = ${id}`,
  )
}

/** SQL condition that a conversation `t` can be imported again: its import was undone, and the user no longer has it. */
const isUndone = sql`t.import_id IS NULL AND NOT EXISTS (
  SELECT FROM chat_sessions s WHERE s.id = t.session_id AND s.user_id = t.user_id)`

/** An imported conversation or item. */
type ImportedObject = { sessionId: string } | { mediaItemId: string }

/** Origin of an imported object. */
interface ImportedObjectOrigin {
  userId: string
  importId: string
  source: string
  sourceId: string
  /** Folders in the archive. */
  folders?: string[] | undefined
  /** Source id of the picture that this video belongs to. */
  motionVideoOf?: string | null
}

export type ImportedObjectsStore = ReturnType<typeof createImportedObjectsStore>

/** Imported conversations and items, by their source ids; each is imported only once. */
export function createImportedObjectsStore({ pool }: Database) {
  return {
    /**
     * Records an imported object, in the transaction that stores it. A live photo's video is recorded with the import of
     * its picture, so that both are undone together.
     * @returns false when it was imported before, or a video's picture is gone.
     */
    async record(
      tx: SqlClient,
      { userId, importId, source, sourceId, folders = [], motionVideoOf = null }: ImportedObjectOrigin,
      object: ImportedObject,
    ): Promise<boolean> {
      const sessionId = 'sessionId' in object ? object.sessionId : null
      const mediaItemId = 'mediaItemId' in object ? object.mediaItemId : null
      const picture = sql`JOIN imported_things p
        ON p.user_id = ${userId} AND p.source = ${source} AND p.source_id = ${motionVideoOf}`
      const { rows } = await tx.query(sql`
        INSERT INTO imported_things (id, user_id, import_id, source, source_id, session_id, media_item_id, folders)
        SELECT ${newId()}, ${userId}, ${motionVideoOf === null ? sql`i.id` : sql`p.import_id`}, ${source}, ${sourceId},
          ${sessionId}, ${mediaItemId}, ${folders.map(storable)}::text[]
        FROM imports i ${motionVideoOf === null ? nothing : picture} WHERE i.id = ${importId} AND i.state = 'running'
        ${motionVideoOf === null ? nothing : sql`FOR KEY SHARE OF p`}
        ON CONFLICT (user_id, source, source_id) DO NOTHING RETURNING id`)
      return rows.length === 1
    },

    /**
     * Records imported conversations, in the transaction that stores them, as not yet indexed.
     * @returns the session ids of those that weren't imported before.
     */
    async recordConversations(
      tx: SqlClient,
      { userId, importId, source }: { userId: string; importId: string; source: string },
      conversations: { sessionId: string; sourceId: string }[],
    ): Promise<Set<string>> {
      const objects = conversations.map((conversation) => ({ id: newId(), ...conversation }))
      const { rows } = await tx.query<{
        sessionId: string
      }>(sql`INSERT INTO imported_things AS t (id, user_id, import_id, source, source_id, session_id, is_searched)
          SELECT g.id, ${userId}, i.id, ${source}, g."sourceId", g."sessionId", false
          FROM imports i, jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) AS g (id uuid, "sourceId" text, "sessionId" uuid)
          WHERE i.id = ${importId} AND i.state = 'running' FOR SHARE OF i
          ON CONFLICT (user_id, source, source_id) DO UPDATE
            SET import_id = excluded.import_id, session_id = excluded.session_id, is_searched = false WHERE ${isUndone}
          RETURNING session_id AS "sessionId"`)
      return new Set(rows.map(({ sessionId }) => sessionId))
    },

    /** Some unindexed conversations of the oldest import that has any; null when all are indexed. */
    async nextUnindexed(
      limit: number,
    ): Promise<(Pick<ImportRow, 'id' | 'userId' | 'state'> & { sessionIds: string[] }) | null> {
      const { rows } = await pool.query<Pick<ImportRow, 'id' | 'userId' | 'state'> & { sessionId: string }>(
        sql`SELECT t.import_id AS id, t.user_id AS "userId", t.session_id AS "sessionId", i.state
         FROM (SELECT * FROM imported_things WHERE NOT is_searched ORDER BY import_id, id LIMIT ${limit}) AS t
         JOIN imports i ON i.id = t.import_id ORDER BY t.import_id, t.id`,
      )
      const [first] = rows
      if (first === undefined) return null
      const rowsOfImport = rows.filter(({ id }) => id === first.id)
      const { id, userId, state } = first
      return { id, userId, state, sessionIds: rowsOfImport.map(({ sessionId }) => sessionId) }
    },

    /** Marks conversations of an import as indexed. */
    async markIndexed(id: string, sessionIds: string[]): Promise<void> {
      await pool.query(
        sql`UPDATE imported_things SET is_searched = true
         WHERE import_id = ${id} AND NOT is_searched AND session_id = ANY (${sessionIds}::uuid[])`,
      )
    },

    /** Number of each import's conversations that search doesn't find yet; imports with none are left out. */
    async countUnindexed(ids: string[]): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ id: string; count: number }>(
        sql`SELECT import_id AS id, count(*)::int AS count FROM imported_things
         WHERE NOT is_searched AND import_id = ANY (${ids}::uuid[]) GROUP BY import_id`,
      )
      return new Map(rows.map(({ id, count }) => [id, count]))
    },

    /** The pictures among the source ids that were imported: true for a picture that already has its video. */
    async findPictures(
      { userId, source }: { userId: string; source: string },
      sourceIds: string[],
    ): Promise<Map<string, boolean>> {
      const { rows } = await pool.query<{ sourceId: string; hasVideo: boolean }>(
        sql`SELECT t.source_id AS "sourceId", EXISTS (SELECT FROM media_copies c
             WHERE c.media_item_id = t.media_item_id AND c.kind IN ('motion', 'motion_preview')) AS "hasVideo"
         FROM imported_things t
         WHERE t.user_id = ${userId} AND t.source = ${source} AND t.source_id = ANY (${sourceIds}::text[])
           AND t.media_item_id IS NOT NULL`,
      )
      return new Map(rows.map(({ sourceId, hasVideo }) => [sourceId, hasVideo]))
    },

    /** Source ids that were already imported: `now` when this import added them before an interruption, otherwise `before`. */
    async findImported(
      { userId, importId, source }: { userId: string; importId: string; source: string },
      sourceIds: string[],
    ): Promise<Map<string, 'before' | 'now'>> {
      const { rows } = await pool.query<{ sourceId: string; isOwn: boolean }>(
        sql`SELECT source_id AS "sourceId", import_id IS NOT DISTINCT FROM ${importId} AS "isOwn" FROM imported_things t
         WHERE user_id = ${userId} AND source = ${source} AND source_id = ANY (${sourceIds}::text[]) AND NOT (${isUndone})
         UNION ALL
         SELECT id::text, false FROM chat_sessions WHERE ${source} = 'mira' AND user_id = ${userId}
           AND id::text = ANY (${sourceIds}::text[])`,
      )
      return new Map(rows.map(({ sourceId, isOwn }) => [sourceId, isOwn ? 'now' : 'before']))
    },
  }
}
