import { raw, type SqlText, sql } from './sql.ts'

/** Query that locks rows in the order of their ids, so that concurrent changes of the same rows don't deadlock. */
export const lockedInOrder = (table: 'media_items' | 'chat_sessions', ids: string[], condition: SqlText): SqlText =>
  sql`SELECT id FROM ${raw(table)} WHERE ${condition} AND id = ANY(${ids}::uuid[]) ORDER BY id FOR UPDATE`
