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
  /** Current model, measured on the same test examples; null for none. */
  current: PackedIntents | null
}

/** Result of training; accuracies are shares of the test examples, 0 to 1. */
interface TrainingResult {
  model: PackedIntents
  accuracy: number
  currentAccuracy: number | null
}

/** Trains a model, and measures it and the current one on the test examples. */
export function trainAndMeasure({ training, heldOut, current }: TrainingTask): TrainingResult {
  const model = trainIntents(training)
  const currentModel = current && unpackIntents(current)
  return {
    model: packIntents(model),
    accuracy: intentAccuracy(model, heldOut),
    currentAccuracy: currentModel && intentAccuracy(currentModel, heldOut),
  }
}

export type TrainIntents = (task: TrainingTask, signal: AbortSignal) => Promise<TrainingResult>

const TIMEOUT_MS = 120_000
const MEMORY_LIMIT_MB = 256

/** Trains in a worker thread. @throws Error on timeout or when the thread dies, and the signal's reason. */
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
      throw new Error('The training thread ended early')
    })
    died.catch(() => {})
    worker.postMessage(task)
    const [result] = (await Promise.race([message, died])) as [TrainingResult]
    return result
  } finally {
    await worker.terminate()
  }
}
