// Reads text in pictures that other processes have decoded, in a process of its own: Tesseract's memory never shrinks.
import { readFile } from 'node:fs/promises'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import type { ColourPicture } from '../image/readable-pixels.ts'
import type { OcrData } from './ocr-engine.ts'
import { findLines, readPicture, readTallPicture } from './picture-reading.ts'
import type { TextBox } from './text-boxes.ts'

/** A file of pixels as readablePixels writes it. */
export interface PixelFile {
  filename: string
  width: number
  height: number
}

async function load({ filename, width, height }: PixelFile): Promise<ColourPicture> {
  const data = await readFile(filename)
  if (data.length !== width * height * 3) throw new Error('The pixels are not those of a picture of this size.')
  return { width, height, data }
}

interface FoundFiles {
  look: PixelFile
  boxes: TextBox[] | null
  full: PixelFile
  data: OcrData
}

const tasks = {
  find: async ({ look }: { look: PixelFile }) => findLines(await load(look)),
  read: async ({ look, boxes, full, data }: FoundFiles) =>
    readPicture({ look: await load(look), boxes, full: await load(full), data }),
  readTall: async ({ picture, data }: { picture: PixelFile; data: OcrData }) =>
    readTallPicture({ picture: await load(picture), data }),
}

export type OcrTasks = typeof tasks

serveTasks(tasks)
