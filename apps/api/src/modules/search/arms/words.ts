import { everydaySentences } from '../../../offline/everyday/everyday-sentences.ts'
import type { CandidatesStore } from '../candidates.store.ts'
import type { MomentRow } from '../memory.store.ts'
import type { MemorySize } from '../memory-sizes.ts'
import type { SearchScope } from '../scope.ts'
import { askedWordsOf, hasDigit, isUnspaced } from '../split-words.ts'
import { type Term, tsqueryOf } from '../terms.ts'
import { weights } from '../weights.ts'
import type { OpenTerms } from './typos.ts'

/** Words to look for in a memory. */
export interface WordsQuery {
  terms: Term[]
  /** ISO 639-1 code; null when unsure. */
  language: string | null
  size: MemorySize
}

/** Moments that may hold the words of a query, and terms whose other spellings are worth a lookup. */
export interface WordsFound extends OpenTerms {
  /** The most promising first. */
  moments: MomentRow[]
  /** Weight of each term by its rarity in the user's memory, in the language where it's most frequent. */
  rarities: number[]
}

const MAX_MOMENTS = 120
/** Number of moments with a word of a short query below which compounds of it are searched for. */
const FEW = 5
const SHORT_QUERY = 4
/** Number of the least frequent words to look up when all are frequent. */
const MAX_FREQUENT = 2

/** Moments with the words of a query, by the word index. */
export async function findByWords(
  store: Pick<CandidatesStore, 'withWords'>,
  { terms, size, language }: WordsQuery,
  scope: SearchScope,
): Promise<WordsFound> {
  if (terms.length === 0 || size.moments === 0) {
    return { moments: [], rarities: terms.map(() => 0), rare: new Set(), unknown: new Set() }
  }
  const shares = terms.map(({ word, stems }) =>
    Math.max(0, ...[word, ...Object.values(stems)].map((form) => size.frequent.get(form ?? '') ?? 0)),
  )
  const leastHeld = terms.map(({ word }) => size.moments * everydayShare(word, language, size.averageBytes('text')))
  const look = async (indexes: number[], isBegun = false) => {
    if (indexes.length === 0)
      return { moments: [], counts: new Map<number, { count: number; adjustedCount: number }>() }
    const words = indexes.flatMap((index) => {
      const term = terms[index]
      return term
        ? [
            {
              tsquery: tsqueryOf({ ...term, isOpen: isBegun }),
              weight: term.weight,
              leastHeld: leastHeld[index] ?? 0,
            },
          ]
        : []
    })
    const { moments, counts, adjustedCounts } = await store.withWords(scope, words, size, MAX_MOMENTS)
    return {
      moments,
      counts: new Map(
        indexes.map((index, row) => [index, { count: counts[row] ?? 0, adjustedCount: adjustedCounts[row] ?? 0 }]),
      ),
    }
  }
  const all = [...terms.keys()]
  const asTyped = await look(all.filter((index) => shares[index] === 0))
  const unknown = all.filter((index) => terms[index]?.weight === 1 && asTyped.counts.get(index)?.count === 0)
  // A word that no text holds as it was typed may be the beginning of one.
  const byBeginning = await look(
    unknown.filter((index) => terms[index]?.isOpen),
    true,
  )
  const lookups = [asTyped, byBeginning]
  if (lookups.every(({ moments }) => moments.length === 0) && asTyped.counts.size < terms.length) {
    const frequent = all
      .filter((index) => shares[index] !== 0)
      .sort((one, other) => (shares[one] ?? 0) - (shares[other] ?? 0))
    lookups.push(await look(frequent.slice(0, MAX_FREQUENT)))
  }
  const counts = new Map(lookups.flatMap((lookup) => [...lookup.counts]))
  const moments = new Map(lookups.flatMap((lookup) => lookup.moments.map((moment) => [moment.id, moment])))
  const ofFrequent = (index: number) => (shares[index] ?? 0) * size.moments
  const momentCounts = all.map((index) =>
    Math.max(counts.get(index)?.adjustedCount ?? ofFrequent(index), leastHeld[index] ?? 0),
  )
  const texts = all.map((index) => counts.get(index)?.count ?? ofFrequent(index))
  const few = terms.length <= SHORT_QUERY ? FEW : 1
  const isRare = ({ word, weight }: Term, count: number) =>
    // A word with a number that some text holds is meant as typed: the next number is another thing.
    weight === 1 && count < few && !(count > 0 && hasDigit(word))
  return {
    moments: [...moments.values()],
    rarities: momentCounts.map((count) => rarityOf(count, size.moments)),
    rare: new Set(terms.filter((term, index) => isRare(term, texts[index] ?? 0))),
    unknown: new Set(terms.filter((_, index) => unknown.includes(index))),
  }
}

/** Inverse document frequency of BM25 for a word in `held` of all moments. */
export function rarityOf(momentCount: number, moments: number): number {
  const all = Math.max(moments, momentCount)
  return Math.log(1 + (all - momentCount + 0.5) / (momentCount + 0.5))
}

type EverydayLanguage = Parameters<typeof everydaySentences>[0]

const spaced: readonly EverydayLanguage[] = ['en', 'es', 'fr', 'de']
/** Recognised by their script, whatever the language was taken for. */
const unspaced: readonly EverydayLanguage[] = ['ja', 'zh']
/** Bytes of a word with the space or mark after it. */
const BYTES_PER_WORD = 6

interface Sample {
  words: number
  counts: Map<string, number>
}

const samples = new Map<EverydayLanguage, Sample>()

/**
 * Share of all texts of a length that would hold a word if people wrote as they talk, by the everyday sentences: a small
 * memory of letters and bills can't tell that "did" and "which" tell nothing. A word counted once may be there by chance
 * and doesn't count.
 * @param language ISO 639-1 code of the query; no word is common in an unknown one.
 */
export function everydayShare(word: string, language: string | null, averageBytes: number): number {
  const languages = isUnspaced(word) ? unspaced : spaced.filter((one) => one === language)
  return Math.max(0, ...languages.map((language) => shareIn(sampleOf(language), word, averageBytes)))
}

function shareIn({ words, counts }: Sample, word: string, averageBytes: number): number {
  const repeats = (counts.get(word) ?? 1) - 1
  return 1 - Math.exp((-weights.terms.spoken * repeats * averageBytes) / BYTES_PER_WORD / words)
}

function sampleOf(language: EverydayLanguage): Sample {
  const cached = samples.get(language)
  if (cached) return cached
  const words = askedWordsOf(everydaySentences(language))
  // The characters of a Chinese query are terms, too.
  const characters = words.flatMap((word) => (isUnspaced(word) ? [...word].slice(0, 1) : []))
  const counts = new Map<string, number>()
  for (const word of [...words, ...characters]) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sample = { words: words.length, counts }
  samples.set(language, sample)
  return sample
}
