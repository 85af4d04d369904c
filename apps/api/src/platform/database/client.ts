import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { openEmbedded } from './embedded.ts'
import { type Prisma, PrismaClient } from './generated/client.ts'
import { maintainRegularly } from './maintenance.ts'
import { MIGRATIONS_DIR, migrate } from './migrate.ts'
import { openServer } from './server.ts'
import { createServerMessages, noServerMessages, type ServerMessages } from './server-messages.ts'
import { sql } from './sql.ts'

/** Database access for a store: the client, or a transaction. */
export type Queryable = PrismaClient | Prisma.TransactionClient

/** Database of a server process. */
export interface Database extends Pick<ServerMessages, 'listen' | 'notify'> {
  prisma: PrismaClient
  pool: pg.Pool
  engine: 'embedded' | 'server'
  /** Connection with its own session and without time limits; the caller ends it. */
  connectUnlimited(): Promise<pg.Client>
  /** True when a server opened with `isWorker` is connected; false on the embedded database. */
  hasWorker(): Promise<boolean>
  /** True when a trivial query succeeds within 3 seconds; never throws. */
  isHealthy(): Promise<boolean>
  /** Closes all connections; may be called again. */
  close(): Promise<void>
  /** Embedded only: writes the whole database to a tar file. */
  dump?(file: string): Promise<void>
  /**
   * Embedded only: kills its worker, as a crash would, for tests of recovery. A database in memory is reset to its
   * template.
   */
  kill?(): Promise<void>
}

/** A database about to be migrated, and its pending migrations. */
export interface MigratingDatabase extends Pick<Database, 'pool' | 'engine'> {
  pending: string[]
}

export interface OpenDatabaseOptions {
  /** postgresql:// URL of a server; undefined for the embedded database. */
  databaseUrl?: string | undefined
  /** URL of a pooler in front of that server, for everything that doesn't need its own session. */
  poolerUrl?: string | undefined
  /** Makes this server visible to others as a worker. */
  isWorker?: boolean
  /** Folder of the embedded database; 'memory://' keeps it in memory. */
  dataDir: string
  migrationsDir?: string
  /** Dump to initialise a new embedded database with. */
  templateFile?: string
  /** Awaited before migrations change an existing database; must not throw. */
  beforeMigrating?: ((database: MigratingDatabase) => Promise<void>) | undefined
  /** Replacement for opening the embedded database: tests reuse an open one. */
  openEmbedded?: typeof openEmbedded
  /** Maximum wait for an unresponsive server at start. */
  startTimeoutMs?: number
  log: Log
}

/** Application name of the listening connection of a server that runs jobs. */
const WORKER = 'mira-worker'
const HEALTH_TIMEOUT_MS = 3_000
const CLOSE_TIMEOUT_MS = 1_500

/**
 * Opens the database and brings its tables up to date.
 * @throws StartupError when it's unusable.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<Database> {
  const { databaseUrl, log } = options
  const opened: Engine = databaseUrl ? await openServerEngine(databaseUrl, options) : await openEmbeddedEngine(options)
  const { engine, pool, messages, connectUnlimited, dump, kill } = opened

  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, {
      onConnectionError: (error) => log.warn({ err: error }, 'a database connection was lost'),
    }),
    transactionOptions: { maxWait: 10_000, timeout: 15_000 },
    // longer messages quote the parameters
    errorFormat: 'minimal',
  })

  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= closeAll()
    return closing
  }
  const closeAll = async () => {
    await messages.close()
    await prisma.$disconnect()
    // a hanging query must not keep the process alive
    await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    await opened.close()
  }

  try {
    await migrateEngine(opened, options)
    opened.maintain?.()
    await loadQueryCompiler(prisma)
  } catch (error) {
    await close()
    if (error instanceof StartupError) throw error
    throw new StartupError(`The database can’t be prepared: ${(error as Error).message}`, { cause: error })
  }

  let probe: Promise<boolean> | undefined
  const isHealthy = () => {
    if (opened.isRunning?.() === false) return Promise.resolve(false)
    // concurrent callers share one query, so that frequent checks are cheap
    probe ??= Promise.race([
      pool.query('SELECT 1').then(
        () => true,
        () => false,
      ),
      sleep(HEALTH_TIMEOUT_MS, false, { ref: false }),
    ]).finally(() => {
      probe = undefined
    })
    return probe
  }

  return {
    prisma,
    pool,
    engine,
    connectUnlimited,
    hasWorker: async () => engine === 'server' && findWorker(pool),
    isHealthy,
    close,
    listen: messages.listen,
    notify: messages.notify,
    ...(dump ? { dump } : {}),
    ...(kill ? { kill } : {}),
  }
}

async function findWorker(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query(
    sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = ${WORKER} LIMIT 1`,
  )
  return rowCount === 1
}

/** V8's budget before it optimises a WebAssembly function: its default, and never. */
const TIERING_BUDGET = { default: 13_000_000, never: 2_000_000_000 }

/**
 * Loads Prisma's query compiler, a WebAssembly module. At every start V8 would spend some 40 MB and half a second of CPU on
 * optimising it, although each query is compiled only once. V8 reads the budget when a module is loaded; the embedded
 * database has already loaded its own.
 */
async function loadQueryCompiler(prisma: PrismaClient): Promise<void> {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET.never}`)
  try {
    await prisma.$connect()
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET.default}`)
  }
}

interface Engine {
  engine: Database['engine']
  pool: pg.Pool
  messages: ServerMessages
  /** Connection with its own session and without time limits. */
  connectUnlimited(): Promise<pg.Client>
  /** Embedded only: false during a restart. */
  isRunning?: () => boolean
  dump?: (file: string) => Promise<void>
  kill?: () => Promise<void>
  /** Embedded only: starts maintenance; after the migrations, whose transaction its statements would join. */
  maintain?: () => void
  /** Called when the pool has ended. */
  close(): Promise<void>
}

async function openServerEngine(databaseUrl: string, options: OpenDatabaseOptions): Promise<Engine> {
  const { poolerUrl, isWorker, log, startTimeoutMs } = options
  const pool = await openServer({ databaseUrl, poolerUrl, startTimeoutMs, log })
  return {
    engine: 'server',
    pool,
    messages: createServerMessages({ databaseUrl, applicationName: isWorker ? WORKER : 'mira-listen', pool, log }),
    async connectUnlimited() {
      const client = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-session' })
      await client.connect()
      return client
    },
    close: async () => {},
  }
}

async function openEmbeddedEngine({
  openEmbedded: open = openEmbedded,
  templateFile,
  log,
  ...options
}: OpenDatabaseOptions) {
  const dataDir = options.dataDir === 'memory://' ? undefined : resolve(options.dataDir)
  const embedded = await open({ dataDir, templateFile, log })
  embedded.pool.on('error', (error) => log.warn({ err: error }, 'the connection to the embedded database was lost'))
  let stopMaintaining = () => {}
  const maintain = () => {
    stopMaintaining = maintainRegularly({ ...embedded, log })
  }
  const close = async () => {
    stopMaintaining()
    await embedded.close()
  }
  return { engine: 'embedded', messages: noServerMessages, ...embedded, maintain, close } satisfies Engine
}

async function migrateEngine(
  engine: Engine,
  { migrationsDir = MIGRATIONS_DIR, beforeMigrating, log }: OpenDatabaseOptions,
): Promise<void> {
  const client = await engine.connectUnlimited()
  // a broken connection also fails its query, but without a listener it would end the process
  client.on('error', (error) => log.warn({ err: error }, 'the connection for the migrations was lost'))
  try {
    const applied = await migrate(client, migrationsDir, {
      beforeApplying: async (pending) => beforeMigrating?.({ ...engine, pending }),
    })
    if (applied.length > 0) log.info({ migrations: applied }, 'the database was brought up to date')
  } finally {
    await client.end()
  }
}
