import { type TaskType, taskTypes } from '@mira/shared'
import { type ScheduledTask, schedule as scheduleCron } from 'node-cron'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Runner } from './runner.ts'
import type { RunsStore } from './runs.store.ts'
import { latestSlot } from './schedule.ts'
import type { Task } from './task.ts'
import type { TaskRow, TasksStore } from './tasks.store.ts'

export interface SchedulerDeps extends Pick<Database, 'listen' | 'notify'> {
  tasks: Record<TaskType, Task>
  tasksStore: TasksStore
  runsStore: RunsStore
  runner: Pick<Runner, 'takeAll' | 'cancel' | 'close'>
  now(): Date
  log: Log
}

const CHANNEL = 'mira_automation'
/** Missed slots, clocks that were set and servers that died are noticed after this. */
const LOOK_EVERY_MS = 10_000
/** Clocks of servers differ by less. */
const CLOCK_DIFFERENCE_MS = 60_000

export type Scheduler = ReturnType<typeof createScheduler>

/**
 * Makes a run of each slot of a schedule. On every server node-cron wakes it at the slot; the row of the run, unique on task
 * and slot, decides that there is one. Of slots that were missed the latest is caught up.
 */
export function createScheduler(deps: SchedulerDeps) {
  const { tasks, tasksStore, runsStore, runner, now, listen, notify, log } = deps
  const timers = new Map<TaskType, { key: string; timer: ScheduledTask }>()
  let interval: NodeJS.Timeout | undefined
  let stopListening = () => {}
  let isStarted = false
  let isAskedAgain = false
  let looking: Promise<void> | undefined

  const seed = () =>
    tasksStore.seed(
      taskTypes.map((taskType) => ({ taskType, schedule: tasks[taskType].schedule })),
      now(),
    )

  /** Sets the alarm of a task to its schedule. */
  const wind = ({ taskType, isEnabled, schedule, timeZone }: TaskRow) => {
    const key = isEnabled && schedule !== null ? `${schedule} ${timeZone}` : ''
    const known = timers.get(taskType)
    if (known?.key === key) return
    void known?.timer.destroy()
    timers.delete(taskType)
    if (key === '' || schedule === null || !isStarted) return
    timers.set(taskType, { key, timer: scheduleCron(schedule, () => look(), { timezone: timeZone, name: taskType }) })
  }

  const fire = async (row: TaskRow, at: Date) => {
    const { taskType, isEnabled, schedule, timeZone, checkedUntil } = row
    // a clock that was ahead: the slots between are to come again, and those that were run are known by their rows
    if (checkedUntil === null || checkedUntil.getTime() > at.getTime() + CLOCK_DIFFERENCE_MS) {
      return tasksStore.check(row, at)
    }
    if (!isEnabled || schedule === null) return
    const slot = latestSlot({ schedule, timeZone }, checkedUntil, at)
    if (slot === null) return
    const id = await runsStore.add({ taskType, trigger: 'schedule', scheduledFor: slot })
    if (id === null) log.debug({ task: taskType, slot }, 'the slot is run already, or the task is still running')
    await tasksStore.check(row, slot)
  }

  const round = async () => {
    const at = now()
    for (const row of await tasksStore.all()) {
      try {
        wind(row)
        await fire(row, at)
      } catch (error) {
        log.error({ err: error, task: row.taskType }, 'a task could not be scheduled')
      }
    }
    await runner.takeAll()
  }

  const run = async () => {
    do {
      isAskedAgain = false
      await round().catch((error: unknown) =>
        log.warn({ err: error }, 'tasks could not be looked for; it is tried again'),
      )
    } while (isAskedAgain && isStarted)
  }

  function look(): void {
    isAskedAgain = true
    if (!isStarted) return
    looking ??= run().finally(() => {
      looking = undefined
      if (isAskedAgain) look()
    })
  }

  const listenTo = (payload: string) => {
    if (payload.startsWith('cancel ')) runner.cancel(payload.slice('cancel '.length))
    else look()
  }

  return {
    seed,
    isRunning: () => isStarted,

    /** Looks once for what is due and takes it; what it took goes on in the background. */
    round,

    /** Looks now, here and on the other servers. */
    wake(payload = ''): void {
      listenTo(payload)
      notify(CHANNEL, payload).catch((error: unknown) => {
        log.warn({ err: error }, 'other servers could not be told of the automation')
      })
    },

    async start(): Promise<void> {
      await seed()
      isStarted = true
      stopListening = listen(CHANNEL, listenTo)
      interval = setInterval(look, LOOK_EVERY_MS)
      look()
    },

    async close(): Promise<void> {
      isStarted = false
      isAskedAgain = false
      stopListening()
      clearInterval(interval)
      for (const { timer } of timers.values()) await timer.destroy()
      timers.clear()
      await looking
      await runner.close()
    },
  }
}
