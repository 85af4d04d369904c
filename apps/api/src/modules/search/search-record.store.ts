import { type ActivityRecord, insertActivitySql } from '../../platform/database/activity.ts'
import type { Database } from '../../platform/database/client.ts'
import { prepared } from '../../platform/database/prepared.ts'
import { sql } from '../../platform/database/sql.ts'

export type SearchRecordStore = ReturnType<typeof createSearchRecordStore>

/** Records searches, and the results that users opened. */
export function createSearchRecordStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    async record(activity: ActivityRecord): Promise<void> {
      await pool.query(prepared(insertActivitySql(activity)))
    },

    /** True when the search was the user's. */
    async hasSearched(userId: string, searchId: string): Promise<boolean> {
      const activity = await prisma.activity.findFirst({
        where: { id: searchId, userId, kind: 'search', detail: { path: ['action'], equals: 'searched' } },
        select: { id: true },
      })
      return activity !== null
    },

    /** Records that a result of a search was opened; opening it again changes nothing. */
    async recordOpened(activity: ActivityRecord): Promise<void> {
      const { userId, subjectId, detailId } = activity
      const existing = await prisma.activity.findFirst({
        where: { userId, subjectId, detailId, kind: 'search' },
        select: { id: true },
      })
      if (existing === null) await pool.query(prepared(insertActivitySql(activity)))
    },

    /** Id of the item of a search result, which is a moment, a part or the item itself. */
    async itemOf(userId: string, resultId: string): Promise<string | null> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT media_item_id AS id FROM moments WHERE id = ${resultId} AND user_id = ${userId}
         UNION ALL SELECT media_item_id FROM media_parts WHERE id = ${resultId} AND user_id = ${userId}
         UNION ALL SELECT id FROM media_items WHERE id = ${resultId} AND user_id = ${userId} LIMIT 1`,
      )
      return rows[0]?.id ?? null
    },
  }
}
