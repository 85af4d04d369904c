import { setTimeout as sleep } from 'node:timers/promises'
import { type RunStatus, type Sentence, say, type TaskType } from '@mira/shared'
import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Hold, LogLine, RunRow, RunState, RunStepRow, RunsStore } from './runs.store.ts'
import { SentenceError, type StepProgress, type Task, type TaskResults, type TaskRun } from './task.ts'

export interface RunnerDeps {
  store: RunsStore
  tasks: Record<TaskType, Task>
  serverId: string
  /** No other server shares the database: whatever another one runs has died with it. */
  isOnlyServer: boolean
  timeZoneOf(taskType: TaskType): Promise<string>
  /** Something of a run changed. */
  onChange(run: { id: string; taskType: TaskType; status: RunStatus }): void
  onEnd(run: RunRow, ended: { status: 'completed' | 'failed' | 'cancelled'; error: Sentence | null }): Promise<void>
  log: Log
  /** Short ones make tests fast. */
  limits?: { beatMs?: number; saveMs?: number; timeLimitMs?: number; mostAttempts?: number } | undefined
}

const BEAT_MS = 5_000
const SAVE_MS = 500
const MAX_ATTEMPTS = 3
const MAX_LOG_LINES = 200
const MAX_TEXT_CHARACTERS = 500
/** A task that does not listen is left to itself after this. */
const GRACE_MS = 2_000

/** Stops a run, with the cause. */
class Stopped extends Error {
  readonly because: 'cancelled' | 'lost' | 'closing' | 'time'
  constructor(because: Stopped['because']) {
    super(`The run was broken off: ${because}`)
    this.because = because
  }
}

export type Runner = ReturnType<typeof createRunner>

/** Runs what waits and what died with another server, and writes down how it goes. */
export function createRunner(deps: RunnerDeps) {
  const { store, tasks, serverId, isOnlyServer, log, limits = {} } = deps
  const { beatMs = BEAT_MS, saveMs = SAVE_MS, mostAttempts = MAX_ATTEMPTS } = limits
  const going = new Map<string, { stop: AbortController; done: Promise<void> }>()
  let isClosing = false

  const execute = async (row: RunRow, stop: AbortController): Promise<void> => {
    const task = tasks[row.taskType]
    const hold: Hold = { id: row.id, serverId, attempts: row.attempts }
    const book = openBook(row)
    const changed = (status: RunStatus) => deps.onChange({ id: row.id, taskType: row.taskType, status })
    const finish = async (status: 'completed' | 'failed' | 'cancelled', error: Sentence | null) => {
      // the log of a run that failed ends with why
      if (error !== null) book.note('error', error)
      if (!(await store.end(hold, book.state, { status, error: error?.text ?? null }))) return
      changed(status)
      await deps.onEnd({ ...row, ...book.state }, { status, error })
    }
    if (row.cancelRequested) return finish('cancelled', null)
    if (row.attempts > mostAttempts) {
      const text = `The server that ran this ended in the middle ${mostAttempts} times.`
      return finish('failed', say('run_given_up', { times: mostAttempts }, text))
    }
    if (row.attempts > 1) {
      book.note('warning', say('run_moved', {}, 'The server that ran this ended in the middle; it goes on here.'))
    }
    changed('running')

    const beating = beat(hold, stop)
    let savedAt = 0
    let saving = Promise.resolve()
    let saveTimer: NodeJS.Timeout | undefined
    const saveNow = () => {
      clearTimeout(saveTimer)
      saveTimer = undefined
      savedAt = performance.now()
      saving = saving
        .then(() => store.save(hold, book.state))
        .then(() => changed('running'))
        .catch((error: unknown) => log.warn({ err: error, run_id: row.id }, 'the progress of a run could not be kept'))
      return saving
    }
    book.onChange = () => {
      saveTimer ??= setTimeout(saveNow, Math.max(0, savedAt + saveMs - performance.now()))
    }
    const limitMs = limits.timeLimitMs ?? task.timeLimitMs
    const timer = setTimeout(() => stop.abort(new Stopped('time')), limitMs)
    try {
      const timeZone = await deps.timeZoneOf(row.taskType)
      await Promise.race([
        task.run(createRun(row, book, { timeZone, signal: stop.signal, saveNow })),
        deaf(stop.signal),
      ])
      book.onChange = () => {}
      await saving
      await finish('completed', null)
    } catch (error) {
      book.onChange = () => {}
      await saving
      const reason: unknown = stop.signal.aborted ? stop.signal.reason : error
      const because = reason instanceof Stopped ? reason.because : null
      const sentence = because === 'time' ? tookTooLong(limitMs) : failureOf(error)
      book.breakOff(because === 'cancelled' ? say('run_cancelled', {}, 'It was cancelled.') : sentence)
      if (because === 'closing') await store.release(hold, book.state)
      else if (because === 'cancelled') await finish('cancelled', null)
      else if (because !== 'lost') {
        log.warn({ err: error, run_id: row.id, task: row.taskType }, 'a run of the automation failed')
        await finish('failed', sentence)
      }
    } finally {
      clearTimeout(timer)
      clearTimeout(saveTimer)
      beating.end()
    }
  }

  /** Says every so often that the run goes on, and notices when it is not to. */
  const beat = (hold: Hold, stop: AbortController) => {
    const timer = setInterval(() => {
      store
        .beat(hold)
        .then((isCancelled) => {
          if (isCancelled === null) stop.abort(new Stopped('lost'))
          else if (isCancelled) stop.abort(new Stopped('cancelled'))
        })
        .catch((error: unknown) => log.warn({ err: error, run_id: hold.id }, 'a run could not say that it goes on'))
    }, beatMs)
    return { end: () => clearInterval(timer) }
  }

  return {
    /** Takes every run that waits or whose server has died. */
    async takeAll(): Promise<void> {
      while (!isClosing) {
        const row = await store.take(serverId, isOnlyServer)
        if (row === null) return
        const stop = new AbortController()
        const done = execute(row, stop)
          .catch((error: unknown) => log.error({ err: error, run_id: row.id }, 'the end of a run could not be kept'))
          .finally(() => {
            if (going.get(row.id)?.stop === stop) going.delete(row.id)
          })
        going.set(row.id, { stop, done })
      }
    },

    /** Breaks off a run that goes on here. */
    cancel(id: string): void {
      going.get(id)?.stop.abort(new Stopped('cancelled'))
    },

    /** Waits for what goes on here. */
    async idle(): Promise<void> {
      await Promise.all([...going.values()].map(({ done }) => done))
    },

    /** Hands what goes on to another server, or to this one when it starts again. */
    async close(): Promise<void> {
      isClosing = true
      for (const { stop } of going.values()) stop.abort(new Stopped('closing'))
      await this.idle()
    },
  }
}

type Book = ReturnType<typeof openBook>

/** Opens the record of a run in progress. */
function openBook(row: RunRow) {
  const state: RunState = {
    steps: structuredClone(row.steps),
    log: structuredClone(row.log),
    itemsProcessed: row.itemsProcessed,
    results: { ...row.results },
  }
  const book = {
    state,
    onChange: () => {},
    note(level: LogLine['level'], { text, told }: Sentence) {
      state.log.push({ at: new Date().toISOString(), level, text: text.slice(0, MAX_TEXT_CHARACTERS), told })
      // the beginning tells what was wanted, the end what came of it
      if (state.log.length > MAX_LOG_LINES) state.log.splice(MAX_LOG_LINES / 2, 1)
      book.onChange()
    },
    /** Steps that are under way have failed. */
    breakOff({ text, told }: Sentence) {
      for (const step of state.steps) {
        if (step.status !== 'running') continue
        const ended = { status: 'failed', error: text, error_told: told, finished_at: new Date().toISOString() }
        Object.assign(step, ended)
      }
    },
  }
  return book
}

function createRun(
  row: RunRow,
  book: Book,
  { timeZone, signal, saveNow }: { timeZone: string; signal: AbortSignal; saveNow(): Promise<void> },
): TaskRun {
  const { state } = book
  const begin = (name: string): RunStepRow => {
    const step: RunStepRow = {
      name,
      status: 'running',
      items: 0,
      total: null,
      error: null,
      started_at: new Date().toISOString(),
      finished_at: null,
    }
    const known = state.steps.findIndex((one) => one.name === name)
    if (known === -1) state.steps.push(step)
    else state.steps[known] = step
    return step
  }
  const keep = async (results: TaskResults) => {
    Object.assign(state.results, results)
    await saveNow()
  }
  return {
    id: row.id,
    signal,
    isCancelled: () => signal.reason instanceof Stopped && signal.reason.because === 'cancelled',
    at: row.scheduledFor ?? row.createdAt,
    isByHand: row.scheduledFor === null,
    timeZone,
    results: state.results,
    keep,
    note: book.note,
    async step(name, act) {
      signal.throwIfAborted()
      if (state.steps.some((step) => step.name === name && step.status === 'completed')) return
      const step = begin(name)
      book.onChange()
      const progress: StepProgress = {
        total(count) {
          step.total = count
          book.onChange()
        },
        done(count = 1) {
          step.items += count
          state.itemsProcessed += count
          book.onChange()
        },
        failed(sentence) {
          step.error = sentence.text.slice(0, MAX_TEXT_CHARACTERS)
          step.error_told = sentence.told
          book.note('error', sentence)
        },
      }
      const results = await act(progress)
      Object.assign(step, { status: 'completed', finished_at: new Date().toISOString() })
      await keep(results)
    },
  }
}

/** Rejects some time after the signal is aborted, for a task that does not heed it. */
async function deaf(signal: AbortSignal): Promise<never> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await sleep(GRACE_MS, undefined, { ref: false })
  throw signal.reason
}

function failureOf(error: unknown): Sentence {
  if (error instanceof AppError) return short(sentenceOf(error))
  if (error instanceof SentenceError) return short(error.sentence)
  const message = error instanceof Error ? error.message : String(error)
  const [line = ''] = message.split('\n')
  return line === '' ? say('run_failed', {}, 'It failed without a reason.') : short({ text: line, told: [] })
}

const short = ({ text, told }: Sentence): Sentence => ({ text: text.slice(0, MAX_TEXT_CHARACTERS), told })

function tookTooLong(limitMs: number): Sentence {
  const seconds = Math.round(limitMs / 1000)
  const time = seconds < 120 ? `${seconds} seconds` : `${Math.round(seconds / 60)} minutes`
  return say('run_slow', { seconds }, `It took longer than ${time}.`)
}
