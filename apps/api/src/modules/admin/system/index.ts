import { randomUUID } from 'node:crypto'
import type { Common } from '../../../common.ts'
import { VERSION } from '../../../config.ts'
import { createAuditChain } from '../../../platform/database/audit-chain.ts'
import { createRequestCounter } from '../../../platform/http/request-counts.ts'
import { probeFolder } from '../../../platform/storage/disk-space.ts'
import type { KnownItems } from '../../search/index.ts'
import { createHealthService } from './health.service.ts'
import { createSystemOverviewService } from './system-overview.service.ts'
import { createSystemSampler } from './system-sampler.ts'
import { createSystemSamplesStore } from './system-samples.store.ts'

/** Health and load of this server. */
export function buildSystem(
  deps: Common & {
    knownItems: KnownItems
    /** True while the server is shutting down. */
    isStopping(): boolean
  },
) {
  const { config, database, files } = deps
  const health = createHealthService({
    ...deps,
    version: VERSION,
    role: config.role,
    probeStorage: async () => {
      await probeFolder(config.dataDir)
      await files.check()
      return files.freeBytes()
    },
    storageEngine: files.isRemote ? 's3' : 'disk',
    auditChain: createAuditChain(database),
  })
  const common = {
    ...deps,
    serverId: randomUUID(),
    store: createSystemSamplesStore(database),
    requestCounter: createRequestCounter(),
  }
  const systemSampler = createSystemSampler(common)
  const systemOverview = createSystemOverviewService({ ...common, health, systemSampler })
  return { health, systemOverview, systemSampler, requestCounter: common.requestCounter }
}
