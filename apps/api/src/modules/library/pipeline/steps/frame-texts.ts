import type { ReadText } from '../../../../parsers/ocr/ocr.ts'
import type { Part } from '../step.ts'

/** Text on the screen, with the frame it was read in and its time range. */
export interface FrameText {
  frameNumber: number
  startSeconds: number
  endSeconds: number
  found: ReadText
}

/** Text of the last frame read, which may continue in the next one. */
export type OpenText = Omit<FrameText, 'endSeconds'>

/** Minimum share of common words in two readings of the same text. */
const MIN_COMMON_SHARE = 0.75

/**
 * Collects texts of frames in order; the same text in consecutive frames counts once.
 * @param previousText text of the previous frame; null for the first frame.
 */
export function createFrameTexts(previousText: OpenText | null = null) {
  const ended: FrameText[] = []
  let openText = previousText
  let words = wordsOf(previousText?.found.text ?? '')
  return {
    add({ number: frameNumber, startSeconds }: Pick<Part, 'number' | 'startSeconds'>, readText: ReadText): void {
      const start = startSeconds ?? 0
      const newWords = wordsOf(readText.text)
      if (openText !== null && areSame(words, newWords)) {
        // Keep the most confident reading, at its first frame.
        if ((readText.confidence ?? 0) > (openText.found.confidence ?? 0)) {
          openText = { ...openText, found: readText }
          words = newWords
        }
        return
      }
      if (openText !== null) ended.push({ ...openText, endSeconds: start })
      openText = readText.text === '' ? null : { frameNumber, startSeconds: start, found: readText }
      words = newWords
    },

    /** Texts that are no longer on the screen. */
    ended: (): FrameText[] => ended,

    /** Text in the last frame, to be continued in the next turn. */
    open: (): OpenText | null => openText,

    /** @param durationSeconds of the video, where the text of the last frame ends. */
    ranges(durationSeconds: number | null): FrameText[] {
      if (openText === null) return ended
      const endSeconds = Math.max(openText.startSeconds, durationSeconds ?? openText.startSeconds)
      return [...ended, { ...openText, endSeconds }]
    },
  }
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

function areSame(one: Set<string>, other: Set<string>): boolean {
  const common = [...one].filter((word) => other.has(word)).length
  const all = one.size + other.size - common
  return all > 0 && common / all >= MIN_COMMON_SHARE
}
