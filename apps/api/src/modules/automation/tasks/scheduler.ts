import { type TaskType, taskTypes } from '@mira/shared'
import { CronExpressionParser } from 'cron-parser'
import { IANAZone } from 'luxon'
import { type ScheduledTask, schedule as scheduleCron } from 'node-cron'
import { ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Runner } from './runner.ts'
import type { Task } from './task.ts'
import type { RunsStore, TaskRow, TasksStore } from './tasks.store.ts'

const CRON_FIELDS = 5
const MAX_NEXT = 5
/** Maximum number of missed slots to step through, at about 0.2 ms each; if there are more, a binary search finds the latest. */
const MAX_MISSED = 500
const MINUTE_MS = 60_000
const DAY_MS = 1440 * MINUTE_MS
/** Clocks only change at full and half hours. */
const CLOCK_STEP_MS = 30 * MINUTE_MS

/** Schedule of a task: cron text of five fields in a time zone. */
interface Schedule {
  schedule: string
  timeZone: string
}

/** @throws ValidationError for an invalid schedule or time zone, with the reason. */
export function requireSchedule({ schedule, timeZone }: { schedule: string | null; timeZone: string }): void {
  if (!IANAZone.isValidZone(timeZone) || /^[+-]/.test(timeZone)) {
    refuse('time_zone', 'This isn’t a time zone. Enter one such as Europe/Madrid.')
  }
  if (schedule === null) return
  const fields = schedule.trim().split(/\s+/)
  if (schedule.startsWith('@') || fields.length !== CRON_FIELDS) {
    refuse(
      'schedule',
      'A schedule has five fields: minute, hour, day of the month, month and weekday, such as 0 3 * * *.',
    )
  }
  try {
    nextSlots({ schedule, timeZone }, new Date(), 1)
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be read'
    refuse('schedule', `This schedule can’t be used: ${reason}.`)
  }
}

function refuse(path: string, message: string): never {
  throw new ValidationError(message, { errors: [{ path, message }] })
}

/** Next slots (times of a schedule) after a time, earliest first. */
export function nextSlots({ schedule, timeZone }: Schedule, after: Date, count = MAX_NEXT): Date[] {
  return slotsAfter({ schedule, timeZone }, after).take(count).toArray()
}

/** Ranges without slots in which cron-parser last failed, by schedule; cached because a failure takes a second. */
const gaps = new Map<string, { from: Date; until: Date }>()

/** All slots after a time. cron-parser can fail before clocks go back by half an hour; slots then continue after the change. */
function* slotsAfter({ schedule, timeZone }: Schedule, after: Date): Generator<Date, never> {
  const key = `${schedule} ${timeZone}`
  // Without a seed, an `H` (Jenkins' notation for any value) would be another value at each call.
  const options = { tz: timeZone, hashSeed: key }
  const parse = (currentDate: Date) => CronExpressionParser.parse(schedule, { ...options, currentDate })
  let start = after
  let slots = parse(start)
  for (;;) {
    const gap = gaps.get(key)
    if (gap !== undefined && start >= gap.from && start < gap.until) {
      start = gap.until
      slots = parse(start)
    }
    try {
      start = slots.next().toDate()
    } catch (error) {
      const until = clockChangeAfter(start, timeZone)
      if (until === null) throw error
      gaps.set(key, { from: start, until })
      continue
    }
    yield start
  }
}

/** Next clock change in a time zone within two days; null when there is none. */
function clockChangeAfter(start: Date, timeZone: string): Date | null {
  const zone = IANAZone.create(timeZone)
  const first = Math.ceil((start.getTime() + 1) / CLOCK_STEP_MS) * CLOCK_STEP_MS
  for (let time = first; time < first + 2 * DAY_MS; time += CLOCK_STEP_MS)
    if (zone.offset(time) !== zone.offset(start.getTime())) return new Date(time)
  return null
}

/**
 * Latest slot after `from` and at or before `until`; null when there is none. Uses cron-parser's `next`, as `nextSlots` does,
 * since `prev` disagrees with it around clock changes.
 */
export function latestSlot({ schedule, timeZone }: Schedule, from: Date, until: Date): Date | null {
  let latest: Date | null = null
  for (const slot of slotsAfter({ schedule, timeZone }, from).take(MAX_MISSED)) {
    if (slot > until) return latest
    latest = slot
  }
  let [low, high] = [(latest ?? from).getTime(), until.getTime()]
  while (high - low >= MINUTE_MS) {
    const middle = (low + high) / 2
    const [slot] = nextSlots({ schedule, timeZone }, new Date(middle), 1)
    if (slot !== undefined && slot <= until) low = slot.getTime()
    else high = middle
  }
  return new Date(low)
}

interface SchedulerDeps {
  database: Pick<Database, 'listen' | 'notify' | 'hasWorker'>
  tasks: Record<TaskType, Task>
  tasksStore: TasksStore
  runsStore: RunsStore
  runner: Runner
  now(): Date
  log: Log
}

const CHANNEL = 'mira_automation'
/** Interval for noticing missed slots, changed clocks and servers that died. */
const CHECK_INTERVAL_MS = 10_000
/** Tolerated difference between servers' clocks. */
const CLOCK_DIFFERENCE_MS = 60_000

export type Scheduler = ReturnType<typeof createScheduler>

/**
 * Adds a run for each slot of a schedule. node-cron wakes every server at the slot; since the run's row is unique by task and
 * slot, only one server adds it. Of several missed slots, only the latest is made up for.
 */
export function createScheduler(deps: SchedulerDeps) {
  const { tasks, tasksStore, runsStore, runner, now, database, log } = deps
  const timers = new Map<TaskType, { key: string; timer: ScheduledTask | null }>()
  let interval: NodeJS.Timeout | undefined
  let stopListening = () => {}
  let isStarted = false
  let isRequestedAgain = false
  let checking: Promise<void> | undefined

  const seed = () =>
    tasksStore.seed(
      taskTypes.map((taskType) => ({ taskType, schedule: tasks[taskType].schedule })),
      now(),
    )

  /** Creates a timer; null for a schedule that only cron-parser understands, whose slots the regular check finds. */
  const timerOf = (name: TaskType, { schedule, timeZone }: Schedule): ScheduledTask | null => {
    try {
      return scheduleCron(schedule, () => check(), { timezone: timeZone, name })
    } catch (error) {
      log.info({ err: error, task: name }, 'a task has no timer of its own, and begins up to ten seconds late')
      return null
    }
  }

  /** Sets the timer of a task to its schedule. */
  const setTimer = ({ taskType, isEnabled, schedule, timeZone }: TaskRow) => {
    const key = isEnabled && schedule !== null ? `${schedule} ${timeZone}` : ''
    const current = timers.get(taskType)
    if (current?.key === key) return
    void current?.timer?.destroy()
    timers.delete(taskType)
    if (key === '' || schedule === null || !isStarted) return
    timers.set(taskType, { key, timer: timerOf(taskType, { schedule, timeZone }) })
  }

  const fire = async (row: TaskRow, time: Date) => {
    const { taskType, isEnabled, schedule, timeZone, checkedUntil } = row
    // The clock was ahead and has been corrected: the slots in between come again, but the rows of runs prevent a second run.
    if (checkedUntil === null || checkedUntil.getTime() > time.getTime() + CLOCK_DIFFERENCE_MS) {
      return tasksStore.advanceCheckedUntil(row, time)
    }
    if (!isEnabled || schedule === null) return
    const slot = latestSlot({ schedule, timeZone }, checkedUntil, time)
    if (slot === null) return
    const id = await runsStore.add({ taskType, trigger: 'schedule', scheduledFor: slot })
    if (id === null) log.debug({ task: taskType, slot }, 'the slot has run already, or the task is still running')
    await tasksStore.advanceCheckedUntil(row, slot)
  }

  const round = async () => {
    const time = now()
    for (const row of await tasksStore.all()) {
      try {
        setTimer(row)
        await fire(row, time)
      } catch (error) {
        log.error({ err: error, task: row.taskType }, 'a task could not be scheduled')
      }
    }
    await runner.takeAll()
  }

  const run = async () => {
    do {
      isRequestedAgain = false
      await round().catch((error: unknown) => log.warn({ err: error }, 'tasks could not be read and will be retried'))
    } while (isRequestedAgain && isStarted)
  }

  function check(): void {
    isRequestedAgain = true
    if (!isStarted) return
    checking ??= run().finally(() => {
      checking = undefined
      if (isRequestedAgain) check()
    })
  }

  const onMessage = (payload: string) => {
    if (payload.startsWith('cancel ')) runner.cancel(payload.slice('cancel '.length))
    else check()
  }

  return {
    seed,
    /** True when tasks run here or on a worker. */
    isRunning: async () => isStarted || database.hasWorker(),

    /** Checks once for due slots and starts their runs, which continue in the background. */
    round,

    /** Makes all servers check now. */
    wake(payload = ''): void {
      onMessage(payload)
      database.notify(CHANNEL, payload).catch((error: unknown) => {
        log.warn({ err: error }, 'other servers could not be notified of changed tasks')
      })
    },

    async start(): Promise<void> {
      await seed()
      isStarted = true
      stopListening = database.listen(CHANNEL, onMessage, check)
      interval = setInterval(check, CHECK_INTERVAL_MS)
      check()
    },

    /** Stops starting runs, and waits for those in progress on this server. */
    async drain(): Promise<void> {
      isStarted = false
      isRequestedAgain = false
      clearInterval(interval)
      for (const { timer } of timers.values()) await timer?.destroy()
      timers.clear()
      await checking
      await runner.idle()
    },

    async close(): Promise<void> {
      const draining = this.drain()
      stopListening()
      await runner.close()
      await draining
    },
  }
}
