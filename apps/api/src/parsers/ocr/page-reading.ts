import { guessLanguage } from '../../offline/language/language.ts'
import { codeByLanguage } from './ocr.ts'
import type { OcrData, OcrEngine } from './ocr-engine.ts'
import { flattenBackground, type GreyPicture, shrink, turn, turnAround } from './ocr-picture.ts'
import { type ChosenWords, chooseWords, inParagraphs, placeWords, type ReadParagraph, textOf } from './ocr-words.ts'

/** Largest detectable skew of text lines. */
const MAX_DEGREES = 24
const COARSE_STEP = 1
const FINE_STEP = 0.25
/** A pixel that differs so much from its neighbour at the side is the edge of something. */
const EDGE = 40
const MAX_EDGES = 30_000
const FEWEST_EDGES = 200
/** Minimum sharpness of the rows relative to other angles. */
const MIN_SHARPNESS = 1.6

/**
 * Skew of text lines in degrees, clockwise, found at the angle where edges form rows; 0 when there are no rows, or
 * level ones.
 * @param picture about 600 pixels wide: a line of text is then a few rows high.
 */
function findSkew(picture: GreyPicture): number {
  const edges = findEdges(picture)
  if (edges.length < FEWEST_EDGES * 2) return 0
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

/** Alternating x and y of corners in pixels. */
function findEdges({ width, height, data }: GreyPicture): Float32Array {
  const places: number[] = []
  for (let y = 0; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const index = y * width + x
      if (Math.abs((data[index] as number) - (data[index - 1] as number)) > EDGE) places.push(x, y)
    }
  }
  // evenly fewer, in pairs
  const step = Math.max(1, Math.ceil(places.length / 2 / MAX_EDGES))
  const sampled = new Float32Array(2 * Math.ceil(places.length / 2 / step))
  for (let from = 0, to = 0; from < places.length; from += 2 * step, to += 2) {
    sampled[to] = places[from] as number
    sampled[to + 1] = places[from + 1] as number
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

/** From this mean on nothing else is tried. */
const GOOD_CONFIDENCE = 60
/** Mean confidence of upside-down text read as nonsense; textures have less. */
const LIKE_LETTERS = 40
/** Less is read well as it is. */
const MIN_SKEW_DEGREES = 1
const SKEW_WIDTH = 900
/** Pictures as large as this may have grain that half the size has not. */
const LARGE_SIDE = 1_600
const FIRST_LIMIT_MS = 60_000
const OTHER_LIMIT_MS = 8_000
/** No further attempt starts after this. */
const LONG_MS = 12_000

/** A way to read a picture. */
interface Way {
  picture: GreyPicture
  scale: number
  turnedByDegrees: number
}

interface Pass extends ChosenWords {
  way: Way
  foundCount: number
}

/** The engine did not come to an end. */
class TooSlowError extends Error {
  readonly code = 'too_slow'
}

async function readIn(engine: OcrEngine, way: Way, options: { data: OcrData; limitMs: number }): Promise<Pass | null> {
  const words = await engine.recognise(way.picture, options)
  return words && { ...chooseWords(words), way, foundCount: words.length }
}

const isGood = (pass: Pass) => pass.sureCharacters > 0 && pass.meanConfidence >= GOOD_CONFIDENCE
const isLikeLetters = (pass: Pass) => pass.foundCount >= 3 && pass.meanConfidence >= LIKE_LETTERS

/** Ways that help pictures which are not read well as they are, the most likely first. */
async function* otherWays(plain: Way, level: Way, first: Pass): AsyncGenerator<Way> {
  // the engine detects quarter turns, but not half ones
  if (isLikeLetters(first))
    yield { ...level, picture: turnAround(level.picture), turnedByDegrees: level.turnedByDegrees + 180 }
  if (level !== plain) yield plain
  const longest = Math.max(level.picture.width, level.picture.height)
  if (longest >= LARGE_SIDE) yield { ...level, picture: await shrink(level.picture, longest / 2), scale: 0.5 }
  yield { ...level, picture: await flattenBackground(level.picture) }
}

/**
 * Reads a page, or whatever has text on a calm ground, in the way that nearly every one needs, and tries others while that
 * gives nothing that is sure.
 */
export async function readPage(engine: OcrEngine, picture: GreyPicture, data: OcrData): Promise<ReadParagraph[]> {
  const startedAt = performance.now()
  const plain: Way = { picture, scale: 1, turnedByDegrees: 0 }
  const skew = findSkew(await shrink(picture, SKEW_WIDTH))
  const isLevel = Math.abs(skew) < MIN_SKEW_DEGREES
  const level = isLevel ? plain : { picture: await turn(picture, -skew), scale: 1, turnedByDegrees: -skew }

  const first = await readIn(engine, level, { data, limitMs: FIRST_LIMIT_MS })
  if (first === null) throw new TooSlowError('The engine did not come to an end.')
  let best = first
  if (!isGood(first)) {
    for await (const way of otherWays(plain, level, first)) {
      const pass = await readIn(engine, way, { data, limitMs: OTHER_LIMIT_MS })
      if (pass && pass.sureCharacters > best.sureCharacters) best = pass
      if (isGood(best) || performance.now() - startedAt > LONG_MS) break
    }
  }
  if (best.words.length === 0) return []
  const { words, way } = await inItsLanguage(engine, best, data)
  const placed = placeWords(words, { width: picture.width, height: picture.height, read: way.picture, ...way })
  return inParagraphs(words, placed)
}

/**
 * Letters with accents are read as plain ones unless their language comes first: reads again when the text turns out to
 * be in a language other than the first one. English needs no such favour.
 */
async function inItsLanguage(engine: OcrEngine, pass: Pass, data: OcrData): Promise<Pass> {
  const language = guessLanguage(textOf(pass.words))
  if (language === null || language === 'en' || codeByLanguage[language] === data.codes[0]) return pass
  const code = codeByLanguage[language]
  const codes = [code, ...data.codes.filter((otherCode) => otherCode !== code)]
  const again = await readIn(engine, pass.way, { data: { ...data, codes }, limitMs: FIRST_LIMIT_MS })
  return again && again.meanConfidence >= pass.meanConfidence - 5 ? again : pass
}
