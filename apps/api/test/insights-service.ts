import type { Capability, Check, Health } from '@mira/shared'
import { capabilities } from '@mira/shared'
import { createInsightsService } from '../src/modules/admin/insights/insights.service.ts'
import { createInsightsStore } from '../src/modules/admin/insights/insights.store.ts'
import type { TestDatabase } from './database-template.ts'

/** State of a server's parts; those left out are healthy. */
export interface ServerState {
  checks?: Partial<Health['checks']>
  models?: Partial<Record<Capability, Check>>
  agents?: { name: string; status: 'active' | 'warning' | 'error' }[]
  videos?: Check
  /** Number of jobs that failed recently. */
  failedJobs?: number
  /** Address of off-site copies; null when they're off. */
  offsite?: string | null
  now?: Date
}

/** Dashboard service on a real database, with these states; it counts no items. */
export function insightsServiceOn(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  {
    checks = {},
    models = {},
    agents = [{ name: 'CalculatorAgent', status: 'active' }],
    videos = { state: 'ok' },
    failedJobs = 0,
    offsite = null,
    now = new Date(),
  }: ServerState = {},
) {
  const all = Object.fromEntries(capabilities.map((name) => [name, { state: 'ok', engine: 'remote' }]))
  return createInsightsService({
    store: createInsightsStore({ prisma }),
    media: { count: async () => ({ total: 0, recent: 0, previous: 0 }) },
    health: {
      checks: async () => ({
        database: { state: 'ok' },
        storage: { state: 'ok' },
        queue: { state: 'ok' },
        models: { ...all, ...models } as Record<Capability, Check>,
        ...checks,
      }),
    },
    agents: { states: async () => agents as never },
    av: { check: () => videos },
    queue: {
      counts: async () => ({ 'process-media': { failed: failedJobs }, 'process-long-media': { failed: 0 } }) as never,
    },
    settings: { current: () => ({ backups: { offsite } }) as never },
    now: () => now,
  })
}
