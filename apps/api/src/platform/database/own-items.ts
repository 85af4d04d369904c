import { NotFoundError } from '../../errors.ts'
import type { Database } from './client.ts'
import { raw, type SqlText, sql } from './sql.ts'

/** CTEs that delete the notifications about deleted items and strip the details from the activities about them. */
export const forgetItemsCtes = (userId: string, deletedItemsCte: string): SqlText => sql`
  deleted_notifications AS (DELETE FROM notifications WHERE user_id = ${userId} AND subject_id IN (SELECT id FROM ${raw(deletedItemsCte)})),
  stripped_activities AS (
    UPDATE activities SET detail = jsonb_build_object('action', detail -> 'action')
    WHERE user_id = ${userId} AND subject_id IN (SELECT id FROM ${raw(deletedItemsCte)})
  )`

/** Filters ids to the user's own items, in the given order. */
export async function ownItems(
  { pool }: Pick<Database, 'pool'>,
  userId: string,
  mediaIds: string[],
): Promise<string[]> {
  if (mediaIds.length === 0) return []
  const { rows } = await pool.query<{ id: string }>(
    sql`SELECT i.id FROM unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS given (id, position) JOIN media_items i ON i.id = given.id
     WHERE i.user_id = ${userId} ORDER BY given.position`,
  )
  return rows.map(({ id }) => id)
}

/** Statement that removes all items from a project or persona except trashed ones, which return when they're restored. */
export const removeItemsOf = (whose: 'project' | 'persona', id: string): SqlText =>
  sql`DELETE FROM ${raw(`${whose}_items`)} k USING media_items i
   WHERE k.${raw(`${whose}_id`)} = ${id} AND i.id = k.media_item_id AND i.user_id IS NOT NULL`

/** Statement that adds a user's items to a project or persona, in the given order. */
export const insertItemsOf = (whose: 'project' | 'persona', id: string, userId: string, mediaIds: string[]): SqlText =>
  sql`INSERT INTO ${raw(`${whose}_items`)} (${raw(`${whose}_id`)}, media_item_id, position)
   SELECT ${id}::uuid, i.id, given.position FROM unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS given (id, position)
     JOIN media_items i ON i.id = given.id AND i.user_id = ${userId}`

/** @throws NotFoundError unless every item belongs to the user. */
export async function requireOwnItems(
  database: Pick<Database, 'pool'>,
  userId: string,
  mediaIds: string[] = [],
): Promise<void> {
  if ((await ownItems(database, userId, mediaIds)).length === mediaIds.length) return
  throw new NotFoundError('An attached item is no longer in your library. Remove it.', { code: 'attached_item_gone' })
}
