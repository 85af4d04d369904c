import { recordActivity } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { motionName } from '../../../platform/database/motion-name.ts'
import { join, nothing, raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { deletedTables, exportedTables, type OwnedTable } from './owned-tables.ts'

/** A user's stored file, exported unchanged. */
interface OriginalFile {
  id: string
  kind: 'media' | 'motions' | 'effects' | 'chat'
  name: string
  path: string
  sha256: string
  created_at: Date
}

export type AccountStore = ReturnType<typeof createAccountStore>

const BATCH_SIZE = 200
const isOwnedOrTrashed = (userId: string) => sql`(user_id = ${userId} OR trashed_from = ${userId})`
const isAfter = (id: SqlText, lastId: string | null) => sql`(${lastId}::uuid IS NULL OR ${id} > ${lastId}::uuid)`

/** SQL for the next batch of a user's rows, after the id `lastId`. */
type BatchSql = (userId: string, lastId: string | null) => SqlText

/** SQL for the rows of an exported table, each as JSON text. */
const selectRows =
  ({ name, isOwnedBy, omittedColumns, nested = {}, batchSize = BATCH_SIZE }: OwnedTable): BatchSql =>
  (userId, lastId) => {
    const omissions = raw(omittedColumns.map((column) => ` - '${column}'`).join(''))
    const additions = Object.entries(nested).map(
      ([key, value]) => sql` || jsonb_build_object(${raw(`'${key}'`)}, ${value(userId)})`,
    )
    return sql`SELECT t.id::text AS id, (to_jsonb(t)${omissions}${join([nothing, ...additions], '')})::text AS row FROM ${raw(name)} t
      WHERE ${isOwnedBy(userId)} AND ${isAfter(sql`t.id`, lastId)} ORDER BY t.id LIMIT ${batchSize}`
  }

const originals: Record<OriginalFile['kind'], BatchSql> = {
  media: (userId, lastId) => sql`
    SELECT id, 'media' AS kind, original_filename AS name, path, sha256, created_at FROM media_items
    WHERE user_id = ${userId} AND ${isAfter(sql`id`, lastId)} ORDER BY id LIMIT ${BATCH_SIZE}`,
  motions: (userId, lastId) => sql`
    SELECT m.id, 'motions' AS kind, ${raw(motionName('m', 'c'))} AS name, c.path,
      substring(c.path FROM '[^/]*$') AS sha256, c.created_at
    FROM media_copies c JOIN media_items m ON m.id = c.media_item_id
    WHERE m.user_id = ${userId} AND c.kind = 'motion' AND ${isAfter(sql`m.id`, lastId)} ORDER BY m.id LIMIT ${BATCH_SIZE}`,
  effects: (userId, lastId) => sql`
    SELECT id, 'effects' AS kind, effect_name || '.png' AS name, path, sha256, created_at FROM effect_images
    WHERE user_id = ${userId} AND ${isAfter(sql`id`, lastId)} ORDER BY id LIMIT ${BATCH_SIZE}`,
  chat: (userId, lastId) => sql`
    SELECT i.id, 'chat' AS kind, i.name, i.path, i.sha256, i.created_at FROM chat_message_images i
    JOIN chat_messages m ON m.id = i.message_id JOIN chat_sessions s ON s.id = m.session_id
    WHERE s.user_id = ${userId} AND ${isAfter(sql`i.id`, lastId)} ORDER BY i.id LIMIT ${BATCH_SIZE}`,
}

const conversations: BatchSql = (userId, lastId) => sql`
  SELECT id, session_name, created_at FROM chat_sessions
  WHERE user_id = ${userId} AND ${isAfter(sql`id`, lastId)} ORDER BY id LIMIT ${BATCH_SIZE}`

/**
 * Tables whose rows can be in the trash, each with the dependent tables that can hold thousands of rows for one of its
 * rows. Those rows are deleted first, in batches. Messages are deleted newest first, since deleting a message also deletes
 * its replies.
 */
const tablesWithTrash: Readonly<Record<string, { name: string; key: string; order?: string }[]>> = {
  chat_sessions: [{ name: 'chat_messages', key: 'session_id', order: 'ORDER BY created_at DESC, id DESC' }],
  media_items: [
    { name: 'moments', key: 'media_item_id' },
    { name: 'media_parts', key: 'media_item_id' },
  ],
}
const TRASHABLE_BATCH_SIZE = 20

/** Reads and removes a user's data in batches. */
export function createAccountStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  async function* inBatches<Row extends { id: string }>(
    batch: BatchSql,
    userId: string,
    batchSize = BATCH_SIZE,
  ): AsyncGenerator<Row[]> {
    let lastId: string | null = null
    do {
      const { rows }: { rows: Row[] } = await pool.query<Row>(batch(userId, lastId))
      if (rows.length > 0) yield rows
      lastId = rows.length === batchSize ? (rows.at(-1)?.id ?? null) : null
    } while (lastId !== null)
  }

  const removeInBatches = async (table: string, condition: SqlText, order = '') => {
    const batch = sql`SELECT ctid FROM ${raw(table)} WHERE ${condition} ${raw(order)} LIMIT ${BATCH_SIZE}`
    let removedCount: number | null
    do {
      const { rowCount } = await pool.query(sql`DELETE FROM ${raw(table)} WHERE ctid = ANY (ARRAY(${batch}))`)
      removedCount = rowCount
    } while (removedCount !== 0 && removedCount !== null)
  }

  /** Removes rows of a table with trash, after removing the rows that depend on them. */
  const removeWithContents = async (table: string, condition: SqlText) => {
    for (;;) {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id FROM ${raw(table)} WHERE ${condition} LIMIT ${TRASHABLE_BATCH_SIZE}`,
      )
      if (rows.length === 0) return
      const ids = rows.map(({ id }) => id)
      for (const { name, key, order } of tablesWithTrash[table] ?? []) {
        await removeInBatches(name, sql`${raw(key)} = ANY(${ids}::uuid[])`, order)
      }
      await pool.query(sql`DELETE FROM ${raw(table)} WHERE id = ANY(${ids}::uuid[])`)
    }
  }

  return {
    /** The exported tables with their rows in batches, each row as JSON text. */
    tables: (userId: string) =>
      exportedTables.map((table) => ({
        name: table.name,
        batches: () => inBatches<{ id: string; row: string }>(selectRows(table), userId, table.batchSize),
      })),

    /** Names and times of the conversations, in batches. */
    conversations: (userId: string) =>
      inBatches<{ id: string; session_name: string; created_at: Date }>(conversations, userId),

    /** Files that the user added or generated, in batches. */
    async *originals(userId: string): AsyncGenerator<OriginalFile[]> {
      for (const batch of Object.values(originals)) yield* inBatches<OriginalFile>(batch, userId)
    },

    /** Total number of conversations, items and generated images. */
    async countEntries(userId: string): Promise<number> {
      const { rows } = await pool.query<{ count: string }>(sql`
        SELECT (SELECT count(*) FROM chat_sessions WHERE user_id = ${userId})
          + (SELECT count(*) FROM media_items WHERE user_id = ${userId})
          + (SELECT count(*) FROM effect_images WHERE user_id = ${userId}) AS count`)
      return Number(rows[0]?.count ?? 0)
    },

    /** Number of the user's rows, by kind, including the trash. */
    async count(userId: string): Promise<Record<string, number>> {
      const count = (table: string) =>
        sql`(SELECT count(*)::int FROM ${raw(table)} WHERE user_id = ${userId}) AS ${raw(table)}`
      const { rows } = await pool.query<Record<string, number>>(sql`
        WITH conversations AS (SELECT id FROM chat_sessions WHERE ${isOwnedOrTrashed(userId)}),
          items AS (SELECT id FROM media_items WHERE ${isOwnedOrTrashed(userId)})
        SELECT (SELECT count(*)::int FROM conversations) AS chat_sessions,
          (SELECT count(*)::int FROM chat_messages WHERE session_id IN (SELECT id FROM conversations)) AS messages,
          (SELECT count(*)::int FROM items) AS media_items,
          (SELECT count(*)::int FROM moments WHERE media_item_id IN (SELECT id FROM items)) AS moments,
          ${join(['effect_images', 'effect_recipes', 'facts', 'prompts', 'reminders'].map(count))},
          (SELECT count(*)::int FROM agent_runs
            WHERE user_id = ${userId} OR session_id IN (SELECT id FROM conversations)) AS agent_runs,
          ${join(['notifications', 'weekly_summaries', 'activities', 'partial_uploads'].map(count))}`)
      return rows[0] ?? {}
    },

    /**
     * Removes a user's data, including trash, but not the account and its sign-in methods. Small batches keep other users'
     * queries from waiting.
     */
    async removeAll(userId: string): Promise<void> {
      for (const table of deletedTables) {
        const hasTrash = table in tablesWithTrash
        const isOwned = hasTrash ? isOwnedOrTrashed(userId) : sql`user_id = ${userId}`
        await (hasTrash ? removeWithContents : removeInBatches)(table, isOwned)
        // The batches skip a row that is being updated, since its ctid changes. This statement waits for it.
        await pool.query(sql`DELETE FROM ${raw(table)} WHERE ${isOwned}`)
      }
      // `update` would throw if another server has removed the account meanwhile.
      await prisma.user.updateMany({ where: { id: userId }, data: { sharesAnswers: false } })
    },

    recordDeletion: (userId: string) =>
      recordActivity(prisma, { userId, kind: 'account', detail: { action: 'data_deleted' } }),
  }
}
