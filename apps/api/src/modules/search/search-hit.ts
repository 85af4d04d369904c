import type { MomentKind, MomentRow } from './memory.store.ts'

/** A word that stands nowhere, and one that is spelled nearly so, both in lower case. */
export interface Correction {
  from: string
  to: string
}

/** A location in an item that was found, with everything that speaks for it. */
export interface SearchHit {
  key: string
  /** The moment that speaks most for the hit: this one is shown. */
  moment: MomentRow
  /** Kind of the text that led here; an item found by its name is shown by its text. */
  foundIn: MomentKind
  /** True where the item's name holds words of the query. */
  isNamed: boolean
  matched: 'words' | 'meaning' | 'looks'
  /** True where it, or its item's name or caption, holds a typed word in any form. */
  holdsTyped: boolean
  /** Words of it that may have been meant by words that stand nowhere. */
  guesses: Correction[]
  /** Sort key of the hits. */
  score: number
  /** Certainty that this was meant, 0 to 1. */
  probability: number
  /** Words of the moment that is shown which tell something, in lower case. */
  matchedWords: Set<string>
}

/** Surer hits were found. */
export const FOUND_PROBABILITY = 0.5

/** True where a hit holds guesses at typed words only. */
export function isGuess({ holdsTyped, guesses, probability }: SearchHit): boolean {
  return !holdsTyped && guesses.length > 0 && probability < FOUND_PROBABILITY
}

/** Puts hits that are guesses after those that were found or hold a word as it was typed; the order stays otherwise. */
export function guessesLast(hits: SearchHit[]): SearchHit[] {
  const last = hits.findLastIndex((hit) => hit.holdsTyped || hit.probability >= FOUND_PROBABILITY)
  const sure = hits.filter((hit, at) => at <= last && !isGuess(hit))
  return [...sure, ...hits.filter((hit, at) => at > last || isGuess(hit))]
}
