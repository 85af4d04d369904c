// Reads text in pictures decoded by other processes; it's a separate process because Tesseract's memory never shrinks.
import { readFile } from 'node:fs/promises'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { type ColourPicture, shrinkTo } from '../image/readable-pixels.ts'
import { findLines, readPicture, readTallPicture } from './choose-reading.ts'
import { DETECTION_SIDE } from './ocr.ts'
import type { OcrData } from './ocr-engine.ts'
import type { TextBox } from './text-boxes.ts'

/** A file of pixels as readablePixels writes it. */
export interface PixelFile {
  filename: string
  width: number
  height: number
}

async function load({ filename, width, height }: PixelFile): Promise<ColourPicture> {
  const data = await readFile(filename)
  if (data.length !== width * height * 3) throw new Error("The pixels don't match the picture's size.")
  return { width, height, data }
}

const loadOverview = async (overview: PixelFile) => shrinkTo(await load(overview), DETECTION_SIDE)

interface ReadInput {
  /** May be the same file as `full`. */
  overview: PixelFile
  boxes: TextBox[] | null
  full: PixelFile
  data: OcrData
}

const tasks = {
  find: async ({ overview }: { overview: PixelFile }) => findLines(await loadOverview(overview)),
  read: async ({ overview, boxes, full, data }: ReadInput) =>
    readPicture({ overview: await loadOverview(overview), boxes, full: await load(full), data }),
  readTall: async ({ picture, data }: { picture: PixelFile; data: OcrData }) =>
    readTallPicture({ picture: await load(picture), data }),
}

export type OcrTasks = typeof tasks

serveTasks(tasks)
