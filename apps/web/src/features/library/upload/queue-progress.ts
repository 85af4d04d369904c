import type { ProcessingStep } from '@mira/shared'
import type { QueueEntry } from './queue-entry.ts'
import type { UploadRun } from './upload-queue.ts'

/** A guess from the first moments would jump. */
const MIN_MS_FOR_A_GUESS = 2_000

export interface RunProgress {
  /** Current file, counted from 1, and the total. */
  fileNumber: number
  fileCount: number
  doneBytes: number
  totalBytes: number
  /** 0 to 100. */
  percent: number
  /** Null until it can be said. */
  secondsLeft: number | null
}

/** Progress of sending, over all files pending at the start or added since. */
export function runProgress(run: UploadRun, entries: readonly QueueEntry[], nowMs: number): RunProgress {
  const waiting = entries.filter(({ status }) => status === 'pending' || status === 'uploading')
  const waitingBytes = sum(waiting.map(({ file }) => file.size))
  const sentOfCurrent = sum(
    waiting.map(({ file, status, progress }) => (status === 'uploading' ? (file.size * progress) / 100 : 0)),
  )
  const totalBytes = run.finishedBytes + waitingBytes
  const doneBytes = run.finishedBytes + sentOfCurrent
  const elapsedMs = nowMs - run.startedAtMs
  const bytesPerMs = run.sentBytes / Math.max(elapsedMs, 1)
  return {
    fileNumber: run.finishedFiles + (waiting.length > 0 ? 1 : 0),
    fileCount: run.finishedFiles + waiting.length,
    doneBytes,
    totalBytes,
    percent: totalBytes === 0 ? 100 : (doneBytes / totalBytes) * 100,
    secondsLeft:
      elapsedMs < MIN_MS_FOR_A_GUESS || bytesPerMs === 0 ? null : (totalBytes - doneBytes) / bytesPerMs / 1000,
  }
}

/** Processing progress of a file, 0 to 100; null before the first step is known. */
export function stepsPercent(steps: readonly ProcessingStep[]): number | null {
  if (steps.length === 0) return null
  return (sum(steps.map(partOf)) / steps.length) * 100
}

/** The steps that are at work now, else the one that comes next. */
export function currentSteps(steps: readonly ProcessingStep[]): readonly ProcessingStep[] {
  const working = steps.filter(({ status }) => status === 'processing')
  if (working.length > 0) return working
  return steps.filter(({ status }) => status === 'pending').slice(0, 1)
}

function partOf({ status, progress }: ProcessingStep): number {
  return status === 'pending' || status === 'processing' ? Math.min(1, Math.max(0, progress)) : 1
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
