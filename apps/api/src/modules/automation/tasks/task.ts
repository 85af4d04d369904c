import type { Sentence } from '../../../sentences.ts'

/** Results stored with a run; `success` is false when the run ended normally but found problems. */
export type TaskResults = Record<string, string | number | boolean | null>

/** Progress of one step. */
export interface StepProgress {
  /** Sets the total as soon as it's known. */
  total(count: number): void
  done(count?: number): void
  /** Reports a failure that doesn't end the step; the last sentence is stored with the step. */
  failed(sentence: Sentence): void
}

/** A run as its task sees it. */
export interface TaskRun {
  id: string
  /** Aborted when the run is cancelled, takes too long, or the server stops. */
  signal: AbortSignal
  /** True when a user cancelled the run, which then stops. */
  isCancelled(): boolean
  /** Scheduled time, or creation time of a manual run; weeks are counted from it. */
  scheduledAt: Date
  /** True when a user started the run. */
  isManual: boolean
  timeZone: string
  /** Results of earlier attempts. */
  results: Readonly<TaskResults>
  /** Executes a step unless an earlier attempt completed it, and stores its results. */
  step(name: string, act: (progress: StepProgress) => Promise<TaskResults>): Promise<void>
  /** Stores results during a step. */
  storeResults(results: TaskResults): Promise<void>
  note(level: 'info' | 'warning' | 'error', sentence: Sentence): void
}

/** A scheduled task. It may start again after a crash, so it must be idempotent. */
export interface Task {
  timeLimitMs: number
  /** Default schedule as cron text of five fields; null for manual runs only. */
  schedule: string | null
  run(run: TaskRun): Promise<void>
}

/** Ends a run, with a sentence for administrators. */
export class SentenceError extends Error {
  readonly sentence: Sentence
  constructor(sentence: Sentence) {
    super(sentence.text)
    this.sentence = sentence
  }
}
