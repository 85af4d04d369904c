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
export interface TrainingResult {
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
