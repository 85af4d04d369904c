import { type ActivityRecord, recordActivity } from '../../db/activity.ts'
import type { Database } from '../../db/client.ts'

/** How calls went; `total` counts those that were stopped, too. */
export interface CallCounts {
  completed: number
  failed: number
  total: number
}

export type AgentsStore = ReturnType<typeof createAgentsStore>

/** Keeps how calls of agents went. */
export function createAgentsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    record: (activity: ActivityRecord): Promise<void> => recordActivity(prisma, activity),

    /** Over everyone, but for those who keep their use out of analytics. */
    async countCalls(): Promise<CallCounts> {
      const { rows } = await pool.query<CallCounts>(
        `SELECT count(*)::int AS total, (count(*) FILTER (WHERE outcome = 'completed'))::int AS completed,
           (count(*) FILTER (WHERE outcome = 'failed'))::int AS failed
         FROM activities WHERE kind = 'agent' AND in_analytics`,
      )
      return rows[0] ?? { completed: 0, failed: 0, total: 0 }
    },
  }
}
