import type { ReadWord } from '@mira/shared'
import { guessLanguage } from '../../offline/language/language.ts'
import { type ColourPicture, scaledForReading } from '../image/readable-pixels.ts'
import { findText, mayHaveText, scaleBox } from './find-text.ts'
import { readLines } from './line-reading.ts'
import { DETECTION_SIDE, READABLE_LONGEST_SIDE } from './ocr.ts'
import { createOcrEngine, type OcrData } from './ocr-engine.ts'
import { inGrey } from './ocr-picture.ts'
import type { ReadParagraph } from './ocr-words.ts'
import { readPage } from './page-reading.ts'
import { cornersOf, type TextBox } from './text-boxes.ts'
import { loadTextModels, type TextModels } from './text-models.ts'

/** A slice of a tall picture, overlapping those above and below. */
interface Slice extends ColourPicture {
  /** First row in the whole picture. */
  top: number
  /** Range of rows whose lines belong to the slice. */
  from: number
  to: number
}

/** Height of a slice, in widths, at which letters stay readable when it's shrunk. */
const SLICE_HEIGHT = 2
/** Minimum height of a slice: a narrow slice of fewer than a thousand rows is enlarged. */
const MIN_SLICE_ROWS = 960
const MAX_SLICES = 60
/** Time after which no further slice is read; the text read so far is the result. */
const MAX_MS = 80_000
/** Share of a slice's height, at its end, that is searched for a calm row (one with little contrast). */
const CUT_WITHIN = 0.25
/** Rows beyond a cut that are read too, as a share of the width: more than the height of a line. */
const OVERLAP = 0.1
/** Largest difference per pixel between calm rows and the calmest one. */
const CALM_TOLERANCE = 0.2
/** Share of a line's height by which its middle may be beyond the cut. */
const TOLERANCE = 0.3

/** Reads a tall picture in overlapping slices, cut between lines where possible. */
async function readInSlices(
  picture: ColourPicture,
  read: (slice: ColourPicture) => Promise<ReadParagraph[]>,
): Promise<ReadParagraph[]> {
  const startedAt = performance.now()
  const paragraphs: ReadParagraph[] = []
  for (const slice of slicesOf(picture)) {
    if (performance.now() - startedAt > MAX_MS) break
    const wordsRead = paragraphs.flat(2)
    const newParagraphs = (await read(slice)).map((paragraph) =>
      paragraph
        .map((line) => line.map((word) => placeInPicture(word, slice, picture)))
        .filter(belongsToSlice(slice, picture, wordsRead)),
    )
    paragraphs.push(...newParagraphs.filter((paragraph) => paragraph.length > 0))
  }
  return paragraphs
}

function slicesOf({ width, height, data }: ColourPicture): Slice[] {
  const changes = changesOfRows({ width, height, data })
  const sliceHeight = Math.max(MIN_SLICE_ROWS, SLICE_HEIGHT * width)
  const overlap = Math.ceil(OVERLAP * width)
  const slices: Slice[] = []
  for (let from = 0; from < height && slices.length < MAX_SLICES; ) {
    const to =
      height - from <= sliceHeight
        ? height
        : calmRow(changes, from + Math.round(sliceHeight * (1 - CUT_WITHIN)), from + sliceHeight)
    const top = Math.max(0, from - overlap)
    const rows = Math.min(height, to + overlap) - top
    slices.push({ width, height: rows, data: data.subarray(top * width * 3, (top + rows) * width * 3), top, from, to })
    from = to
  }
  return slices
}

/** Mean difference between neighbouring pixels in each row. */
function changesOfRows({ width, height, data }: ColourPicture) {
  const changes = new Float32Array(height)
  for (let row = 0, index = 0; row < height; row++) {
    let sum = 0
    for (const end = index + (width - 1) * 3; index < end; index += 3) {
      sum += Math.abs((data[index] as number) - (data[index + 3] as number))
    }
    index += 3
    changes[row] = sum / width
  }
  return changes
}

/** The middle of the longest run of rows that are as calm as the calmest one. */
function calmRow(changes: Float32Array, from: number, to: number): number {
  const calmest = changes.subarray(from, to).reduce((min, change) => Math.min(min, change), Number.POSITIVE_INFINITY)
  let best = { start: from, length: 0 }
  for (let row = from, start = from; row <= to; row++) {
    if (row < to && (changes[row] as number) <= calmest + CALM_TOLERANCE) continue
    if (row - start > best.length) best = { start, length: row - start }
    start = row + 1
  }
  return best.start + (best.length >> 1)
}

function placeInPicture(word: ReadWord, slice: Slice, whole: ColourPicture): ReadWord {
  const [left, top, width, height] = word.box
  const rows = (part: number) => Math.round((100_000 * part * slice.height) / whole.height) / 100_000
  const offset = Math.round((100_000 * slice.top) / whole.height) / 100_000
  return { ...word, box: [left, Math.min(1, offset + rows(top)), width, rows(height)] }
}

/** Filter for the lines that belong to a slice and weren't read with the slice above. */
function belongsToSlice({ from, to }: Slice, { height: rows }: ColourPicture, wordsRead: ReadWord[]) {
  return (line: ReadWord[]): boolean => {
    const top = rows * Math.min(...line.map(({ box }) => box[1]))
    const bottom = rows * Math.max(...line.map(({ box }) => box[1] + box[3]))
    const [middle, beyond] = [(top + bottom) / 2, TOLERANCE * (bottom - top)]
    if (middle < from - beyond || middle >= to + beyond) return false
    return middle >= from + beyond || !line.some((word) => wordsRead.some((other) => overlaps(word, other)))
  }
}

function overlaps({ box: one }: ReadWord, { box: other }: ReadWord): boolean {
  const share = (from: number, length: number, otherFrom: number, otherLength: number) =>
    (Math.min(from + length, otherFrom + otherLength) - Math.max(from, otherFrom)) / Math.min(length, otherLength)
  return share(one[0], one[2], other[0], other[2]) > 0.5 && share(one[1], one[3], other[1], other[3]) > 0.5
}

/** Difference between neighbouring pixels that makes an edge. */
const EDGE = 40
/** Minimum share of a page's edges that are in text. */
const MIN_TEXT_EDGES = 0.5
/** Share of a line that words must cover for it to count as read. */
const MIN_COVERED = 0.5

/** True when a picture shows hardly anything but text: a page or a screen. */
function isPage(picture: ColourPicture, boxes: TextBox[]): boolean {
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
  let [edgeCount, textEdgeCount] = [0, 0]
  for (let index = 1; index < inText.length; index++) {
    const green = index * 3 + 1
    if (Math.abs((picture.data[green] as number) - (picture.data[green - 3] as number)) <= EDGE) continue
    edgeCount++
    textEdgeCount += inText[index] as number
  }
  return textEdgeCount >= edgeCount * MIN_TEXT_EDGES
}

/**
 * True when words cover enough of a line's width.
 * @param overview picture the box was found in; the words' boxes are fractions of it.
 */
function isCovered(box: TextBox, overview: ColourPicture, words: ReadWord[]): boolean {
  const [left, top, right, bottom] = boundsOf(box)
  const shared = words.reduce((sum, { box: [x, y, width, height] }) => {
    const across = Math.min(right, (x + width) * overview.width) - Math.max(left, x * overview.width)
    const middle = (y + height / 2) * overview.height
    return across > 0 && middle > top && middle < bottom ? sum + across : sum
  }, 0)
  return shared >= (right - left) * MIN_COVERED
}

function boundsOf(box: TextBox): [number, number, number, number] {
  const corners = cornersOf(box)
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** Reading of one picture. */
interface OcrResult {
  text: string
  words: ReadWord[]
  /** 0 to 1; null when nothing was read. */
  confidence: number | null
  language: string | null
  /** False when PaddleOCR's networks weren't available and Tesseract read alone. */
  hasTextModels: boolean
}

/** Smaller pictures aren't read: no letter fits, and `flattenBackground` needs a few rows. */
const MIN_SIDE = 6
/** Maximum number of lines that are read one by one in any case; more may be a page. */
const FEW_LINES = 12

const engine = createOcrEngine()
let loading: Promise<TextModels | null> | undefined

/** Loads PaddleOCR's networks once. When they can't run, logs that and returns null; Tesseract then reads alone. */
function textModels(): Promise<TextModels | null> {
  loading ??= loadTextModels().catch((error: unknown) => {
    console.error(
      `Text detection is unavailable, so Tesseract reads alone: ${error instanceof Error ? error.message : error}`,
    )
    return null
  })
  return loading
}

/**
 * Detects lines of text in a picture; most photos have none and needn't be read.
 * @param overview at most DETECTION_SIDE long.
 * @returns null when PaddleOCR's networks aren't available.
 */
export async function findLines(overview: ColourPicture): Promise<TextBox[] | null> {
  const models = await textModels()
  return models && findLinesWith(models, overview)
}

async function findLinesWith(models: TextModels, overview: ColourPicture): Promise<TextBox[]> {
  if (isTooSmall(overview)) return []
  return (await mayHaveText(models, overview)) ? findText(models, overview) : []
}

/**
 * Reads a picture in which lines were found: pages as a whole, a few lines one by one.
 * @param boxes in pixels of `overview`; null without detection.
 * @param full at most READABLE_LONGEST_SIDE long.
 * @throws the engine's errors.
 */
export async function readPicture({
  overview,
  boxes,
  full,
  data,
}: DetectedText & { data: OcrData }): Promise<OcrResult> {
  const models = boxes && (await textModels())
  return toResult(await readDetected({ overview, boxes, full }, models, data), models !== null)
}

/** Reads a picture of full size that is much taller than wide. @throws as readPicture. */
export async function readTallPicture({
  picture,
  data,
}: {
  picture: ColourPicture
  data: OcrData
}): Promise<OcrResult> {
  const models = await textModels()
  const readSlice = async (slice: ColourPicture) => {
    const overview = await scaledForReading(slice, DETECTION_SIDE)
    const boxes = models && (await findLinesWith(models, overview))
    if (boxes?.length === 0) return []
    return readDetected({ overview, boxes, full: await scaledForReading(slice, READABLE_LONGEST_SIDE) }, models, data)
  }
  return toResult(await readInSlices(picture, readSlice), models !== null)
}

interface DetectedText {
  overview: ColourPicture
  boxes: TextBox[] | null
  full: ColourPicture
}

async function readDetected(
  { overview, boxes, full }: DetectedText,
  models: TextModels | null,
  data: OcrData,
): Promise<ReadParagraph[]> {
  if (isTooSmall(full)) return []
  if (models === null || boxes === null) return readPage(engine, await inGrey(full), data)
  const lines = (boxes: TextBox[]) => {
    const scale = full.width / overview.width
    return readLines(
      full,
      boxes.map((box) => scaleBox(box, scale)),
      { models, engine, data },
    )
  }
  if (boxes.length <= FEW_LINES || !isPage(overview, boxes)) return lines(boxes)
  const page = await readPage(engine, await inGrey(full), data)
  const uncoveredBoxes = boxes.filter((box) => !isCovered(box, overview, page.flat(2)))
  return uncoveredBoxes.length === 0 ? page : [...page, ...(await lines(uncoveredBoxes))]
}

const isTooSmall = ({ width, height }: ColourPicture) => Math.min(width, height) < MIN_SIDE

function toResult(paragraphs: ReadParagraph[], hasTextModels: boolean): OcrResult {
  const words = paragraphs.flat(2)
  const characterCount = words.reduce((sum, { text }) => sum + text.length, 0)
  if (characterCount === 0) return { text: '', words: [], confidence: null, language: null, hasTextModels }
  const text = paragraphs
    .map((lines) => lines.map((line) => line.map((word) => word.text).join(' ')).join('\n'))
    .join('\n\n')
  const sum = words.reduce((all, word) => all + (word.confidence ?? 0) * word.text.length, 0)
  const confidence = Math.round((100 * sum) / characterCount) / 100
  return { text, words, confidence, language: guessLanguage(text), hasTextModels }
}
