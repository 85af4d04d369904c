import { parentPort } from 'node:worker_threads'
import { type TrainingTask, trainAndMeasure } from './intent-trainer.ts'

/** Trains once, away from the event loop. */
parentPort?.once('message', (task: TrainingTask) => parentPort?.postMessage(trainAndMeasure(task)))
