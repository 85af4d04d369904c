/** The embedded database stopped in the middle of something; it is started again by itself. */
export class DatabaseGoneError extends Error {
  override name = 'DatabaseGoneError'
  readonly code = 'DATABASE_GONE'

  constructor(reason: string) {
    super(`The embedded database is not available: ${reason}`)
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

/** Errors that pg and Prisma throw without a code. */
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable|Query read timeout|Cannot use a pool after calling end|.*Unable to start a transaction in the given time)/s

/** Whether an error means that the database cannot be reached or cannot answer now; http answers 503 then. */
export function isDatabaseUnavailable(error: unknown): boolean {
  // Causes may form a circle.
  const seen = new Set<unknown>()
  const waiting = [error]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null || seen.has(one)) continue
    seen.add(one)
    const { code, originalCode, message, cause, meta, errors } = one as Record<string, unknown>
    for (const word of [code, originalCode]) {
      if (typeof word === 'string' && (unavailableCodes.has(word) || word.startsWith('08'))) return true
    }
    if (typeof message === 'string' && unavailableMessages.test(message)) return true
    waiting.push(cause, (meta as Record<string, unknown> | undefined)?.driverAdapterError)
    if (Array.isArray(errors)) waiting.push(...errors)
  }
  return false
}
