import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { isDatabaseUnavailable } from './availability.ts'

const START_RETRY_MS = 1_000

export interface ServerOptions {
  databaseUrl: string
  /** Maximum wait for an unresponsive server at start. */
  startTimeoutMs?: number | undefined
  log: Log
}

/** Opens a pool on a PostgreSQL server and waits until it answers; later outages heal by themselves. */
export async function openServer({ databaseUrl, startTimeoutMs = 30_000, log }: ServerOptions): Promise<pg.Pool> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    application_name: 'mira',
    max: 10,
    statement_timeout: 10_000,
    idle_in_transaction_session_timeout: 30_000,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  const deadline = Date.now() + startTimeoutMs
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.query('SELECT 1')
      return pool
    } catch (error) {
      const reason = (error as Error).message || (error as NodeJS.ErrnoException).code || 'unknown error'
      if (!isDatabaseUnavailable(error) || Date.now() + START_RETRY_MS > deadline) {
        await pool.end()
        throw new StartupError(`The database of DATABASE_URL cannot be used: ${reason}`, { cause: error })
      }
      if (attempt === 1) log.info({ reason }, 'waiting for the database')
      await sleep(START_RETRY_MS)
    }
  }
}
