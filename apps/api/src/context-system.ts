import { randomUUID } from 'node:crypto'
import { readDiskSpace } from './adapters/files/disk-space.ts'
import { type Config, VERSION } from './config.ts'
import type { Database } from './db/client.ts'
import type { SystemService } from './features/system/system.service.ts'
import { createSystemOverviewService, type SystemOverviewService } from './features/system/system-overview.service.ts'
import { createSystemSampler, type SystemSampler } from './features/system/system-sampler.ts'
import { createSystemSamplesStore } from './features/system/system-samples.store.ts'
import { createRequestCounter, type RequestCounter } from './http/request-counts.ts'
import type { Queue } from './jobs/queue.ts'
import type { Log } from './log.ts'

/** Builds what measures this server, and what tells administrators of it. */
export function buildSystemOverview(ground: {
  config: Pick<Config, 'dataDir'>
  database: Database
  queue: Queue
  system: SystemService
  log: Log
}): { systemOverview: SystemOverviewService; systemSampler: SystemSampler; requestCounter: RequestCounter } {
  const { config, database, queue, system, log } = ground
  const serverId = randomUUID()
  const store = createSystemSamplesStore(database)
  const requestCounter = createRequestCounter()
  const systemSampler = createSystemSampler({ serverId, add: store.add, takeCounts: requestCounter.take, log })
  const systemOverview = createSystemOverviewService({
    ...{ serverId, store },
    version: VERSION,
    readDiskSpace: () => readDiskSpace(config.dataDir),
    checks: () => system.checks(),
    countJobs: () => queue.counts(),
    currentCounts: requestCounter.current,
    eventLoopDelayMs: systemSampler.eventLoopDelayMs,
  })
  return { systemOverview, systemSampler, requestCounter }
}
