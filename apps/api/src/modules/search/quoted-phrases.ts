import { wholeWords } from '../../platform/lib/searched-form.ts'
import type { Stems } from './indexing/stems.store.ts'
import type { Condition } from './scope.ts'
import { askedWordsOf, isUnspaced } from './split-words.ts'
import { tsqueryOf } from './terms.ts'

// What stands in quotes is found letter by letter, once by the database and once in what it found: both as a person means it, its
// words with any space between them, not in the middle of others.

/** Condition on a text: it holds a phrase. Without words to ask the index for, letters are looked up as they are written. */
export function phraseConditionOf(phrase: string, stemsOf: (word: string) => Stems): Condition {
  const whole = wholeWords(phrase)
  const tsquery = phraseQueryOf(whole, stemsOf)
  return { tsquery, pattern: patternOf(tsquery === null ? phrase : whole) }
}

/** Words of a phrase as the index has them, so that few texts are read letter by letter; null when it has none. */
export function phraseQueryOf(phrase: string, stemsOf: (word: string) => Stems): string | null {
  // a word at an end that may be in the middle of another one cannot be asked for
  const words = askedWordsOf(phrase).filter(
    (word, index, all) =>
      (index > 0 || isBounded(word, phrase.at(0))) && (index < all.length - 1 || isBounded(word, phrase.at(-1))),
  )
  const queries = words.map((word) => `(${tsqueryOf({ word, stems: stemsOf(word), isOpen: false })})`)
  return queries.length > 0 ? queries.join(' & ') : null
}

/** True when the word at an end of a phrase needs a word boundary in the pattern. */
function isBounded(word: string, end = ''): boolean {
  return !isUnspaced(word) && /[\p{L}\p{N}]/u.test(end)
}

/**
 * A phrase as a regular expression of PostgreSQL: its words with any space between them, not in the middle of others; a hyphen may have
 * been lost where a line ended.
 */
function patternOf(phrase: string): string {
  const words = phrase.split(' ').map((word) => withLostHyphens(word.replace(/[!-/:-@[-`{-~]/g, '\\$&')))
  const [first, last] = [phrase.at(0) ?? '', phrase.at(-1) ?? '']
  const before = /[\p{L}\p{N}]/u.test(first) && !isUnspaced(first) ? '\\m' : ''
  const after = /[\p{L}\p{N}]/u.test(last) && !isUnspaced(last) ? '\\M' : ''
  return before + words.join('\\s+') + after
}

/** The same phrase as an expression that finds each place of it in the form of a text that is looked through. */
export function phraseExpression(phrase: string): RegExp {
  const words = wholeWords(phrase)
    .split(' ')
    .map((word) => withLostHyphens(word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
  const isWord = (character: string) => /[\p{L}\p{N}]/u.test(character) && !isUnspaced(character)
  const before = isWord(phrase.at(0) ?? '') ? '(?<![\\p{L}\\p{N}_])' : ''
  const after = isWord(phrase.at(-1) ?? '') ? '(?![\\p{L}\\p{N}_])' : ''
  return new RegExp(`${before}${words.join('\\s+')}${after}`, 'giu')
}

/** The words of an expression; the hyphen of one may have been taken for the end of a line. */
const withLostHyphens = (expression: string) => expression.replace(/(?<=\p{L})(\\?[-\u2010])(?=\p{L})/gu, '$1?')
