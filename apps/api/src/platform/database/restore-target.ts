import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { openEmbedded } from './embedded.ts'
import { type ArchivedTable, emptyDatabase, judgeDatabase, type LoadedSnapshot, loadSnapshot } from './load-snapshot.ts'
import { sql } from './sql.ts'

/** The rows of an archive, and the migrations that had made their tables. */
export interface ArchivedRows {
  migrations: readonly string[]
  tables: readonly ArchivedTable[]
  migrationsDir: string
}

/** A database server that an archive is restored to, in one transaction. */
export interface RestoreServer {
  /** Previous contents. */
  holds: 'empty' | 'mira' | 'other'
  /** Replaces what it holds by an archive; nothing is seen of it, nor kept, before `commit`. */
  replaceBy(rows: ArchivedRows): Promise<LoadedSnapshot>
  commit(): Promise<void>
  /** Without a commit before, everything is as it was. */
  close(): Promise<void>
}

/** Makes an embedded database of an archive, in a folder that holds none. */
export async function fillEmbedded(folder: string, rows: ArchivedRows, log: Log): Promise<LoadedSnapshot> {
  const database = await openEmbedded({ dataDir: folder, isDurable: false, log })
  try {
    const client = await database.connectUnlimited()
    try {
      await client.query('BEGIN')
      const loaded = await loadSnapshot(client, rows)
      await client.query('COMMIT; CHECKPOINT')
      return loaded
    } finally {
      await client.end()
    }
  } finally {
    await database.close()
  }
}

/**
 * Connects to a server as the only one that uses its database.
 * @throws StartupError when it cannot be reached, or a server of Mira uses it.
 */
export async function openRestoreServer(databaseUrl: string, log: Log): Promise<RestoreServer> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-restore', keepAlive: true })
  // the query that fails says the same
  client.on('error', (error) => log.warn({ err: error }, 'the connection to the database was lost'))
  try {
    await client.connect()
  } catch (error) {
    await client.end().catch(() => {})
    throw new StartupError(`The database of DATABASE_URL cannot be used: ${(error as Error).message}`, { cause: error })
  }
  try {
    await client.query('SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0')
    await requireAlone(client)
    const holds = await judgeDatabase(client)
    return {
      holds,
      async replaceBy(rows) {
        await client.query('BEGIN')
        if (holds === 'mira') await emptyDatabase(client)
        return loadSnapshot(client, rows)
      },
      commit: async () => void (await client.query('COMMIT')),
      close: () => client.end(),
    }
  } catch (error) {
    await client.end()
    throw error
  }
}

/** Servers that start meanwhile wait for the lock of the migrations. */
async function requireAlone(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ locked: boolean; servers: number }>(
    sql`SELECT pg_try_advisory_lock(${advisoryLocks.migrations}) AS locked, (SELECT count(*)::int FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'mira%' AND pid <> pg_backend_pid()) AS servers`,
  )
  const { locked = false, servers = 0 } = rows[0] ?? {}
  if (!locked || servers > 0) {
    throw new StartupError('A server of Mira uses the database of DATABASE_URL. Stop all of them first.')
  }
}
