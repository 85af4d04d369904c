import type { Av } from './adapters/media/av.ts'
import type { Context } from './context.ts'
import type { Database } from './db/client.ts'
import { type AnalyticsService, createAnalyticsService } from './features/insights/analytics.service.ts'
import { createAnalyticsStore } from './features/insights/analytics.store.ts'
import { createInsightsService } from './features/insights/insights.service.ts'
import { createInsightsStore } from './features/insights/insights.store.ts'
import { createMemoryLogsService } from './features/insights/memory-logs.service.ts'
import { createMemoryLogsStore } from './features/insights/memory-logs.store.ts'
import { createRollupsService, type RollupsService } from './features/insights/rollups.service.ts'
import { createRollupsStore } from './features/insights/rollups.store.ts'

/** What adds activities up, and what reads the sums. */
export function buildAnalytics(database: Database): { analytics: AnalyticsService; rollups: RollupsService } {
  const rollups = createRollupsService({ store: createRollupsStore(database) })
  return {
    analytics: createAnalyticsService({ store: createAnalyticsStore(database), refresh: rollups.refresh }),
    rollups,
  }
}

export interface InsightsGround extends Pick<Context, 'database' | 'queue' | 'system' | 'agents' | 'media'> {
  av: Av
  /** Bytes of everything that a person keeps. */
  usedBytes(userId: string): Promise<number>
}

/** Builds what tells of what was asked and done. */
export function buildInsights(
  ground: InsightsGround,
): Pick<Context, 'insights' | 'memoryLogs' | 'analytics'> & { rollups: RollupsService } {
  const { database, queue, system, agents, media, av, usedBytes } = ground
  const insights = createInsightsService({
    store: createInsightsStore(database),
    countMedia: (userId) => media.count(userId),
    checks: () => system.checks(),
    countAgents: () => agents.count(),
    filmTools: () => av.check(),
    countGivenUp: async () => (await queue.counts())['process-media'].failed,
  })
  const memoryLogs = createMemoryLogsService({ store: createMemoryLogsStore(database), usedBytes })
  return { insights, memoryLogs, ...buildAnalytics(database) }
}
