import type { Database } from './db/client.ts'
import { type AnalyticsService, createAnalyticsService } from './features/insights/analytics.service.ts'
import { createAnalyticsStore } from './features/insights/analytics.store.ts'
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
