import { cutText } from '@mira/shared/constants/cut-text'
import { SEAM, searchedForm, unspacedScripts } from '../../platform/lib/searched-form.ts'
import { type StemmedLanguage, type Stems, stemmedLanguages } from './indexing/words.store.ts'
import { weights } from './weights.ts'

const UNSPACED = new RegExp(`[${unspacedScripts}]`, 'u')
const RUNS = new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, 'gu')
const WORD = '[\\p{L}\\p{N}\\p{M}]+'
/** Pattern for words. It matches the parts of a word that was broken at the end of a line together. */
const WORDS = new RegExp(`${WORD}(?:${SEAM}${WORD})*`, 'gu')

/** A word and its range in a text, in UTF-16 units. */
interface PlacedWord {
  word: string
  from: number
  to: number
}

/** True for a text with characters of a script without spaces, such as Chinese. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/**
 * Lower-cased words of a text, as the index has them. A run of a script without spaces yields each pair of neighbouring
 * characters and the last character alone, so that every single character begins some word. A word that was broken at the
 * end of a line yields its parts and the whole word.
 */
export function wordsOf(text: string): string[] {
  const { text: form } = searchedForm(text)
  const words = form.toLowerCase().match(WORDS) ?? []
  const all = form.includes(SEAM) ? words.flatMap((word) => [...partsOf(word), ...wholeOf(word)]) : words
  return isUnspaced(form) ? all.flatMap((word) => (isUnspaced(word) ? runWordsOf(word) : [word])) : all
}

/** Words to search for: a run of a script without spaces yields pairs of characters, a broken word its parts. */
export function queryWordsOf(text: string): string[] {
  const words = searchedForm(text).text.toLowerCase().match(WORDS) ?? []
  return words
    .flatMap(partsOf)
    .flatMap((word) =>
      isUnspaced(word) ? (word.match(RUNS) ?? []).flatMap((run) => (isUnspaced(run) ? pairsOf(run) : [run])) : [word],
    )
}

/** Words of a text with their ranges, for marking them. */
export function placedWordsOf(body: string): PlacedWord[] {
  const { text, originalRangeOf } = searchedForm(body)
  return [...text.matchAll(WORDS)].flatMap(({ 0: match, index }) => {
    const placedWords: PlacedWord[] = wholeOf(match).map((word) => ({
      word: word.toLowerCase(),
      ...originalRangeOf(index, index + match.length),
    }))
    let start = index
    for (const part of partsOf(match)) {
      for (const { word, from } of isUnspaced(part) ? placedRuns(part, start) : [{ word: part, from: start }])
        placedWords.push({ word: word.toLowerCase(), ...originalRangeOf(from, from + word.length) })
      start += part.length + SEAM.length
    }
    return placedWords
  })
}

const partsOf = (word: string): string[] => word.split(SEAM)

/** A broken word without the break, as a list; empty for any other word. */
const wholeOf = (word: string): string[] => (word.includes(SEAM) ? [word.replaceAll(SEAM, '')] : [])

/** Words of a run of text with characters of a script without spaces, each with its start. */
function placedRuns(word: string, start: number): { word: string; from: number }[] {
  return [...word.matchAll(RUNS)].flatMap(({ 0: run, index }) =>
    isUnspaced(run) ? placedPairs(run, start + index) : [{ word: run, from: start + index }],
  )
}

function runWordsOf(word: string): string[] {
  return (word.match(RUNS) ?? []).flatMap((run) => (isUnspaced(run) ? [...pairsOf(run), lastOf(run)] : [run]))
}

/** Each pair of neighbouring characters; the character itself when there's only one. */
function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.length < 2 ? characters : characters.slice(1).map((next, index) => `${characters[index]}${next}`)
}

function lastOf(run: string): string {
  return [...run].at(-1) ?? ''
}

function placedPairs(run: string, start: number): { word: string; from: number }[] {
  const characters = [...run]
  let from = start
  return characters.map((character, index) => {
    const pair = { word: `${character}${characters[index + 1] ?? ''}`, from }
    from += character.length
    return pair
  })
}

/** True for a word with a digit, such as an invoice number. */
export const hasDigit = (word: string): boolean => /\p{N}/u.test(word)

/** A word to search for in all its inflected forms. */
export interface Term {
  /** The word in lower case. */
  word: string
  stems: Stems
  /** 1 for a word of the query; less for a word of its context. */
  weight: number
  /** True to match words that begin with the term, since the user may still be typing it. */
  isPrefix: boolean
  /** True for a word that only joins others or frames the question: it affects the ranking, but not the certainty. */
  isStopWord: boolean
}

/** Text of a query, and earlier text whose words count for less. */
export interface QueryText {
  text: string
  context?: string[] | undefined
  /** True when the last word may be incomplete, as while it's being typed. */
  mayEndInPrefix: boolean
}

/** Maximum number of terms for single characters. */
const MAX_CHARACTERS = 24
/** Maximum words of the query; a longer query is searched for by its beginning and its end. */
const MAX_TERMS = 48
const MAX_CONTEXT_TERMS = 32
/** Maximum length of a word; longer ones are cut, since no real word is longer. */
const MAX_WORD_LENGTH = 100
/** Minimum length of an incomplete word; shorter ones begin too many others. */
const MIN_PREFIX = 4

/** Terms to search for, without their stems: distinct words of the query, then of its context. */
export function queryTerms({ text, context = [], mayEndInPrefix }: QueryText): Omit<Term, 'stems' | 'isStopWord'>[] {
  const words = queryWordsOf(text).map((word) => cutText(word, MAX_WORD_LENGTH))
  const last = words.at(-1)
  const queryWords = fromBothEnds([...new Set(words)], MAX_TERMS)
  const contextWords = new Set(context.flatMap(queryWordsOf).map((word) => cutText(word, MAX_WORD_LENGTH)))
  const characters = queryWords.flatMap((word) => ([...word].length > 1 ? [...word].filter(isIdeograph) : []))
  const single = [...new Set(characters)].filter((one) => !queryWords.includes(one)).slice(0, MAX_CHARACTERS)
  const isNew = (word: string) => !queryWords.includes(word) && !single.includes(word)
  const others = [...contextWords].filter(isNew).slice(0, MAX_CONTEXT_TERMS)
  const isStillTyped = (word: string) => mayEndInPrefix && word === last && /[\p{L}\p{N}\p{M}]$/u.test(text)
  return [
    ...queryWords.map((word) => ({ word, weight: 1, isPrefix: isStillTyped(word) && word.length >= MIN_PREFIX })),
    ...single.map((word) => ({ word, weight: weights.terms.character, isPrefix: false })),
    ...others.map((word) => ({ word, weight: weights.terms.context, isPrefix: false })),
  ]
}

const isIdeograph = (character: string) => /\p{Script=Han}/u.test(character)

function fromBothEnds(words: string[], max: number): string[] {
  const half = Math.floor(max / 2)
  return words.length <= max ? words : [...words.slice(0, max - half), ...words.slice(-half)]
}

/** Text search query for a word in texts of any language. */
export function tsqueryOf({ word, stems, isPrefix }: Pick<Term, 'word' | 'stems' | 'isPrefix'>): string {
  const isBeginning = isPrefix || (isUnspaced(word) && [...word].length === 1)
  const forms = new Set([word, ...stemmedLanguages.map((language) => stems[language])])
  const others = [...forms].filter((form): form is string => form !== null && !(isBeginning && form.startsWith(word)))
  return [...(isBeginning ? [`${quoteLexeme(word)}:*`] : []), ...others.map(quoteLexeme)].join(' | ')
}

/** A lexeme, quoted for a text search query. */
export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replace(/[\\']/g, '$&$&')}'`
}

/** Stems of a word without a stem in any language. */
export const noStems: Record<StemmedLanguage, null> = { english: null, spanish: null, french: null, german: null }
