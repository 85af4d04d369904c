import { setTimeout as sleep } from 'node:timers/promises'
import { type Capability, type Check, type Health, UPLOAD_MAX_BYTES } from '@mira/shared'
import type { Role } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import { StorageFullError, sentenceOf, UnavailableError } from '../../../errors.ts'
import type { AuditChain } from '../../../platform/database/audit-chain.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { Sandboxing } from '../../../platform/sandbox/sandboxing.ts'
import { asStorageError } from '../../../platform/storage/whole-file.ts'
import { asReason, type Sentence, say } from '../../../sentences.ts'

/** Parts of the server that the health report covers, and its limits. */
export interface HealthDeps {
  version: string
  role: Role
  /** True while the server is shutting down. */
  isStopping(): boolean
  database: Pick<Database, 'engine' | 'isHealthy' | 'hasWorker'>
  /**
   * Free bytes on the disk that receives files.
   * @throws UnavailableError when the file store is unavailable; another error when DATA_DIR isn't writable.
   */
  probeStorage(): Promise<number>
  storageEngine?: 'disk' | 's3'
  queue: Pick<Queue, 'counts'>
  sandboxing: Pick<Sandboxing, 'check'>
  /** Proxies that have sent requests but that TRUST_PROXY doesn't include. */
  untrustedProxies: { list(): string[] }
  auditChain: Pick<AuditChain, 'brokenAt'>
  ai: Pick<Ai, 'checks'>
  /** Timeout after which a part counts as broken. */
  timeoutMs?: number
  /** Time after which a web server reports that no worker runs. */
  workerAbsenceMs?: number
}

/** Minimum free space: with less, a single upload could fill the disk. */
const MIN_FREE_BYTES = 2 * UPLOAD_MAX_BYTES
const CACHE_MS = 1000
const DATABASE_SILENT = say('database_silent', {})
const PROXY_UNTRUSTED = say('proxy_untrusted', {})
const ENGINE_HIDDEN = say('engine_hidden', {})
const REASON_HIDDEN = say('reason_hidden', {})

/** Public health report of the server and its parts, without paths, addresses and secrets. */
export function createHealthService({
  version,
  role,
  isStopping,
  database,
  probeStorage,
  storageEngine = 'disk',
  queue,
  sandboxing,
  untrustedProxies,
  auditChain,
  ai,
  timeoutMs = 2000,
  workerAbsenceMs = 60_000,
}: HealthDeps) {
  const broken = (sentence: Sentence): Check => ({ state: 'error', ...asReason(sentence) })
  const withTimeout = (check: Promise<Check>, sentence: Sentence): Promise<Check> =>
    Promise.race([check, sleep<Check>(timeoutMs, broken(sentence), { ref: false })])

  const checkDatabase = async (): Promise<Check> =>
    (await database.isHealthy())
      ? { state: 'ok', engine: database.engine === 'embedded' ? 'embedded' : 'postgresql' }
      : broken(DATABASE_SILENT)

  const checkStorage = async (): Promise<Check> => {
    const freeBytes = await probeStorage().catch((error: unknown) => {
      const reason = asStorageError(error)
      const isReadable = reason instanceof UnavailableError || reason instanceof StorageFullError
      return isReadable ? sentenceOf(reason) : say('storage_unwritable', {})
    })
    if (typeof freeBytes !== 'number') return broken(freeBytes)
    if (freeBytes >= MIN_FREE_BYTES) return { state: 'ok', engine: storageEngine }
    const megabytes = Math.floor(freeBytes / 1024 / 1024)
    return broken(say('storage_low', { megabytes }))
  }

  // A worker counts as missing only after a while, since a worker that restarts is away for a moment.
  let workerSeenAt = performance.now()
  const isWorkerMissing = async (): Promise<boolean> => {
    if (role !== 'web') return false
    if (await database.hasWorker()) workerSeenAt = performance.now()
    return performance.now() - workerSeenAt > workerAbsenceMs
  }

  const checkQueue = async (): Promise<Check> => {
    try {
      await queue.counts()
      if (await isWorkerMissing()) return broken(say('no_worker', {}))
      return { state: 'ok', engine: 'pg-boss' }
    } catch {
      return broken(say('queue_stopped', {}))
    }
  }

  // Errors are ignored here, since a database that doesn't respond is reported by its own check.
  const checkAudit = async (): Promise<Check | null> => {
    const brokenAt = await Promise.race([
      auditChain.brokenAt().catch(() => null),
      sleep(timeoutMs, null, { ref: false }),
    ])
    if (brokenAt === null) return null
    const at = brokenAt.toISOString()
    return broken(say('audit_broken', { at }))
  }

  const checkAll = async (): Promise<Health['checks']> => {
    const [databaseCheck, storage, jobs, audit] = await Promise.all([
      withTimeout(checkDatabase(), DATABASE_SILENT),
      withTimeout(checkStorage(), say('storage_silent', {})),
      withTimeout(checkQueue(), say('queue_silent', {})),
      checkAudit(),
    ])
    const parsers = sandboxing.check()
    return {
      database: databaseCheck,
      storage,
      queue: jobs,
      ...(parsers && { parsers }),
      ...(untrustedProxies.list().length > 0 && { proxy: broken(PROXY_UNTRUSTED) }),
      ...(audit && { audit }),
      models: ai.checks(),
    }
  }

  // The report is public, so disk and database are checked at most once a second.
  let latest: { checks: Promise<Health['checks']>; expiresAt: number } | undefined
  const checks = (): Promise<Health['checks']> => {
    // Monotonic, since the time of day may be set back.
    if (latest === undefined || latest.expiresAt <= performance.now()) {
      latest = { checks: checkAll(), expiresAt: performance.now() + CACHE_MS }
    }
    return latest.checks
  }

  return {
    checks,

    isStopping,

    /** The health report. The status is `degraded` when the database, the storage or the queue doesn't work; models don't count. */
    async health(): Promise<Health> {
      const current = await checks()
      const isOk = [current.database, current.storage, current.queue].every(({ state }) => state === 'ok')
      return {
        status: isStopping() ? 'stopping' : isOk ? 'ok' : 'degraded',
        version,
        role,
        checks: { ...current, models: withoutAddresses(current.models) },
      }
    },
  }
}

/** Hides reasons of broken engines: they may contain a model server's address, which is for signed-in users only. */
function withoutAddresses(models: Record<Capability, Check>): Record<Capability, Check> {
  const checks = Object.entries(models).map(([name, check]): [string, Check] => {
    if (check.state === 'error') return [name, { ...check, ...asReason(ENGINE_HIDDEN) }]
    const hasAddress = check.reason?.includes('://') ?? false
    return [name, hasAddress ? { ...check, ...asReason(REASON_HIDDEN) } : check]
  })
  return Object.fromEntries(checks) as Record<Capability, Check>
}

export type HealthService = ReturnType<typeof createHealthService>
