import type { Log } from '../../../log.ts'
import { SHORTEST_MISSPELLED } from '../evidence.ts'
import type { MemoryStore } from '../memory.store.ts'
import type { SearchScope } from '../scope.ts'
import type { Term } from '../terms.ts'

/** Terms with other spellings to look for. */
export interface OpenTerms {
  /** In few or no texts: compounds with them count, too. */
  rare: Set<Term>
  /** In no text: words spelled nearly so, or that begin so, may be meant. */
  unknown: Set<Term>
}

const MAX_SIMILAR = 60
const MAX_MISSPELLED = 3
const PATTERNS_AT_ONCE = 28
/** No further patterns are looked up after this time, shared by concurrent searches. */
const MISSPELLED_MS = 300
/** From this length, two letters may be wrong: pieces of the word are enough for a lookup. */
const PIECES_FROM = 8
/** Shorter pieces occur in too many texts. */
const SHORTEST_PIECE = 5
/** The rest of a long word tells no more. */
const MAX_LETTERS = 24
/** Shortest contiguous pattern that a trigram index can use. */
const INDEXED_LETTERS = 3

/** Finds texts with compounds and other spellings of words. */
export function createTyposArm({ store, log }: { store: Pick<MemoryStore, 'findLike'>; log: Log }) {
  let running = 0

  return {
    /**
     * Ids of moments that may hold a compound with a rare term, or another spelling of an unknown one; they're yet to be
     * judged. Each statement has patterns for about one word, so that others get at the database in between. Never throws: a
     * failure or a lack of time finds fewer.
     */
    async find({ rare, unknown }: OpenTerms, scope: SearchScope): Promise<string[]> {
      const terms = [...rare].filter(({ word }) => word.length >= SHORTEST_MISSPELLED)
      const perWord = terms
        .slice(0, MAX_MISSPELLED)
        .map((term) => misspellingPatterns(term.word).slice(0, unknown.has(term) ? undefined : 1))
      const longest = Math.max(0, ...perWord.map(({ length }) => length))
      // The words take turns, since each one's first patterns are the most telling.
      const patterns = Array.from({ length: longest }, (_, index) => perWord.flatMap((all) => all[index] ?? [])).flat()
      const matches = new Map<string, number>()
      const startedAt = performance.now()
      running++
      try {
        for (let begin = 0; begin < patterns.length; begin += PATTERNS_AT_ONCE) {
          const leftMs = MISSPELLED_MS / running - (performance.now() - startedAt)
          if (leftMs <= 0) break
          const ids = await store.findLike(scope, patterns.slice(begin, begin + PATTERNS_AT_ONCE), leftMs)
          for (const id of ids) matches.set(id, (matches.get(id) ?? 0) + 1)
        }
      } catch (error) {
        log.warn({ err: error }, 'could not look for other spellings')
      } finally {
        running--
      }
      const best = [...matches].sort(([idA, countA], [idB, countB]) => countB - countA || (idA < idB ? 1 : -1))
      return best.slice(0, MAX_SIMILAR).map(([id]) => id)
    },
  }
}

/**
 * LIKE patterns for texts with another spelling of a word: few, each with enough letters in a row for an index of trigrams
 * to find few texts, and cheap to compare with these.
 * @param word letters and digits in lower case.
 */
export function misspellingPatterns(word: string): string[] {
  const letters = [...word].slice(0, MAX_LETTERS)
  const patterns = letters.length < PIECES_FROM ? oneMistake(letters) : pieces(letters)
  return [...new Set([`%${letters.join('')}%`, ...patterns])]
}

/** A short word with each letter changed, added, dropped or swapped with the next. */
function oneMistake(letters: string[]): string[] {
  return letters.flatMap((letter, index) => {
    const [before, after] = [letters.slice(0, index).join(''), letters.slice(index + 1).join('')]
    const next = letters[index + 1]
    const isIndexed = Math.max(index, letters.length - index - 1) >= INDEXED_LETTERS
    return [
      // Without three letters in a row, the index needs the beginning of the word.
      ...(isIndexed ? [`%${before}_${after}%`] : [`${before}_${after}%`, `% ${before}_${after}%`]),
      ...(index > 0 ? [`%${before}_${letter}${after}%`] : []),
      `%${before}${after}%`,
      ...(next !== undefined && next !== letter
        ? [`%${before}${next}${letter}${letters.slice(index + 2).join('')}%`]
        : []),
    ]
  })
}

/** A long word without two neighbouring letters, wherever they are, and each half of it. */
function pieces(letters: string[]): string[] {
  const piece = (from: number, to = letters.length) => letters.slice(from, to).join('')
  const half = Math.max(SHORTEST_PIECE, Math.ceil(letters.length / 2))
  const gaps = letters.slice(1).map((_, index) => `%${piece(0, index)}%${piece(index + 2)}%`.replace('%%', '%'))
  const halves = letters.slice(half - 1).map((_, index) => `%${piece(index, index + half)}%`)
  return [...gaps, ...halves]
}
