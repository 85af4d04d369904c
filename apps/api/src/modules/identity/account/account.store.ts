import { recordActivity } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { motionName } from '../../../platform/database/motion-name.ts'
import { deletedTables, exportedTables, type OwnedTable } from './owned-tables.ts'

/** A user's stored file, exported unchanged. */
export interface OriginalFile {
  id: string
  kind: 'media' | 'motions' | 'effects' | 'chat'
  name: string
  path: string
  sha256: string
  created_at: Date
}

export type AccountStore = ReturnType<typeof createAccountStore>

const ROWS_AT_ONCE = 200
const OWNED_OR_TRASHED = '(user_id = $1 OR trashed_from = $1)'

/** Pieces of a table's rows as JSON texts. */
const selectRows = ({ name, owned, omittedColumns, nested = {}, rowsAtOnce = ROWS_AT_ONCE }: OwnedTable) => {
  const own = omittedColumns.map((column) => ` - '${column}'`).join('')
  const added = Object.entries(nested).map(([word, sql]) => ` || jsonb_build_object('${word}', ${sql})`)
  return `SELECT t.id::text AS id, (to_jsonb(t)${own}${added.join('')})::text AS row FROM ${name} t
    WHERE ${owned} AND ($2::uuid IS NULL OR t.id > $2) ORDER BY t.id LIMIT ${rowsAtOnce}`
}

const originals: Record<OriginalFile['kind'], string> = {
  media: `SELECT id, 'media' AS kind, original_filename AS name, path, sha256, created_at FROM media_items
    WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
  motions: `SELECT m.id, 'motions' AS kind, ${motionName('m', 'c')} AS name, c.path,
      substring(c.path FROM '[^/]*$') AS sha256, c.created_at
    FROM media_copies c JOIN media_items m ON m.id = c.media_item_id
    WHERE m.user_id = $1 AND c.kind = 'motion' AND ($2::uuid IS NULL OR m.id > $2) ORDER BY m.id LIMIT ${ROWS_AT_ONCE}`,
  effects: `SELECT id, 'effects' AS kind, effect_name || '.png' AS name, path, sha256, created_at FROM effect_images
    WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
  chat: `SELECT i.id, 'chat' AS kind, i.name, i.path, i.sha256, i.created_at FROM chat_message_images i
    JOIN chat_messages m ON m.id = i.message_id JOIN chat_sessions s ON s.id = m.session_id
    WHERE s.user_id = $1 AND ($2::uuid IS NULL OR i.id > $2) ORDER BY i.id LIMIT ${ROWS_AT_ONCE}`,
}

const countEntries = `SELECT
  (SELECT count(*) FROM chat_sessions WHERE user_id = $1) + (SELECT count(*) FROM media_items WHERE user_id = $1)
  + (SELECT count(*) FROM effect_images WHERE user_id = $1) AS count`
/** Conditions for tables with a trash. */
const ownerConditions = { chat_sessions: OWNED_OR_TRASHED, media_items: OWNED_OR_TRASHED } as Partial<
  Record<string, string>
>
/** Includes the trash. */
const countOwned = `WITH conversations AS (SELECT id FROM chat_sessions WHERE ${OWNED_OR_TRASHED}),
    items AS (SELECT id FROM media_items WHERE ${OWNED_OR_TRASHED})
  SELECT
  (SELECT count(*)::int FROM conversations) AS chat_sessions,
  (SELECT count(*)::int FROM chat_messages WHERE session_id IN (SELECT id FROM conversations)) AS messages,
  (SELECT count(*)::int FROM items) AS media_items,
  (SELECT count(*)::int FROM moments WHERE media_item_id IN (SELECT id FROM items)) AS moments,
  (SELECT count(*)::int FROM effect_images WHERE user_id = $1) AS effect_images,
  (SELECT count(*)::int FROM effect_recipes WHERE user_id = $1) AS effect_recipes,
  (SELECT count(*)::int FROM facts WHERE user_id = $1) AS facts,
  (SELECT count(*)::int FROM prompts WHERE user_id = $1) AS prompts,
  (SELECT count(*)::int FROM reminders WHERE user_id = $1) AS reminders,
  (SELECT count(*)::int FROM agent_runs WHERE user_id = $1 OR session_id IN (SELECT id FROM conversations)) AS agent_runs,
  (SELECT count(*)::int FROM notifications WHERE user_id = $1) AS notifications,
  (SELECT count(*)::int FROM weekly_summaries WHERE user_id = $1) AS weekly_summaries,
  (SELECT count(*)::int FROM activities WHERE user_id = $1) AS activities,
  (SELECT count(*)::int FROM partial_uploads WHERE user_id = $1) AS partial_uploads`

/** A user's data in all tables, read and removed in pieces. */
export function createAccountStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  async function* inPieces<Row extends { id: string }>(
    sql: string,
    userId: string,
    rowsAtOnce = ROWS_AT_ONCE,
  ): AsyncGenerator<Row[]> {
    let last: string | null = null
    do {
      const { rows }: { rows: Row[] } = await pool.query<Row>(sql, [userId, last])
      if (rows.length > 0) yield rows
      last = rows.length === rowsAtOnce ? (rows.at(-1)?.id ?? null) : null
    } while (last !== null)
  }

  return {
    /** Every exported table with its rows, each a JSON text, in pieces. */
    tables: (userId: string) =>
      exportedTables.map((table) => ({
        name: table.name,
        pieces: () => inPieces<{ id: string; row: string }>(selectRows(table), userId, table.rowsAtOnce),
      })),

    /** Names and times of the conversations, in pieces. */
    conversations: (userId: string) =>
      inPieces<{ id: string; session_name: string; created_at: Date }>(
        `SELECT id, session_name, created_at FROM chat_sessions
         WHERE user_id = $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
        userId,
      ),

    /** Files that the user added or generated, in pieces. */
    async *originals(userId: string): AsyncGenerator<OriginalFile[]> {
      for (const sql of Object.values(originals)) yield* inPieces<OriginalFile>(sql, userId)
    },

    /** Number of conversations, items and generated images, without their contents. */
    async countEntries(userId: string): Promise<number> {
      const { rows } = await pool.query<{ count: string }>(countEntries, [userId])
      return Number(rows[0]?.count ?? 0)
    },

    /** Number of the user's rows, by kind. */
    async count(userId: string): Promise<Record<string, number>> {
      const { rows } = await pool.query<Record<string, number>>(countOwned, [userId])
      return rows[0] ?? {}
    },

    /** Removes every row but the account itself, including trash, in small batches so that other users don't wait. */
    async removeAll(userId: string): Promise<void> {
      for (const table of deletedTables) {
        const condition = ownerConditions[table] ?? 'user_id = $1'
        let removed: number | null
        do {
          const { rowCount } = await pool.query(
            `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${ROWS_AT_ONCE}))`,
            [userId],
          )
          removed = rowCount
        } while (removed !== 0 && removed !== null)
        // A row that was updated meanwhile has moved, so its ctid matched nothing: this waits for it.
        await pool.query(`DELETE FROM ${table} WHERE ${condition}`, [userId])
      }
      await prisma.user.update({ where: { id: userId }, data: { sharesAnswers: false } })
    },

    recordDeletion: (userId: string) =>
      recordActivity(prisma, { userId, kind: 'account', detail: { action: 'data_deleted' } }),
  }
}
