import {
  type AutomationRunDetail,
  type AutomationRunsResponse,
  type AutomationStatusResponse,
  type AutomationTask,
  type TaskType,
  taskTypes,
  type UpdateTask,
} from '@mira/shared'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import { cutPage, type PageQuery, readTimeCursor, writeTimeCursor } from '../../../platform/lib/page.ts'
import { trainingLine } from './kinds/model-finetuning.ts'
import { DATASET_KEY, errorSentencesOf, presentRun, presentRunDetail, secondsOf } from './present-run.ts'
import type { RunListener } from './runner.ts'
import { nextSlots, requireSchedule, type Scheduler } from './scheduler.ts'
import type { RunRow, RunsStore, TaskRow, TasksStore } from './tasks.store.ts'
import type { UpkeepStore } from './upkeep.store.ts'

const notFound = () => new NotFoundError('This run no longer exists.')
const alreadyRunning = () =>
  new ConflictError('This task is already running. Wait until it’s done, or cancel it.', { code: 'already_running' })

export type AutomationService = ReturnType<typeof createAutomationService>

/** Administrators' view and control of automation. */
export function createAutomationService({
  tasksStore,
  runsStore,
  scheduler,
  notices,
  upkeep,
}: {
  tasksStore: TasksStore
  runsStore: RunsStore
  scheduler: Scheduler
  notices: Pick<RunListener, 'onChange'>
  upkeep: UpkeepStore
}) {
  const rows = async (): Promise<TaskRow[]> => {
    await scheduler.seed()
    return tasksStore.all()
  }

  const requireTask = async (taskType: TaskType): Promise<TaskRow> => {
    const row = (await rows()).find((candidate) => candidate.taskType === taskType)
    if (row === undefined) throw new NotFoundError('There is no such task.')
    return row
  }

  const requireRun = async (id: string): Promise<RunRow> => {
    const row = await runsStore.find(id)
    if (row === null) throw notFound()
    return row
  }

  const begin = async (run: Parameters<RunsStore['add']>[0]): Promise<{ run_id: string }> => {
    const row = await requireTask(run.taskType)
    if (!row.isEnabled) {
      throw new ConflictError('This task is disabled. Enable it first.', { code: 'task_disabled' })
    }
    const id = await runsStore.add(run)
    if (id === null) throw alreadyRunning()
    scheduler.wake()
    return { run_id: id }
  }

  const describe = (row: TaskRow, last: RunRow | undefined): AutomationTask => ({
    is_enabled: row.isEnabled,
    schedule: row.schedule,
    time_zone: row.timeZone,
    last_run: last
      ? {
          id: last.id,
          status: last.status,
          started_at: last.startedAt,
          duration: secondsOf(last),
          error: last.errorMessage,
          error_told: errorSentencesOf(last),
        }
      : null,
    next_runs:
      row.isEnabled && row.schedule !== null
        ? nextSlots({ schedule: row.schedule, timeZone: row.timeZone }, new Date())
        : [],
  })

  async function* trainingLines(answerIds: string[]) {
    for (const answer of await upkeep.ratedAnswersOf(answerIds)) yield trainingLine(answer)
  }

  return {
    isRunning: () => scheduler.isRunning(),

    async status(): Promise<AutomationStatusResponse> {
      const [taskRows, lastRuns, currentRuns] = [
        await rows(),
        await runsStore.lastOfEach(),
        await runsStore.countRunning(),
      ]
      const tasks = Object.fromEntries(
        taskTypes.map((taskType) => {
          const row = taskRows.find((candidate) => candidate.taskType === taskType)
          if (row === undefined) throw new Error(`the row of the task ${taskType} is missing`)
          return [
            taskType,
            describe(
              row,
              lastRuns.find((run) => run.taskType === taskType),
            ),
          ]
        }),
      ) as Record<TaskType, AutomationTask>
      return {
        success: true,
        automation_status: {
          scheduler_running: await scheduler.isRunning(),
          active_jobs: taskRows.filter(({ isEnabled, schedule }) => isEnabled && schedule !== null).length,
          current_runs: currentRuns,
          tasks,
        },
      }
    },

    /** Newest first. @throws ValidationError for an invalid cursor. */
    async runs({ limit, cursor }: PageQuery): Promise<AutomationRunsResponse> {
      const rows = await runsStore.list(limit + 1, readTimeCursor(cursor))
      const { items, nextCursor } = cutPage(rows, limit, writeTimeCursor)
      return { runs: items.map(presentRun), next_cursor: nextCursor }
    },

    /** @throws NotFoundError. */
    run: async (id: string): Promise<AutomationRunDetail> => presentRunDetail(await requireRun(id)),

    /** @throws ConflictError when the task is already running or is disabled. */
    trigger: (taskType: TaskType, reason: string | undefined, requestedBy: string): Promise<{ run_id: string }> =>
      begin({ taskType, trigger: 'manual', reason, requestedBy }),

    /** Starts the same task again. @throws NotFoundError, ConflictError. */
    async retry(id: string, requestedBy: string): Promise<{ run_id: string }> {
      const { taskType, status, reason } = await requireRun(id)
      if (status === 'pending' || status === 'running') throw alreadyRunning()
      return begin({ taskType, trigger: 'retry', reason: reason ?? undefined, requestedBy })
    },

    /** @throws NotFoundError, ConflictError when the run has already ended. */
    async cancel(id: string): Promise<void> {
      const before = await runsStore.cancel(id)
      if (before === null) throw notFound()
      if (before !== 'pending' && before !== 'running') {
        throw new ConflictError('This run has ended already.', { code: 'run_ended' })
      }
      scheduler.wake(before === 'running' ? `cancel ${id}` : '')
      // No server reports the end of a run that hasn't started.
      const run = before === 'pending' ? await runsStore.find(id) : null
      if (run !== null) notices.onChange(run)
    },

    /** @throws ValidationError for an invalid schedule or time zone. */
    async update(taskType: TaskType, values: UpdateTask): Promise<AutomationTask> {
      const row = await requireTask(taskType)
      const schedule = values.schedule === undefined ? row.schedule : values.schedule || null
      const changes = {
        taskType,
        isEnabled: values.is_enabled ?? row.isEnabled,
        schedule: schedule?.trim().replaceAll(/\s+/g, ' ') ?? null,
        timeZone: values.time_zone ?? row.timeZone,
      }
      requireSchedule(changes)
      await tasksStore.change(changes, new Date())
      scheduler.wake()
      const last = (await runsStore.lastOfEach()).find((run) => run.taskType === taskType)
      return describe({ ...row, ...changes }, last)
    },

    /** Training set of a run, a line for each answer that is still shared. @throws NotFoundError when the run has none. */
    async dataset(id: string): Promise<AsyncIterable<string>> {
      const { results } = await requireRun(id)
      const ids = results[DATASET_KEY]
      if (typeof ids !== 'string' || ids === '') throw new NotFoundError('This run has no training set.')
      return trainingLines(ids.split(','))
    },
  }
}
