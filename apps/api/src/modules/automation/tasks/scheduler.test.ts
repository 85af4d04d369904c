import { setTimeout as sleep } from 'node:timers/promises'
import { type TaskType, taskTypes } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import { EngineError } from '../../../errors.ts'
import type { ServerMessages } from '../../../platform/database/server-messages.ts'
import { errorSentencesOf } from './present-run.ts'
import { createRunner } from './runner.ts'
import { createScheduler, latestSlot, nextSlots } from './scheduler.ts'
import type { Task, TaskRun } from './task.ts'
import { createRunsStore, createTasksStore, type RunRow } from './tasks.store.ts'

const HOUR_MS = 3_600_000
let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(() => database.pool.query('TRUNCATE automation_runs, automation_tasks'))
afterAll(() => database.close())

const id = (digit: number) => `${digit}0000000-0000-4000-8000-000000000000`
const rows = async () => createRunsStore(database).list(1000, null)

/** Builds a server of the instance, which checks for due runs when the test calls `round`. */
function startServer(
  digit: number,
  run: (run: TaskRun) => Promise<void>,
  {
    clock = { now: new Date() },
    limits = {},
    schedule = '0 * * * *' as string | null,
    isOnlyServer = false,
    log = silentLog,
    listen = (() => () => {}) as ServerMessages['listen'],
  } = {},
) {
  const ended: [string, string | null][] = []
  const task: Task = { schedule: null, timeLimitMs: 60_000, run }
  const tasks = {
    ...(Object.fromEntries(taskTypes.map((taskType) => [taskType, task])) as Record<TaskType, Task>),
    memory_update: { ...task, schedule },
  }
  const [runsStore, tasksStore] = [createRunsStore(database), createTasksStore(database)]
  const runner = createRunner({
    runsStore,
    tasksStore,
    tasks,
    serverId: id(digit),
    isOnlyServer,
    limits: { saveMs: 0, ...limits },
    log: silentLog,
    notices: {
      onChange: () => {},
      onEnd: async (_run, { status, error }) => {
        ended.push([status, error?.text ?? null])
      },
    },
  })
  const scheduler = createScheduler({
    tasks,
    tasksStore,
    runsStore,
    runner,
    now: () => clock.now,
    log,
    database: { listen, notify: async () => {}, hasWorker: async () => false },
  })
  return { scheduler, runner, runsStore, ended }
}

test('a server that missed messages checks for runs as soon as it’s reconnected', async () => {
  let reconnect = () => {}
  const listen: ServerMessages['listen'] = (_channel, _handler, onReconnected = () => {}) => {
    reconnect = onReconnected
    return () => {}
  }
  const { scheduler, runsStore, ended } = startServer(1, async () => {}, { listen, schedule: null })
  await scheduler.start()
  await expect.poll(async () => (await createTasksStore(database).all()).length).toBe(taskTypes.length)
  await sleep(200)
  await runsStore.add({ taskType: 'memory_update', trigger: 'schedule', scheduledFor: new Date() })
  reconnect()
  await expect.poll(() => ended, { timeout: 5000 }).toHaveLength(1)
  await scheduler.close()
})

test('two servers run each slot of a day once, despite a jump of the clock and a restart', async () => {
  const clock = { now: new Date('2026-03-02T00:30:00Z') }
  const slots: string[] = []
  const recordSlot = async ({ scheduledAt }: TaskRun) => {
    slots.push(scheduledAt.toISOString())
  }
  const one = startServer(1, recordSlot, { clock })
  let other = startServer(2, recordSlot, { clock })
  await one.scheduler.seed()
  const runRound = async () => {
    await Promise.all([one.scheduler.round(), other.scheduler.round()])
    await Promise.all([one.runner.idle(), other.runner.idle()])
  }
  for (let minute = 0; minute < 24 * 60; minute += 20) {
    clock.now = new Date(Date.UTC(2026, 2, 2, 0, 30 + minute))
    await runRound()
    if (minute === 300) {
      // The clock is set ahead by mistake, and back.
      clock.now = new Date('2026-03-02T09:10:00Z')
      await runRound()
    }
    if (minute === 600) other = startServer(3, recordSlot, { clock })
  }
  const hours = Array.from({ length: 24 }, (_, hour) => new Date(Date.UTC(2026, 2, 2, hour + 1)).toISOString())
  expect(slots.toSorted()).toEqual(hours.slice(0, 24).filter((hour) => hour <= clock.now.toISOString()))
  expect((await rows()).every(({ status, trigger }) => status === 'completed' && trigger === 'schedule')).toBe(true)

  // No server ran for a day: the latest slot is caught up, once.
  slots.length = 0
  clock.now = new Date(clock.now.getTime() + 24 * HOUR_MS)
  await runRound()
  await runRound()
  expect(slots).toEqual([new Date(Math.floor(clock.now.getTime() / HOUR_MS) * HOUR_MS).toISOString()])
})

test('follows a schedule that node-cron doesn’t understand, and logs that once', async () => {
  const clock = { now: new Date('2026-03-02T01:30:00Z') }
  const slots: string[] = []
  const lines: string[] = []
  const log = { ...silentLog, info: (_fields: object, line: string) => void lines.push(line) }
  const error = vi.fn()
  const server = startServer(
    1,
    async ({ scheduledAt }) => {
      slots.push(scheduledAt.toISOString())
    },
    { clock, schedule: '0 2/6 * * *', log: { ...log, error } as unknown as typeof silentLog },
  )
  await server.scheduler.start()
  for (const hour of ['02', '07', '08']) {
    clock.now = new Date(`2026-03-02T${hour}:00:00Z`)
    await server.scheduler.round()
    await server.runner.idle()
  }
  expect(slots).toEqual(['2026-03-02T02:00:00.000Z', '2026-03-02T08:00:00.000Z'])
  expect(lines.filter((line) => line.includes('no timer'))).toHaveLength(1)
  expect(error).not.toHaveBeenCalled()
  await server.scheduler.close()
})

test('slots follow the clock of their zone when it’s set forward and back', () => {
  const madrid = { schedule: '30 2 * * *', timeZone: 'Europe/Madrid' }
  const slotsAfter = (from: string) => nextSlots(madrid, new Date(from), 3).map((slot) => slot.toISOString())
  expect(slotsAfter('2026-10-23T12:00:00Z')).toEqual([
    ...['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
  ])
  // 02:30 doesn't exist on the 29th, so the slot is at the next existing time.
  expect(new Set(slotsAfter('2026-03-28T12:00:00Z').map((slot) => slot.slice(0, 10))).size).toBe(3)
  const hourly = { schedule: '0 * * * *', timeZone: 'UTC' }
  const [from, until] = [new Date('2026-01-01T10:00:00Z'), new Date('2026-01-01T12:00:00Z')]
  expect(latestSlot(hourly, from, until)).toEqual(until)
  expect(latestSlot(hourly, until, until)).toBeNull()
})

test('an H in a schedule always stands for the same value', () => {
  const slot = () => nextSlots({ schedule: 'H H * * *', timeZone: 'UTC' }, new Date('2026-05-01T00:00:00Z'), 1)
  expect(Array.from({ length: 5 }, slot)).toEqual(Array(5).fill(slot()))
})

test.each([
  ['30 2 * * *', 'Europe/Madrid', '2026-10-24'],
  ['30 2 * * *', 'Europe/Madrid', '2027-03-27'],
  ['0 0 * * *', 'Africa/Cairo', '2026-04-23'],
  ['15 0 * * *', 'America/Santiago', '2026-09-05'],
  ['0 3 * * *', 'Australia/Lord_Howe', '2026-04-03'],
  ['0 2 * * *', 'Australia/Lord_Howe', '2026-04-02'],
])('%s in %s runs once at each announced time when clocks change after %s', (schedule, timeZone, day) => {
  const start = new Date(`${day}T00:00:00Z`)
  const end = new Date(start.getTime() + 72 * HOUR_MS)
  const announced = nextSlots({ schedule, timeZone }, start, 5).filter((slot) => slot <= end)
  expect(announced.length).toBeGreaterThanOrEqual(2)
  for (const [index, slot] of announced.slice(1).entries()) {
    const between = new Date(((announced[index] as Date).getTime() + slot.getTime()) / 2)
    expect(nextSlots({ schedule, timeZone }, between, 1)).toEqual([slot])
  }
  const slots: Date[] = []
  for (let time = start; time <= end; time = new Date(time.getTime() + HOUR_MS / 4)) {
    const slot = latestSlot({ schedule, timeZone }, slots.at(-1) ?? start, time)
    if (slot !== null) slots.push(slot)
  }
  expect(slots).toEqual(announced)
})

test.each([
  ['* * * * *', '2026-02-20T00:00:00Z'],
  ['* * 1 * *', '2026-02-01T23:59:00Z'],
  ['*/5 8 1,9 * *', '2026-02-09T08:55:00Z'],
])('finds the latest of the slots missed over weeks without going through all: %s', (schedule, slot) => {
  const [from, until] = [new Date('2025-06-01T00:00:00Z'), new Date('2026-02-20T00:00:30Z')]
  expect(latestSlot({ schedule, timeZone: 'UTC' }, from, until)).toEqual(new Date(slot))
})

test('records why a task throws, times out, is cancelled or loses its server', async () => {
  const add = async (server: ReturnType<typeof startServer>) => {
    const runId = await server.runsStore.add({ taskType: 'memory_update', trigger: 'manual' })
    expect(await server.runsStore.add({ taskType: 'memory_update', trigger: 'manual' })).toBeNull()
    return String(runId)
  }
  const end = async (server: ReturnType<typeof startServer>) => {
    const runId = await add(server)
    await server.runner.takeAll()
    await server.runner.idle()
    return (await server.runsStore.find(runId)) as RunRow
  }
  const throwing = startServer(1, (run) =>
    run.step('first', async (progress) => {
      progress.total(2)
      progress.done()
      throw new Error('The disk is on fire.\nat line 3')
    }),
  )
  expect(await end(throwing)).toMatchObject({
    status: 'failed',
    errorMessage: 'The disk is on fire.',
    itemsProcessed: 1,
    steps: [{ name: 'first', status: 'failed', items: 1, total: 2, error: 'The disk is on fire.' }],
  })
  expect(throwing.ended).toEqual([['failed', 'The disk is on fire.']])

  const failures = [new EngineError('The model is away.'), new Error('refused')]
  const failingTwice = startServer(1, () => Promise.reject(new AggregateError(failures, failures.join('; '))))
  expect(await end(failingTwice)).toMatchObject({ errorMessage: 'The model is away.' })

  const hanging = startServer(1, () => new Promise(() => {}), { limits: { timeLimitMs: 50 } })
  const timedOut = await end(hanging)
  expect(timedOut).toMatchObject({ status: 'failed', errorMessage: 'It took longer than 0 seconds.' })
  // Its translations use the code and parameters.
  expect(errorSentencesOf(timedOut)).toEqual([{ code: 'run_slow', params: { seconds: 0 } }])

  // Cancelled by another server: this one notices at its next heartbeat.
  const waiting = startServer(1, ({ signal }) => sleep(60_000, undefined, { signal }), { limits: { beatMs: 20 } })
  const cancelledId = await add(waiting)
  await waiting.runner.takeAll()
  expect(await waiting.runsStore.cancel(cancelledId)).toBe('running')
  await waiting.runner.idle()
  expect(await waiting.runsStore.find(cancelledId)).toMatchObject({ status: 'cancelled', errorMessage: null })

  // Its server stops: another one resumes the run without repeating finished steps.
  const steps: string[] = []
  const runTwoSteps = (waits: boolean) => async (run: TaskRun) => {
    await run.step('one', async () => {
      steps.push('one')
      return { one: 1 }
    })
    if (waits) await sleep(60_000, undefined, { signal: run.signal })
    await run.step('two', async () => {
      steps.push('two')
      return { two: 2 }
    })
  }
  const [stopping, successor] = [startServer(1, runTwoSteps(true)), startServer(2, runTwoSteps(false))]
  const movedId = await add(stopping)
  await stopping.runner.takeAll()
  await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['one'])
  await stopping.runner.close()
  await successor.runner.takeAll()
  await successor.runner.idle()
  expect(steps).toEqual(['one', 'two'])
  expect(await successor.runsStore.find(movedId)).toMatchObject({ status: 'completed', results: { one: 1, two: 2 } })

  // Killed partway: noticed only once its heartbeat is old; it fails after three times.
  const abandonedId = await add(successor)
  const kill = () =>
    database.pool.query(
      `UPDATE automation_runs SET status = 'running', server_id = $2, heartbeat_at = now() - interval '1 minute' WHERE id = $1`,
      [abandonedId, id(9)],
    )
  await kill()
  await database.pool.query('UPDATE automation_runs SET attempts = 3 WHERE id = $1', [abandonedId])
  await successor.runner.takeAll()
  await successor.runner.idle()
  expect(await successor.runsStore.find(abandonedId)).toMatchObject({
    status: 'failed',
    errorMessage: 'The server running this stopped partway through 3 times.',
  })
  const aliveId = await add(successor)
  await database.pool.query(
    `UPDATE automation_runs SET status = 'running', server_id = $2, heartbeat_at = now() WHERE id = $1`,
    [aliveId, id(9)],
  )
  await successor.runner.takeAll()
  expect(await successor.runsStore.find(aliveId)).toMatchObject({ status: 'running', attempts: 0 })
})
