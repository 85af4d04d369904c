// Reads text in pictures that other processes have decoded, in a process of its own: Tesseract's memory never shrinks.
import { readFile } from 'node:fs/promises'
import { serveTasks } from '../../platform/sandbox/serve-tasks.ts'
import { type ColourPicture, shrunk } from '../image/readable-pixels.ts'
import { LOOKED_AT_SIDE } from './ocr.ts'
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

const loadLook = async (look: PixelFile) => shrunk(await load(look), LOOKED_AT_SIDE)

interface FoundFiles {
  /** May be the same file as `full`. */
  look: PixelFile
  boxes: TextBox[] | null
  full: PixelFile
  data: OcrData
}

const tasks = {
  find: async ({ look }: { look: PixelFile }) => findLines(await loadLook(look)),
  read: async ({ look, boxes, full, data }: FoundFiles) =>
    readPicture({ look: await loadLook(look), boxes, full: await load(full), data }),
  readTall: async ({ picture, data }: { picture: PixelFile; data: OcrData }) =>
    readTallPicture({ picture: await load(picture), data }),
}

export type OcrTasks = typeof tasks

serveTasks(tasks)
