import type { ReadWord } from '@mira/shared'

/** Tesseract's word: box in pixels of its input, confidence from 0 to 100. */
export interface OcrWord {
  text: string
  left: number
  top: number
  width: number
  height: number
  confidence: number
  /** Equal for words of the same line; likewise `paragraph`. */
  line: string
  paragraph: string
}

/** Words that probably aren't noise, with their confidence. */
export interface ChosenWords {
  words: OcrWord[]
  /** Mean confidence of all words that were found, 0 to 100. */
  meanConfidence: number
  /** Letters and digits in confident words. */
  sureCharacters: number
}

/** Confidence from which a word is sure. */
const SURE = 60
/** Confidence below which anything is noise. */
const NOISE = 30
/** Mean confidence below which a page is mostly noise: a texture with perhaps some text. */
const NOISY_PAGE = 50
const SURE_IN_NOISE = 75
/** Fewer confident characters count as none: photos without text yield two or three letters by chance. */
const MIN_SURE_CHARACTERS = 3

const COLUMNS = 12
const WORD_LEVEL = '5'

/** Reads Tesseract's table (TSV). */
export function parseOcrWords(table: string): OcrWord[] {
  return table.split('\n').flatMap((row) => {
    const columns = row.split('\t')
    const [level, , block, paragraph, line, , left, top, width, height, confidence, text] = columns
    if (level !== WORD_LEVEL || columns.length !== COLUMNS || !text?.trim()) return []
    return {
      text: text.trim(),
      left: Number(left),
      top: Number(top),
      width: Number(width),
      height: Number(height),
      confidence: Number(confidence),
      line: `${block}.${paragraph}.${line}`,
      paragraph: `${block}.${paragraph}`,
    }
  })
}

const charactersIn = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0
const isSure = (word: OcrWord) => word.confidence >= SURE && charactersIn(word.text) > 0
/** True for a word that proves its line real: single letters turn up in any texture, and among noise a few look like a word. */
const provesLine = (word: OcrWord, isNoisy: boolean) =>
  isNoisy
    ? word.confidence >= SURE_IN_NOISE && charactersIn(word.text) >= 4
    : isSure(word) && charactersIn(word.text) >= 2

/** Drops noise: words of low confidence, and lines without a confident word. */
export function chooseWords(allWords: OcrWord[]): ChosenWords {
  const meanConfidence = meanOf(allWords)
  const isNoisy = meanConfidence < NOISY_PAGE
  const provenLines = new Set(allWords.filter((word) => provesLine(word, isNoisy)).map(({ line }) => line))
  const isKept = (word: OcrWord) => word.confidence >= (charactersIn(word.text) > 0 ? NOISE : SURE)
  const words = allWords.filter((word) => provenLines.has(word.line) && isKept(word))
  const sureCharacters = words.filter(isSure).reduce((sum, { text }) => sum + charactersIn(text), 0)
  if (sureCharacters < MIN_SURE_CHARACTERS) return { words: [], meanConfidence, sureCharacters: 0 }
  return { words, meanConfidence, sureCharacters }
}

/** Mean confidence of words, weighted by length; 0 when there are none. */
function meanOf(words: OcrWord[]): number {
  const letters = words.reduce((sum, { text }) => sum + text.length, 0)
  return letters === 0 ? 0 : words.reduce((sum, { text, confidence }) => sum + confidence * text.length, 0) / letters
}

/** Lines, with an empty line between paragraphs. */
export function textOf(words: OcrWord[]): string {
  let text = ''
  let before: OcrWord | undefined
  for (const word of words) {
    if (before) text += before.paragraph !== word.paragraph ? '\n\n' : before.line !== word.line ? '\n' : ' '
    text += word.text
    before = word
  }
  return text
}

/** Lines of words, with boxes in the picture. */
export type ReadParagraph = ReadWord[][]

/** Groups words by their lines and paragraphs. @param placed the same words in the same order */
export function inParagraphs(words: OcrWord[], placed: ReadWord[]): ReadParagraph[] {
  const paragraphs: ReadParagraph[] = []
  for (const [index, word] of placed.entries()) {
    const [current, previous] = [words[index] as OcrWord, words[index - 1]]
    if (current.paragraph !== previous?.paragraph) paragraphs.push([])
    if (current.line !== previous?.line) paragraphs.at(-1)?.push([])
    paragraphs.at(-1)?.at(-1)?.push(word)
  }
  return paragraphs
}

/** Transformation from the original picture to the one that was read: scaled, then rotated about its centre. */
interface ReadPicture {
  width: number
  height: number
  read: { width: number; height: number }
  scale: number
  /** Clockwise. */
  turnedByDegrees: number
}

/** Words with their boxes in the original picture. */
export function placeWords(words: OcrWord[], picture: ReadPicture): ReadWord[] {
  return words.map((word) => ({
    text: word.text,
    box: boxOf(word, picture),
    confidence: Math.round(word.confidence) / 100,
  }))
}

function boxOf(word: OcrWord, { width, height, read, scale, turnedByDegrees }: ReadPicture): ReadWord['box'] {
  const back = (-turnedByDegrees * Math.PI) / 180
  const [cosine, sine] = [Math.cos(back), Math.sin(back)]
  const corners = [0, 1, 2, 3].map((corner) => {
    const x = (word.left + (corner % 2) * word.width - read.width / 2) / scale
    const y = (word.top + (corner >> 1) * word.height - read.height / 2) / scale
    return [x * cosine - y * sine + width / 2, x * sine + y * cosine + height / 2] as const
  })
  const xs = corners.map(([x]) => portion(x, width))
  const ys = corners.map(([, y]) => portion(y, height))
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return [left, top, round(Math.max(...xs) - left), round(Math.max(...ys) - top)]
}

/** Position as a fraction of a length, 0 to 1. */
const portion = (value: number, length: number) => round(Math.min(1, Math.max(0, value / length)))
/** Finer than a pixel of any picture that is read. */
const round = (value: number) => Math.round(value * 100_000) / 100_000
