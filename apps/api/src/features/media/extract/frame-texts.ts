import type { ReadText } from '../../../adapters/media/ocr/ocr.ts'
import type { Part } from '../processing.ts'

/** What stands on the screen for a while: the frame in which it was read, and until when. */
export interface FrameText {
  frameNumber: number
  startSeconds: number
  endSeconds: number
  found: ReadText
}

/** A text that was read, open while it may stand in the next frame, too. */
export type KeptText = Omit<FrameText, 'endSeconds'> & { endSeconds: number | null }

/** Two readings of one text have this part of their words in common. */
const SAME_WORDS = 0.75

/**
 * Gathers what was read in frames, in order; the same text in frames that follow one another counts once.
 * @param before what was gathered in the frames before these.
 */
export function createFrameTexts(before: KeptText[] = []) {
  const texts = before.map((one) => ({ ...one, words: wordsOf(one.found.text) }))
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

    /** All of it, to go on with another time. */
    kept: (): KeptText[] => texts.map(({ words: _words, ...text }) => text),

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
