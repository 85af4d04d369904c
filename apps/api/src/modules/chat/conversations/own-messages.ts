import type { Database } from '../../../platform/database/client.ts'
import { type SqlText, sql } from '../../../platform/database/sql.ts'

/** Share of all messages below which a user's own messages are few enough to read all of them in a search for many words. */
const MINORITY_SHARE = 0.1

/**
 * True when reading all of a user's messages is faster than using the word indexes, which find the messages of all users. Always
 * false with the embedded database, which has few users.
 */
export async function hasFewMessages(
  { pool, engine }: Pick<Database, 'pool' | 'engine'>,
  userId: string,
  minorityShare = MINORITY_SHARE,
): Promise<boolean> {
  if (engine === 'embedded') return false
  const { rows } = await pool.query<{ few: boolean }>(
    sql`SELECT reltuples * ${minorityShare}::float8 > (
       SELECT coalesce(sum(message_count), 0) FROM chat_session_figures WHERE user_id = ${userId}
     ) AS few FROM pg_class WHERE oid = 'chat_messages'::regclass`,
  )
  return rows[0]?.few === true
}

/** SQL of the messages `m` of a conversation, for a join. Forces the index by conversation, even with conditions on words. */
export const messagesOf = (sessionId: SqlText) =>
  sql`LATERAL (SELECT * FROM chat_messages m WHERE m.session_id = ${sessionId} OFFSET 0) m`
