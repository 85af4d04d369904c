import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

export type MentionsStore = ReturnType<typeof createMentionsStore>

/** A search that looks at more items than these is none of a tag. */
const MAX_ITEMS = 5000

/** Access to mentioned items of one user's library. */
export function createMentionsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Ids of the items with a tag, the newest first. */
    async itemsWithTag(userId: string, tag: string): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id FROM media_items WHERE user_id = ${userId} AND tags @> ARRAY[${tag}]::text[]
         ORDER BY created_at DESC LIMIT ${raw(MAX_ITEMS)}`,
      )
      return rows.map(({ id }) => id)
    },
  }
}
