import type { ReadWord } from '@mira/shared'
import { guessLanguage } from '../../offline/language/language.ts'
import { READABLE_LONGEST_SIDE } from '../image/copies-and-thumbnails.ts'
import { enlarged, findText, mayHaveText } from './find-text.ts'
import { readLines } from './line-reading.ts'
import { createOcrEngine, type OcrData } from './ocr-engine.ts'
import { openForReading, prepareColours, prepareForReading, type ReadablePicture } from './ocr-picture.ts'
import type { ReadParagraph } from './ocr-words.ts'
import { readPage } from './page-reading.ts'
import { isTall, readInSlices } from './tall-pictures.ts'
import { cornersOf, type TextBox } from './text-boxes.ts'
import { loadTextModels, type TextModels } from './text-models.ts'
import type { ColourPicture } from './text-strip.ts'

/** Neighbours that differ by so much are the edge of something. */
const EDGE = 40
/** On a page, this part of all edges is text. */
const EDGES_OF_TEXT = 0.5
/** Part of a line that must have been read already. */
const COVERED = 0.5

/** True when a picture shows hardly anything but text: a page or a screen. */
function isCalm(picture: ColourPicture, boxes: TextBox[]): boolean {
  const inText = new Uint8Array(picture.width * picture.height)
  for (const box of boxes) {
    const [left, top, right, bottom] = boundsOf(box)
    const from = Math.max(0, Math.floor(left))
    for (let y = Math.max(0, Math.floor(top)); y < Math.min(picture.height, bottom); y++) {
      inText.fill(
        1,
        y * picture.width + from,
        y * picture.width + Math.max(from, Math.min(picture.width, Math.ceil(right))),
      )
    }
  }
  let [all, text] = [0, 0]
  for (let index = 1; index < inText.length; index++) {
    const green = index * 3 + 1
    if (Math.abs((picture.data[green] as number) - (picture.data[green - 3] as number)) <= EDGE) continue
    all++
    text += inText[index] as number
  }
  return text >= all * EDGES_OF_TEXT
}

/**
 * True when the words fill a line.
 * @param look picture the box was found in; the words' boxes are fractions of it
 */
function isCovered(box: TextBox, look: ColourPicture, words: ReadWord[]): boolean {
  const [left, top, right, bottom] = boundsOf(box)
  const shared = words.reduce((sum, { box: [x, y, width, height] }) => {
    const across = Math.min(right, (x + width) * look.width) - Math.max(left, x * look.width)
    const middle = (y + height / 2) * look.height
    return across > 0 && middle > top && middle < bottom ? sum + across : sum
  }, 0)
  return shared >= (right - left) * COVERED
}

function boundsOf(box: TextBox): [number, number, number, number] {
  const corners = cornersOf(box)
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

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
const MIN_SIDE = 6
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
 * Detects text first, as most photos have none. Pages are read as a whole, a few lines one by one.
 * @throws DamagedPictureError; the engine's errors.
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
    return Math.min(grey.width, grey.height) < MIN_SIDE ? [] : readPage(engine, grey, data)
  }
  const look = await decoded(prepareColours(picture, LOOKED_AT_SIDE))
  if (Math.min(look.width, look.height) < MIN_SIDE) return []
  if (!(await mayHaveText(models, look))) return []
  const boxes = await findText(models, look)
  if (boxes.length === 0) return []

  const lines = async (boxes: TextBox[]) => {
    const colours = await decoded(prepareColours(picture, READABLE_LONGEST_SIDE))
    const by = colours.width / look.width
    return readLines(
      colours,
      boxes.map((box) => enlarged(box, by)),
      { models, engine, data },
    )
  }
  if (boxes.length <= FEW_LINES || !isCalm(look, boxes)) return lines(boxes)
  const page = await readPage(engine, await decoded(prepareForReading(picture)), data)
  const uncoveredBoxes = boxes.filter((box) => !isCovered(box, look, page.flat(2)))
  return uncoveredBoxes.length === 0 ? page : [...page, ...(await lines(uncoveredBoxes))]
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
