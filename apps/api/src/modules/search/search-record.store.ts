import { type ActivityRecord, activityJson, insertActivitySql } from '../../platform/database/activity.ts'
import type { Database } from '../../platform/database/client.ts'
import { prepared } from '../../platform/database/prepared.ts'

export type SearchRecordStore = ReturnType<typeof createSearchRecordStore>

const insertActivity = prepared(insertActivitySql('$1'))

/** Record of searches and of the results that users opened. */
export function createSearchRecordStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    async record(activity: ActivityRecord): Promise<void> {
      await pool.query(insertActivity([activityJson(activity)]))
    },

    /** True when the search was the user's. */
    async hasSearched(userId: string, searchId: string): Promise<boolean> {
      const activity = await prisma.activity.findFirst({
        where: { id: searchId, userId, kind: 'search', detail: { path: ['action'], equals: 'searched' } },
        select: { id: true },
      })
      return activity !== null
    },

    /** Records that a result of a search was opened, once. */
    async recordOpened(activity: ActivityRecord): Promise<void> {
      const { userId, subjectId, detailId } = activity
      const existing = await prisma.activity.findFirst({
        where: { userId, subjectId, detailId, kind: 'search' },
        select: { id: true },
      })
      if (existing === null) await pool.query(insertActivity([activityJson(activity)]))
    },

    /** The item that a result of a search lies in: the result is a moment, a part or the item itself. */
    async itemOf(userId: string, resultId: string): Promise<string | null> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT media_item_id AS id FROM moments WHERE id = $2 AND user_id = $1
         UNION ALL SELECT media_item_id FROM media_parts WHERE id = $2 AND user_id = $1
         UNION ALL SELECT id FROM media_items WHERE id = $2 AND user_id = $1 LIMIT 1`,
        [userId, resultId],
      )
      return rows[0]?.id ?? null
    },
  }
}
