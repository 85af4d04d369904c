import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { fastestOf } from '../../../test/fastest.ts'
import { idleJobHandlers } from '../../../test/idle-job-handlers.ts'
import { currentUserKey } from '../lib/current-user.ts'
import type { JobData, JobHandlers, JobRun } from './jobs.ts'
import { createQueue, type Queue } from './queue.ts'

let database: TestDatabase
let queues: Queue[]

beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(async () => {
  await database.pool.query('DELETE FROM pgboss.job')
  queues = []
})
afterEach(async () => {
  for (const queue of queues) await queue.stop()
})
afterAll(() => database.close())

async function openQueue() {
  const queue = createQueue({ pool: database.pool, isOnlyProcess: database.engine === 'embedded', log: silentLog })
  queues.push(queue)
  await queue.open()
  return queue
}

/** Handlers that record the runs of `delete-files`, which represents every kind here, and then call `work`. */
function recorder(work: (run: JobRun, path: string) => Promise<void> = async () => {}) {
  const runs: { path: string; run: JobRun }[] = []
  const handlers: JobHandlers = {
    ...idleJobHandlers,
    'delete-files': async (data, run) => {
      const path = 'paths' in data ? (data.paths[0] ?? '') : JSON.stringify(data)
      runs.push({ path, run })
      await work(run, path)
    },
  }
  return { runs, handlers, paths: () => runs.map(({ path }) => path) }
}

/** Counts current, maximum simultaneous, and ended runs. */
function counter() {
  const runCounts = { now: 0, max: 0, ended: 0 }
  const work = async () => {
    runCounts.max = Math.max(runCounts.max, ++runCounts.now)
    await sleep(100)
    runCounts.now--
    runCounts.ended++
  }
  return { runCounts, work }
}

const enqueue = (queue: Queue, path: string) => queue.enqueue('delete-files', { paths: [path] })
const until = (check: () => void | Promise<void>, timeout = 15_000) => vi.waitFor(check, { timeout, interval: 20 })

/** Expects work to take far less than the polling interval of two seconds; retries on a machine that stalls. */
async function expectNoPoll(work: (name: string) => Promise<void>) {
  let fastest = Number.POSITIVE_INFINITY
  for (let n = 0; n < 10 && fastest > 1000; n++) {
    const begin = performance.now()
    await work(String(n))
    fastest = Math.min(fastest, performance.now() - begin)
  }
  expect(fastest).toBeLessThan(1000)
}

describe('a job', () => {
  test('is run at once by the process that enqueued it', async () => {
    const queue = await openQueue()
    const { handlers, paths } = recorder()
    await queue.start(handlers)
    await expectNoPoll(async (path) => {
      await enqueue(queue, path)
      await until(() => expect(paths()).toContain(path))
    })
  })

  test('that was enqueued by another process is found by polling', async () => {
    const queue = await openQueue()
    const { handlers, paths } = recorder()
    await queue.start(handlers)
    await enqueue(await openQueue(), 'a')
    await until(() => expect(paths()).toStrictEqual(['a']))
  })

  test('about an item waits for other jobs about it, on any server, but not for jobs about other items', async () => {
    const { handlers } = recorder()
    const ids = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002']
    const counters = new Map(ids.map((id) => [id, counter()]))
    const allItems = counter()
    const queues = [await openQueue(), await openQueue()]
    for (const queue of queues) {
      await queue.start({
        ...handlers,
        'process-media': async ({ media_id }) => {
          await Promise.all([counters.get(media_id)?.work(), allItems.work()])
        },
      })
    }
    for (let n = 0; n < 3; n++) {
      for (const [index, media_id] of ids.entries()) await queues[index]?.enqueue('process-media', { media_id })
    }
    await until(() => expect(allItems.runCounts.ended).toBe(6), 20_000)
    expect([...counters.values()].map(({ runCounts }) => runCounts.max)).toEqual([1, 1])
    expect(allItems.runCounts.max).toBe(2)
  })

  test('that was enqueued before any worker started is not lost', async () => {
    const queue = await openQueue()
    await enqueue(queue, 'a')
    const { handlers, paths } = recorder()
    await queue.start(handlers)
    await until(() => expect(paths()).toStrictEqual(['a']))
  })

  test('that fails is retried', async () => {
    const queue = await openQueue()
    const { handlers, runs } = recorder(async ({ attempt }) => {
      if (attempt === 1) throw new Error('not this time')
    })
    await queue.start(handlers)
    await enqueue(queue, 'a')
    await until(() => expect(runs.map(({ run }) => run.attempt)).toStrictEqual([1, 2]))
    await until(async () =>
      expect((await queue.counts())['delete-files']).toStrictEqual({ waiting: 0, active: 0, failed: 0 }),
    )
  })

  test('with invalid data for its kind is refused', async () => {
    const queue = await openQueue()
    const data = { paths: [] } as JobData<'delete-files'>
    await expect(queue.enqueue('delete-files', data)).rejects.toThrow()
  })
})

describe('a job enqueued in a transaction', () => {
  test('is stored together with the row', async () => {
    const queue = await openQueue()
    const { handlers, paths } = recorder()
    await queue.start(handlers)
    await expectNoPoll(async (name) => {
      const path = `${name}: it's $1 "quoted" \\ \n with 🌊 and {json: [1]}`
      await database.prisma.$transaction(async (tx) => {
        await tx.setting.create({ data: { key: name, value: 1 } })
        await queue.enqueue('delete-files', { paths: [path] }, { tx })
      })
      await until(() => expect(paths()).toContain(path))
    })
  })

  test('does not exist when the transaction is rolled back', async () => {
    const queue = await openQueue()
    const failing = database.prisma.$transaction(async (tx) => {
      await queue.enqueue('delete-files', { paths: ['a'] }, { tx })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect((await queue.counts())['delete-files']).toStrictEqual({ waiting: 0, active: 0, failed: 0 })
  })
})

test('a backlog is processed without pauses, one job at a time for a kind that requires it', async () => {
  const queue = await openQueue()
  let running = 0
  let max = 0
  const { handlers, runs } = recorder(async () => {
    running++
    max = Math.max(max, running)
    await sleep(5)
    running--
  })
  await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue(queue, String(n))))
  await queue.start(handlers)
  await until(() => expect(runs).toHaveLength(40), 18_000)
  expect(max).toBe(1)
})

test('a job with a start time in the future waits for it', async () => {
  const queue = await openQueue()
  const { handlers, runs } = recorder()
  await queue.start(handlers)
  const startAfter = new Date(Date.now() + 1500)
  await queue.enqueue('delete-files', { paths: ['a'] }, { startAfter })
  await until(() => expect(runs).toHaveLength(1))
  expect(Date.now()).toBeGreaterThanOrEqual(startAfter.getTime())
})

describe('jobs of several users', () => {
  /** Enqueues and runs jobs; returns the users whose jobs ran, in order. `work` may delay them. */
  async function orderOf(jobCounts: Record<string, number>, work: (userId: string) => Promise<void> = async () => {}) {
    const queue = await openQueue()
    for (const [userId, count] of Object.entries(jobCounts)) {
      for (let n = 0; n < count; n++) await queue.enqueue('import-things', { import_id: randomUUID() }, { userId })
    }
    const order: string[] = []
    const { handlers } = recorder()
    await queue.start({
      ...handlers,
      'import-things': async () => {
        const userId = currentUserKey()
        order.push(userId)
        await work(userId)
      },
    })
    return order
  }

  test('alternate between users, however many jobs one of them has enqueued before', async () => {
    const queue = createQueue({
      pool: database.pool,
      isOnlyProcess: database.engine === 'embedded',
      limits: { 'import-things': { concurrency: 1, perUser: 1 } },
      log: silentLog,
    })
    queues.push(queue)
    await queue.open()
    for (const [userId, count] of [
      ['ada', 400],
      ['bob', 2],
      ['cem', 1],
    ] as const) {
      for (let n = 0; n < count; n++) await queue.enqueue('import-things', { import_id: randomUUID() }, { userId })
    }
    const order: string[] = []
    const run = async () => void order.push(currentUserKey())
    await queue.start({ ...recorder().handlers, 'import-things': run })
    await until(() => expect(order.length).toBeGreaterThanOrEqual(6))
    expect(order.slice(0, 6)).toEqual(['ada', 'bob', 'cem', 'ada', 'bob', 'ada'])
  })

  test('do not wait for another user whose jobs never end', async () => {
    const order = await orderOf({ ada: 40, bob: 2 }, (userId) =>
      userId === 'ada' ? new Promise<void>(() => {}) : Promise.resolve(),
    )
    await until(() => expect(order.toSorted()).toEqual(['ada', 'bob', 'bob']))
  })
})

describe('stopping', () => {
  test('does not start a job that is being fetched, and returns it to the queue', async () => {
    const { handlers, runs } = recorder()
    for (let round = 0; round < 10; round++) {
      const queue = await openQueue()
      await queue.start(handlers)
      await enqueue(queue, `${round}`)
      await queue.stop()
      const startedCount = runs.length
      await sleep(50)
      expect(runs).toHaveLength(startedCount)
      const { rows } = await database.pool.query(`SELECT id, retry_count FROM pgboss.job WHERE state = 'active'`)
      expect(rows).toEqual([])
    }
  })

  test('waits for the running job', async () => {
    const queue = await openQueue()
    let isDone = false
    const { handlers, runs } = recorder(async () => {
      await sleep(300)
      isDone = true
    })
    await queue.start(handlers)
    await enqueue(queue, 'a')
    await until(() => expect(runs).toHaveLength(1))
    await queue.stop()
    expect(isDone).toBe(true)
  })

  test('takes at most 5 seconds, and returns a longer job to the queue without counting the attempt', async () => {
    await enqueue(await openQueue(), 'a')
    const fastest = await fastestOf(async () => {
      const queue = await openQueue()
      const { handlers, runs } = recorder(
        ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      )
      await queue.start(handlers)
      await until(() => expect(runs).toHaveLength(1))
      const stoppedAt = performance.now()
      await queue.stop()
      expect(runs[0]?.run.signal.aborted).toBe(true)
      return performance.now() - stoppedAt
    }, 2)
    expect(fastest).toBeLessThan(5000)

    const next = await openQueue()
    const nextRecorder = recorder()
    await next.start(nextRecorder.handlers)
    await until(() => expect(nextRecorder.runs.map(({ run }) => run.attempt)).toStrictEqual([1]))
  })
})

test('counts has the waiting, active and failed jobs of each kind', async () => {
  const queue = await openQueue()
  await enqueue(queue, 'a')
  await enqueue(queue, 'b')
  await database.pool.query(`UPDATE pgboss.job SET state = 'failed' WHERE data->'paths'->>0 = 'a'`)
  expect(await queue.counts()).toStrictEqual({
    'delete-files': { waiting: 1, active: 0, failed: 1 },
    'clean-up': { waiting: 0, active: 0, failed: 0 },
    'deliver-hook': { waiting: 0, active: 0, failed: 0 },
    'send-push': { waiting: 0, active: 0, failed: 0 },
    'roll-up-activities': { waiting: 0, active: 0, failed: 0 },
    'process-media': { waiting: 0, active: 0, failed: 0 },
    'process-long-media': { waiting: 0, active: 0, failed: 0 },
    'fill-embeddings': { waiting: 0, active: 0, failed: 0 },
    'improve-media': { waiting: 0, active: 0, failed: 0 },
    'make-backup': { waiting: 0, active: 0, failed: 0 },
    'scan-folders': { waiting: 0, active: 0, failed: 0 },
    'scan-folder': { waiting: 0, active: 0, failed: 0 },
    'import-things': { waiting: 0, active: 0, failed: 0 },
    'undo-import': { waiting: 0, active: 0, failed: 0 },
    'index-words': { waiting: 0, active: 0, failed: 0 },
    'prove-backup': { waiting: 0, active: 0, failed: 0 },
    'copy-offsite': { waiting: 0, active: 0, failed: 0 },
    'scrub-files': { waiting: 0, active: 0, failed: 0 },
  })
})

test('a recurring job is created once per period, however many servers there are', async () => {
  const { handlers } = recorder()
  const cleanUp = vi.fn(async () => {})
  for (const queue of [await openQueue(), await openQueue()]) await queue.start({ ...handlers, 'clean-up': cleanUp })
  await until(() => expect(cleanUp).toHaveBeenCalledTimes(1))
  const { rows } = await database.pool.query(`SELECT FROM pgboss.job WHERE name = 'clean-up'`)
  expect(rows).toHaveLength(1)
})

test('watched folders are scanned every minute', async () => {
  const queue = await openQueue()
  const scanFolders = vi.fn(async () => {})
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    await queue.start({ ...recorder().handlers, 'scan-folders': scanFolders })
    const { pool } = database
    for (let minute = 1; minute <= 3; minute++) {
      await expect.poll(() => scanFolders.mock.calls.length, { timeout: 15_000 }).toBe(minute)
      await pool.query('UPDATE pgboss.job SET singleton_on = NULL')
      vi.advanceTimersByTime(60_000)
    }
  } finally {
    vi.useRealTimers()
  }
})

test('a job with unlessQueued is skipped while an equal one waits or runs', async () => {
  const queue = await openQueue()
  const pathsOf = async () =>
    (
      await database.pool.query(
        `SELECT data->'paths'->>0 AS path FROM pgboss.job WHERE name = 'delete-files' ORDER BY created_on`,
      )
    ).rows.map(({ path }) => path)
  const enqueueOnce = (path: string) => queue.enqueue('delete-files', { paths: [path] }, { unlessQueued: true })
  for (const state of ['created', 'retry', 'active']) {
    await enqueueOnce('a')
    await database.pool.query(`UPDATE pgboss.job SET state = $1::pgboss.job_state`, [state])
  }
  expect(await pathsOf()).toEqual(['a'])
  await enqueueOnce('b')
  expect(await pathsOf()).toEqual(['a', 'b'])
  await database.pool.query(`UPDATE pgboss.job SET state = 'completed'`)
  await enqueueOnce('a')
  expect(await pathsOf()).toEqual(['a', 'b', 'a'])
})

test('the sweep for lost jobs runs at start, and may fail', async () => {
  const queue = await openQueue()
  const sweep = vi.fn(async () => {
    throw new Error('no')
  })
  await queue.start(recorder().handlers, { sweep })
  expect(sweep).toHaveBeenCalledTimes(1)
})
