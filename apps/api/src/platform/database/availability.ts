import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { someCause } from '../lib/some-cause.ts'

/** The embedded database stopped unexpectedly; it restarts automatically. */
export class DatabaseGoneError extends Error {
  override name = 'DatabaseGoneError'
  readonly code = 'DATABASE_GONE'

  constructor(reason: string) {
    super(`The embedded database is not available: ${reason}`)
  }
}

/** Emscripten's errno for a full disk; its errors are plain objects. */
const EMSCRIPTEN_ENOSPC = 51

/** Reason for the end of the embedded database. */
export function endReasonOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  const number = typeof error === 'object' && error !== null && 'errno' in error ? error.errno : undefined
  if (number === EMSCRIPTEN_ENOSPC) return 'its disk is full'
  return number === undefined ? String(error) : `a file system error (${number})`
}

/** Free space without which the embedded database can't start: PostgreSQL writes logs of 16 MB. */
const START_MIN_BYTES = 32 * 1024 * 1024

/** Reason why the embedded database can't be opened; on a full disk, its own is about something else. */
export function openFailureOf(error: unknown, freeBytes: number): string {
  if (freeBytes < START_MIN_BYTES) return 'its disk is full. Free some space, then start Mira again.'
  return (error as Error).message
}

/** The connection leads to a replica, which accepts no writes and may lag behind. */
export class ReplicaError extends Error {
  override name = 'ReplicaError'
  readonly code = '25006'

  constructor() {
    super('The database server is a replica')
  }
}

const unavailableCodes = new Set([
  'DATABASE_GONE',
  // Sockets.
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  // PostgreSQL: a replica, or a primary that was replaced.
  '25006',
  // PostgreSQL: shutting down, crashed, starting up, out of connections, statement cancelled by its timeout.
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  '57014',
  '25P03',
  // Prisma: not reachable, timed out, connection closed, pool timed out, too many connections.
  'P1001',
  'P1002',
  'P1008',
  'P1017',
  'P2024',
  'P2037',
])

/** Kinds of socket errors in Prisma's pg adapter, which drops their codes. */
const unavailableKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])

/** Errors that pg and Prisma throw without a code. */
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Cannot use a pool after calling end|.*Unable to start a transaction in the given time)/s

/** PostgreSQL and Prisma: serialization failure and deadlock. */
const conflictCodes = new Set(['40001', '40P01', 'P2034'])

/** True when the database is unreachable or can't respond now; HTTP responds with 503. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return someCause(
    error,
    ({ code, originalCode, kind, message }) =>
      [code, originalCode].some(
        (word) => typeof word === 'string' && (unavailableCodes.has(word) || word.startsWith('08')),
      ) ||
      (typeof kind === 'string' && unavailableKinds.has(kind)) ||
      (typeof message === 'string' && unavailableMessages.test(message)),
  )
}

/** True when a concurrent statement caused the failure, so that a retry may succeed. */
export function isDatabaseConflict(error: unknown): boolean {
  return someCause(error, ({ code, originalCode }) =>
    [code, originalCode].some((word) => typeof word === 'string' && conflictCodes.has(word)),
  )
}

/** Prisma: a transaction took too long or couldn't start. */
const TRANSACTION_TIMEOUT = 'P2028'

/** True when a later attempt may succeed, whether or not the work's own statement caused the failure. */
export function isTransient(error: unknown): boolean {
  const isTimeout = someCause(error, ({ code }) => code === TRANSACTION_TIMEOUT)
  return isUnavailable(error) || isDatabaseConflict(error) || isTimeout
}

/** Runs atomic work, with one retry after a conflict. */
export async function retryOnConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isDatabaseConflict(error)) throw error
    return work()
  }
}

/** True when a row was refused because its account was deleted in the meantime. */
export function isAccountGone(error: unknown): boolean {
  let isForeignKey = false
  let namesAccount = false
  someCause(error, ({ code, originalCode, constraint, message, originalMessage }) => {
    isForeignKey ||= [code, originalCode].some((word) => word === '23503' || word === 'P2003')
    const index = typeof constraint === 'object' && constraint !== null && 'index' in constraint && constraint.index
    const names = [constraint, index, message, originalMessage]
    namesAccount ||= names.some((name) => typeof name === 'string' && /_user_id_fkey\b/.test(name))
    return isForeignKey && namesAccount
  })
  return isForeignKey && namesAccount
}

/** Maximum wait for the database; a failover takes less, at least with the settings of docs/scale.md. */
const OUTAGE_PATIENCE_MS = 30_000
const OUTAGE_PAUSE_MS = 500

/** Error codes of failures that a statement may itself cause at each attempt, because it's too slow or crashes the database. */
const ownFaults = new Set<unknown>(['57014', '57P02', 'DATABASE_GONE'])

/** True when the database is unavailable. Errors of engines and files (AppErrors) don't count, even with a network error as cause. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  return !(error instanceof AppError) && isDatabaseUnavailable(error)
}

/** True when work failed because the database was unavailable, unless the work's own statement may have caused that. */
export function isOutage(error: unknown): boolean {
  const isOwnFault = someCause(error, ({ code, originalCode, message }) => {
    return ownFaults.has(code) || ownFaults.has(originalCode) || message === 'Query read timeout'
  })
  return !isOwnFault && isUnavailable(error)
}

/** True when the embedded database had stopped, or the work's own statement stopped it. */
export function isDatabaseGone(error: unknown): boolean {
  return someCause(error, ({ code }) => code === 'DATABASE_GONE')
}

/** Retries idempotent work while the database is unavailable, for half a minute at most. */
export async function retryDuringOutage<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  { patienceMs = OUTAGE_PATIENCE_MS, pauseMs = OUTAGE_PAUSE_MS } = {},
): Promise<T> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || performance.now() + pauseMs > deadline) throw error
      await sleep(pauseMs, undefined, { signal })
    }
  }
}
