import type { Log } from '../../../log.ts'
import { everydaySentences } from '../../../offline/everyday/everyday-sentences.ts'
import type { DaySpan } from '../../../offline/phrases/written-days.ts'
import type { CandidatesStore } from '../candidates.store.ts'
import { dayQueryOf } from '../day-query.ts'
import { type JudgedMoment, SHORTEST_MISSPELLED } from '../evidence.ts'
import type { MemoryStore, MomentRow } from '../memory.store.ts'
import type { MemorySize } from '../memory-sizes.ts'
import type { SearchScope } from '../scope.ts'
import { askedWordsOf, hasDigit, isUnspaced, type Term, tsqueryOf, wordsOf } from '../terms.ts'
import { weights } from '../weights.ts'

const MAX_TAGGED = 100

/** Items with a tag that is a word of the query: a user's own word for a thing counts like one of its text. */
export async function findByTags(
  store: Pick<MemoryStore, 'findTagged'>,
  { terms }: { terms: Term[] },
  scope: SearchScope,
): Promise<JudgedMoment[]> {
  const words = terms.map(({ word }) => word)
  if (words.length === 0) return []
  const tagged = await store.findTagged(scope, words, MAX_TAGGED)
  return tagged.map(({ tags, ...moment }) => {
    const tagWords = new Set(tags.flatMap(wordsOf))
    const perWord = (weight: number) => words.map((word) => (tagWords.has(word) ? weight : 0))
    return {
      moment,
      evidence: {
        strengths: perWord(weights.match.tagStrength),
        counts: perWord(1),
        shares: perWord(weights.match.tag),
        guesses: new Map(),
        pairs: words.map(() => 0),
        phrases: 0,
        words: new Map(),
      },
    }
  })
}

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
/** The rest of a long word adds nothing. */
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

/** Words to look for in a memory. */
export interface WordsQuery {
  terms: Term[]
  /** ISO 639-1 code; null when unsure. */
  language: string | null
  size: MemorySize
  /** Days that texts may name. */
  days?: DaySpan[] | undefined
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
/** Moments with frequent words to count for one search: each takes the embedded database some 8 µs. */
const MAX_COMMON_MOMENTS = 1000
/** Number of the least frequent words to look up when all are frequent. */
const MAX_FREQUENT = 2

/** Moments with the words of a query, by the word index. */
export async function findByWords(
  store: Pick<CandidatesStore, 'withWords'>,
  { terms, size, language, days = [] }: WordsQuery,
  scope: SearchScope,
): Promise<WordsFound> {
  if (terms.length === 0 || size.moments === 0) {
    return { moments: [], rarities: terms.map(() => 0), rare: new Set(), unknown: new Set() }
  }
  const shares = terms.map(({ word, stems }) =>
    Math.max(0, ...[word, ...Object.values(stems)].map((form) => size.frequent.get(form ?? '') ?? 0)),
  )
  const leastHeld = terms.map(({ word }) => size.moments * everydayShare(word, language, size.averageBytes('text')))
  const dayQuery = dayQueryOf(days)
  const ofDays = dayQuery === null ? [] : [{ tsquery: dayQuery, weight: weights.terms.days, leastHeld: 0 }]
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
    const { moments, counts, adjustedCounts } = await store.withWords(scope, [...words, ...ofDays], size, MAX_MOMENTS)
    return {
      moments,
      counts: new Map(
        indexes.map((index, row) => [index, { count: counts[row] ?? 0, adjustedCount: adjustedCounts[row] ?? 0 }]),
      ),
    }
  }
  const all = [...terms.keys()]
  const asTyped = await look(rarest(shares, size.moments))
  const unknown = all.filter((index) => terms[index]?.weight === 1 && asTyped.counts.get(index)?.count === 0)
  // A word that no text holds as it was typed may be the beginning of one.
  const byBeginning = await look(
    unknown.filter((index) => terms[index]?.isOpen),
    true,
  )
  const lookups = [asTyped, byBeginning]
  const isNoneHeld = lookups.every((lookup) => [...lookup.counts.values()].every(({ count }) => count === 0))
  if (isNoneHeld && asTyped.counts.size < terms.length) {
    const others = all
      .filter((index) => !asTyped.counts.has(index))
      .sort((one, other) => (shares[one] ?? 0) - (shares[other] ?? 0))
    lookups.push(await look(others.slice(0, MAX_FREQUENT)))
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

/** Indexes of the words to look up: all that aren't frequent, then the less frequent ones as far as that's quick. */
function rarest(shares: number[], moments: number): number[] {
  const bySharing = [...shares.keys()].sort((one, other) => (shares[one] ?? 0) - (shares[other] ?? 0))
  let expected = 0
  const taken = bySharing.filter((index) => {
    expected += (shares[index] ?? 0) * moments
    return expected <= MAX_COMMON_MOMENTS
  })
  return taken.sort((one, other) => one - other)
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
