import type pg from 'pg'
import { fromPrisma, PgBoss } from 'pg-boss'
import type { Log } from '../../log.ts'
import { preparedWhenRepeated } from '../database/prepared.ts'
import { raw, sql, type Transaction } from '../database/sql.ts'
import { currentUserKey, SERVER_KEY } from '../lib/current-user.ts'
import { type JobData, type JobHandlers, type JobName, jobNames, jobSchemas, jobSettings } from './jobs.ts'
import { createWorkers, type JobLimits, WAITING_INDEX_SQL, type Workers } from './workers.ts'

export interface JobCounts {
  /** Waiting for a worker or the next attempt. */
  waiting: number
  active: number
  /** Finally failed in the last six hours. */
  failed: number
}

export interface EnqueueOptions {
  /** Transaction to store the job in, together with its subject's row. */
  tx?: Transaction
  startAfter?: Date
  /** Order among the same user's jobs: higher priorities run first; 0 by default. */
  priority?: number
  /** Skip the job while an equal one waits or runs; not with `tx`. */
  unlessQueued?: boolean
  /** User whose queue it joins; by default the one on whose behalf the code runs. */
  userId?: string
}

/** Durable job queue in the same database: each job runs at least once, on any server. */
export interface Queue {
  /** Prepares the tables; call it first. */
  open(): Promise<void>
  /** Starts to run jobs. `sweep` is called now and every 5 minutes, to enqueue work that has lost its job. */
  start(handlers: JobHandlers, options?: { sweep?: () => Promise<void> }): Promise<void>
  enqueue<Name extends JobName>(name: Name, data: JobData<Name>, options?: EnqueueOptions): Promise<void>
  /** Jobs by kind and state; cached for up to 5 seconds. */
  counts(): Promise<Record<JobName, JobCounts>>
  /** Starts no more jobs, puts back those that fail from now on, and waits until none is running. */
  drain(): Promise<void>
  /** Waits up to 3 seconds for running jobs; the others are put back and run later, on any server. */
  stop(): Promise<void>
}

const SCHEMA = 'pgboss'
const POLL_INTERVAL_MS = 2_000
/** The shortest period of a recurring job. */
const RECURRING_CHECK_MS = 1000 * Math.min(...jobNames.map((name) => jobSettings[name].everySeconds ?? 3600))
const SWEEP_INTERVAL_MS = 5 * 60_000
const COUNTS_AGE_MS = 5_000
const STOP_TIMEOUT_MS = 3_000
/** A killed process's job is retried after at most the sum of these two. */
const HEARTBEAT_SECONDS = 20
const SUPERVISE_SECONDS = 20
/** On a database server, the transaction commits after `enqueue` returns, so the local workers check again after these delays. */
const WAKE_AFTER_TRANSACTION_MS = [15, 60, 250]
const DAY_SECONDS = 24 * 60 * 60

const settingsOf = (name: JobName) => ({
  retryLimit: jobSettings[name].retryLimit,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: 300,
  expireInSeconds: jobSettings[name].expireInSeconds,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  retentionSeconds: 14 * DAY_SECONDS,
  deleteAfterSeconds: DAY_SECONDS / 4,
})

/** A queue on pg-boss; `isOnlyProcess` is true for the embedded database, which no other process uses. */
export function createQueue(deps: {
  pool: pg.Pool
  isOnlyProcess: boolean
  /** Overrides of jobSettings. */
  limits?: Partial<Record<JobName, JobLimits>>
  log: Log
}): Queue {
  const { pool, isOnlyProcess, limits = {}, log } = deps
  const prepareRepeated = preparedWhenRepeated()
  const boss = new PgBoss({
    db: { executeSql: (text, values = []) => pool.query(prepareRepeated({ text, values })) },
    backend: isOnlyProcess ? 'pglite' : 'postgres',
    schema: SCHEMA,
    // without features that aren't needed: recurring jobs are enqueued here, jobs don't depend on each other, tables stay small
    schedule: false,
    flowIntervalSeconds: DAY_SECONDS,
    reindex: false,
    monitorVacuum: false,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    maintenanceIntervalSeconds: 3_600,
    queueCacheIntervalSeconds: 3_600,
    bamIntervalSeconds: 3_600,
  })
  boss.on('error', (error) => log.warn({ err: error }, 'the job queue reported an error'))
  boss.on('warning', ({ message, data }) => log.warn({ data }, message))

  let workers: Workers | undefined
  const timers: NodeJS.Timeout[] = []
  const every = (milliseconds: number, work: () => Promise<void>) => {
    timers.push(setInterval(() => void work(), milliseconds))
  }

  const createQueues = async () => {
    const queuesByName = new Map((await boss.getQueues()).map((queue) => [queue.name, queue as object]))
    for (const name of jobNames) {
      const settings = settingsOf(name)
      const existing = queuesByName.get(name) as Partial<typeof settings> | undefined
      if (!existing) await boss.createQueue(name, settings)
      else if (Object.entries(settings).some(([key, value]) => existing[key as keyof typeof settings] !== value)) {
        await boss.updateQueue(name, settings)
      } else continue
      // Makes pg-boss cache the queue, as it does with those that existed at its start. Loading it inside a transaction would
      // deadlock, because the embedded database has one session.
      await boss.findJobs(name, { id: '00000000-0000-0000-0000-000000000000' })
    }
  }

  /** Fails jobs that were running when the only process was killed, because no other process would time them out. */
  const reclaim = async () => {
    const { rows } = await pool.query<{ name: string; id: string }>(
      `SELECT name, id FROM ${SCHEMA}.job WHERE state = 'active'`,
    )
    for (const { name, id } of rows) await boss.fail(name, id, { message: 'the server stopped while it ran' })
    if (rows.length > 0)
      log.info({ count: rows.length }, 'jobs that were interrupted by a stop of the server are retried')
  }

  let isPollFailing = false
  const poll = async () => {
    const names = workers?.idleNames() ?? []
    if (names.length === 0) return
    try {
      const { rows } = await pool.query<{ name: JobName }>(
        sql`SELECT name FROM unnest(${names}::text[]) AS idle (name) WHERE EXISTS (
           SELECT FROM ${raw(SCHEMA)}.job
           WHERE job.name = idle.name AND state < 'active' AND NOT blocked AND start_after <= now())`,
      )
      for (const { name } of rows) workers?.wake(name)
      if (isPollFailing) log.info({}, 'the job queue works again')
      isPollFailing = false
    } catch (error) {
      if (!isPollFailing) log.warn({ err: error }, 'the job queue could not check for jobs')
      isPollFailing = true
    }
  }

  const enqueueRecurring = async () => {
    for (const name of jobNames) {
      const { everySeconds } = jobSettings[name]
      if (everySeconds === undefined) continue
      try {
        if (await boss.send(name, {}, { singletonSeconds: everySeconds })) workers?.wake(name)
      } catch (error) {
        log.warn({ err: error, job: name }, 'a recurring job could not be enqueued')
      }
    }
  }

  /** True when an equal job waits or runs. */
  const isQueued = async (name: JobName, payload: object): Promise<boolean> => {
    const { rowCount } = await pool.query(
      sql`SELECT FROM ${raw(SCHEMA)}.job
       WHERE name = ${name} AND state <= 'active' AND data = ${JSON.stringify(payload)}::jsonb LIMIT 1`,
    )
    return rowCount !== 0
  }

  let cachedCounts: { at: number; counts: Promise<Record<JobName, JobCounts>> } | undefined
  const count = async () => {
    const { rows } = await pool.query<{ name: JobName } & JobCounts>(
      sql`SELECT name,
         count(*) FILTER (WHERE state < 'active')::int AS waiting,
         count(*) FILTER (WHERE state = 'active')::int AS active,
         count(*) FILTER (WHERE state = 'failed')::int AS failed
       FROM ${raw(SCHEMA)}.job WHERE name = ANY (${jobNames})
         AND state IN ('created', 'retry', 'active', 'failed') GROUP BY name`,
    )
    const countsByQueue = new Map(rows.map(({ name, ...counts }) => [name, counts]))
    const none = { waiting: 0, active: 0, failed: 0 }
    return Object.fromEntries(jobNames.map((name) => [name, countsByQueue.get(name) ?? none])) as Record<
      JobName,
      JobCounts
    >
  }

  return {
    async open() {
      await boss.start()
      await createQueues()
      await pool.query(WAITING_INDEX_SQL)
      if (isOnlyProcess) await reclaim()
    },

    async start(handlers, { sweep } = {}) {
      workers = createWorkers({ boss, pool, isOnlyProcess, handlers, limits, log })
      for (const name of jobNames) workers.wake(name)
      every(POLL_INTERVAL_MS, poll)
      every(RECURRING_CHECK_MS, enqueueRecurring)
      await enqueueRecurring()
      if (!sweep) return
      const sweepOnce = () => sweep().catch((error) => log.error({ err: error }, 'the sweep for lost jobs failed'))
      every(SWEEP_INTERVAL_MS, sweepOnce)
      await sweepOnce()
    },

    async enqueue(name, data, { tx, startAfter, priority, unlessQueued, userId = currentUserKey() } = {}) {
      const payload: Record<string, unknown> = jobSchemas[name].parse(data)
      const { oneAtOnceBy } = jobSettings[name]
      if (unlessQueued && (await isQueued(name, payload))) return
      await boss.send(name, payload, {
        ...(tx ? { db: databaseOf(tx, prepareRepeated) } : {}),
        ...(startAfter ? { startAfter } : {}),
        ...(priority ? { priority } : {}),
        ...(oneAtOnceBy
          ? { group: { id: String(payload[oneAtOnceBy]), ...(userId === SERVER_KEY ? {} : { tier: userId }) } }
          : {}),
      })
      if (startAfter) return
      if (tx && 'afterCommit' in tx) return tx.afterCommit(() => workers?.wake(name))
      workers?.wake(name)
      if (!tx || isOnlyProcess) return
      for (const delay of WAKE_AFTER_TRANSACTION_MS) setTimeout(() => workers?.wake(name), delay).unref()
    },

    counts() {
      if (!cachedCounts || performance.now() - cachedCounts.at > COUNTS_AGE_MS) {
        const counts = count()
        const entry = { at: performance.now(), counts }
        cachedCounts = entry
        // a failure isn't cached
        counts.catch(() => {
          if (cachedCounts === entry) cachedCounts = undefined
        })
      }
      return cachedCounts.counts
    },

    async drain() {
      for (const timer of timers) clearInterval(timer)
      await workers?.drain()
    },

    async stop() {
      for (const timer of timers) clearInterval(timer)
      await workers?.stop(STOP_TIMEOUT_MS)
      await boss.stop({ close: false, graceful: true, timeout: STOP_TIMEOUT_MS })
    },
  }
}

/** Adapts a transaction for pg-boss. */
function databaseOf(
  tx: Transaction,
  prepareRepeated: ReturnType<typeof preparedWhenRepeated>,
): ReturnType<typeof fromPrisma> {
  if (!('afterCommit' in tx)) return fromPrisma(tx)
  return { executeSql: (text, values = []) => tx.query(prepareRepeated({ text, values })) }
}
