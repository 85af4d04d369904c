import type { Sentence } from '@mira/shared'

/** Results stored with the run; `success` is false when it ended normally but had findings. */
export type TaskResults = Record<string, string | number | boolean | null>

/** Progress of one step. */
export interface StepProgress {
  /** Sets the total as soon as it's known. */
  total(count: number): void
  /** So many more are done. */
  done(count?: number): void
  /** Something of it failed without keeping the rest back; the last sentence is kept with the step. */
  failed(sentence: Sentence): void
}

/** A run as its task sees it. */
export interface TaskRun {
  id: string
  /** Aborted when somebody cancels the run, when it takes too long, and when the server stops. */
  signal: AbortSignal
  /** True when a user cancelled the run, which then stops. */
  isCancelled(): boolean
  /** The time at which the run was to begin, from which weeks are counted. */
  at: Date
  /** Somebody wants it now, at no time that a schedule names. */
  isByHand: boolean
  timeZone: string
  /** Results of earlier attempts. */
  results: Readonly<TaskResults>
  /** Does a step, unless an earlier attempt at this run has completed it; what it returns is kept with the run at once. */
  step(name: string, act: (progress: StepProgress) => Promise<TaskResults>): Promise<void>
  /** Keeps results in the middle of a step. */
  keep(results: TaskResults): Promise<void>
  note(level: 'info' | 'warning' | 'error', sentence: Sentence): void
}

/** Something that runs by itself. It may be begun again after a crash, so it must not mind what is done already. */
export interface Task {
  /** After this long it has failed. */
  timeLimitMs: number
  /** Cron text of five fields as the product comes; null when it only runs when it is triggered. */
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
