import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import {
  type IntentExample,
  intentAccuracy,
  type PackedIntents,
  packIntents,
  trainIntents,
  unpackIntents,
} from './intent-classifier.ts'

/** Training and test examples, and the current model. */
export interface TrainingTask {
  training: IntentExample[]
  heldOut: IntentExample[]
  /** The model in use, to be measured on the same examples; null when there is none. */
  current: PackedIntents | null
}

/** Result of training; accuracies are shares of the test examples, 0 to 1. */
interface TrainingResult {
  model: PackedIntents
  accuracy: number
  currentAccuracy: number | null
}

/** Trains, and measures both on what neither has learnt from. */
export function trainAndMeasure({ training, heldOut, current }: TrainingTask): TrainingResult {
  const model = trainIntents(training)
  const before = current && unpackIntents(current)
  return {
    model: packIntents(model),
    accuracy: intentAccuracy(model, heldOut),
    currentAccuracy: before && intentAccuracy(before, heldOut),
  }
}

/** Trains in a thread of its own, which ends with it. */
export type TrainIntents = (task: TrainingTask, signal: AbortSignal) => Promise<TrainingResult>

const TIMEOUT_MS = 120_000
const MEMORY_LIMIT_MB = 256

/** @throws Error when it takes too long or its thread dies, and what the signal was aborted with. */
export const trainInThread: TrainIntents = async (task, signal) => {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./intent-training-worker.ts', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB },
  })
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
    const message = once(worker, 'message', { signal: limit })
    const died = once(worker, 'exit', { signal: limit }).then(() => {
      throw new Error('The thread that trains ended early')
    })
    died.catch(() => {})
    worker.postMessage(task)
    const [result] = (await Promise.race([message, died])) as [TrainingResult]
    return result
  } finally {
    await worker.terminate()
  }
}
