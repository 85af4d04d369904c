import { NotFoundError } from '../../errors.ts'
import type { Database } from './client.ts'
import { raw, type SqlText, sql } from './sql.ts'

/** Steps of a statement that forget what a person was told of the items of a step and what activities say of them. */
export const forgetItems = (userId: string, deletedIds: string): SqlText => sql`
  untold AS (DELETE FROM notifications WHERE user_id = ${userId} AND subject_id IN (SELECT id FROM ${raw(deletedIds)})),
  forgotten AS (
    UPDATE activities SET detail = jsonb_build_object('action', detail -> 'action')
    WHERE user_id = ${userId} AND subject_id IN (SELECT id FROM ${raw(deletedIds)})
  )`

/** Ids of those of some items that are a person's, in the order given. */
export async function ownItems(
  { pool }: Pick<Database, 'pool'>,
  userId: string,
  mediaIds: string[],
): Promise<string[]> {
  if (mediaIds.length === 0) return []
  const { rows } = await pool.query<{ id: string }>(
    sql`SELECT i.id FROM unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS given (id, place) JOIN media_items i ON i.id = given.id
     WHERE i.user_id = ${userId} ORDER BY given.place`,
  )
  return rows.map(({ id }) => id)
}

/** A statement that takes the items out of a project or persona, but for those in the trash: they come back with it. */
export const removeItemsOf = (whose: 'project' | 'persona', id: string): SqlText =>
  sql`DELETE FROM ${raw(`${whose}_items`)} k USING media_items i
   WHERE k.${raw(`${whose}_id`)} = ${id} AND i.id = k.media_item_id AND i.user_id IS NOT NULL`

/** A statement that puts a user's items into a project or persona, in their order. */
export const insertItemsOf = (whose: 'project' | 'persona', id: string, userId: string, mediaIds: string[]): SqlText =>
  sql`INSERT INTO ${raw(`${whose}_items`)} (${raw(`${whose}_id`)}, media_item_id, position)
   SELECT ${id}::uuid, i.id, given.position FROM unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS given (id, position)
     JOIN media_items i ON i.id = given.id AND i.user_id = ${userId}`

/** @throws NotFoundError unless all of some items are a person's. */
export async function requireOwnItems(
  database: Pick<Database, 'pool'>,
  userId: string,
  mediaIds: string[] = [],
): Promise<void> {
  if ((await ownItems(database, userId, mediaIds)).length === mediaIds.length) return
  throw new NotFoundError('An attached item is no longer in your library. Remove it.', { code: 'attached_item_gone' })
}
