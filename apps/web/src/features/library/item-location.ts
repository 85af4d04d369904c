import type { MediaDetailJson } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'

/** Location within an item, as given by links to it. */
export interface ItemLocation {
  /** Offset in a video or recording. */
  seconds: number | null
  /** Page number, from 1. */
  page: number | null
  frame: number | null
  /** Marked part of a picture: x, y, width and height, 0 to 1. */
  box: [number, number, number, number] | null
  /** Words to mark. */
  words: string
}

/** Parses the location: `?t=65.2`, `?page=3`, `?frame=4`, `?box=0.1,0.2,0.5,0.1`, `?q=words`; ignores invalid values. */
export function readItemLocation(parameters: URLSearchParams): ItemLocation {
  return {
    seconds: readNumber(parameters.get('t')),
    page: readInteger(parameters.get('page')),
    frame: readInteger(parameters.get('frame')),
    box: readBox(parameters.get('box')),
    words: cutText(parameters.get('q') ?? '', 1000),
  }
}

function readNumber(parameter: string | null): number | null {
  const value = parameter === null || parameter.trim() === '' ? Number.NaN : Number(parameter)
  return Number.isFinite(value) && value >= 0 ? value : null
}

function readBox(parameter: string | null): ItemLocation['box'] {
  const sides = (parameter ?? '').split(',').map(readNumber)
  const [x, y, width, height] = sides
  if (sides.length !== 4 || x == null || y == null || !width || !height) return null
  return x + width <= 1.001 && y + height <= 1.001 ? [x, y, width, height] : null
}

function readInteger(parameter: string | null): number | null {
  const value = readNumber(parameter)
  return value !== null && Number.isInteger(value) ? value : null
}

/** Part of a text: either a search word, or the text between two search words. */
interface MarkedPart {
  /** Offset in the text. */
  offset: number
  text: string
  isMarked: boolean
}

/** Finds words in a text, ignoring case: at the beginning of a word, or anywhere in scripts without spaces. */
export function markWords(text: string, words: string): MarkedPart[] {
  const pattern = wordsPattern(words)
  if (pattern === null) return [{ offset: 0, text, isMarked: false }]
  const parts: MarkedPart[] = []
  let end = 0
  for (const { index, 0: match } of text.matchAll(pattern)) {
    if (index > end) parts.push({ offset: end, text: text.slice(end, index), isMarked: false })
    parts.push({ offset: index, text: match, isMarked: true })
    end = index + match.length
  }
  if (end < text.length || parts.length === 0) parts.push({ offset: end, text: text.slice(end), isMarked: false })
  return parts
}

/** True when a text contains one of the words. */
export function hasWords(text: string, words: string): boolean {
  return markWords(text, words).some(({ isMarked }) => isMarked)
}

/**
 * Location in an item that contains the most different words; null when nothing matches. Among equals, the first counts: pages
 * take precedence over the transcript, and the transcript over frames.
 */
export function locationOfWords({ pages, segments, frames }: TextParts, words: string): Partial<ItemLocation> | null {
  const candidates: { text: string; location: Partial<ItemLocation> }[] = [
    ...pages.map(({ page, text }) => ({ text, location: { page } })),
    ...segments.map(({ start, text }) => ({ text, location: { seconds: start } })),
    ...frames.map(({ frame_number: frame, caption, extracted_text: extractedText }) => ({
      text: `${caption ?? ''} ${extractedText ?? ''}`,
      location: { frame },
    })),
  ]
  let best: Partial<ItemLocation> | null = null
  let maxCount = 0
  for (const { text, location } of candidates) {
    const marks = markWords(text, words).filter(({ isMarked }) => isMarked)
    const count = new Set(marks.map((part) => part.text.toLowerCase())).size
    if (count <= maxCount) continue
    maxCount = count
    best = location
  }
  return best
}

type TextParts = Pick<MediaDetailJson, 'pages' | 'segments' | 'frames'>

/** True for a word in a script without spaces between words; such a word matches anywhere in a text. */
const isUnspaced = (word: string) =>
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    word,
  )

function wordsPattern(words: string): RegExp | null {
  const singleWords = words.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu) ?? []
  if (singleWords.length === 0) return null
  // Longest first, so that the longer of two words with the same beginning is marked in full.
  const alternatives = [...new Set(singleWords)].sort((one, other) => other.length - one.length)
  const anywhere = alternatives.filter(isUnspaced)
  const atWordStart = alternatives.filter((word) => !isUnspaced(word))
  const patterns = [
    ...(anywhere.length > 0 ? [anywhere.join('|')] : []),
    ...(atWordStart.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${atWordStart.join('|')})`] : []),
  ]
  return new RegExp(patterns.join('|'), 'giu')
}
