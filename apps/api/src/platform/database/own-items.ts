import { NotFoundError } from '../../errors.ts'
import type { Database } from './client.ts'

/** Ids of those of some items that are a person's, in the order given. */
export async function ownItems(
  { pool }: Pick<Database, 'pool'>,
  userId: string,
  mediaIds: string[],
): Promise<string[]> {
  if (mediaIds.length === 0) return []
  const { rows } = await pool.query<{ id: string }>(
    `SELECT i.id FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, place) JOIN media_items i ON i.id = given.id
     WHERE i.user_id = $1 ORDER BY given.place`,
    [userId, mediaIds],
  )
  return rows.map(({ id }) => id)
}

/** A statement that takes the items out of a project or persona `$1`, but for those in the trash: they come back with it. */
export const removeItemsOf = (whose: 'project' | 'persona'): string =>
  `DELETE FROM ${whose}_items k USING media_items i
   WHERE k.${whose}_id = $1 AND i.id = k.media_item_id AND i.user_id IS NOT NULL`

/** @throws NotFoundError unless all of some items are a person's. */
export async function requireOwnItems(
  database: Pick<Database, 'pool'>,
  userId: string,
  mediaIds: string[] = [],
): Promise<void> {
  if ((await ownItems(database, userId, mediaIds)).length === mediaIds.length) return
  throw new NotFoundError('An attached item is not in your library any more. Remove it.')
}
