import { SESSION_MAX_TAGS } from '@mira/shared'
import { retryOnConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { lockedInOrder } from '../../../platform/database/locked-in-order.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'

/** Change of several conversations; undefined fields stay unchanged. */
interface BulkChange {
  ids: string[]
  archived?: boolean | undefined
  add_tags: string[]
  remove_tags: string[]
  project_id?: string | null | undefined
}

const MAX_LISTED_TAGS = 500

export type BulkStore = ReturnType<typeof createBulkStore>

/** Tags of a conversation `s` after a change: the remaining ones, then the new ones. */
const tagsAfter = ({ add_tags, remove_tags }: Pick<BulkChange, 'add_tags' | 'remove_tags'>) => sql`(
  SELECT coalesce(array_agg(tag ORDER BY place), '{}') FROM (
    SELECT tag, min(place) AS place FROM unnest(s.tags || ${add_tags}::text[]) WITH ORDINALITY AS listed (tag, place)
    WHERE tag <> ALL(${remove_tags}::text[]) GROUP BY tag
  ) remaining
)`

const isOwn = (userId: string, place?: 'trash') =>
  place === 'trash' ? sql`trashed_from = ${userId}` : sql`${userId} IN (user_id, trashed_from)`

/**
 * Changes several conversations of a user at once. Conversations in the trash have no owner, and a trigger also removes the owner
 * from their figures and calls, so that queries by user don't see them.
 */
export function createBulkStore({ pool }: Pick<Database, 'pool'>) {
  const idsOf = async (statement: SqlText): Promise<string[]> => {
    const { rows } = await retryOnConflict(() => pool.query<{ id: string }>(statement))
    return rows.map(({ id }) => id)
  }

  return {
    /** Ids of the user's conversations among these, including the trash; with `place`, only those in the trash. */
    owned: (userId: string, ids: string[], place?: 'trash') =>
      idsOf(sql`SELECT id FROM chat_sessions WHERE ${isOwn(userId, place)} AND id = ANY(${ids}::uuid[])`),

    /**
     * Deletes a user's conversations with everything in them, including those in the trash; with `place`, only the ones in the trash.
     * @returns ids of the deleted ones
     */
    remove: (userId: string, ids: string[], place?: 'trash') =>
      idsOf(sql`
        DELETE FROM chat_sessions
        WHERE id IN (${lockedInOrder('chat_sessions', ids, isOwn(userId, place))}) RETURNING id`),

    /** Moves conversations to the trash; returns the ids of the moved conversations. */
    trash: (userId: string, ids: string[]) =>
      idsOf(sql`
        UPDATE chat_sessions SET user_id = NULL, trashed_from = user_id, trashed_at = now()
        WHERE id IN (${lockedInOrder('chat_sessions', ids, sql`user_id = ${userId}`)}) RETURNING id`),

    /** Restores conversations from the trash; returns the ids of the restored conversations. */
    restore: (userId: string, ids: string[]) =>
      idsOf(sql`
        UPDATE chat_sessions SET user_id = trashed_from, trashed_from = NULL, trashed_at = NULL
        WHERE id IN (${lockedInOrder('chat_sessions', ids, sql`trashed_from = ${userId}`)}) RETURNING id`),

    /** Changes conversations, or none when one would have too many tags. @returns ids of the changed ones */
    async change(
      userId: string,
      { ids, archived, project_id, ...tags }: BulkChange,
    ): Promise<string[] | 'too-many-tags'> {
      if (tags.add_tags.length > 0) {
        const { rowCount } = await pool.query(
          sql`SELECT FROM chat_sessions s WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[])
             AND cardinality(${tagsAfter(tags)}) > ${SESSION_MAX_TAGS} LIMIT 1`,
        )
        if (rowCount !== 0) return 'too-many-tags'
      }
      const { rows } = await retryOnConflict(() =>
        pool.query<{ id: string }>(
          sql`UPDATE chat_sessions s SET tags = ${tagsAfter(tags)},
             archived_at = CASE ${archived ?? null}::boolean
               WHEN true THEN coalesce(archived_at, now()) WHEN false THEN NULL ELSE archived_at END,
             project_id = CASE WHEN ${project_id !== undefined}::boolean THEN ${project_id ?? null}::uuid ELSE project_id END
           WHERE id IN (${lockedInOrder('chat_sessions', ids, sql`user_id = ${userId}`)}) RETURNING id`,
        ),
      )
      return rows.map(({ id }) => id)
    },

    /** Tags of the user's conversations, most used first. */
    async listTags(userId: string): Promise<{ tag: string; count: number }[]> {
      const { rows } = await pool.query<{ tag: string; count: number }>(
        sql`SELECT tag, count(*)::int AS count FROM chat_sessions s, unnest(s.tags) tag WHERE s.user_id = ${userId}
         GROUP BY tag ORDER BY count DESC, lower(tag), tag LIMIT ${raw(MAX_LISTED_TAGS)}`,
      )
      return rows
    },
  }
}
