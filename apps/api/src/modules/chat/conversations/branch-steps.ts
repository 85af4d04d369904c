import { type SqlText, sql } from '../../../platform/database/sql.ts'

/**
 * Message `m` by id, given as an SQL expression. It is looked up by its key: while the statistics are old, the planner takes a
 * conversation for short and reads all of it.
 */
export const messageWithId = (id: SqlText): SqlText =>
  sql`LATERAL (SELECT * FROM chat_messages one WHERE one.id = ${id} LIMIT 1) m`

/**
 * The message `m` before the one that `branch b` has reached, for a recursive statement that walks a conversation from its end.
 * It is looked up by its key, whatever is known of the table: while the statistics are old (of a young database above all), a
 * plain join reads every message for each one of the branch.
 */
export const MESSAGE_BEFORE = sql`branch b CROSS JOIN LATERAL (
    SELECT * FROM chat_messages before WHERE before.id = b.parent_id LIMIT 1
  ) m`
