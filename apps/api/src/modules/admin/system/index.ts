import { randomUUID } from 'node:crypto'
import { VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { createAuditChain } from '../../../platform/database/audit-chain.ts'
import { createRequestCounter } from '../../../platform/http/request-counts.ts'
import type { Caging } from '../../../platform/sandbox/caging.ts'
import { readDiskSpace } from '../../../platform/storage/disk-space.ts'
import { probeFolder } from '../../../platform/storage/storage-probe.ts'
import type { KnownItems } from '../../search/index.ts'
import { createHealthService } from './health.service.ts'
import { createPublicConfig } from './public-config.ts'
import { createSystemOverviewService } from './system-overview.service.ts'
import { createSystemSampler } from './system-sampler.ts'
import { createSystemSamplesStore } from './system-samples.store.ts'

export interface SystemTools
  extends Pick<Context, 'log' | 'config' | 'database' | 'queue' | 'files' | 'settings' | 'ai' | 'untrustedProxies'> {
  caging: Caging
  assistantName(): string
  readKnownItems: KnownItems['latest']
}

/** Builds what tells whether this server works, what measures it, and what tells administrators of it. */
export function buildSystem(
  tools: SystemTools,
): Pick<Context, 'health' | 'readPublicConfig' | 'systemOverview' | 'systemSampler' | 'requestCounter'> {
  const { log, config, database, queue, files, settings, ai, caging, assistantName, readKnownItems, untrustedProxies } =
    tools
  const serverId = randomUUID()
  const modelChecks = () => ai.checks()
  const readPublicConfig = createPublicConfig({
    version: VERSION,
    assistantName,
    uploadBytes: () => settings.current().limits.upload_bytes,
    trashDays: () => settings.current().retention.trash_days,
    modelChecks,
  })
  const health = createHealthService({
    version: VERSION,
    database,
    probeStorage: async () => {
      await probeFolder(config.dataDir)
      return files.freeBytes()
    },
    countJobs: () => queue.counts(),
    parserCheck: () => caging.check(),
    hasUntrustedProxy: () => untrustedProxies.list().length > 0,
    auditBrokenAt: () => createAuditChain(database).brokenAt(),
    modelChecks,
  })
  const store = createSystemSamplesStore(database)
  const requestCounter = createRequestCounter()
  const systemSampler = createSystemSampler({ serverId, add: store.add, takeCounts: requestCounter.take, log })
  const systemOverview = createSystemOverviewService({
    serverId,
    store,
    version: VERSION,
    readDiskSpace: () => readDiskSpace(config.dataDir),
    checks: () => health.checks(),
    countJobs: () => queue.counts(),
    currentCounts: requestCounter.current,
    readKnownItems,
    eventLoopDelayMs: systemSampler.eventLoopDelayMs,
  })
  return { health, readPublicConfig, systemOverview, systemSampler, requestCounter }
}
