import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

export type ResponsesStore = ReturnType<typeof createResponsesStore>

/** Stored answers by the id of their question, which names a response. */
export function createResponsesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The newest answer to a user's question; null when there is none. */
    async answerTo(userId: string, questionId: string): Promise<{ sessionId: string; answerId: string } | null> {
      const { rows } = await pool.query<{ sessionId: string; answerId: string }>(
        sql`SELECT m.session_id AS "sessionId", m.id AS "answerId"
         FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
         WHERE m.parent_id = ${questionId} AND m.role = 'assistant' AND s.user_id = ${userId} ORDER BY m.id DESC LIMIT 1`,
      )
      return rows[0] ?? null
    },
  }
}
