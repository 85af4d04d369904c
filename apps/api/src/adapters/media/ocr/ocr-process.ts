// Reads text in pictures, in a process of its own: Tesseract's memory never shrinks, and a decoder may crash.
import type { ReadWord } from '@mira/shared'
import { guessLanguage } from '../../ai/language/language.ts'
import { serveTasks } from '../../process/serve-tasks.ts'
import { createOcrEngine, type OcrData } from './ocr-engine.ts'
import { flattenBackground, type GreyPicture, prepareForReading, shrink, turn, turnAround } from './ocr-picture.ts'
import { findSkew } from './ocr-skew.ts'
import { type ChosenWords, chooseWords, meanOf, placeWords, textOf } from './ocr-words.ts'

/** What one picture says. */
export interface OcrResult {
  text: string
  words: ReadWord[]
  /** 0 to 1; null when nothing was read. */
  confidence: number | null
  language: string | null
}

const NOTHING: OcrResult = { text: '', words: [], confidence: null, language: null }

/** Tesseract's codes of the languages whose data are there. */
const codeByLanguage = { en: 'eng', es: 'spa', fr: 'fra', de: 'deu' }

/** From this mean on nothing else is tried. */
const GOOD_CONFIDENCE = 60
/** What stands on its head is read as nonsense of this mean; textures have less. */
const LIKE_LETTERS = 40
/** Less is read well as it is. */
const LEAST_SKEW_DEGREES = 1
const SKEW_WIDTH = 900
/** No letter is lower, and what evens out the light needs a few rows. */
const LEAST_SIDE = 6
/** Pictures as large as this may have grain that half the size has not. */
const LARGE_SIDE = 1_600
const FIRST_LIMIT_MS = 60_000
const OTHER_LIMIT_MS = 8_000
/** No further way is begun after this. */
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

class ReadingProblem extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const engine = createOcrEngine()

async function readIn(way: Way, options: { data: OcrData; limitMs: number }): Promise<Pass | null> {
  const found = await engine.recognise(way.picture, options)
  return found && { ...chooseWords(found), way, foundCount: found.length }
}

const isGood = (pass: Pass) => pass.sureCharacters > 0 && pass.meanConfidence >= GOOD_CONFIDENCE
const isLikeLetters = (pass: Pass) => pass.foundCount >= 3 && pass.meanConfidence >= LIKE_LETTERS

/** Ways that help pictures which are not read well as they are, the most likely first. */
async function* otherWays(plain: Way, level: Way, first: Pass): AsyncGenerator<Way> {
  // a quarter turn is found by itself, a half one is not
  if (isLikeLetters(first))
    yield { ...level, picture: turnAround(level.picture), turnedByDegrees: level.turnedByDegrees + 180 }
  if (level !== plain) yield plain
  const longest = Math.max(level.picture.width, level.picture.height)
  if (longest >= LARGE_SIDE) yield { ...level, picture: await shrink(level.picture, longest / 2), scale: 0.5 }
  yield { ...level, picture: await flattenBackground(level.picture) }
}

/** Reads in the way that nearly every picture needs, and tries others while that gives nothing that is sure. */
async function read({ filename, data }: { filename: string; data: OcrData }): Promise<OcrResult> {
  const begun = performance.now()
  const picture = await prepareForReading(filename).catch((error: unknown) => {
    throw new ReadingProblem('damaged_image', error instanceof Error ? error.message : String(error))
  })
  if (Math.min(picture.width, picture.height) < LEAST_SIDE) return NOTHING
  const plain: Way = { picture, scale: 1, turnedByDegrees: 0 }
  const skew = findSkew(await shrink(picture, SKEW_WIDTH))
  const isLevel = Math.abs(skew) < LEAST_SKEW_DEGREES
  const level = isLevel ? plain : { picture: await turn(picture, -skew), scale: 1, turnedByDegrees: -skew }

  const first = await readIn(level, { data, limitMs: FIRST_LIMIT_MS })
  if (first === null) throw new ReadingProblem('too_slow', 'The engine did not come to an end.')
  let best = first
  if (!isGood(first)) {
    for await (const way of otherWays(plain, level, first)) {
      const pass = await readIn(way, { data, limitMs: OTHER_LIMIT_MS })
      if (pass && pass.sureCharacters > best.sureCharacters) best = pass
      if (isGood(best) || performance.now() - begun > LONG_MS) break
    }
  }
  if (best.words.length === 0) return NOTHING
  return present(await inItsLanguage(best, data), picture)
}

/**
 * Letters with accents are read as plain ones unless their language comes first: reads again when the text turns out to
 * be in a language other than the first one. English needs no such favour.
 */
async function inItsLanguage(pass: Pass, data: OcrData): Promise<Pass> {
  const language = guessLanguage(textOf(pass.words))
  if (language === null || language === 'en' || codeByLanguage[language] === data.codes[0]) return pass
  const code = codeByLanguage[language]
  const codes = [code, ...data.codes.filter((other) => other !== code)]
  const again = await readIn(pass.way, { data: { ...data, codes }, limitMs: FIRST_LIMIT_MS })
  return again && again.meanConfidence >= pass.meanConfidence - 5 ? again : pass
}

function present({ words, way }: Pass, { width, height }: GreyPicture): OcrResult {
  const text = textOf(words)
  return {
    text,
    words: placeWords(words, { width, height, read: way.picture, ...way }),
    confidence: Math.round(meanOf(words)) / 100,
    language: guessLanguage(text),
  }
}

const tasks = { read }

/** What this process can be asked for. */
export type OcrTasks = typeof tasks

serveTasks(tasks)
