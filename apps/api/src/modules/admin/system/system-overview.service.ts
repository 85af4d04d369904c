import { totalmem } from 'node:os'
import type { SystemOverview } from '@mira/shared'
import { type Config, VERSION } from '../../../config.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { readDiskSpace } from '../../../platform/storage/disk-space.ts'
import type { KnownItems } from '../../search/index.ts'
import type { HealthService } from './health.service.ts'
import { SAMPLE_SECONDS, type SystemSampler } from './system-sampler.ts'
import type { SystemSamplesStore } from './system-samples.store.ts'

type KnownItemsTrial = NonNullable<Awaited<ReturnType<KnownItems['latest']>>>

export type SystemOverviewService = ReturnType<typeof createSystemOverviewService>

const DAY_SECONDS = 86_400

/** Administrators' overview of the instance and of the server that responds. */
export function createSystemOverviewService({
  serverId,
  config,
  store,
  health,
  queue,
  requestCounter,
  systemSampler,
  knownItems,
}: {
  serverId: string
  config: Pick<Config, 'dataDir'>
  store: SystemSamplesStore
  health: HealthService
  queue: Queue
  /** Requests to this server since its last sample. */
  requestCounter: { current(): { requests: number; requestErrors: number } }
  systemSampler: SystemSampler
  knownItems: KnownItems
}) {
  return {
    async read(): Promise<SystemOverview> {
      const measuredAt = new Date()
      const since = new Date(measuredAt.getTime() - DAY_SECONDS * 1000)
      const [instance, calls, servers, series, disk, { models, ...checks }, jobs, trial] = await Promise.all([
        store.instance(),
        store.calls(since),
        store.servers(since),
        store.series(measuredAt, DAY_SECONDS / SAMPLE_SECONDS, SAMPLE_SECONDS),
        readDiskSpace(config.dataDir).catch(() => null),
        health.checks(),
        queue.counts(),
        knownItems.latest(),
      ])
      const current = requestCounter.current()
      const requests = calls.requests + current.requests
      const requestErrors = calls.requestErrors + current.requestErrors
      return {
        measured_at: measuredAt,
        sessions: { chat: instance.chatSessions, signed_in: instance.signedIn },
        uptime: Math.floor(process.uptime()),
        memory: { used_bytes: process.memoryUsage.rss(), total_bytes: usableMemoryBytes() },
        disk: disk && { used_bytes: disk.usedBytes, total_bytes: disk.totalBytes },
        api_calls: requests,
        error_rate: requests === 0 ? null : Math.round((10_000 * requestErrors) / requests) / 100,
        database_bytes: instance.databaseBytes,
        storage_bytes: instance.storageBytes,
        event_loop_delay_ms: systemSampler.eventLoopDelayMs(),
        queues: Object.entries(jobs).map(([name, counts]) => ({ name, ...counts })),
        checks,
        engines: models,
        versions: {
          mira: VERSION,
          node: process.versions.node,
          postgresql: instance.postgresql,
          pgvector: instance.pgvector,
          platform: `${process.platform} ${process.arch}`,
        },
        servers: servers.map((server) => ({
          server_id: server.serverId,
          is_this: server.serverId === serverId,
          last_sample_at: server.lastSampleAt,
          requests: server.requests,
          request_errors: server.requestErrors,
          memory_bytes: server.memoryBytes,
          cpu_share: server.cpuShare,
          event_loop_delay_p99_ms: server.eventLoopDelayP99Ms,
        })),
        series,
        known_items: trial && presentTrial(trial),
      }
    },
  }
}

function presentTrial(trial: KnownItemsTrial): SystemOverview['known_items'] {
  const { measuredAt, askedCount: asked, foundCount: found, foundByWords, askedByMeaning, foundByMeaning } = trial
  return {
    measured_at: measuredAt,
    asked,
    found,
    words: { asked, found: foundByWords },
    meaning: askedByMeaning === null ? null : { asked: askedByMeaning, found: foundByMeaning ?? 0 },
  }
}

/** Memory limit of a container if there is one; without a limit Node reports an enormous number or 0. */
function usableMemoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}
