import { wholeWords } from '../../platform/lib/searched-form.ts'
import { type StemmedLanguage, type Stems, stemmedLanguages } from './indexing/stems.ts'
import { beginningWeight, compoundWeight, fold, misspellingWeight, SHORTEST_MISSPELLED } from './likeness.ts'
import type { MomentKind, MomentRow } from './memory.store.ts'
import { phraseExpression } from './quoted-phrases.ts'
import { hasDigit, isUnspaced } from './split-words.ts'
import type { Term } from './terms.ts'

/** Matches between a text and a query; lists are indexed by term. */
export interface Evidence {
  /** BM25 strength of each term in a text of this length, 0 to 2.2. */
  strengths: number[]
  /** Occurrences of each term, weighted by the quality of the match and by the kind of moment. */
  counts: number[]
  /** Best match of each term, 0 to 1: 1 for any form of the word, less for a part of a compound. */
  shares: number[]
  /** Words of the text that may have been meant by a term which stands nowhere, by its place, with how likely they were. */
  guesses: ReadonlyMap<number, ReadonlyMap<string, number>>
  /** Count of each pair of neighbouring terms that are neighbours in the text, too; indexed by the first. */
  pairs: number[]
  /** Number of phrases that it contains. */
  phrases: number
  /** Words of the text that match, by the term, in lower case. */
  words: Set<string>[]
}

/** Weights of a word's variants. */
const WEIGHT = { form: 1, otherLanguage: 0.9, accents: 0.95, begun: 0.9 }
/** Stems that are as long as this are seldom those of two words. */
const LONG_STEM = 5
/** Parameters of BM25, as usual: how soon more of the same word tells nothing more, and what the length counts. */
const [K1, B] = [1.2, 0.75]
/** Names and descriptions are more likely to say what the item is about. */
const FIELD_WEIGHT: Record<MomentKind, number> = { name: 1.2, caption: 1.1, text: 1, speech: 1 }
/** From here on a word is taken for the one that was asked for, where its place counts. */
const SAME_WORD = 0.9
const NEIGHBOUR_DISTANCE = 3
const LONGEST_WITHOUT_SENTENCE = 4
/** Weight of a misspelled word as part of a sentence. */
const MISTAKE_IN_SENTENCE = 0.5
/** Languages that write words together as one, and texts that may be in them. */
const COMPOUNDING = new Set(['german', 'simple'])
const noGuesses: Evidence['guesses'] = new Map()

export interface JudgeOptions {
  terms: Term[]
  /** In any case. */
  phrases: string[]
  /** Stems of the words of the texts, as far as candidateWords asks for them. */
  stems: Map<string, Stems>
  /** Terms for which compounds count. */
  rare: Set<Term>
  /** Terms that stand nowhere: words that are spelled nearly so, or begin so, may be meant. */
  unknown: Set<Term>
  /** The query's, in whose forms a text of another language is read as well. */
  language: StemmedLanguage | null
  /** Bytes of a person's moments of each kind. */
  averageBytes(kind: MomentKind): number
}

/** Words of texts that may be forms of a term; their stems tell. */
export function candidateWords(words: Iterable<string>, terms: Term[]): string[] {
  const beginnings = new Set(terms.map(({ word }) => beginningOf(word)))
  const candidates: string[] = []
  for (const word of new Set(words)) if (beginnings.has(beginningOf(word))) candidates.push(word)
  return candidates
}

/** Finds the terms of a query in texts; what was found out about a word is kept from one text to the next. */
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
    const evidence: Evidence = {
      strengths: terms.map(() => 0),
      counts: [],
      shares: terms.map(() => 0),
      guesses: noGuesses,
      pairs: terms.map(() => 0),
      phrases: phrasesIn(moment.body),
      words: terms.map(() => new Set()),
    }
    const counts = terms.map(() => 0)
    const lastAt = terms.map(() => Number.NEGATIVE_INFINITY)
    const matchesOf = matchWord(moment.language)
    for (let at = 0; at < words.length; at++) {
      const word = words[at] as string
      const matches = matchesOf(word)
      if (matches.length === 0) continue
      for (const [term, weight, isGuess] of matches) {
        counts[term] = (counts[term] ?? 0) + weight
        evidence.words[term]?.add(word)
        if (isGuess) {
          evidence.guesses = withGuess(evidence.guesses, term, word, weight)
          continue
        }
        evidence.shares[term] = Math.max(evidence.shares[term] ?? 0, weight)
        if (weight < SAME_WORD) continue
        if (term > 0 && at - (lastAt[term - 1] ?? 0) <= NEIGHBOUR_DISTANCE)
          evidence.pairs[term - 1] = (evidence.pairs[term - 1] ?? 0) + 1
        lastAt[term] = at
      }
    }
    const length = Buffer.byteLength(moment.body) / averageBytes(moment.kind)
    const field = FIELD_WEIGHT[moment.kind]
    evidence.counts = counts.map((count) => field * count)
    evidence.strengths = counts.map((count) => field * strengthOf(count, length))
    return evidence
  }
}

/** BM25 weight of a word with this count in a text of this relative length, 0 to 2.2. */
export function strengthOf(count: number, length: number): number {
  return (count * (K1 + 1)) / (count + K1 * (1 - B + B * length))
}

function withGuess(guesses: Evidence['guesses'], term: number, word: string, weight: number): Evidence['guesses'] {
  return new Map(guesses).set(term, new Map(guesses.get(term)).set(word, weight))
}

type TermMatch = readonly [term: number, weight: number, isGuess: boolean]

const noMatch: readonly TermMatch[] = []

function createWordMatcher({ terms, stems, rare, unknown, language: asked }: JudgeOptions) {
  const byLanguage = new Map<string, Map<string, readonly TermMatch[]>>()
  const beginnings = new Set(terms.map(({ word }) => beginningOf(word)))
  const rareTerms = [...terms.entries()].filter(([, term]) => rare.has(term) && term.word.length >= SHORTEST_MISSPELLED)

  /** In a sentence a word that stands nowhere is another word for something rather than a mistake. */
  const isSentence = terms.filter(({ weight }) => weight === 1).length > LONGEST_WITHOUT_SENTENCE
  const ofMistakes = isSentence ? MISTAKE_IN_SENTENCE : 1

  const match = (word: string, language: string): readonly TermMatch[] => {
    if (!beginnings.has(beginningOf(word)) && rareTerms.length === 0) return noMatch
    const matches: TermMatch[] = []
    if (beginnings.has(beginningOf(word))) {
      for (const [at, term] of terms.entries()) {
        const weight = weightOf(word, term, [language, asked], stems.get(word))
        if (weight > 0) matches.push([at, weight, false])
        else if (unknown.has(term) && isBegunBy(word, term))
          matches.push([at, (WEIGHT.begun * term.word.length) / word.length, true])
      }
    }
    for (const [at, term] of rareTerms) {
      if (matches.some(([known]) => known === at)) continue
      const begun = beginningWeight(word, term.word)
      const compound = Math.max(compoundWeight(word, term.word), COMPOUNDING.has(language) ? begun : 0)
      const guess = unknown.has(term) ? Math.max(begun, ofMistakes * misspellingWeight(word, term.word)) : 0
      if (compound > 0) matches.push([at, compound, false])
      else if (guess > 0) matches.push([at, guess, true])
    }
    return matches
  }

  return (language: string) => {
    const known = byLanguage.get(language) ?? new Map<string, readonly TermMatch[]>()
    byLanguage.set(language, known)
    return (word: string): readonly TermMatch[] => {
      let found = known.get(word)
      if (found === undefined) {
        found = match(word, language)
        known.set(word, found)
      }
      return found
    }
  }
}

function weightOf(
  word: string,
  term: Term,
  [language, asked]: readonly [ofText: string, ofQuery: StemmedLanguage | null],
  stems: Stems | undefined,
): number {
  if (word === term.word) return WEIGHT.form
  if (stems) {
    const same = stemmedLanguages.filter((one) => stems[one] !== null && stems[one] === term.stems[one])
    if (same.some((one) => one === language)) return WEIGHT.form
    // in other languages the ends of other words fall off: “care” and “car” would be the same in Spanish
    const isSame = same.some((one) => one === asked || (stems[one] ?? '').length >= LONG_STEM)
    // what ends a word elsewhere is a part of what is numbered
    if (isSame && !hasDigit(term.word)) return WEIGHT.otherLanguage
  }
  if (!isUnspaced(word) && fold(word) === fold(term.word)) return WEIGHT.accents
  // one character of a script without spaces begins a pair
  return term.word.length === 1 && word.startsWith(term.word) ? WEIGHT.form : 0
}

function isBegunBy(word: string, term: Term): boolean {
  return term.isOpen && word.startsWith(term.word)
}

const LAST_OF_ASCII = 0x7f

/** A stem keeps at least the beginning. */
function beginningOf(word: string): string {
  // of most words there is nothing to fold: each word of each text comes by here
  if (word.charCodeAt(0) <= LAST_OF_ASCII && word.charCodeAt(1) <= LAST_OF_ASCII) return word.slice(0, 2)
  return fold(word).slice(0, isUnspaced(word) ? 1 : 2)
}
