import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { PgBoss } from 'pg-boss'
import type { Log } from '../../log.ts'
import { prepared } from '../database/prepared.ts'
import { inTransaction, raw, sql } from '../database/sql.ts'
import { unlessAborted } from '../lib/abort.ts'
import { runAsUser, SERVER_KEY } from '../lib/current-user.ts'
import { type JobHandlers, type JobName, type JobRun, jobNames, jobSchemas, jobSettings } from './jobs.ts'

export interface JobLimits {
  /** Maximum simultaneous jobs of a kind per server process. */
  concurrency: number
  /** Maximum of these per user. */
  perUser: number
}

/** Runs the jobs of this server process, taking turns between users. */
export interface Workers {
  /** Kinds with capacity for another job. */
  idleNames(): JobName[]
  /** Checks for jobs of a kind now, if there is capacity. */
  wake(name: JobName): void
  /** Starts no more jobs, puts back those that fail from now on, and waits until none is running. */
  drain(): Promise<void>
  /** Waits for running jobs, up to a time; the others are aborted and put back as if they hadn't begun. */
  stop(timeoutMs: number): Promise<void>
}

interface ClaimedJob {
  id: string
  data: object
  retryCount: number
  retryLimit: number
  expireInSeconds: number
  userId: string
}

interface RunningJob extends ClaimedJob {
  abort: AbortController
  settled: Promise<void>
}

const HEARTBEAT_INTERVAL_MS = 10_000

/** Index for finding the users with waiting jobs, and the first job of each, without reading whole queues. */
export const WAITING_INDEX_SQL = `DO $$ BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('job_waiting_by_user'));
  CREATE INDEX IF NOT EXISTS job_waiting_by_user ON pgboss.job
    (name, coalesce(group_tier, ''), priority DESC, created_on, start_after) WHERE state < 'active' AND NOT blocked;
END $$`

const isWaiting = (name: JobName) => sql`j.name = ${name} AND j.state < 'active' AND NOT j.blocked`
const userOf = raw(`coalesce(j.group_tier, '')`)

interface ClaimNext {
  name: JobName
  /** Users at their limit. */
  full: string[]
  /** Users in the order of service: fewest running jobs, then least recently served. All others come before them. */
  order: string[]
  /** Jobs of one group run one at a time across these kinds. */
  exclusive: JobName[]
}

/** Claims the next job of a kind, in the same way as pg-boss, but fairly between users. */
const claimNext = ({ name, full, order, exclusive }: ClaimNext) =>
  prepared(sql`
  WITH RECURSIVE waiting (user_id) AS (
    (SELECT ${userOf} FROM pgboss.job j WHERE ${isWaiting(name)} ORDER BY ${userOf} LIMIT 1)
    UNION ALL
    SELECT (SELECT ${userOf} FROM pgboss.job j WHERE ${isWaiting(name)} AND ${userOf} > w.user_id ORDER BY ${userOf} LIMIT 1)
    FROM waiting w WHERE w.user_id IS NOT NULL
  ),
  active AS MATERIALIZED (
    SELECT group_id FROM pgboss.job WHERE name = ANY (${exclusive}::text[]) AND state = 'active' AND group_id IS NOT NULL
  ),
  next AS MATERIALIZED (
    SELECT first.id FROM waiting w CROSS JOIN LATERAL (
      SELECT j.id FROM pgboss.job j
      WHERE ${isWaiting(name)} AND ${userOf} = w.user_id AND j.start_after <= now()
        AND (j.group_id IS NULL OR j.group_id NOT IN (SELECT group_id FROM active))
      ORDER BY j.priority DESC, j.created_on LIMIT 1 FOR UPDATE SKIP LOCKED
    ) first
    WHERE w.user_id <> ALL (${full}::text[])
    ORDER BY coalesce(array_position(${order}::text[], w.user_id), 0) LIMIT 1
  )
  UPDATE pgboss.job j SET state = 'active', started_on = now(), heartbeat_on = now(),
    retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
  FROM next WHERE j.name = ${name} AND j.id = next.id
  RETURNING j.id, j.data, j.retry_count AS "retryCount", j.retry_limit AS "retryLimit",
    j.expire_seconds AS "expireInSeconds", ${userOf} AS "userId"`)

/** Runs jobs of a kind when woken. */
export function createWorkers(deps: {
  boss: Pick<PgBoss, 'complete' | 'fail'>
  pool: pg.Pool
  /** True when no other server uses this queue. */
  isOnlyProcess: boolean
  handlers: JobHandlers
  limits: Partial<Record<JobName, JobLimits>>
  log: Log
}): Workers {
  const { boss, pool, handlers, log } = deps
  const limitsOf = (name: JobName): JobLimits => {
    const { concurrency, perUser = concurrency } = jobSettings[name]
    return deps.limits[name] ?? { concurrency, perUser }
  }
  const running = new Map<JobName, Set<RunningJob>>(jobNames.map((name) => [name, new Set()]))
  const jobsOf = (name: JobName) => running.get(name) as Set<RunningJob>
  /** By kind of job, the users whose jobs were started, least recently served first. */
  const servedUsers = new Map<JobName, Set<string>>(jobNames.map((name) => [name, new Set()]))
  const checking = new Map<JobName, { again: boolean; ended: Promise<void> }>()
  let isStopping = false

  const isIdle = (name: JobName) => jobsOf(name).size < limitsOf(name).concurrency

  const claimJob = async (name: JobName): Promise<ClaimedJob | undefined> => {
    const counts = new Map<string, number>()
    for (const { userId } of jobsOf(name)) counts.set(userId, (counts.get(userId) ?? 0) + 1)
    const countOf = (userId: string) => counts.get(userId) ?? 0
    const { perUser, concurrency } = limitsOf(name)
    const full = [...counts.keys()].filter(
      (userId) => countOf(userId) >= (userId === SERVER_KEY ? concurrency : perUser),
    )
    // the stable sort keeps the order among users with equally many running jobs
    const order = [...(servedUsers.get(name) ?? [])].sort((one, other) => countOf(one) - countOf(other))
    const exclusive = [name, ...(jobSettings[name].exclusiveWith ?? [])]
    const statement = claimNext({ name, full, order, exclusive })
    if (deps.isOnlyProcess) return (await pool.query<ClaimedJob>(statement)).rows[0]
    // without the lock, two servers wouldn't see each other's claim of the same group
    return inTransaction(pool, async (tx) => {
      await tx.query(sql`SELECT pg_advisory_xact_lock(hashtext(${exclusive.toSorted().join()}))`)
      return (await tx.query<ClaimedJob>(statement)).rows[0]
    })
  }

  const MAX_REMEMBERED_USERS = 1000
  const noteServedUser = (name: JobName, userId: string) => {
    const users = servedUsers.get(name) as Set<string>
    users.delete(userId)
    users.add(userId)
    const [oldest] = users
    if (users.size > MAX_REMEMBERED_USERS && oldest !== undefined) users.delete(oldest)
  }

  /** Starts jobs until none is left or no more may run. */
  const checkForJobs = async (name: JobName): Promise<void> => {
    if (isStopping || !isIdle(name)) return
    const current = checking.get(name)
    if (current !== undefined) {
      current.again = true
      return
    }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const state = { again: true, ended }
    checking.set(name, state)
    try {
      while (!isStopping && isIdle(name)) {
        state.again = false
        const job = await claimJob(name)
        if (job !== undefined && isStopping) await putBack(name, job)
        else if (job !== undefined) start(name, job)
        else if (!state.again) return
      }
    } catch (error) {
      log.warn({ err: error, job: name }, 'a job could not be claimed')
    } finally {
      checking.delete(name)
      end()
    }
  }

  const start = (name: JobName, job: ClaimedJob) => {
    noteServedUser(name, job.userId)
    const runningJob: RunningJob = { ...job, abort: new AbortController(), settled: Promise.resolve() }
    jobsOf(name).add(runningJob)
    runningJob.settled = runAsUser(job.userId, () => run(name, runningJob)).finally(() => {
      jobsOf(name).delete(runningJob)
      void checkForJobs(name)
    })
  }

  const run = async (name: JobName, job: RunningJob) => {
    const { abort, expireInSeconds } = job
    const expiry = setTimeout(() => {
      abort.abort(new Error(`the job took longer than ${expireInSeconds} seconds`))
    }, expireInSeconds * 1000).unref()
    const isLastAttempt = job.retryCount >= job.retryLimit
    try {
      const handle = handlers[name] as (data: unknown, run: JobRun) => Promise<void>
      const started = { id: job.id, attempt: job.retryCount + 1, isLastAttempt, signal: abort.signal }
      // don't wait for a handler that ignores its signal
      await unlessAborted(handle(jobSchemas[name].parse(job.data), started), abort.signal)
      await boss.complete(name, job)
    } catch (error) {
      if (isStopping) return await putBack(name, job)
      const fields = { err: error, job: name, job_id: job.id, attempt: job.retryCount + 1 }
      if (isLastAttempt) log.error(fields, 'a job failed permanently')
      else log.warn(fields, 'a job failed and will be retried')
      // when the database is unavailable, this fails, too; the job is retried later because its heartbeats are missing
      await boss
        .fail(name, job, error as object)
        .catch((problem: unknown) => log.warn({ err: problem, job: name }, 'the failure of a job could not be stored'))
    } finally {
      clearTimeout(expiry)
    }
  }

  /** Returns a job that ended early because this server stops, without counting the attempt. */
  const putBack = async (name: JobName, { id, retryCount }: Pick<RunningJob, 'id' | 'retryCount'>) => {
    await pool
      .query(
        sql`UPDATE pgboss.job SET state = 'retry', started_on = NULL, heartbeat_on = NULL, start_after = now()
         WHERE name = ${name} AND id = ${id}::uuid AND retry_count = ${retryCount} AND state = 'active'`,
      )
      .then(() => log.info({ job: name, job_id: id }, 'a job was put back because the server stops'))
      // the job is retried later because its heartbeats are missing
      .catch((error: unknown) => log.warn({ err: error, job: name }, 'a job could not be put back'))
  }

  const allRunning = () => [...running.values()].flatMap((jobs) => [...jobs])

  /** Sends heartbeats of running jobs, and aborts those that another process has taken over. */
  const beat = async () => {
    const runningJobs = allRunning()
    if (runningJobs.length === 0) return
    try {
      const { rows } = await pool.query<{ id: string }>(
        sql`UPDATE pgboss.job j SET heartbeat_on = now()
          FROM unnest(${runningJobs.map(({ id }) => id)}::uuid[],
            ${runningJobs.map(({ retryCount }) => retryCount)}::int[]) AS own (id, retry_count)
         WHERE j.id = own.id AND j.retry_count = own.retry_count AND j.state = 'active' RETURNING j.id`,
      )
      const ours = new Set(rows.map(({ id }) => id))
      for (const { id, abort } of runningJobs) {
        if (!ours.has(id)) abort.abort(new Error('another process has taken the job over'))
      }
    } catch (error) {
      log.debug({ err: error }, 'the heartbeat of jobs could not be stored')
    }
  }
  const heartbeat = setInterval(() => void beat(), HEARTBEAT_INTERVAL_MS)

  return {
    idleNames: () => jobNames.filter(isIdle),
    wake: (name) => void checkForJobs(name),
    async drain() {
      isStopping = true
      await Promise.all([...checking.values()].map(({ ended }) => ended))
      await Promise.all(allRunning().map(({ settled }) => settled))
    },
    async stop(timeoutMs) {
      clearInterval(heartbeat)
      await Promise.race([this.drain(), sleep(timeoutMs, undefined, { ref: false })])
      for (const { abort } of allRunning()) abort.abort(new Error('the server stops'))
      await Promise.all(allRunning().map(({ settled }) => settled))
    },
  }
}
