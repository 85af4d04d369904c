import { setTimeout as sleep } from 'node:timers/promises'
import type { RunStatus, TaskType } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { NotificationsService } from '../notifications/notifications.service.ts'
import { SentenceError, type StepProgress, type Task, type TaskResults, type TaskRun } from './task.ts'
import type { Claim, LogLine, RunRow, RunState, RunStepRow, RunsStore, TasksStore } from './tasks.store.ts'

/** Callbacks for changes to runs. */
export interface RunListener {
  onChange(run: { id: string; taskType: TaskType; status: RunStatus }): void
  onEnd(run: RunRow, result: { status: 'completed' | 'failed' | 'cancelled'; error: Sentence | null }): Promise<void>
}

const LINK = '/dashboard?tab=automation'
const FOUND_DAMAGE = say('run_found_damage', {})

/** Updates administrators' open pages, notifies administrators of failures, and the requester of a completed run. */
export function createRunNotices({
  tasksStore,
  events,
  notifications,
  log,
}: {
  tasksStore: TasksStore
  events: Events
  notifications: NotificationsService
  log: Log
}): RunListener {
  return {
    onChange({ id, taskType, status }) {
      tasksStore
        .administrators()
        .then((ids) => {
          for (const userId of ids) events.publish(userId, { type: 'automation.run', id, task_type: taskType, status })
        })
        .catch((error: unknown) => log.warn({ err: error }, 'administrators could not be notified of a run'))
    },

    async onEnd(run, { status, error }) {
      const notice = { link: LINK, subjectId: run.id }
      const isDamage = status === 'completed' && run.results.success === false
      if (status === 'failed' || isDamage) {
        const { text: reason, sentences } = error ?? FOUND_DAMAGE
        const params = { title: run.taskType, reason }
        const notify = (userId: string) =>
          notifications.notify(userId, { kind: 'automation_failed', params, sentences, ...notice })
        await tryEach(await tasksStore.administrators(), notify)
      } else if (status === 'completed' && run.requestedBy !== null) {
        const params = { title: run.taskType }
        await notifications.notify(run.requestedBy, { kind: 'automation_done', params, ...notice }).catch(
          // The account may have been deleted meanwhile.
          (failure: unknown) => log.info({ err: failure }, 'the requester of a run could not be notified'),
        )
      }
    },
  }
}

interface RunnerDeps {
  runsStore: RunsStore
  tasksStore: TasksStore
  tasks: Record<TaskType, Task>
  serverId: string
  /** True when no other server shares the database, so that a run of any other server is dead. */
  isOnlyServer: boolean
  notices: RunListener
  log: Log
  /** Limits that tests shorten. */
  limits?: { beatMs?: number; saveMs?: number; timeLimitMs?: number; maxAttempts?: number } | undefined
}

const BEAT_MS = 5_000
const SAVE_MS = 500
const MAX_ATTEMPTS = 3
const MAX_LOG_LINES = 200
const MAX_TEXT_CHARACTERS = 500
/** Time after which a task that ignores its signal is abandoned. */
const GRACE_MS = 2_000

/** Stops a run. Reason `lost` means that another server took the run over, `time` that it took too long. */
class RunStoppedError extends Error {
  readonly reason: 'cancelled' | 'lost' | 'closing' | 'time'
  constructor(reason: RunStoppedError['reason']) {
    super(`The run was stopped: ${reason}`)
    this.reason = reason
  }
}

export type Runner = ReturnType<typeof createRunner>

/** Executes waiting runs and runs of servers that died, and records their progress. */
export function createRunner(deps: RunnerDeps) {
  const { runsStore: store, tasksStore, tasks, serverId, isOnlyServer, notices, log, limits = {} } = deps
  const { beatMs = BEAT_MS, saveMs = SAVE_MS, maxAttempts = MAX_ATTEMPTS } = limits
  const running = new Map<string, { stop: AbortController; completion: Promise<void> }>()
  let isClosing = false

  const execute = async (row: RunRow, stop: AbortController): Promise<void> => {
    const task = tasks[row.taskType]
    const claim: Claim = { id: row.id, serverId, attempts: row.attempts }
    const record = openRecord(row)
    const announce = (status: RunStatus) => notices.onChange({ id: row.id, taskType: row.taskType, status })
    const finish = async (status: 'completed' | 'failed' | 'cancelled', error: Sentence | null) => {
      // The log of a failed run ends with the reason.
      if (error !== null) record.note('error', error)
      if (!(await store.end(claim, record.state, { status, error: error?.text ?? null }))) return
      announce(status)
      await notices.onEnd({ ...row, ...record.state }, { status, error })
    }
    if (row.cancelRequested) return finish('cancelled', null)
    if (row.attempts > maxAttempts) {
      return finish('failed', say('run_given_up', { times: maxAttempts }))
    }
    if (row.attempts > 1) {
      record.note('warning', say('run_moved', {}))
    }
    announce('running')

    const beating = beat(claim, stop)
    let savedAt = 0
    let saving = Promise.resolve()
    let saveTimer: NodeJS.Timeout | undefined
    const saveNow = () => {
      clearTimeout(saveTimer)
      saveTimer = undefined
      savedAt = performance.now()
      saving = saving
        .then(() => store.save(claim, record.state))
        .then(() => announce('running'))
        .catch((error: unknown) =>
          log.warn({ err: error, run_id: row.id }, 'the progress of a run could not be stored'),
        )
      return saving
    }
    record.onChange = () => {
      saveTimer ??= setTimeout(saveNow, Math.max(0, savedAt + saveMs - performance.now()))
    }
    const limitMs = limits.timeLimitMs ?? task.timeLimitMs
    const timer = setTimeout(() => stop.abort(new RunStoppedError('time')), limitMs)
    try {
      const taskRow = (await tasksStore.all()).find(({ taskType }) => taskType === row.taskType)
      const timeZone = taskRow?.timeZone ?? 'UTC'
      await Promise.race([
        task.run(createRun(row, record, { timeZone, signal: stop.signal, saveNow })),
        rejectAfterGrace(stop.signal),
      ])
      record.onChange = () => {}
      await saving
      await finish('completed', null)
    } catch (error) {
      record.onChange = () => {}
      await saving
      const cause: unknown = stop.signal.aborted ? stop.signal.reason : error
      const reason = cause instanceof RunStoppedError ? cause.reason : null
      const sentence = reason === 'time' ? tookTooLong(limitMs) : failureOf(error)
      record.failRunningSteps(reason === 'cancelled' ? say('run_cancelled', {}) : sentence)
      if (reason === 'closing') await store.release(claim, record.state)
      else if (reason === 'cancelled') await finish('cancelled', null)
      else if (reason !== 'lost') {
        log.warn({ err: error, run_id: row.id, task: row.taskType }, 'a run of the automation failed')
        await finish('failed', sentence)
      }
    } finally {
      clearTimeout(timer)
      clearTimeout(saveTimer)
      beating.end()
    }
  }

  /** Sends heartbeats of a run, and stops it when it was cancelled or taken over by another server. */
  const beat = (claim: Claim, stop: AbortController) => {
    const timer = setInterval(() => {
      store
        .beat(claim)
        .then((isCancelled) => {
          if (isCancelled === null) stop.abort(new RunStoppedError('lost'))
          else if (isCancelled) stop.abort(new RunStoppedError('cancelled'))
        })
        .catch((error: unknown) =>
          log.warn({ err: error, run_id: claim.id }, 'the heartbeat of a run could not be stored'),
        )
    }, beatMs)
    return { end: () => clearInterval(timer) }
  }

  return {
    /** Starts every run that waits or whose server has died. */
    async takeAll(): Promise<void> {
      while (!isClosing) {
        const row = await store.take(serverId, isOnlyServer)
        if (row === null) return
        const stop = new AbortController()
        const completion = execute(row, stop)
          .catch((error: unknown) => log.error({ err: error, run_id: row.id }, 'the end of a run could not be stored'))
          .finally(() => {
            if (running.get(row.id)?.stop === stop) running.delete(row.id)
          })
        running.set(row.id, { stop, completion })
      }
    },

    /** Cancels a run on this server. */
    cancel(id: string): void {
      running.get(id)?.stop.abort(new RunStoppedError('cancelled'))
    },

    /** Waits for the runs on this server. */
    async idle(): Promise<void> {
      await Promise.all([...running.values()].map(({ completion }) => completion))
    },

    /** Stops the runs on this server; another server resumes them, or this one does after a restart. */
    async close(): Promise<void> {
      isClosing = true
      for (const { stop } of running.values()) stop.abort(new RunStoppedError('closing'))
      await this.idle()
    },
  }
}

type RunRecord = ReturnType<typeof openRecord>

/** State of a run in progress, to be saved. */
function openRecord(row: RunRow) {
  const state: RunState = {
    steps: structuredClone(row.steps),
    log: structuredClone(row.log),
    itemsProcessed: row.itemsProcessed,
    results: { ...row.results },
  }
  const record = {
    state,
    onChange: () => {},
    note(level: LogLine['level'], { text, sentences }: Sentence) {
      state.log.push({ at: new Date().toISOString(), level, text: cutText(text, MAX_TEXT_CHARACTERS), told: sentences })
      // Drops lines in the middle: the first ones say what was requested, the last ones the result.
      if (state.log.length > MAX_LOG_LINES) state.log.splice(MAX_LOG_LINES / 2, 1)
      record.onChange()
    },
    failRunningSteps({ text, sentences }: Sentence) {
      for (const step of state.steps) {
        if (step.status !== 'running') continue
        const failure = { status: 'failed', error: text, error_told: sentences, finished_at: new Date().toISOString() }
        Object.assign(step, failure)
      }
    },
  }
  return record
}

function createRun(
  row: RunRow,
  record: RunRecord,
  { timeZone, signal, saveNow }: { timeZone: string; signal: AbortSignal; saveNow(): Promise<void> },
): TaskRun {
  const { state } = record
  const startStep = (name: string): RunStepRow => {
    const step: RunStepRow = {
      name,
      status: 'running',
      items: 0,
      total: null,
      error: null,
      started_at: new Date().toISOString(),
      finished_at: null,
    }
    const index = state.steps.findIndex((previous) => previous.name === name)
    if (index === -1) state.steps.push(step)
    else state.steps[index] = step
    return step
  }
  const storeResults = async (results: TaskResults) => {
    Object.assign(state.results, results)
    await saveNow()
  }
  return {
    id: row.id,
    signal,
    isCancelled: () => signal.reason instanceof RunStoppedError && signal.reason.reason === 'cancelled',
    scheduledAt: row.scheduledFor ?? row.createdAt,
    isManual: row.scheduledFor === null,
    timeZone,
    results: state.results,
    storeResults,
    note: record.note,
    async step(name, act) {
      signal.throwIfAborted()
      if (state.steps.some((step) => step.name === name && step.status === 'completed')) return
      const step = startStep(name)
      record.onChange()
      const progress: StepProgress = {
        total(count) {
          step.total = count
          record.onChange()
        },
        done(count = 1) {
          step.items += count
          state.itemsProcessed += count
          record.onChange()
        },
        failed(sentence) {
          step.error = cutText(sentence.text, MAX_TEXT_CHARACTERS)
          step.error_told = sentence.sentences
          record.note('error', sentence)
        },
      }
      const results = await act(progress)
      Object.assign(step, { status: 'completed', finished_at: new Date().toISOString() })
      await storeResults(results)
    },
  }
}

/** Rejects some time after the signal is aborted, for a task that ignores it. */
async function rejectAfterGrace(signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await sleep(GRACE_MS, undefined, { ref: false })
  throw signal.reason
}

function failureOf(error: unknown): Sentence {
  if (error instanceof AppError) return shortened(sentenceOf(error))
  if (error instanceof SentenceError) return shortened(error.sentence)
  if (error instanceof AggregateError && error.errors.length > 0) return failureOf(error.errors[0])
  const message = error instanceof Error ? error.message : String(error)
  const [line = ''] = message.split('\n')
  return line === '' ? say('run_failed', {}) : shortened({ text: line, sentences: [] })
}

const shortened = ({ text, sentences }: Sentence): Sentence => ({ text: cutText(text, MAX_TEXT_CHARACTERS), sentences })

function tookTooLong(limitMs: number): Sentence {
  const seconds = Math.round(limitMs / 1000)
  return seconds < 120 ? say('run_slow', { seconds }) : say('run_slow_minutes', { minutes: Math.round(seconds / 60) })
}
