import type { ReadWord } from '@mira/shared'
import sharp from 'sharp'
import { guessLanguage } from '../../offline/language/language.ts'
import type { ColourPicture } from '../image/readable-pixels.ts'
import { LINE_HEIGHT, type LineLetter, MAX_LINE_WIDTH, meanConfidence, recogniseLine } from './line-recogniser.ts'
import { isReadAlike, type LineReading, type LineWord, languageOf, mergeReadings, plainOf } from './merge-readings.ts'
import { codeByLanguage } from './ocr.ts'
import type { OcrData, OcrEngine } from './ocr-engine.ts'
import type { GreyPicture } from './ocr-picture.ts'
import type { ReadParagraph } from './ocr-words.ts'
import { type InkMethod, renderInk } from './strip-ink.ts'
import { cornersOf, cutStrip, type TextBox } from './text-boxes.ts'
import type { TextModels } from './text-models.ts'

/** Largest gap between boxes of a line, in heights. */
const MAX_GAP = 1.6
/** Larger gaps between lines, in heights, start a new paragraph. */
const MAX_LINE_GAP = 1
/** Minimum ratio of the heights of boxes in a line. */
const MIN_HEIGHT_RATIO = 0.5

interface Placed<Item> {
  item: Item
  box: TextBox
}

/** Boxes in reading order: paragraphs from the top, their lines, and boxes within a line. */
export function inReadingOrder<Item extends { box: TextBox }>(items: Item[]): Item[][][] {
  const direction = directionOf(items)
  const lines: Placed<Item>[][] = []
  for (const one of items
    .map((item) => ({ item, box: levelled(item.box, direction) }))
    .toSorted((a, b) => leftOf(a.box) - leftOf(b.box))) {
    const line = lines.find((otherLine) => continuesLine((otherLine.at(-1) as Placed<Item>).box, one.box))
    if (line) line.push(one)
    else lines.push([one])
  }
  const paragraphs: Placed<Item>[][][] = []
  for (const line of lines.toSorted((a, b) => topOf(a) - topOf(b))) {
    const paragraph = paragraphs.find((otherParagraph) => isNextLine(otherParagraph.at(-1) as Placed<Item>[], line))
    if (paragraph) paragraph.push(line)
    else paragraphs.push([line])
  }
  return paragraphs.map((paragraph) => paragraph.map((line) => line.map(({ item }) => item)))
}

/** Dominant text direction in degrees; pages may be sideways or upside down. */
function directionOf(items: { box: TextBox }[]): number {
  const sum = (part: (radians: number) => number) =>
    items.reduce((all, { box }) => all + box.width * part((box.degrees * Math.PI) / 180), 0)
  return (Math.atan2(sum(Math.sin), sum(Math.cos)) * 180) / Math.PI
}

/** Rotates a box so that the text runs from left to right. */
function levelled(box: TextBox, direction: number): TextBox {
  const [cosine, sine] = [Math.cos((direction * Math.PI) / 180), Math.sin((direction * Math.PI) / 180)]
  return {
    ...box,
    x: box.x * cosine + box.y * sine,
    y: box.y * cosine - box.x * sine,
    degrees: box.degrees - direction,
  }
}

const leftOf = ({ x, width }: TextBox) => x - width / 2
const rightOf = ({ x, width }: TextBox) => x + width / 2
const topOf = (line: Placed<unknown>[]) => Math.min(...line.map(({ box }) => box.y - box.height / 2))
const bottomOf = (line: Placed<unknown>[]) => Math.max(...line.map(({ box }) => box.y + box.height / 2))
const areAlike = (one: number, other: number) => Math.min(one, other) >= MIN_HEIGHT_RATIO * Math.max(one, other)

/** True when a box continues the line of another one. */
function continuesLine(before: TextBox, box: TextBox): boolean {
  if (!areAlike(before.height, box.height)) return false
  const gap = leftOf(box) - rightOf(before)
  const high = Math.max(before.height, box.height)
  const expected = before.y + Math.tan((before.degrees * Math.PI) / 180) * (box.x - before.x)
  return gap < MAX_GAP * high && gap > -high && Math.abs(box.y - expected) < high / 2
}

/** True for a line right below another one, with letters of about the same height. */
function isNextLine(above: Placed<unknown>[], line: Placed<unknown>[]): boolean {
  const [one, other] = [above[0]?.box, line[0]?.box]
  if (!one || !other || !areAlike(one.height, other.height)) return false
  const isBelow = topOf(line) - bottomOf(above) < MAX_LINE_GAP * Math.max(one.height, other.height)
  const [first, last] = [above.at(-1)?.box ?? one, line.at(-1)?.box ?? other]
  return isBelow && leftOf(other) < rightOf(first) && leftOf(one) < rightOf(last)
}

/** Height of a line's strip for Tesseract, which reads capitals of some thirty pixels best. */
const INK_HEIGHT = 60
/** White margin around a line, as on a page, in pixels. */
const MARGIN = 16
const LIMIT_MS = 8_000
/** Maximum number of lines read one by one, most certain first; pages are read as a whole. */
const MAX_LINES = 60
/** Lines read to detect the language. */
const MAX_SAMPLE_LINES = 6
/** Lines read with less confidence are textures. */
const MIN_CONFIDENCE = 70
/** Many textures are misread as up to this many characters, so such short texts need a higher confidence. */
const SHORT = 3
const MIN_CONFIDENCE_OF_SHORT = 88
/** Confidence of Tesseract from which a line that only differs in accents from PaddleOCR's reading isn't rendered in another way. */
const SURE = 90
/** Text that is steeper than this may run up or down, so both directions are read. */
const STEEP_DEGREES = 60
const MIN_SIDE_TO_HALVE = 400

interface Tools {
  models: TextModels
  engine: OcrEngine
  data: OcrData
}

interface Line {
  box: TextBox
  /** Strip for Tesseract. */
  ink: ColourPicture
  letters: LineLetter[]
  readings: LineReading[]
}

/**
 * Reads detected lines with both PaddleOCR and Tesseract, and combines what each is good at.
 * @param boxes in pixels of the picture.
 * @returns paragraphs of lines in reading order.
 */
export async function readLines(
  picture: ColourPicture,
  boxes: TextBox[],
  { models, engine, data }: Tools,
): Promise<ReadParagraph[]> {
  const pictures = await withHalves(picture)
  const lines: Line[] = []
  for (const box of boxes.toSorted((one, other) => other.score - one.score).slice(0, MAX_LINES)) {
    const line = await readWithPaddle(models, pictures, box)
    if (line !== null) lines.push(line)
  }
  const language = await readWithTesseract({ engine, data }, lines)
  const linesOfWords = lines.flatMap((line) => {
    const { box } = line
    const words = mergeReadings(line, language)
    return words.length === 0 ? [] : { box, words: words.map((word) => placeWord(word, box, picture)) }
  })
  return inReadingOrder(linesOfWords).map((paragraph) => paragraph.map((parts) => parts.flatMap(({ words }) => words)))
}

/** The picture, followed by copies that are each half as long as the one before. */
async function withHalves(picture: ColourPicture): Promise<ColourPicture[]> {
  const pictures = [picture]
  for (let last = picture; Math.min(last.width, last.height) > MIN_SIDE_TO_HALVE; ) {
    const { data, info } = await sharp(last.data, { raw: { width: last.width, height: last.height, channels: 3 } })
      .resize(last.width >> 1, last.height >> 1, { fit: 'fill', kernel: 'linear' })
      .raw()
      .toBuffer({ resolveWithObject: true })
    last = { width: info.width, height: info.height, data }
    pictures.push(last)
  }
  return pictures
}

/** PaddleOCR's reading of a box in its most confident direction; null when it isn't text. */
async function readWithPaddle(models: TextModels, pictures: ColourPicture[], box: TextBox): Promise<Line | null> {
  const isSteep = Math.abs(box.degrees) > STEEP_DEGREES
  const directions = isSteep ? [box, upsideDown(box)] : [box]
  let best: Pick<Line, 'box' | 'letters'> | null = null
  for (const direction of directions) {
    const strip = cutStrip(pictures, direction, { height: LINE_HEIGHT, maxWidth: MAX_LINE_WIDTH })
    const letters = await recogniseLine(models, strip)
    if (best === null || scoreOf(letters) > scoreOf(best.letters)) best = { box: direction, letters }
    // Text read as nonsense may be upside down.
    if (direction === directions.at(-1) && !isSteep && meanConfidence(letters) < MIN_CONFIDENCE) {
      directions.push(upsideDown(box))
    }
    if (directions.length > 2) break
  }
  if (best === null || !isText(best.letters)) return null
  return { ...best, readings: [], ink: cutStrip(pictures, best.box, { height: INK_HEIGHT, maxWidth: MAX_LINE_WIDTH }) }
}

const upsideDown = (box: TextBox): TextBox => ({ ...box, degrees: box.degrees + 180 })
const scoreOf = (letters: LineLetter[]) => meanConfidence(letters) * Math.min(SHORT, letters.length)

function isText(letters: LineLetter[]): boolean {
  const count = letters.filter(({ text }) => /[\p{L}\p{N}]/u.test(text)).length
  if (count < 2) return false
  return meanConfidence(letters) >= (count <= SHORT ? MIN_CONFIDENCE_OF_SHORT : MIN_CONFIDENCE)
}

/**
 * Reads lines with Tesseract, in one language at a time, because with several it confuses their accents. A few lines are read
 * in each language, which determines the language of the others. The language suggested by common words is tried first; if
 * it's certain, no other is tried.
 * @returns the language's code; null when nothing was read.
 */
async function readWithTesseract(
  { engine, data }: Pick<Tools, 'engine' | 'data'>,
  lines: Line[],
): Promise<string | null> {
  const read = async (line: Line, code: string, method: InkMethod) => {
    const words = await engine.recognise(withMargin(renderInk(line.ink, method)), {
      data,
      expected: [code],
      limitMs: LIMIT_MS,
      isOneLine: true,
    })
    if (words !== null) line.readings.push({ code, words })
  }
  const samples = lines.toSorted((one, other) => other.letters.length - one.letters.length).slice(0, MAX_SAMPLE_LINES)
  const guessed = guessedCode(lines)
  const triedCodes: string[] = []
  for (const code of languagesFor(samples, { codes: data.codes, guessed })) {
    triedCodes.push(code)
    for (const line of samples) await read(line, code, 'by contrast')
    if (code === guessed && samples.every((line) => isSettled(line, code))) break
  }
  for (const method of ['by colour', 'by rarity'] as const) {
    const unsure = samples.filter(
      (line) => !(method === 'by colour' ? triedCodes.some((code) => agrees(line, code)) : isReadAlike(line)),
    )
    for (const code of unsure.length === 0 ? [] : triedCodes) {
      for (const line of unsure) await read(line, code, method)
    }
  }
  const language = languageOf(samples, { expected: data.codes[0], guessed })
  if (language === null) return null
  for (const line of lines.filter((line) => !samples.includes(line))) await read(line, language, 'by contrast')
  for (const line of lines.filter((line) => !samples.includes(line) && !agrees(line, language))) {
    await read(line, language, 'by colour')
  }
  return language
}

/** Language guessed from common words, before accents are known. */
function guessedCode(lines: Pick<Line, 'letters'>[]): string | undefined {
  const language = guessLanguage(lines.map(textOf).join('\n'))
  return language === null ? undefined : codeByLanguage[language]
}

/** Candidate languages, most likely first; numbers read the same in all of them. */
function languagesFor(lines: Line[], { codes, guessed }: { codes: string[]; guessed: string | undefined }): string[] {
  if (!lines.some((line) => /\p{L}/u.test(textOf(line)))) return codes.slice(0, 1)
  return guessed === undefined ? codes : [guessed, ...codes.filter((code) => code !== guessed)]
}

const textOf = ({ letters }: Pick<Line, 'letters'>) => letters.map(({ text }) => text).join('')

/** True when a confident reading in a language agrees with PaddleOCR. */
function agrees(line: Line, language: string): boolean {
  const reading = sureReading(line, language)
  return reading !== undefined && plainOf(reading.words.map(({ text }) => text).join(' ')) === plainOf(textOf(line))
}

/** True when a reading in a language is confident and hardly differs from PaddleOCR's, which misses spaces and reads ü as i. */
function isSettled(line: Line, language: string): boolean {
  const reading = sureReading(line, language)
  return reading !== undefined && isReadAlike({ letters: line.letters, readings: [reading] })
}

const sureReading = ({ readings }: Line, language: string) =>
  readings.find(({ code, words }) => code === language && words.length > 0 && words.every(isSure))
const isSure = ({ confidence }: { confidence: number }) => confidence >= SURE

function withMargin({ width, height, data }: GreyPicture): GreyPicture {
  const [wide, high] = [width + 4 * MARGIN, height + 2 * MARGIN]
  const framed = Buffer.alloc(wide * high, 255)
  for (let row = 0; row < height; row++) {
    data.copy(framed, (row + MARGIN) * wide + 2 * MARGIN, row * width, (row + 1) * width)
  }
  return { width: wide, height: high, data: framed }
}

/** Box of a word within its line's box, in fractions of the picture. */
function placeWord(word: LineWord, box: TextBox, { width, height }: ColourPicture): ReadWord {
  const radians = (box.degrees * Math.PI) / 180
  const along = ((word.from + word.to) / 2 - 0.5) * box.width
  const part = {
    ...box,
    x: box.x + along * Math.cos(radians),
    y: box.y + along * Math.sin(radians),
    width: (word.to - word.from) * box.width,
  }
  const corners = cornersOf(part)
  const [xs, ys] = [corners.map(([x]) => portion(x, width)), corners.map(([, y]) => portion(y, height))]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return {
    text: word.text,
    box: [left, top, round(Math.max(...xs) - left), round(Math.max(...ys) - top)],
    confidence: Math.round(word.confidence) / 100,
  }
}

const portion = (value: number, length: number) => round(Math.min(1, Math.max(0, value / length)))
const round = (value: number) => Math.round(value * 100_000) / 100_000
