import { type SqlText, sql } from '../../../platform/database/sql.ts'

/**
 * Message `m` by the SQL expression of its id. Forces a lookup by key: with outdated statistics, the planner assumes a short
 * conversation and reads all of it.
 */
export const messageWithId = (id: SqlText): SqlText =>
  sql`LATERAL (SELECT * FROM chat_messages c WHERE c.id = ${id} LIMIT 1) m`

/**
 * Parent message `m` of the current one in `branch b`, for a recursive statement that walks a conversation from its end. Forces
 * a lookup by key: with outdated statistics, mostly in a new database, a plain join reads all messages at every step.
 */
export const MESSAGE_BEFORE = sql`branch b CROSS JOIN LATERAL (
    SELECT * FROM chat_messages c WHERE c.id = b.parent_id LIMIT 1
  ) m`

/** Newest reply `m` to the current message in `replies b`, for a recursive statement that walks a conversation towards its end. */
export const NEWEST_REPLY = sql`replies b CROSS JOIN LATERAL (
    SELECT * FROM chat_messages c WHERE c.parent_id = b.id ORDER BY c.created_at DESC, c.id DESC LIMIT 1
  ) m`
