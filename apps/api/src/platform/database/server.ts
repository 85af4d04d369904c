import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { isDatabaseUnavailable, ReplicaError } from './availability.ts'
import { inTransaction, raw, sql } from './sql.ts'

const START_RETRY_MS = 1_000
/** Detects a replica. The timeout is the client's, because a server's limits don't end the wait on a silent connection. */
const REPLICA_CHECK = { text: 'SELECT pg_is_in_recovery() AS is_replica', query_timeout: 5_000 }
/** Limits of a session; a pooler has to set them itself (docs/scale.md). */
const LIMITS = { statement_timeout: 10_000, idle_in_transaction_session_timeout: 30_000 }

export interface ServerOptions {
  databaseUrl: string
  /** A pooler such as pgbouncer, with which each transaction may get another session. */
  poolerUrl?: string | undefined
  /** Maximum wait for an unresponsive server at start. */
  startTimeoutMs?: number | undefined
  log: Log
}

/** Opens a pool on a PostgreSQL server and waits until it responds; the pool recovers from later outages itself. */
export async function openServer({
  databaseUrl,
  poolerUrl,
  startTimeoutMs = 30_000,
  log,
}: ServerOptions): Promise<pg.Pool> {
  const pooled = poolerUrl === undefined ? undefined : pooledClients()
  const pool = new pg.Pool({
    connectionString: poolerUrl ?? databaseUrl,
    // a pooler keeps sessions open, whose name must not suggest to connectAlone that a server is running
    ...(pooled
      ? { Client: pooled.Client, application_name: 'pooled-mira' }
      : { application_name: 'mira', ...LIMITS, onConnect: refuseReplica }),
    max: 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  // without a listener, a connection that breaks while idle would end the process
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  // likewise for a connection in use, whose query reports the failure
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'a database connection was lost')),
  )
  const deadline = performance.now() + startTimeoutMs
  for (let attempt = 1; ; attempt++) {
    try {
      await pool.query('SELECT 1')
      if (pooled) await adaptToPooler(pool, pooled, log)
      return pool
    } catch (error) {
      const reason = (error as Error).message || (error as NodeJS.ErrnoException).code || 'unknown error'
      if (!isDatabaseUnavailable(error) || performance.now() + START_RETRY_MS > deadline) {
        await pool.end()
        throw new StartupError(`The database of DATABASE_URL can’t be used: ${reason}`, { cause: error })
      }
      if (attempt === 1) log.info({ reason }, 'waiting for the database')
      await sleep(START_RETRY_MS)
    }
  }
}

/** Refuses a replica, to which a load balancer may connect until it knows the new primary. */
async function refuseReplica(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ is_replica: boolean }>(REPLICA_CHECK)
  if (rows[0]?.is_replica) throw new ReplicaError()
}

interface PooledClients {
  Client: typeof pg.Client
  /** True when the pooler tracks prepared statements across sessions. */
  keepsStatements: boolean
}

/** Clients that send statements without names unless the pooler translates them. */
function pooledClients(): PooledClients {
  const clients: PooledClients = {
    Client: class extends pg.Client {
      override query(...[statement, ...rest]: unknown[]): never {
        const isNamed = typeof statement === 'object' && statement !== null && 'name' in statement
        const sent = isNamed && !clients.keepsStatements ? { ...statement, name: undefined } : statement
        return super.query(...([sent, ...rest] as Parameters<pg.Client['query']>)) as never
      }
    } as typeof pg.Client,
    keepsStatements: true,
  }
  return clients
}

/** Detects whether the pooler tracks prepared statements, and warns when it sets no time limits. */
async function adaptToPooler(pool: pg.Pool, pooled: PooledClients, log: Log): Promise<void> {
  const name = `mira_trial_${randomUUID().replaceAll('-', '')}`
  pooled.keepsStatements = await inTransaction(pool, async (tx) => {
    await tx.query({ name, text: 'SELECT 1' })
    const { rows } = await tx.query(sql`SELECT FROM pg_prepared_statements WHERE name = ${name}`)
    // otherwise it would remain in a session that others get
    if (rows.length > 0) await tx.query(sql`DEALLOCATE ${raw(name)}`)
    return rows.length === 0
  })
  if (!pooled.keepsStatements) {
    log.info({}, 'the pooler doesn’t support prepared statements, so statements are parsed each time')
  }
  const { rows } = await pool.query<{ statement_timeout: string }>('SHOW statement_timeout')
  if (rows[0]?.statement_timeout === '0') {
    log.warn({}, 'the pooler doesn’t limit the time of statements: set its connect_query (docs/scale.md)')
  }
}
