import type { ReadWord } from '@mira/shared'
import { guessLanguage } from '../../ai/language/language.ts'
import { READABLE_LONGEST_SIDE } from '../pictures/copies-and-thumbnails.ts'
import { readLines } from './line-reading.ts'
import { createOcrEngine, type OcrData } from './ocr-engine.ts'
import { openForReading, prepareColours, prepareForReading, type ReadablePicture } from './ocr-picture.ts'
import type { ReadParagraph } from './ocr-words.ts'
import { isCalm, isCovered } from './page-or-photo.ts'
import { readPage } from './page-reading.ts'
import { isTall, readInSlices } from './tall-pictures.ts'
import type { TextBox } from './text-boxes.ts'
import { findText } from './text-finder.ts'
import { loadTextModels, type TextModels } from './text-models.ts'
import type { ColourPicture } from './text-strip.ts'

/** Reading of one picture. */
export interface OcrResult {
  text: string
  words: ReadWord[]
  /** 0 to 1; null when nothing was read. */
  confidence: number | null
  language: string | null
  /** False when PaddleOCR's networks weren't available and Tesseract read alone. */
  hasFinder: boolean
}

/** No letter is lower, and what evens out the light needs a few rows. */
const LEAST_SIDE = 6
/** Text is looked for in a picture of this size: letters of a thirtieth of an inch in a photo of a page are still found. */
const LOOKED_AT_SIDE = 1_280
/** As few lines as this are read one by one; more are a page. */
const FEW_LINES = 12

class DamagedPictureError extends Error {
  readonly code = 'damaged_image'
}

const engine = createOcrEngine()
let loading: Promise<TextModels | null> | undefined

/** PaddleOCR's networks; null when they can't run, which is logged: Tesseract then reads alone. */
function textModels(): Promise<TextModels | null> {
  loading ??= loadTextModels().catch((error: unknown) => {
    console.error(`Words are not looked for before they are read: ${error instanceof Error ? error.message : error}`)
    return null
  })
  return loading
}

/** A decoder's error is one of the picture. */
const decoded = <Picture>(picture: Promise<Picture>): Promise<Picture> =>
  picture.catch((error: unknown) => {
    throw new DamagedPictureError(error instanceof Error ? error.message : String(error))
  })

/**
 * Looks first whether there are words: most photos have none. A page is read as a whole, a few lines one by one where they are.
 * @throws DamagedPictureError; what the engine throws.
 */
export async function readPicture({ filename, data }: { filename: string; data: OcrData }): Promise<OcrResult> {
  const models = await textModels()
  const picture = await decoded(openForReading(filename))
  const read = (part: ReadablePicture) => readOne(part, models, data)
  return present(isTall(picture) ? await readInSlices(picture, read) : await read(picture), models !== null)
}

async function readOne(picture: ReadablePicture, models: TextModels | null, data: OcrData): Promise<ReadParagraph[]> {
  if (models === null) {
    const grey = await decoded(prepareForReading(picture))
    return Math.min(grey.width, grey.height) < LEAST_SIDE ? [] : readPage(engine, grey, data)
  }
  const look = await decoded(prepareColours(picture, LOOKED_AT_SIDE))
  if (Math.min(look.width, look.height) < LEAST_SIDE) return []
  const boxes = await findText(models, look)
  if (boxes.length === 0) return []

  const lines = async (found: TextBox[]) => {
    const colours = await decoded(prepareColours(picture, READABLE_LONGEST_SIDE))
    return readLines(colours, enlarged(found, look, colours), { models, engine, data })
  }
  if (boxes.length <= FEW_LINES || !isCalm(look, boxes)) return lines(boxes)
  const page = await readPage(engine, await decoded(prepareForReading(picture)), data)
  const left = boxes.filter((box) => !isCovered(box, look, page.flat(2)))
  return left.length === 0 ? page : [...page, ...(await lines(left))]
}

function enlarged(boxes: TextBox[], from: ColourPicture, to: ColourPicture): TextBox[] {
  const by = to.width / from.width
  return boxes.map((box) => ({ ...box, x: box.x * by, y: box.y * by, width: box.width * by, height: box.height * by }))
}

function present(paragraphs: ReadParagraph[], hasFinder: boolean): OcrResult {
  const words = paragraphs.flat(2)
  const lengths = words.reduce((sum, { text }) => sum + text.length, 0)
  if (lengths === 0) return { text: '', words: [], confidence: null, language: null, hasFinder }
  const text = paragraphs
    .map((lines) => lines.map((line) => line.map((word) => word.text).join(' ')).join('\n'))
    .join('\n\n')
  const sum = words.reduce((all, word) => all + (word.confidence ?? 0) * word.text.length, 0)
  const confidence = Math.round((100 * sum) / lengths) / 100
  return { text, words, confidence, language: guessLanguage(text), hasFinder }
}
