import type { Box, ReadWord } from '@mira/shared'
import type { Ocr, ReadText } from '../../../../parsers/ocr/ocr.ts'
import { type Sentence, say } from '../../../../sentences.ts'
import type { NewMoment } from '../step.ts'

export type Reader = ReturnType<typeof createReader>

const NO_OCR = say('nothing_reads', {})
/** Below this confidence, a reading is noise rather than text. */
const MIN_CONFIDENCE = 0.3
const MIN_LETTERS = 2
/** Paragraphs shorter than this are joined with the next one. */
const JOINED_CHARACTERS = 200

/** Reader of the text in pictures. */
export function createReader(ocr: Ocr) {
  return {
    engine: ocr.engine,
    get model(): string {
      return ocr.model
    },

    /** Reason shown to the user when nothing can be read; null when it can. */
    reasonOff(): Sentence | null {
      const { state, reason, told = [] } = ocr.check()
      if (state !== 'off') return null
      return reason === undefined ? NO_OCR : { text: reason, sentences: told }
    },

    /**
     * Reads a picture of any format and orientation; '' when there's hardly any text.
     * @param language ISO 639-1 code of the expected language.
     * @throws what `Ocr.read` throws.
     */
    async readPicture(filename: string, signal: AbortSignal, language?: string): Promise<ReadText> {
      const reading = await ocr.read(filename, { signal, ...(language ? { languages: [language] } : {}) })
      return isText(reading) ? reading : { text: '', words: [], confidence: null, language: null }
    },
  }
}

function isText({ text, confidence }: ReadText): boolean {
  const letters = text.replace(/[^\p{L}\p{N}]/gu, '').length
  return letters >= MIN_LETTERS && (confidence ?? 1) >= MIN_CONFIDENCE
}

/** Location in an item. */
type MomentLocation = Pick<NewMoment, 'frameNumber' | 'page' | 'startSeconds'>

/** A reading as moments: paragraphs, short ones joined, each with the bounding box of its words. */
export function momentsOfRead(
  { text, words, confidence, language }: ReadText,
  origin: { engine: NewMoment['engine']; model: string | null },
  location: MomentLocation = {},
): NewMoment[] {
  const paragraphs = joinShort(text.split(/\n\s*\n/).map((paragraph) => paragraph.trim()))
  const wordCounts = paragraphs.map((paragraph) => paragraph.split(/\s+/).length)
  // Words are assigned to paragraphs by counting, if text and words agree on their number.
  const isCountable = wordCounts.reduce((sum, count) => sum + count, 0) === words.length
  let next = 0
  return paragraphs.map((body, index) => {
    const from = next
    next += wordCounts[index] ?? 0
    const box = boxAround(isCountable ? words.slice(from, next) : words)
    return { kind: 'text', body, ...location, ...(box ? { box } : {}), ...origin, language, confidence }
  })
}

function joinShort(paragraphs: string[]): string[] {
  const joined: string[] = []
  for (const paragraph of paragraphs.filter(Boolean)) {
    const last = joined.at(-1)
    if (last !== undefined && last.length < JOINED_CHARACTERS) joined[joined.length - 1] = `${last}\n\n${paragraph}`
    else joined.push(paragraph)
  }
  return joined
}

function boxAround(words: ReadWord[]): Box | null {
  if (words.length === 0) return null
  const left = Math.min(...words.map(({ box }) => box[0]))
  const top = Math.min(...words.map(({ box }) => box[1]))
  const right = Math.max(...words.map(({ box }) => box[0] + box[2]))
  const bottom = Math.max(...words.map(({ box }) => box[1] + box[3]))
  return [left, top, right - left, bottom - top]
}
