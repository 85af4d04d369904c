import { SEAM, searchedForm, unspacedScripts } from '../../platform/lib/searched-form.ts'
import { type StemmedLanguage, type Stems, stemmedLanguages } from './indexing/words.store.ts'
import { weights } from './weights.ts'

const UNSPACED = new RegExp(`[${unspacedScripts}]`, 'u')
const STRETCHES = new RegExp(`[${unspacedScripts}]+|[^${unspacedScripts}]+`, 'gu')
const WORD = '[\\p{L}\\p{N}\\p{M}]+'
/** Words, the parts of one that was broken together. */
const WORDS = new RegExp(`${WORD}(?:${SEAM}${WORD})*`, 'gu')

/** A word of a text with where it stands, in UTF-16 units. */
interface PlacedWord {
  word: string
  from: number
  to: number
}

/** True for a piece of a script without spaces: one or two characters. */
export function isUnspaced(word: string): boolean {
  return UNSPACED.test(word)
}

/**
 * Lower-cased words of a text, as the index has them. Of a stretch of a script without spaces they are each pair of
 * neighbours and the last character, so that one character alone is the beginning of some word, too. A word that was
 * broken at the end of a line counts as its parts and as a whole.
 */
export function wordsOf(text: string): string[] {
  const { text: form } = searchedForm(text)
  const words = form.toLowerCase().match(WORDS) ?? []
  const all = form.includes(SEAM) ? words.flatMap((word) => [...partsOf(word), ...wholeOf(word)]) : words
  return isUnspaced(form) ? all.flatMap((word) => (isUnspaced(word) ? stretchesOf(word) : [word])) : all
}

/** Words to search for: a run of several characters by its pairs, a broken word by its parts. */
export function askedWordsOf(text: string): string[] {
  const words = searchedForm(text).text.toLowerCase().match(WORDS) ?? []
  return words
    .flatMap(partsOf)
    .flatMap((word) =>
      isUnspaced(word)
        ? (word.match(STRETCHES) ?? []).flatMap((stretch) => (isUnspaced(stretch) ? pairsOf(stretch) : [stretch]))
        : [word],
    )
}

/** The words of a text with their places, to be marked. */
export function placedWordsOf(body: string): PlacedWord[] {
  const { text, placeOf } = searchedForm(body)
  return [...text.matchAll(WORDS)].flatMap(({ 0: match, index }) => {
    const placed: PlacedWord[] = wholeOf(match).map((word) => ({
      word: word.toLowerCase(),
      ...placeOf(index, index + match.length),
    }))
    let start = index
    for (const part of partsOf(match)) {
      for (const { word, from } of isUnspaced(part) ? placedStretches(part, start) : [{ word: part, from: start }])
        placed.push({ word: word.toLowerCase(), ...placeOf(from, from + word.length) })
      start += part.length + SEAM.length
    }
    return placed
  })
}

const partsOf = (word: string): string[] => word.split(SEAM)

/** The whole of a broken word; empty for any other. */
const wholeOf = (word: string): string[] => (word.includes(SEAM) ? [word.replaceAll(SEAM, '')] : [])

/** Words of what holds a script without spaces, each with where it begins. */
function placedStretches(word: string, start: number): { word: string; from: number }[] {
  return [...word.matchAll(STRETCHES)].flatMap(({ 0: stretch, index }) =>
    isUnspaced(stretch) ? placedPairs(stretch, start + index) : [{ word: stretch, from: start + index }],
  )
}

function stretchesOf(word: string): string[] {
  return (word.match(STRETCHES) ?? []).flatMap((stretch) =>
    isUnspaced(stretch) ? [...pairsOf(stretch), lastOf(stretch)] : [stretch],
  )
}

/** Each pair of neighbours; the character itself where there is one only. */
function pairsOf(stretch: string): string[] {
  const characters = [...stretch]
  return characters.length < 2 ? characters : characters.slice(1).map((next, index) => `${characters[index]}${next}`)
}

function lastOf(stretch: string): string {
  return [...stretch].at(-1) ?? ''
}

function placedPairs(stretch: string, start: number): { word: string; from: number }[] {
  const characters = [...stretch]
  let from = start
  return characters.map((character, index) => {
    const placed = { word: `${character}${characters[index + 1] ?? ''}`, from }
    from += character.length
    return placed
  })
}

/** True for a word with a digit, such as the number of an invoice or a model. */
export const hasDigit = (word: string): boolean => /\p{N}/u.test(word)

/** A word that is looked for in any form. */
export interface Term {
  /** In lower case. */
  word: string
  stems: Stems
  /** 1 for a word of the query; less for one of what it is asked in. */
  weight: number
  /** The person may still be typing it. */
  isOpen: boolean
  /**
   * It only joins words, or frames the question, in the language of the query: how sure a find is does not depend on it, how
   * it ranks does.
   */
  isJoining: boolean
}

/** Words of a query, and of earlier text. */
export interface QueryText {
  text: string
  context?: string[] | undefined
  /** True when the last word may be incomplete. */
  isOpen: boolean
}

const MAX_CHARACTERS = 24
/** Most words that are looked for: of a longer text its beginning and its end. */
const MAX_TERMS = 48
const MAX_CONTEXT_TERMS = 32
/** The index cuts nothing off, but no word is longer. */
const LONGEST_WORD = 100
/** Shorter words begin too many others. */
const SHORTEST_OPEN = 4

/** Every different word that is looked for, without its stems. */
export function askedTerms({ text, context = [], isOpen }: QueryText): Omit<Term, 'stems' | 'isJoining'>[] {
  const words = askedWordsOf(text).map((word) => word.slice(0, LONGEST_WORD))
  const last = words.at(-1)
  const own = fromBothEnds([...new Set(words)], MAX_TERMS)
  const before = new Set(context.flatMap(askedWordsOf).map((word) => word.slice(0, LONGEST_WORD)))
  const characters = own.flatMap((word) => ([...word].length > 1 ? [...word].filter(isIdeograph) : []))
  const besides = [...new Set(characters)].filter((one) => !own.includes(one)).slice(0, MAX_CHARACTERS)
  const isNew = (word: string) => !own.includes(word) && !besides.includes(word)
  const others = [...before].filter(isNew).slice(0, MAX_CONTEXT_TERMS)
  const isStillTyped = (word: string) => isOpen && word === last && /[\p{L}\p{N}\p{M}]$/u.test(text)
  return [
    ...own.map((word) => ({ word, weight: 1, isOpen: isStillTyped(word) && word.length >= SHORTEST_OPEN })),
    ...besides.map((word) => ({ word, weight: weights.terms.character, isOpen: false })),
    ...others.map((word) => ({ word, weight: weights.terms.context, isOpen: false })),
  ]
}

const isIdeograph = (character: string) => /\p{Script=Han}/u.test(character)

function fromBothEnds(words: string[], max: number): string[] {
  const half = Math.floor(max / 2)
  return words.length <= max ? words : [...words.slice(0, max - half), ...words.slice(-half)]
}

/** A word as PostgreSQL looks for it in texts of any language. */
export function tsqueryOf({ word, stems, isOpen }: Pick<Term, 'word' | 'stems' | 'isOpen'>): string {
  const isBegun = isOpen || (isUnspaced(word) && [...word].length === 1)
  const forms = new Set([word, ...stemmedLanguages.map((language) => stems[language])])
  const closed = [...forms].filter((form): form is string => form !== null && !(isBegun && form.startsWith(word)))
  return [...(isBegun ? [`${quoteLexeme(word)}:*`] : []), ...closed.map(quoteLexeme)].join(' | ')
}

/** A lexeme as PostgreSQL reads it in a text search query. */
export function quoteLexeme(lexeme: string): string {
  return `'${lexeme.replace(/[\\']/g, '$&$&')}'`
}

/** The stems of a word that no language has any of. */
export const noStems: Record<StemmedLanguage, null> = { english: null, spanish: null, french: null, german: null }
