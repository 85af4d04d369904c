import type { ReadText } from '../../../adapters/media/ocr/ocr.ts'
import type { Part } from '../processing.ts'

/** What stands on the screen for a while: the frame in which it was read, and until when. */
export interface FrameText {
  frameNumber: number
  startSeconds: number
  endSeconds: number
  found: ReadText
}

/** Two readings of one text have this part of their words in common. */
const SAME_WORDS = 0.75

/** Gathers what was read in frames, in order; the same text in frames that follow one another counts once. */
export function createFrameTexts() {
  const texts: {
    frameNumber: number
    startSeconds: number
    endSeconds: number | null
    found: ReadText
    words: Set<string>
  }[] = []
  return {
    add({ number: frameNumber, startSeconds }: Pick<Part, 'number' | 'startSeconds'>, found: ReadText): void {
      const start = startSeconds ?? 0
      const last = texts.at(-1)
      const isOpen = last !== undefined && last.endSeconds === null
      const words = wordsOf(found.text)
      if (isOpen && areSame(last.words, words)) {
        // the clearest reading is kept, where it was first seen
        if ((found.confidence ?? 0) > (last.found.confidence ?? 0)) Object.assign(last, { found, words })
        return
      }
      if (isOpen) last.endSeconds = start
      if (found.text !== '') texts.push({ frameNumber, startSeconds: start, endSeconds: null, found, words })
    },

    /** @param durationSeconds of the film: until then stands what stands in its last frame. */
    ranges(durationSeconds: number | null): FrameText[] {
      return texts.map(({ frameNumber, startSeconds, endSeconds, found }) => ({
        frameNumber,
        startSeconds,
        found,
        endSeconds: endSeconds ?? Math.max(startSeconds, durationSeconds ?? startSeconds),
      }))
    },
  }
}

function wordsOf(text: string): Set<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

function areSame(one: Set<string>, other: Set<string>): boolean {
  const common = [...one].filter((word) => other.has(word)).length
  const all = one.size + other.size - common
  return all > 0 && common / all >= SAME_WORDS
}
