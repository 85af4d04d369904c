import { guessLanguage } from '../../offline/language/language.ts'
import { codeByLanguage } from './ocr.ts'
import type { OcrData, OcrEngine } from './ocr-engine.ts'
import { flattenBackground, type GreyPicture, rotate, rotate180, shrink } from './ocr-picture.ts'
import { type ChosenWords, chooseWords, inParagraphs, placeWords, type ReadParagraph, textOf } from './ocr-words.ts'

/** Largest detectable skew of text lines. */
const MAX_DEGREES = 24
const COARSE_STEP = 1
const FINE_STEP = 0.25
/** Difference from the left neighbour that makes a pixel an edge. */
const EDGE = 40
const MAX_EDGES = 30_000
const MIN_EDGES = 200
/** Minimum sharpness of the rows relative to other angles. */
const MIN_SHARPNESS = 1.6

/**
 * Skew of text lines in degrees, clockwise, found at the angle where edges form rows; 0 when there are no rows, or
 * level ones.
 * @param picture about 600 pixels wide: a line of text is then a few rows high.
 */
function findSkew(picture: GreyPicture): number {
  const edges = findEdges(picture)
  if (edges.length < MIN_EDGES * 2) return 0
  const sharpness = (degrees: number) => rowSharpness(edges, picture, degrees)
  const coarse = range(-MAX_DEGREES, MAX_DEGREES, COARSE_STEP).map((degrees) => ({
    degrees,
    value: sharpness(degrees),
  }))
  const middle = coarse.map(({ value }) => value).sort((a, b) => a - b)[coarse.length >> 1] as number
  const best = highest(coarse)
  if (best.value < middle * MIN_SHARPNESS) return 0
  const fine = range(best.degrees - COARSE_STEP, best.degrees + COARSE_STEP, FINE_STEP)
  return highest(fine.map((degrees) => ({ degrees, value: sharpness(degrees) }))).degrees
}

function range(from: number, to: number, step: number): number[] {
  return Array.from({ length: Math.round((to - from) / step) + 1 }, (_, index) => from + index * step)
}

function highest<Scored extends { value: number }>(scored: Scored[]): Scored {
  return scored.reduce((best, one) => (one.value > best.value ? one : best))
}

/** Alternating x and y of edges in pixels. */
function findEdges({ width, height, data }: GreyPicture): Float32Array {
  const coordinates: number[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const index = y * width + x
      if (Math.abs((data[index] as number) - (data[index - 1] as number)) > EDGE) coordinates.push(x, y)
    }
  }
  // sampled evenly, in pairs
  const step = Math.max(1, Math.ceil(coordinates.length / 2 / MAX_EDGES))
  const sampled = new Float32Array(2 * Math.ceil(coordinates.length / 2 / step))
  for (let from = 0, to = 0; from < coordinates.length; from += 2 * step, to += 2) {
    sampled[to] = coordinates[from] as number
    sampled[to + 1] = coordinates[from + 1] as number
  }
  return sampled
}

/** Difference between neighbouring rows at an angle. */
function rowSharpness(edges: Float32Array, { width, height }: GreyPicture, degrees: number): number {
  const radians = (degrees * Math.PI) / 180
  const [cosine, sine] = [Math.cos(radians), Math.sin(radians)]
  const shift = Math.ceil(width * Math.abs(sine)) + 1
  const rows = new Uint32Array(height + 2 * shift + 2)
  for (let index = 0; index < edges.length; index += 2) {
    const row = Math.round((edges[index + 1] as number) * cosine - (edges[index] as number) * sine) + shift
    rows[row] = (rows[row] as number) + 1
  }
  let sum = 0
  for (let row = 1; row < rows.length; row++) sum += ((rows[row] as number) - (rows[row - 1] as number)) ** 2
  return sum
}

/** Mean confidence from which no other variant is tried. */
const GOOD_CONFIDENCE = 60
/** Minimum mean confidence of upside-down text, which is read as nonsense; textures have less. */
const MIN_UPSIDE_DOWN_CONFIDENCE = 40
/** Text with a smaller skew is read well without levelling. */
const MIN_SKEW_DEGREES = 1
const SKEW_LONGEST_SIDE = 900
/** Pictures from this size on may have grain that disappears at half the size. */
const LARGE_SIDE = 1_600
const FIRST_LIMIT_MS = 60_000
const OTHER_LIMIT_MS = 8_000
/** Time after which no further variant is read. */
const MAX_MS = 12_000

/** A variant of the picture to read. */
interface Variant {
  picture: GreyPicture
  scale: number
  turnedByDegrees: number
}

interface Reading extends ChosenWords {
  variant: Variant
  foundCount: number
}

/** The engine hit its time limit. */
class TooSlowError extends Error {
  readonly code = 'too_slow'
}

async function readVariant(
  engine: OcrEngine,
  variant: Variant,
  options: { data: OcrData; limitMs: number },
): Promise<Reading | null> {
  const words = await engine.recognise(variant.picture, options)
  return words && { ...chooseWords(words), variant, foundCount: words.length }
}

const isGood = (reading: Reading) => reading.sureCharacters > 0 && reading.meanConfidence >= GOOD_CONFIDENCE
const isLikeLetters = (reading: Reading) =>
  reading.foundCount >= 3 && reading.meanConfidence >= MIN_UPSIDE_DOWN_CONFIDENCE

/** Variants that help with pictures that aren't read well as they are, the most likely first. */
async function* otherVariants(plain: Variant, level: Variant, first: Reading): AsyncGenerator<Variant> {
  // the engine detects text that is turned by 90°, but not by 180°
  if (isLikeLetters(first))
    yield { ...level, picture: rotate180(level.picture), turnedByDegrees: level.turnedByDegrees + 180 }
  if (level !== plain) yield plain
  const longest = Math.max(level.picture.width, level.picture.height)
  if (longest >= LARGE_SIDE) yield { ...level, picture: await shrink(level.picture, longest / 2), scale: 0.5 }
  yield { ...level, picture: await flattenBackground(level.picture) }
}

/**
 * Reads a page or other text on a plain background. Levelling is enough for nearly all pictures; other variants are tried until
 * something is read with confidence.
 */
export async function readPage(engine: OcrEngine, picture: GreyPicture, data: OcrData): Promise<ReadParagraph[]> {
  const startedAt = performance.now()
  const plain: Variant = { picture, scale: 1, turnedByDegrees: 0 }
  const skew = findSkew(await shrink(picture, SKEW_LONGEST_SIDE))
  const isLevel = Math.abs(skew) < MIN_SKEW_DEGREES
  const level = isLevel ? plain : { picture: await rotate(picture, -skew), scale: 1, turnedByDegrees: -skew }

  const first = await readVariant(engine, level, { data, limitMs: FIRST_LIMIT_MS })
  if (first === null) throw new TooSlowError('The engine took too long.')
  let best = first
  if (!isGood(first)) {
    for await (const variant of otherVariants(plain, level, first)) {
      const reading = await readVariant(engine, variant, { data, limitMs: OTHER_LIMIT_MS })
      if (reading && reading.sureCharacters > best.sureCharacters) best = reading
      if (isGood(best) || performance.now() - startedAt > MAX_MS) break
    }
  }
  if (best.words.length === 0) return []
  const { words, variant } = await rereadInItsLanguage(engine, best, data)
  const placedWords = placeWords(words, {
    width: picture.width,
    height: picture.height,
    read: variant.picture,
    ...variant,
  })
  return inParagraphs(words, placedWords)
}

/**
 * Reads again with the text's language first, if another was first: Tesseract reads accented letters of the later languages
 * as plain ones. English doesn't need it. Keeps the first reading when the second is clearly less confident.
 */
async function rereadInItsLanguage(engine: OcrEngine, reading: Reading, data: OcrData): Promise<Reading> {
  const language = guessLanguage(textOf(reading.words))
  if (language === null || language === 'en' || codeByLanguage[language] === data.codes[0]) return reading
  const code = codeByLanguage[language]
  const codes = [code, ...data.codes.filter((otherCode) => otherCode !== code)]
  const secondReading = await readVariant(engine, reading.variant, {
    data: { ...data, codes },
    limitMs: FIRST_LIMIT_MS,
  })
  return secondReading && secondReading.meanConfidence >= reading.meanConfidence - 5 ? secondReading : reading
}
