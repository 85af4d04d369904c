import type { LineLetter } from './line-recogniser.ts'

/** A word in a line. */
export interface LineWord {
  text: string
  /** Start and end as fractions of the line's length. */
  from: number
  to: number
  /** 0 to 100. */
  confidence: number
}

/** Tesseract's reading of a line in one expected language. */
export interface LineReading {
  code: string
  words: Pick<LineWord, 'text' | 'confidence'>[]
}

/** A line as read by both engines. */
interface ReadLine {
  /** By PaddleOCR. */
  letters: LineLetter[]
  readings: LineReading[]
}

/** Accented letters of each language; other accents are specks. */
const accentsByCode: Record<string, string> = {
  eng: 'é',
  spa: 'áéíóúüñ',
  fra: 'àâçéèêëîïôûùœæ',
  deu: 'äöüß',
}

/** Likeness below which Tesseract's reading is ignored, because it isn't of the same words. */
const MIN_LIKENESS = 0.5
/** Confidence from which Tesseract, which knows how words are spelled, is right about letters, too. */
const SURE = 88
/** Confidence from which Tesseract's accents aren't noise. */
const MIN_ACCENT_CONFIDENCE = 25
/** Minimum gain in likeness to read a line in another language than its neighbours. */
const MIN_LIKENESS_GAIN = 0.25
/** Bonus for the user's language, which is a little likelier. */
const EXPECTED_BONUS = 0.01
const SPACE_COST = 0.4
/** Confidence from which Tesseract's punctuation ends a line: PaddleOCR often misses the full stop. */
const MIN_END_CONFIDENCE = 60
/** Likeness from which both engines see the same letters, so Tesseract's accents count whatever their confidence. */
const VERY_LIKE = 0.85
/** Likeness from which a line needn't be rendered in another way. */
const ALIKE = 0.93
/** Weight of accents in the choice of the language: Tesseract reads them only in a language that has them. */
const ACCENT_WEIGHT = 0.15
/** Number of the language's own accented letters that a single foreign one outweighs. */
const FOREIGN_ACCENT_WEIGHT = 4
/** Distance from which letters have a space between them, relative to the median distance. */
const MIN_SPACE_DISTANCE = 1.4
/** The same when Tesseract sees a space: then the median distance is first scaled by the widths of the two letters. */
const MIN_SPACE_DISTANCE_BY_WIDTH = 1.1
const NARROW = 0.5
const BROAD = 1.4
/** Bonus for the language suggested by common words, which identify it better than confidence does. */
const GUESSED_BONUS = 0.08

/** Letters whose cases only differ in height. */
const SAME_SHAPE = /^[cosuvwxz]$/i
/** Confidence from which Tesseract's case of these letters counts. */
const MIN_CASE_CONFIDENCE = 60
/** Confidence below which PaddleOCR only guesses the case. */
const SURE_OF_CASE = 95

/** Letters without diacritics, as PaddleOCR reads them; it reads ß as B. */
export function plainOf(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').replace(/[ßẞ]/gu, 'b').toLowerCase()
}

/** Characters of PaddleOCR (`letter`) and Tesseract (`other`) at the same position; null where an engine read none. */
interface Pair {
  letter: LineLetter | null
  other: { text: string; confidence: number } | null
}

interface ComparedReading {
  code: string
  pairs: Pair[]
  likeness: number
  score: number
}

/** Language whose readings are most like PaddleOCR's, over all lines; null without readings. */
export function languageOf(
  lines: ReadLine[],
  { expected, guessed }: { expected?: string | undefined; guessed?: string | undefined } = {},
): string | null {
  const bonus = (code: string) => (code === expected ? EXPECTED_BONUS : 0) + (code === guessed ? GUESSED_BONUS : 0)
  const sums = new Map<string, number>()
  for (const { letters, readings } of lines) {
    const best = new Map<string, number>()
    for (const reading of readings) {
      const accentShare = (ACCENT_WEIGHT * accentsIn(reading)) / Math.max(1, letters.length)
      const score = compare(letters, reading).score + accentShare + bonus(reading.code)
      best.set(reading.code, Math.max(score, best.get(reading.code) ?? 0))
    }
    for (const [code, score] of best) sums.set(code, (sums.get(code) ?? 0) + score * Math.max(1, letters.length))
  }
  return [...sums].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? null
}

/**
 * Merges the readings of a line: letters from PaddleOCR, which sees them on any background, and accents, missing spaces
 * and confident words from Tesseract.
 */
export function mergeReadings({ letters, readings }: ReadLine, language: string | null): LineWord[] {
  const best = bestOf(
    letters,
    readings.filter(({ code }) => code === language),
  )
  const other = bestOf(letters, readings)
  const choice = best && other && other.likeness > best.likeness + MIN_LIKENESS_GAIN ? other : best
  return withoutSpecks(wordsOf(choice === undefined || choice.likeness < MIN_LIKENESS ? letters : mergePairs(choice)))
}

/** Drops isolated low-confidence characters at the ends: parts of neighbouring lines, or specks. */
function withoutSpecks(words: LineWord[]): LineWord[] {
  const isWord = ({ text, confidence }: LineWord) => isLetter(text) || confidence >= SURE
  return words.slice(words.findIndex(isWord), words.findLastIndex(isWord) + 1)
}

/** Number of a reading's accented letters that its language has, minus a multiple of the others. */
function accentsIn({ code, words }: LineReading): number {
  const accents = accentsByCode[code] ?? ''
  const marked = [...words.map(({ text }) => text.toLowerCase()).join('')].filter((one) => plainOf(one) !== one)
  return marked.reduce((sum, one) => sum + (accents.includes(one) ? 1 : -FOREIGN_ACCENT_WEIGHT), 0)
}

function bestOf(letters: LineLetter[], readings: LineReading[]): ComparedReading | undefined {
  return readings.map((reading) => compare(letters, reading)).toSorted((one, other) => other.score - one.score)[0]
}

function compare(letters: LineLetter[], { code, words }: LineReading): ComparedReading {
  const others = words.flatMap(({ text, confidence }, index) => {
    const characters = [...text].map((character) => ({ text: character, confidence }))
    return index === 0 ? characters : [{ text: ' ', confidence }, ...characters]
  })
  const { pairs, cost } = align(letters, others)
  const likeness = 1 - cost / Math.max(1, letters.length, others.length)
  const mean = others.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, others.length)
  return { code, pairs, likeness, score: likeness * (0.6 + mean / 250) }
}

/** Aligns the characters of both engines with the fewest differences. */
function align(letters: LineLetter[], others: NonNullable<Pair['other']>[]): { pairs: Pair[]; cost: number } {
  const columns = others.length + 1
  const costs = new Float32Array((letters.length + 1) * columns)
  const [plainLetters, plainOthers] = [letters, others].map((list) => list.map(({ text }) => plainOf(text)))
  const gapCost = (text: string | undefined) => (text === ' ' ? SPACE_COST : 1)
  const differ = (row: number, column: number) => {
    const [one, other] = [plainLetters?.[row], plainOthers?.[column]]
    if (one === other) return 0
    // a mark in a space is a speck
    return (one === ' ' && isLetter(other ?? '')) || (other === ' ' && isLetter(one ?? '')) ? 1.5 : 1
  }
  const at = (row: number, column: number) => costs[row * columns + column] as number
  for (let row = 0; row <= letters.length; row++) {
    for (let column = 0; column <= others.length; column++) {
      if (row === 0 && column === 0) continue
      const ways = [
        row > 0 ? at(row - 1, column) + gapCost(plainLetters?.[row - 1]) : Infinity,
        column > 0 ? at(row, column - 1) + gapCost(plainOthers?.[column - 1]) : Infinity,
        row > 0 && column > 0 ? at(row - 1, column - 1) + differ(row - 1, column - 1) : Infinity,
      ]
      costs[row * columns + column] = Math.min(...ways)
    }
  }
  const pairs: Pair[] = []
  let [row, column] = [letters.length, others.length]
  const isNear = (one: number, other: number) => Math.abs(one - other) < 1e-4
  while (row > 0 || column > 0) {
    const here = at(row, column)
    if (row > 0 && column > 0 && isNear(here, at(row - 1, column - 1) + differ(row - 1, column - 1))) {
      pairs.push({ letter: letters[--row] ?? null, other: others[--column] ?? null })
    } else if (row > 0 && isNear(here, at(row - 1, column) + gapCost(plainLetters?.[row - 1]))) {
      pairs.push({ letter: letters[--row] ?? null, other: null })
    } else {
      pairs.push({ letter: null, other: others[--column] ?? null })
    }
  }
  return { pairs: pairs.reverse(), cost: at(letters.length, others.length) }
}

const isEqual = (pair: Pair | undefined) =>
  pair?.letter != null && pair.other !== null && plainOf(pair.letter.text) === plainOf(pair.other.text)
const isLetter = (text: string) => /[\p{L}\p{N}]/u.test(text)

function mergePairs({ code, pairs, likeness }: ComparedReading): LineLetter[] {
  const minConfidence = likeness >= VERY_LIKE ? 0 : MIN_ACCENT_CONFIDENCE
  const gap = usualGap(pairs.flatMap(({ letter }) => letter ?? []))
  const cases = casesOf(pairs)
  const joined: LineLetter[] = []
  for (const [index, { letter, other }] of pairs.entries()) {
    if (letter === null) {
      const added = other === null ? null : addedText(other, { before: pairs[index - 1], after: pairs[index + 1], gap })
      if (added === null || other === null) continue
      const before = joined.at(-1)?.centre ?? 0
      const after = pairs.slice(index).find((pair) => pair.letter !== null)?.letter?.centre ?? 1
      joined.push({ text: added, centre: (before + after) / 2, confidence: other.confidence })
    } else if (other === null) {
      const isLeftOut = letter.text !== ' ' && isSureAround(pairs, index)
      if (!isLeftOut) joined.push(letter)
    } else if (plainOf(letter.text) === plainOf(other.text)) {
      const isSeen = other.confidence >= minConfidence
      const text = isSeen ? withAccent(letter.text, other.text, code) : letter.text
      joined.push({ ...letter, text: cases.get(letter)?.(text) ?? text })
    } else {
      joined.push({ ...letter, text: prefersTesseract(letter, other) ? other.text : letter.text })
    }
  }
  return joined
}

const isUpper = (text: string) => text !== text.toLowerCase()
const isCased = (text: string) => text.toLowerCase() !== text.toUpperCase()

/**
 * Tesseract's case for letters that look alike in both cases, which it measures against their line. It counts when both
 * engines agree on the case of the word's other letters, and the letter matches theirs or PaddleOCR is unsure.
 */
function casesOf(pairs: Pair[]): Map<LineLetter, (text: string) => string> {
  const cases = new Map<LineLetter, (text: string) => string>()
  let word: { letter: LineLetter; other: NonNullable<Pair['other']> }[] = []
  const finishWord = () => {
    const clear = word.filter(({ letter }) => !SAME_SHAPE.test(letter.text))
    const isAgreed = clear.every(({ letter, other }) => isUpper(letter.text) === isUpper(other.text))
    for (const { letter, other } of word.filter((one) => isAgreed && !clear.includes(one))) {
      const isLikeOthers = clear.length > 0 && clear.every((one) => isUpper(one.other.text) === isUpper(other.text))
      const min = clear.length > 0 ? MIN_CASE_CONFIDENCE : letter.confidence
      if (other.confidence < min || !(isLikeOthers || letter.confidence < SURE_OF_CASE)) continue
      cases.set(letter, (text) => (isUpper(other.text) ? text.toUpperCase() : text.toLowerCase()))
    }
    word = []
  }
  for (const { letter, other } of pairs) {
    if (letter?.text === ' ' || other?.text === ' ') finishWord()
    else if (letter && other && isCased(letter.text) && plainOf(letter.text) === plainOf(other.text)) {
      word.push({ letter, other })
    }
  }
  finishWord()
  return cases
}

/** Text to add from Tesseract alone, such as a missing space; null for specks that look like punctuation. */
function addedText(
  other: NonNullable<Pair['other']>,
  { before, after, gap }: { before: Pair | undefined; after: Pair | undefined; gap: number },
): string | null {
  if (isLetter(other.text)) return other.confidence >= SURE ? other.text : null
  if (after === undefined && other.confidence >= MIN_END_CONFIDENCE && /[.!?,;:)]/.test(other.text)) return other.text
  if (before?.letter == null || after?.letter == null) return null
  if (other.text === ' ') {
    const isSeen = isEqual(before) && (isEqual(after) || other.confidence >= 60)
    return isSeen && areSpaced(before.letter, after.letter, gap) ? ' ' : null
  }
  const isSpaced = after.letter.centre - before.letter.centre > MIN_SPACE_DISTANCE * gap
  if (isSpaced && isEqual(before) && isEqual(after)) return ' '
  return other.confidence >= SURE ? other.text : null
}

/** True when two letters are further apart than within a word. Tesseract sees spaces next to slanting letters, too. */
function areSpaced(before: LineLetter, after: LineLetter, gap: number): boolean {
  const widthOf = ({ text }: LineLetter) => (/[ijlIt1.,:;'’!|]/.test(text) ? NARROW : /[mwMW]/.test(text) ? BROAD : 1)
  return after.centre - before.centre > (MIN_SPACE_DISTANCE_BY_WIDTH * gap * (widthOf(before) + widthOf(after))) / 2
}

/** Median distance between neighbouring letters. */
function usualGap(letters: LineLetter[]): number {
  const gaps = letters.slice(1).map(({ centre }, index) => centre - (letters[index] as LineLetter).centre)
  return gaps.toSorted((one, other) => one - other)[Math.max(0, gaps.length - 1) >> 1] ?? 1
}

/** True when Tesseract's character is used instead of PaddleOCR's, from which it differs. */
function prefersTesseract(letter: LineLetter, other: NonNullable<Pair['other']>): boolean {
  if (other.confidence >= SURE) return true
  if (letter.text === '.' && other.text === ',') return true
  return other.text === ' ' && !isLetter(letter.text) && letter.confidence < SURE
}

/** True when Tesseract is sure of the characters on both sides of one that only PaddleOCR read. */
function isSureAround(pairs: Pair[], index: number): boolean {
  const sure = (pair: Pair | undefined) => pair === undefined || (pair.other !== null && pair.other.confidence >= SURE)
  const before = pairs[index - 1]
  const after = pairs[index + 1]
  return (before !== undefined || after !== undefined) && sure(before) && sure(after)
}

/** PaddleOCR's letter with Tesseract's accent, if the language has it, in PaddleOCR's case. */
function withAccent(reading: string, other: string, code: string): string {
  if (!accentsByCode[code]?.includes(other.toLowerCase())) return reading
  if (reading.normalize('NFD').length >= other.normalize('NFD').length && !/[ßẞ]/u.test(other)) return reading
  if (/[ßẞ]/u.test(other)) return other
  return reading === reading.toLowerCase() ? other.toLowerCase() : other.toUpperCase()
}

/** Words between spaces. */
function wordsOf(letters: LineLetter[]): LineWord[] {
  const words: LineWord[] = []
  let current: LineLetter[] = []
  const finishWord = () => {
    const [first, last] = [current[0], current.at(-1)]
    if (first && last) {
      const half = current.length === 1 ? 0.02 : (last.centre - first.centre) / (current.length - 1) / 2
      const confidence = current.reduce((sum, letter) => sum + letter.confidence, 0) / current.length
      const text = current.map((letter) => letter.text).join('')
      words.push({ text, from: Math.max(0, first.centre - half), to: Math.min(1, last.centre + half), confidence })
    }
    current = []
  }
  for (const letter of letters) {
    if (letter.text.trim() === '') finishWord()
    else current.push(letter)
  }
  finishWord()
  return words
}

/** True when a reading has the same letters, so that the line needn't be rendered in another way. */
export function isReadAlike({ letters, readings }: ReadLine): boolean {
  return readings.some((reading) => compare(letters, reading).likeness >= ALIKE)
}
