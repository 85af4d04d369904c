import { isUnspaced, wordsOf } from './split-words.ts'

/** Fewer words of a text may stand in any other. */
const LEAST_WORDS = 5
const MOST_WORDS = 12
/** One word of so many is left out: what is asked stands nowhere as it is asked. */
const LEFT_OUT_OF = 3
/** The same of a script without spaces, in characters. */
const LEAST_CHARACTERS = 8
const MOST_CHARACTERS = 12
const SENTENCE_END = /(?=\s)(?<=[.!?…]["'”’»)]*)\s+|(?<=[。！？])|\n+/u
const OUTER_MARKS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}]+$/gu

/**
 * A part of one sentence of a text, by which a person who remembers some of it would look for it: every third word is left
 * out, of scripts without spaces the beginning. The same for the same text; null when it holds no sentence that is long
 * enough to be told from others.
 */
export function knownQuestionOf(text: string): string | null {
  const questions = text.split(SENTENCE_END).flatMap((sentence) => partOf(sentence) ?? [])
  // the first one often is a letterhead
  return questions[Math.floor(questions.length / 2)] ?? null
}

function partOf(sentence: string): string | null {
  if (isUnspaced(sentence)) {
    const characters = [...sentence.replace(/[^\p{L}\p{N}\p{M}]/gu, '')]
    if (characters.length < LEAST_CHARACTERS) return null
    const begin = Math.floor(characters.length / LEFT_OUT_OF)
    return characters.slice(begin, begin + MOST_CHARACTERS).join('')
  }
  const words = sentence.split(/\s+/).flatMap((word) => word.replace(OUTER_MARKS, '') || [])
  if (new Set(words.flatMap(wordsOf)).size < LEAST_WORDS) return null
  return words
    .slice(0, MOST_WORDS)
    .filter((_, at) => at % LEFT_OUT_OF !== LEFT_OUT_OF - 1)
    .join(' ')
}
