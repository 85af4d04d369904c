import { chmodSync, existsSync, mkdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventLoopUtilization } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { StartupError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { DatabaseGoneError, endReasonOf, openFailureOf } from './availability.ts'
import { EmbeddedConnection } from './embedded-connection.ts'
import { lockDataDir } from './lock.ts'
import { makeDatabase } from './make-database.ts'
import { finishRestore } from './restored-folders.ts'

/** PGlite in a worker thread, behind a pool with one client. */
export interface EmbeddedDatabase {
  pool: pg.Pool
  /** Connection outside the pool, without a time limit; only while the pool is unused, because PGlite has one session. */
  connectUnlimited(): Promise<pg.Client>
  /** Takes the pool's only client for statements that may take minutes, while everyone else waits. */
  withoutTimeLimit<T>(work: (query: (text: string) => Promise<unknown>) => Promise<T>): Promise<T>
  /** Worker's busy share of the time since the previous call, 0 to 1. */
  busyShare(): number
  /** False while a worker is starting. */
  isRunning(): boolean
  /** Kills the worker, as a crash would. */
  kill(): Promise<void>
  /** Writes the whole database to a tar file, which can be a `templateFile`. */
  dump(file: string): Promise<void>
  close(): Promise<void>
}

export interface EmbeddedOptions {
  /** Absolute path whose folder `database` contains the rows; undefined keeps them in memory. */
  dataDir: string | undefined
  /** Dump to initialise a new database with. */
  templateFile?: string | undefined
  /** Make commits survive a crash, which is slow; without it, call syncTree before the folder is used. */
  isDurable?: boolean | undefined
  /**
   * A query that runs this long is killed together with the worker, because WebAssembly can't be interrupted. Only its
   * caller fails; everyone else waits for the next worker.
   */
  stuckAfterMs?: number | undefined
  log: Log
}

type FromWorker =
  | { type: 'ready' }
  | { type: 'done' }
  | { type: 'handled' }
  | { type: 'data'; id: number; data: Uint8Array<ArrayBuffer> }
  | { type: 'broken'; reason: string }

const workerFile = new URL('./pglite-worker.mjs', import.meta.url)

/** Time after which a query's caller gets a timeout; the query itself continues. */
const QUERY_TIMEOUT_MS = 10_000
/** Time after which an abandoned query is ended, so that it doesn't block the others. */
const STUCK_AFTER_MS = 15_000
/** Timeout of statements to which the usual limit doesn't apply. */
const UNLIMITED_TIMEOUT_MS = 30 * 60_000
const CLOSE_TIMEOUT_MS = 1_500
const FIRST_RESTART_DELAY_MS = 50
const MAX_RESTART_DELAY_MS = 10_000

/**
 * Opens the embedded database and keeps it open: when its worker dies, the running query fails with DatabaseGoneError, and
 * a new worker serves the waiting connections.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { dataDir, templateFile, isDurable = true, stuckAfterMs = STUCK_AFTER_MS, log } = options
  const directory = dataDir === undefined ? undefined : join(dataDir, 'database')
  const unlock = dataDir === undefined ? () => {} : await lockDataDir(dataDir)
  if (dataDir !== undefined && directory !== undefined) {
    await finishRestore(dataDir, (sentence) => log.warn({}, sentence)).catch((error: unknown) => {
      unlock()
      throw error
    })
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    // PGlite creates its files world-readable
    chmodSync(directory, 0o700)
  }

  const connections = new Map<number, EmbeddedConnection>()
  let nextConnectionId = 1
  let worker: Worker | undefined
  let isReady = false
  let isClosing = false
  /** True while waiting connections are kept for the next worker; false once a worker fails to start. */
  let keepsWaiting = false
  let restartDelayMs = FIRST_RESTART_DELAY_MS
  let restartTimer: NodeJS.Timeout | undefined
  /** One entry per message that the worker hasn't handled, in order: true for those of a time-limited connection. */
  let unhandled: boolean[] = []
  let lastHandledAt = 0
  /** True while a query without a time limit runs. */
  let isUnlimited = false
  let utilizationBefore: EventLoopUtilization | undefined
  let pending: { resolve: () => void; reject: (error: Error) => void } | undefined

  const failAll = (reason: string) => {
    const error = new DatabaseGoneError(reason)
    for (const connection of [...connections.values()]) {
      if (!keepsWaiting || connection.greeting === null) connection.destroy(error)
    }
    pending?.reject(error)
    pending = undefined
  }

  const post = (id: number, data: Uint8Array<ArrayBuffer>, isLimited: boolean) => {
    if (worker === undefined) return
    if (unhandled.length === 0) lastHandledAt = performance.now()
    unhandled.push(isLimited)
    worker.postMessage({ type: 'data', id, data }, [data.buffer])
  }

  /** Resolves when the worker has opened the database. */
  const start = () =>
    new Promise<void>((resolve, reject) => {
      const newWorker = new Worker(workerFile, {
        workerData: { directory, templateFile, isDurable },
        execArgv: [],
      })
      worker = newWorker
      utilizationBefore = undefined
      for (const connection of connections.values())
        for (const bytes of connection.greeting ?? []) post(connection.id, bytes.slice(), true)
      let reason = 'the worker of the embedded database ended'
      newWorker.on('message', (message: FromWorker) => {
        if (message.type === 'handled' || message.type === 'data') {
          unhandled.shift()
          lastHandledAt = performance.now()
        }
        if (message.type === 'data') connections.get(message.id)?.receive(message.data)
        else if (message.type === 'handled') return
        else if (message.type === 'broken') reason = message.reason
        else if (message.type === 'ready') {
          restartDelayMs = FIRST_RESTART_DELAY_MS
          isReady = true
          keepsWaiting = false
          lastHandledAt = performance.now()
          resolve()
        } else {
          pending?.resolve()
          pending = undefined
        }
      })
      newWorker.on('error', (error) => {
        reason = endReasonOf(error)
      })
      newWorker.on('exit', () => {
        if (worker === newWorker) worker = undefined
        keepsWaiting = isReady && !isClosing
        isReady = false
        unhandled = []
        reject(new DatabaseGoneError(reason))
        failAll(reason)
      })
    })

  const keepRunning = () => {
    worker?.once('exit', () => {
      if (isClosing) return
      log.error({ restart_in_ms: restartDelayMs }, 'the embedded database stopped and is being restarted')
      restartTimer = setTimeout(() => {
        start().catch((error) => log.error({ err: error }, 'the embedded database could not be restarted'))
        keepRunning()
      }, restartDelayMs)
      restartDelayMs = Math.min(restartDelayMs * 4, MAX_RESTART_DELAY_MS)
    })
  }

  try {
    const exists = directory === undefined || existsSync(join(directory, 'PG_VERSION'))
    if (!exists && templateFile === undefined) await makeDatabase(directory, isDurable)
    await start()
  } catch (error) {
    unlock()
    const where = directory === undefined ? 'in memory' : `in ${directory}`
    const reason = openFailureOf(error, directory === undefined ? Number.POSITIVE_INFINITY : freeBytesOf(directory))
    throw new StartupError(`The embedded database ${where} can’t be opened: ${reason}`, { cause: error })
  }
  keepRunning()

  const watchdog = setInterval(
    () => {
      const isWithinLimit = unhandled[0] !== true || performance.now() - lastHandledAt < stuckAfterMs
      if (!isReady || isUnlimited || isWithinLimit) return
      log.error({ stuck_after_ms: stuckAfterMs }, 'a query is stuck, so the embedded database is restarted')
      void worker?.terminate()
    },
    Math.min(stuckAfterMs / 2, 5_000),
  )
  watchdog.unref()

  const openConnection = (isLimited: boolean) => {
    const connection: EmbeddedConnection = new EmbeddedConnection(
      nextConnectionId++,
      (bytes) => post(connection.id, bytes, isLimited),
      (id) => {
        if (connections.delete(id)) worker?.postMessage({ type: 'end', id })
      },
    )
    if (worker || keepsWaiting) connections.set(connection.id, connection)
    else process.nextTick(() => connection.destroy(new DatabaseGoneError('it is restarting')))
    return connection
  }

  const connectionConfig = (isLimited: boolean) => ({
    // pg's type only allows its own sockets
    stream: (() => openConnection(isLimited)) as unknown as NonNullable<pg.ClientConfig['stream']>,
    user: 'postgres',
    database: 'postgres',
    host: 'embedded',
    ssl: false,
  })

  const pool = new pg.Pool({
    ...connectionConfig(true),
    // PGlite has one session, so only one caller at a time may have the client
    max: 1,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 30_000,
    query_timeout: QUERY_TIMEOUT_MS,
  })
  // without a listener, the worker's death between two statements of a transaction would end the process
  pool.on('connect', (client) =>
    client.on('error', (error) => log.debug({ err: error }, 'the connection to the embedded database was lost')),
  )

  const request = (message: object) =>
    new Promise<void>((resolve, reject) => {
      if (!worker) return reject(new DatabaseGoneError('it is restarting'))
      pending = { resolve, reject }
      worker.postMessage(message)
    })

  return {
    pool,
    async connectUnlimited() {
      const client = new pg.Client(connectionConfig(false))
      await client.connect()
      return client
    },
    async withoutTimeLimit(work) {
      const client = await pool.connect()
      const limit = { query_timeout: UNLIMITED_TIMEOUT_MS }
      isUnlimited = true
      let failure: unknown
      try {
        return await work((text) => client.query({ text, ...limit }))
      } catch (error) {
        failure = error
        throw error
      } finally {
        isUnlimited = false
        lastHandledAt = performance.now()
        client.release(failure !== undefined)
      }
    },
    busyShare() {
      const now = worker?.performance.eventLoopUtilization()
      if (!worker || !now) return 0
      const { utilization } = worker.performance.eventLoopUtilization(now, utilizationBefore)
      utilizationBefore = now
      return utilization
    },
    isRunning: () => isReady,
    async kill() {
      await worker?.terminate()
    },
    dump: (file) => request({ type: 'dump', file }),
    async close() {
      isClosing = true
      clearTimeout(restartTimer)
      clearInterval(watchdog)
      try {
        // a worker that is stuck in a query can be killed: committed data is on the disk
        if (worker) await Promise.race([request({ type: 'close' }), sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })])
        await worker?.terminate()
      } finally {
        unlock()
      }
    },
  }
}

function freeBytesOf(directory: string): number {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}
