// Runs one local model, in a process of its own: native code may crash or grow, and loading takes seconds.
import { serveTasks } from '../../process/serve-tasks.ts'
import { describePicture } from './run-caption.ts'
import { writeAnswer } from './run-chat.ts'
import { embedTexts } from './run-embedding.ts'
import { loadModel, type ModelToRun } from './run-load.ts'
import { comparePictures, comparePictureTexts } from './run-looks.ts'
import { scoreTexts } from './run-rerank.ts'
import { transcribeWindow } from './run-transcription.ts'

const tasks = {
  /** Loads it, which the others do too when it has not been. */
  load: async (model: ModelToRun): Promise<null> => {
    await loadModel(model)
    return null
  },
  embedTexts,
  scoreTexts,
  comparePictures,
  comparePictureTexts,
  describePicture,
  transcribeWindow,
  writeAnswer,
}

export type ModelTasks = typeof tasks

serveTasks(tasks)
