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

/** Database access for a store: the client itself, or that of a transaction. */
export type Queryable = PrismaClient | Prisma.TransactionClient

/** The one database of a server process. */
export interface Database extends Pick<ServerMessages, 'listen' | 'notify'> {
  prisma: PrismaClient
  pool: pg.Pool
  engine: 'embedded' | 'server'
  /** A connection with a session of its own and without time limits; the caller ends it. */
  connectUnlimited(): Promise<pg.Client>
  /** True when a server that was opened with `isWorker` listens; false on the embedded database. */
  hasWorker(): Promise<boolean>
  /** True when a trivial query succeeds within 3 seconds; never throws. */
  isHealthy(): Promise<boolean>
  /** Closing twice is closing once. */
  close(): Promise<void>
  /** Embedded only: writes the whole database to a tar file. */
  dump?(file: string): Promise<void>
  /**
   * Embedded only: ends its worker at once, as a crash would; tests show with it that everything recovers. What is kept
   * in memory is then as the template was.
   */
  kill?(): Promise<void>
}

/** A database that is about to be changed, and the migrations it lacks. */
export interface MigratingDatabase extends Pick<Database, 'pool' | 'engine'> {
  pending: string[]
}

export interface OpenDatabaseOptions {
  /** postgresql://… for a server; undefined for the embedded database. */
  databaseUrl?: string | undefined
  /** Address of a pooler in front of it, for everything that needs no session of its own. */
  poolerUrl?: string | undefined
  /** Other servers are to see a worker in this one. */
  isWorker?: boolean
  /** Folder of the embedded database; 'memory://' keeps it in memory. */
  dataDir: string
  migrationsDir?: string
  /** Dump that a new embedded database begins with. */
  templateFile?: string
  /** Awaited before migrations change a database that is not new; it must not throw. */
  beforeMigrating?: ((database: MigratingDatabase) => Promise<void>) | undefined
  /** Opens the embedded database in another way: tests keep one open for the next. */
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
 * @throws StartupError when it cannot be used.
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
    // Longer messages quote the values that were sent.
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
    // A query that hangs must not keep the process.
    await Promise.race([pool.end(), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
    await opened.close()
  }

  try {
    await bringUpToDate(opened, options)
    opened.maintain?.()
    await loadQueryCompiler(prisma)
  } catch (error) {
    await close()
    if (error instanceof StartupError) throw error
    throw new StartupError(`The database cannot be prepared: ${(error as Error).message}`, { cause: error })
  }

  let probe: Promise<boolean> | undefined
  const isHealthy = () => {
    if (opened.isRunning?.() === false) return Promise.resolve(false)
    // concurrent callers share one query, so that asking often costs nothing
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
const TIERING_BUDGET = { usual: 13_000_000, endless: 2_000_000_000 }

/**
 * Loads Prisma's compiler of queries, which is WebAssembly. V8 would make faster code of it at every start, with some 40 MB
 * and half a second of a processor, for queries that are compiled once each. The budget is read when a module is loaded;
 * the embedded database has loaded its own by now.
 */
async function loadQueryCompiler(prisma: PrismaClient): Promise<void> {
  setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET.endless}`)
  try {
    await prisma.$connect()
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${TIERING_BUDGET.usual}`)
  }
}

interface Engine {
  engine: Database['engine']
  pool: pg.Pool
  messages: ServerMessages
  /** A connection with a session of its own and without time limits. */
  connectUnlimited(): Promise<pg.Client>
  /** Embedded only: false while it is being started again. */
  isRunning?: () => boolean
  dump?: (file: string) => Promise<void>
  kill?: () => Promise<void>
  /** Embedded only: begins maintenance, whose statements would join a migration's transaction. */
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

async function bringUpToDate(
  engine: Engine,
  { migrationsDir = MIGRATIONS_DIR, beforeMigrating, log }: OpenDatabaseOptions,
): Promise<void> {
  const client = await engine.connectUnlimited()
  // A connection that breaks fails its query as well; without a listener it would end the process.
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
