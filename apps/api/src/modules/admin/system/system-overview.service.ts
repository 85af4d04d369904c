import { totalmem } from 'node:os'
import type { Health, SystemOverview } from '@mira/shared'
import { SAMPLE_SECONDS } from './system-sampler.ts'
import type { SystemSamplesStore } from './system-samples.store.ts'

export interface SystemOverviewDeps {
  serverId: string
  version: string
  store: SystemSamplesStore
  /** Usage of the disk with the data folder. */
  readDiskSpace(): Promise<{ usedBytes: number; totalBytes: number }>
  checks(): Promise<Health['checks']>
  countJobs(): Promise<Record<string, { waiting: number; active: number; failed: number }>>
  /** Calls of this server since its last sample. */
  currentCounts(): { requests: number; requestErrors: number }
  eventLoopDelayMs(): { mean: number; p99: number }
  /** Result of the last search trial; null before the first one. */
  readKnownItems(): Promise<KnownItemsTrial | null>
  now?: () => Date
}

/** A search trial: number of stored items searched for, and of those found. */
interface KnownItemsTrial {
  measuredAt: Date
  asked: number
  found: number
  foundByWords: number
  /** Both null where no engine answered. */
  askedByMeaning: number | null
  foundByMeaning: number | null
}

export type SystemOverviewService = ReturnType<typeof createSystemOverviewService>

const DAY_SECONDS = 86_400

/** Administrators' overview of the instance and of the server that responds. */
export function createSystemOverviewService(deps: SystemOverviewDeps) {
  const { serverId, store, now = () => new Date() } = deps
  return {
    async read(): Promise<SystemOverview> {
      const measuredAt = now()
      const since = new Date(measuredAt.getTime() - DAY_SECONDS * 1000)
      const [instance, calls, servers, series, disk, { models, ...checks }, jobs, known] = await Promise.all([
        store.instance(),
        store.calls(since),
        store.servers(since),
        store.series(measuredAt, DAY_SECONDS / SAMPLE_SECONDS, SAMPLE_SECONDS),
        deps.readDiskSpace().catch(() => null),
        deps.checks(),
        deps.countJobs(),
        deps.readKnownItems(),
      ])
      const current = deps.currentCounts()
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
        event_loop_delay_ms: deps.eventLoopDelayMs(),
        queues: Object.entries(jobs).map(([name, counts]) => ({ name, ...counts })),
        checks,
        engines: models,
        versions: {
          mira: deps.version,
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
        known_items: known && presentTrial(known),
      }
    },
  }
}

function presentTrial(trial: KnownItemsTrial): SystemOverview['known_items'] {
  const { measuredAt, asked, found, foundByWords, askedByMeaning, foundByMeaning } = trial
  return {
    measured_at: measuredAt,
    asked,
    found,
    words: { asked, found: foundByWords },
    meaning: askedByMeaning === null ? null : { asked: askedByMeaning, found: foundByMeaning ?? 0 },
  }
}

/** A container is given less than the machine has; without a limit an enormous number, or none, is told. */
function usableMemoryBytes(): number {
  const limit = process.constrainedMemory()
  return limit > 0 && limit < totalmem() ? limit : totalmem()
}
