import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { sql } from './sql.ts'

/**
 * Connects to a database that no Mira server may use at the same time; servers that start meanwhile wait.
 * @throws StartupError when it's unreachable, or a Mira server uses it.
 */
export async function connectAlone(databaseUrl: string, name: `mira-${string}`, log: Log): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: name, keepAlive: true })
  // the failed query rejects with the same error
  client.on('error', (error) => log.warn({ err: error }, 'the connection to the database was lost'))
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => {})
    throw new StartupError(`The database of DATABASE_URL can’t be used: ${(error as Error).message}`, { cause: error })
  }
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await requireAlone(client)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

/**
 * Takes the lock of the migrations, for which servers that start meanwhile wait.
 * @throws StartupError when a Mira server uses the database.
 */
async function requireAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean; servers: number }>(
    sql`SELECT pg_try_advisory_lock(${advisoryLocks.migrations}) AS locked, (SELECT count(*)::int FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'mira%' AND pid <> pg_backend_pid()) AS servers`,
  )
  const { locked = false, servers = 0 } = rows[0] ?? {}
  if (!locked || servers > 0) {
    throw new StartupError('A Mira server is using the database of DATABASE_URL. Stop all servers first.')
  }
}
