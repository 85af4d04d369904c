import type { Common } from '../../../common.ts'
import type { Av } from '../../../parsers/video/av.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { AgentsService } from '../../chat/index.ts'
import type { StorageUseService } from '../../identity/index.ts'
import type { MediaService } from '../../library/index.ts'
import type { HealthService } from '../system/health.service.ts'
import { createAnalyticsService } from './analytics.service.ts'
import { createAnalyticsStore } from './analytics.store.ts'
import { createInsightsService } from './insights.service.ts'
import { createInsightsStore } from './insights.store.ts'
import { createMemoryLogsService } from './memory-logs.service.ts'
import { createMemoryLogsStore } from './memory-logs.store.ts'
import { createRollupsService } from './rollups.service.ts'
import { createRollupsStore } from './rollups.store.ts'

/** Sums of activities and the analytics over them. */
export function buildAnalytics(deps: Pick<Common, 'database' | 'log'> & { queue: Pick<Queue, 'enqueue'> }) {
  const rollups = createRollupsService({ ...deps, store: createRollupsStore(deps.database) })
  return { analytics: createAnalyticsService({ store: createAnalyticsStore(deps.database), rollups }), rollups }
}

/** Dashboards and logs of activities. */
export function buildInsights(
  deps: Common & {
    health: HealthService
    agents: AgentsService
    media: MediaService
    av: Av
    storage: StorageUseService
  },
) {
  const { database } = deps
  return {
    insights: createInsightsService({ ...deps, store: createInsightsStore(database) }),
    memoryLogs: createMemoryLogsService({ ...deps, store: createMemoryLogsStore(database) }),
    ...buildAnalytics(deps),
  }
}
