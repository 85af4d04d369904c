import { type StemmedLanguage, type Stems, stemmedLanguages } from './indexing/stems.store.ts'
import { askedWordsOf, isUnspaced } from './split-words.ts'
import { weights } from './weights.ts'

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

function fromBothEnds(words: string[], most: number): string[] {
  const half = Math.floor(most / 2)
  return words.length <= most ? words : [...words.slice(0, most - half), ...words.slice(-half)]
}

/** A word as PostgreSQL looks for it in texts of any language. */
export function tsqueryOf({ word, stems, isOpen }: Pick<Term, 'word' | 'stems' | 'isOpen'>): string {
  const isBegun = isOpen || (isUnspaced(word) && [...word].length === 1)
  const forms = new Set([word, ...stemmedLanguages.map((language) => stems[language])])
  const closed = [...forms].filter((form): form is string => form !== null && !(isBegun && form.startsWith(word)))
  return [...(isBegun ? [`${quote(word)}:*`] : []), ...closed.map(quote)].join(' | ')
}

/** A lexeme as PostgreSQL reads it in a text search query. */
function quote(lexeme: string): string {
  return `'${lexeme.replace(/[\\']/g, '$&$&')}'`
}

/** The stems of a word that no language has any of. */
export const noStems: Record<StemmedLanguage, null> = { english: null, spanish: null, french: null, german: null }
