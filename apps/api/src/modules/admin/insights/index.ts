import type { Context } from '../../../context-type.ts'
import type { Av } from '../../../parsers/video/av.ts'
import type { Database } from '../../../platform/database/client.ts'
import { type AnalyticsService, createAnalyticsService } from './analytics.service.ts'
import { createAnalyticsStore } from './analytics.store.ts'
import { createInsightsService } from './insights.service.ts'
import { createInsightsStore } from './insights.store.ts'
import { createMemoryLogsService } from './memory-logs.service.ts'
import { createMemoryLogsStore } from './memory-logs.store.ts'
import { createRollupsService, type RollupsService } from './rollups.service.ts'
import { createRollupsStore } from './rollups.store.ts'

/** Builds the aggregation of activities and its readers. */
export function buildAnalytics(
  database: Database,
  wakeRollups: () => void,
): { analytics: AnalyticsService; rollups: RollupsService } {
  const rollups = createRollupsService({ store: createRollupsStore(database), wake: wakeRollups })
  return {
    analytics: createAnalyticsService({ store: createAnalyticsStore(database), missingSince: rollups.missingSince }),
    rollups,
  }
}

export interface InsightsTools extends Pick<Context, 'log' | 'database' | 'queue' | 'health' | 'agents' | 'media'> {
  av: Av
  /** Bytes of everything that a person keeps. */
  usedBytes(userId: string): Promise<number>
}

/** Builds what tells of what was asked and done. */
export function buildInsights(
  tools: InsightsTools,
): Pick<Context, 'insights' | 'memoryLogs' | 'analytics'> & { rollups: RollupsService } {
  const { log, database, queue, health, agents, media, av, usedBytes } = tools
  const insights = createInsightsService({
    store: createInsightsStore(database),
    countMedia: (userId) => media.count(userId),
    checks: () => health.checks(),
    agentStates: () => agents.states(),
    filmTools: () => av.check(),
    countGivenUp: async () => {
      const counts = await queue.counts()
      return counts['process-media'].failed + counts['process-long-media'].failed
    },
  })
  const memoryLogs = createMemoryLogsService({ store: createMemoryLogsStore(database), usedBytes })
  const wakeRollups = () => {
    queue
      .enqueue('roll-up-activities', {})
      .catch((error) => log.warn({ err: error }, 'hours could not be added up soon'))
  }
  return { insights, memoryLogs, ...buildAnalytics(database, wakeRollups) }
}
