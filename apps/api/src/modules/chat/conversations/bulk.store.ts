import { SESSION_MAX_TAGS } from '@mira/shared'
import { againAfterConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'

/** Change of several conversations; undefined fields stay unchanged. */
export interface BulkChange {
  ids: string[]
  archived?: boolean | undefined
  add_tags: string[]
  remove_tags: string[]
  project_id?: string | null | undefined
}

/** Longest list of tags. */
const MAX_LISTED_TAGS = 500

export type BulkStore = ReturnType<typeof createBulkStore>

/** The tags of a conversation `s` after a change: those that stay, then the new ones. */
const TAGS_AFTER = `(
  SELECT coalesce(array_agg(tag ORDER BY place), '{}') FROM (
    SELECT tag, min(place) AS place FROM unnest(s.tags || $3::text[]) WITH ORDINALITY AS given (tag, place)
    WHERE tag <> ALL($4::text[]) GROUP BY tag
  ) kept
)`

/** Changes to several conversations of a user at once. */
export function createBulkStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Ids of the user's conversations among them; nothing changes when one would have too many tags. */
    async change(
      userId: string,
      { ids, archived, add_tags, remove_tags, project_id }: BulkChange,
    ): Promise<string[] | 'too-many-tags'> {
      const tags = [add_tags, remove_tags]
      if (add_tags.length > 0) {
        const { rowCount } = await pool.query(
          `SELECT FROM chat_sessions s
           WHERE user_id = $1 AND id = ANY($2::uuid[]) AND cardinality(${TAGS_AFTER}) > $5 LIMIT 1`,
          [userId, ids, ...tags, SESSION_MAX_TAGS],
        )
        if (rowCount !== 0) return 'too-many-tags'
      }
      const { rows } = await againAfterConflict(() =>
        pool.query<{ id: string }>(
          `UPDATE chat_sessions s SET tags = ${TAGS_AFTER},
             archived_at = CASE $5::boolean WHEN true THEN coalesce(archived_at, now()) WHEN false THEN NULL ELSE archived_at END,
             project_id = CASE WHEN $6::boolean THEN $7::uuid ELSE project_id END
           WHERE user_id = $1 AND id = ANY($2::uuid[]) RETURNING id`,
          [userId, ids, ...tags, archived ?? null, project_id !== undefined, project_id ?? null],
        ),
      )
      return rows.map(({ id }) => id)
    },

    /** Tags of the user's conversations, the most used first. */
    async listTags(userId: string): Promise<{ tag: string; count: number }[]> {
      const { rows } = await pool.query<{ tag: string; count: number }>(
        `SELECT tag, count(*)::int AS count FROM chat_sessions s, unnest(s.tags) tag WHERE s.user_id = $1
         GROUP BY tag ORDER BY count DESC, lower(tag), tag LIMIT ${MAX_LISTED_TAGS}`,
        [userId],
      )
      return rows
    },
  }
}
