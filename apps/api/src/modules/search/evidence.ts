import { wholeWords } from '../../platform/lib/searched-form.ts'
import { type StemmedLanguage, type Stems, stemmedLanguages } from './indexing/words.store.ts'
import type { MomentKind, MomentRow } from './memory.store.ts'
import { phraseExpression } from './query-phrases.ts'
import { hasDigit, isUnspaced, type Term } from './terms.ts'
import { weights } from './weights.ts'

/** Matches of a query's words and phrases in a text. Arrays have an entry for each term of the query. */
export interface Evidence {
  /** BM25 strength of each term, from its count and the length of the text, 0 to 2.2. */
  strengths: number[]
  /** Occurrences of each term, weighted by the quality of the match and by the kind of moment. */
  counts: number[]
  /** Quality of each term's best match, 0 to 1: 1 for a form of the word, less for a part of a compound. */
  shares: number[]
  /** Words of this text that may be meant by a term that no text contains, with their likelihood, by the term's index. */
  guesses: ReadonlyMap<number, ReadonlyMap<string, number>>
  /** Number of times that a term and the next one of the query are neighbours in the text, by the first term. */
  pairs: number[]
  /** Number of the query's phrases that the text contains. */
  phrases: number
  /** Words of the text that match a term, in lower case, by the term's index; terms without a match are missing. */
  words: ReadonlyMap<number, ReadonlySet<string>>
}

/** Different words seldom share a stem of at least this length. */
const LONG_STEM = 5
const NEIGHBOUR_DISTANCE = 3
/** A query with more words counts as a sentence. */
const MAX_KEYWORDS = 4
/** Text search configurations of languages with compounds, and of texts in an unknown language. */
const COMPOUNDING = new Set(['german', 'simple'])
const noGuesses: Evidence['guesses'] = new Map()

/** A moment with its evidence. */
export interface JudgedMoment {
  moment: MomentRow
  evidence: Evidence
}

export interface JudgeOptions {
  terms: Term[]
  /** Quoted phrases, compared ignoring case. */
  phrases: string[]
  /** Stems of the words that `candidateWords` returned for the texts. */
  stems: Map<string, Stems>
  /** Terms for which compounds count. */
  rare: Set<Term>
  /** Terms that no text contains: other spellings and words that begin with them may be meant. */
  unknown: Set<Term>
  /** Language of the query, whose stems also match in texts of other languages. */
  language: StemmedLanguage | null
  /** Average bytes of the user's moments of a kind. */
  averageBytes(kind: MomentKind): number
}

/** Words that may be forms of a term, since they begin with the same letters; stems then show which of them are. */
export function candidateWords(words: Iterable<string>, terms: Term[]): string[] {
  const beginnings = new Set(terms.map(({ word }) => beginningOf(word)))
  const candidates: string[] = []
  for (const word of new Set(words)) if (beginnings.has(beginningOf(word))) candidates.push(word)
  return candidates
}

/** Returns a function that finds the terms of a query in a text. It remembers the matches of each word. */
export function createJudge(options: JudgeOptions): (moment: MomentRow, words: string[]) => Evidence {
  const { terms, phrases, averageBytes } = options
  const expressions = phrases.map(phraseExpression)
  const matchWord = createWordMatcher(options)
  const phrasesIn = (body: string) => {
    if (expressions.length === 0) return 0
    const whole = wholeWords(body)
    return expressions.filter((expression) => whole.search(expression) !== -1).length
  }
  return (moment, words) => {
    const matchedWords = new Map<number, Set<string>>()
    const evidence: Evidence = {
      strengths: [],
      counts: [],
      shares: terms.map(() => 0),
      guesses: noGuesses,
      pairs: terms.map(() => 0),
      phrases: phrasesIn(moment.body),
      words: matchedWords,
    }
    const counts = terms.map(() => 0)
    const lastIndexes = terms.map(() => Number.NEGATIVE_INFINITY)
    const matchesOf = matchWord(moment.language)
    for (let index = 0; index < words.length; index++) {
      const word = words[index] as string
      const matches = matchesOf(word)
      if (matches.length === 0) continue
      for (const [term, weight, isGuess] of matches) {
        counts[term] = (counts[term] ?? 0) + weight
        const ofTerm = matchedWords.get(term)
        if (ofTerm) ofTerm.add(word)
        else matchedWords.set(term, new Set([word]))
        if (isGuess) {
          evidence.guesses = withGuess(evidence.guesses, term, word, weight)
          continue
        }
        evidence.shares[term] = Math.max(evidence.shares[term] ?? 0, weight)
        if (weight < weights.match.same) continue
        if (term > 0 && index - (lastIndexes[term - 1] ?? 0) <= NEIGHBOUR_DISTANCE)
          evidence.pairs[term - 1] = (evidence.pairs[term - 1] ?? 0) + 1
        lastIndexes[term] = index
      }
    }
    const length = Buffer.byteLength(moment.body) / averageBytes(moment.kind)
    const kindWeight = weights.words.kind[moment.kind]
    evidence.counts = counts.map((count) => kindWeight * count)
    evidence.strengths = counts.map((count) => kindWeight * strengthOf(count, length))
    return evidence
  }
}

/** BM25 strength of a word, 0 to 2.2. @param count occurrences. @param length of the text, relative to the average. */
export function strengthOf(count: number, length: number): number {
  const { k1, b } = weights.words
  return (count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
}

function withGuess(guesses: Evidence['guesses'], term: number, word: string, weight: number): Evidence['guesses'] {
  return new Map(guesses).set(term, new Map(guesses.get(term)).set(word, weight))
}

type TermMatch = readonly [term: number, weight: number, isGuess: boolean]

const noMatch: readonly TermMatch[] = []

function createWordMatcher({ terms, stems, rare, unknown, language: queryLanguage }: JudgeOptions) {
  const byLanguage = new Map<string, Map<string, readonly TermMatch[]>>()
  const byBeginning = Map.groupBy(terms.entries(), ([, { word }]) => beginningOf(word))
  const rareTerms = [...terms.entries()].flatMap(([index, term]) =>
    rare.has(term) && term.word.length >= MIN_MISSPELLED_LENGTH
      ? [{ index, plainTerm: fold(term.word), isUnknown: unknown.has(term) }]
      : [],
  )

  // In a sentence, a word that no text contains is probably a synonym rather than a mistake.
  const isSentence = terms.filter(({ weight }) => weight === 1).length > MAX_KEYWORDS
  const mistakeFactor = isSentence ? weights.match.mistakeInSentence : 1

  const match = (word: string, language: string): readonly TermMatch[] => {
    const similar = byBeginning.get(beginningOf(word))
    if (similar === undefined && rareTerms.length === 0) return noMatch
    const matches: TermMatch[] = []
    for (const [index, term] of similar ?? []) {
      const weight = weightOf(word, term, [language, queryLanguage], stems.get(word))
      if (weight > 0) matches.push([index, weight, false])
      else if (unknown.has(term) && completesPrefix(word, term))
        matches.push([index, (weights.match.prefix * term.word.length) / word.length, true])
    }
    if (rareTerms.length === 0) return matches
    // Folded once here, since this runs for every distinct word of every text.
    const plain = fold(word)
    for (const { index, plainTerm, isUnknown } of rareTerms) {
      if (plain.length < plainTerm.length - MAX_MISTAKES || matches.some(([matched]) => matched === index)) continue
      const beginning = beginningWeight(plain, plainTerm)
      const compound = Math.max(compoundWeight(plain, plainTerm), COMPOUNDING.has(language) ? beginning : 0)
      const guess = isUnknown ? Math.max(beginning, mistakeFactor * misspellingWeight(plain, plainTerm)) : 0
      if (compound > 0) matches.push([index, compound, false])
      else if (guess > 0) matches.push([index, guess, true])
    }
    return matches
  }

  return (language: string) => {
    const byWord = byLanguage.get(language) ?? new Map<string, readonly TermMatch[]>()
    byLanguage.set(language, byWord)
    return (word: string): readonly TermMatch[] => {
      let matches = byWord.get(word)
      if (matches === undefined) {
        matches = match(word, language)
        byWord.set(word, matches)
      }
      return matches
    }
  }
}

function weightOf(
  word: string,
  term: Term,
  [language, queryLanguage]: readonly [ofText: string, ofQuery: StemmedLanguage | null],
  stems: Stems | undefined,
): number {
  if (word === term.word) return weights.match.form
  if (stems) {
    const languagesOfSameStem = stemmedLanguages.filter(
      (stemmedLanguage) => stems[stemmedLanguage] !== null && stems[stemmedLanguage] === term.stems[stemmedLanguage],
    )
    if (languagesOfSameStem.some((one) => one === language)) return weights.match.form
    // Stemmers of other languages cut off other endings: “care” and “car” have the same stem in Spanish.
    const isSameWord = languagesOfSameStem.some(
      (one) => one === queryLanguage || (stems[one] ?? '').length >= LONG_STEM,
    )
    // An ending of another language may be part of a number.
    if (isSameWord && !hasDigit(term.word)) return weights.match.otherLanguage
  }
  if (!isUnspaced(word) && fold(word) === fold(term.word)) return weights.match.accents
  // In a script without spaces, words are pairs of characters, so a term of one character matches the pairs that begin with it.
  return term.word.length === 1 && word.startsWith(term.word) ? weights.match.form : 0
}

function completesPrefix(word: string, term: Term): boolean {
  return term.isPrefix && word.startsWith(term.word)
}

const MAX_ASCII = 0x7f

/** First letters of a word, which all its forms have in common. */
function beginningOf(word: string): string {
  // Most words need no folding, and this runs for every word of every text.
  if (word.charCodeAt(0) <= MAX_ASCII && word.charCodeAt(1) <= MAX_ASCII) return word.slice(0, 2)
  return fold(word).slice(0, isUnspaced(word) ? 1 : 2)
}

/** Minimum letters of the other part of a compound: “please” isn't a compound with “lease”. */
const MIN_OTHER_PART = 3
/** Minimum length of a word that may be misspelled; shorter words resemble too many others. */
export const MIN_MISSPELLED_LENGTH = 5
/** Minimum length of a word that may have two mistakes. */
const TWO_MISTAKES_FROM = 8
const MAX_MISTAKES = 2

const foldedWords = new Map<string, string>()
const MAX_FOLDED = 50_000

/** A word without accents. */
export function fold(word: string): string {
  let plain = foldedWords.get(word)
  if (plain === undefined) {
    plain = word.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')
    if (foldedWords.size > MAX_FOLDED) foldedWords.clear()
    foldedWords.set(word, plain)
  }
  return plain
}

/** Weight of a word if it's a compound with the term after its first part, else 0. Word and term are without accents. */
export function compoundWeight(word: string, term: string): number {
  return word.lastIndexOf(term) >= MIN_OTHER_PART ? weights.match.compound : 0
}

/** Weight of a word if it begins with the term, as a German compound may, else 0. */
function beginningWeight(word: string, term: string): number {
  return word.startsWith(term) && word.length - term.length >= MIN_OTHER_PART ? weights.match.compound : 0
}

/** Likelihood that a word is meant by a misspelled term, 0 to 1. The term's first letter must be right or swapped with the next. */
export function misspellingWeight(word: string, term: string): number {
  const isSwapped = word[0] === term[1] && word[1] === term[0]
  if (word[0] !== term[0] && !isSwapped) return 0
  const mistakes = term.length >= TWO_MISTAKES_FROM ? MAX_MISTAKES : 1
  if (Math.abs(word.length - term.length) > mistakes) return 0
  const distance = editDistance(word, term, mistakes)
  return distance > mistakes ? 0 : weights.match.misspelled * (1 - (distance - 1) * weights.match.furtherMistake)
}

/** Rows of the distance matrix, reused, since a search compares thousands of words. */
let rows: [Uint8Array, Uint8Array, Uint8Array] = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)]

/** Damerau-Levenshtein distance (letters added, dropped, changed or swapped with a neighbour), capped at `max` + 1. */
function editDistance(one: string, other: string, max: number): number {
  const tooMany = max + 1
  if (Math.abs(one.length - other.length) > max) return tooMany
  if (other.length >= rows[0].length) {
    const length = 2 * other.length
    rows = [new Uint8Array(length), new Uint8Array(length), new Uint8Array(length)]
  }
  let [beforeLast, last, current] = rows
  for (let column = 0; column <= other.length; column++) last[column] = Math.min(column, tooMany)
  for (let row = 1; row <= one.length; row++) {
    // Cells further from the diagonal have more than `max` mistakes.
    const first = Math.max(1, row - max)
    const end = Math.min(other.length, row + max)
    current[first - 1] = first === 1 ? Math.min(row, tooMany) : tooMany
    let rowMinimum = current[first - 1] as number
    for (let column = first; column <= end; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const above = column === row + max ? tooMany : (last[column] as number)
      let cost = Math.min(
        above + 1,
        (current[column - 1] as number) + 1,
        (last[column - 1] as number) + (isSame ? 0 : 1),
      )
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      if (isSwapped) cost = Math.min(cost, (beforeLast[column - 2] as number) + 1)
      current[column] = Math.min(cost, tooMany)
      rowMinimum = Math.min(rowMinimum, cost)
    }
    if (rowMinimum > max) return tooMany
    ;[beforeLast, last, current] = [last, current, beforeLast]
  }
  return last[other.length] as number
}
