// Reads text in pictures, in a process of its own: Tesseract's memory never shrinks, and a decoder may crash.
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { readPicture } from './picture-reading.ts'

const tasks = { read: readPicture }

export type OcrTasks = typeof tasks

serveTasks(tasks)
