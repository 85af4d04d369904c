import { wholeWords } from '../../../lib/searched-form.ts'
import type { Passage } from '../chat-engine.ts'
import { guessLanguage, isTellingLanguage } from '../language/language.ts'

/** Part of a sentence's words that the passage must hold. */
const LEAST_SHARE = 0.25
/** Forms of a word mostly differ after these letters. */
const COMPARED_LETTERS = 5
const SHORTEST_WORD = 3

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * Checks if a passage can support a sentence: a cheap comparison of words that catches unrelated citations, but not
 * contradictions.
 *
 * A quarter of the sentence's words (without frequent ones and those of the file's name, by their first five letters)
 * must occur in the passage. When both are clearly in different languages, only the sentence's numbers must.
 */
export function supports(sentence: string, { source, text }: Passage): boolean {
  const name = contentWords(source.title)
  const said = contentWords(sentence)
  const known = contentWords(text)
  const rest = [...said].filter((word) => !name.has(word))
  if (rest.length === 0) return said.size > 0
  const isNumber = (word: string) => /^\p{N}/u.test(word)
  const shared = rest.filter((word) => known.has(word))
  const [saidIn, knownIn] = [guessLanguage(sentence), guessLanguage(text)]
  if (saidIn !== null && knownIn !== null && saidIn !== knownIn) {
    return rest.every((word) => !isNumber(word) || known.has(word))
  }
  return shared.length / rest.length >= LEAST_SHARE
}

/** The words of a text that say something, without accents, cut to what their forms have in common. */
function contentWords(text: string): Set<string> {
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(wholeWords(text))) {
    if (!isWordLike) continue
    // names of files hold words that no space parts
    for (const part of segment.split(/[._]/)) {
      const word = part
        .normalize('NFD')
        .replace(/\p{Mn}/gu, '')
        .toLowerCase()
      const isShort = word.length < SHORTEST_WORD && /^\p{Script=Latin}*$/u.test(word)
      if (word === '' || isShort || isTellingLanguage(word)) continue
      words.add(/^\p{N}/u.test(word) ? word : word.slice(0, COMPARED_LETTERS))
    }
  }
  return words
}
