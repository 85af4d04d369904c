import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

/** The newest stored answer to a user's question, whose id names a response; null when there is none. */
export async function findAnswerTo({ pool }: Pick<Database, 'pool'>, userId: string, questionId: string) {
  const { rows } = await pool.query<{ sessionId: string; answerId: string }>(
    sql`SELECT m.session_id AS "sessionId", m.id AS "answerId"
     FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
     WHERE m.parent_id = ${questionId} AND m.role = 'assistant' AND s.user_id = ${userId} ORDER BY m.id DESC LIMIT 1`,
  )
  return rows[0] ?? null
}
