import type { Log } from '../../../log.ts'
import { everydaySentences } from '../../../offline/everyday/everyday-sentences.ts'
import type { DaySpan } from '../../../offline/phrases/written-days.ts'
import type { CandidatesStore } from '../candidates.store.ts'
import { dayQueryOf } from '../day-query.ts'
import { type JudgedMoment, MIN_MISSPELLED_LENGTH } from '../evidence.ts'
import type { MemoryStore, MomentRow } from '../memory.store.ts'
import type { MemorySize } from '../memory-sizes.ts'
import type { SearchScope } from '../scope.ts'
import { hasDigit, isUnspaced, queryWordsOf, type Term, tsqueryOf, wordsOf } from '../terms.ts'
import { weights } from '../weights.ts'

const MAX_TAGGED = 100

/** Items with a tag that contains a word of the query. A tag counts like a word of the item's text. */
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

/** Terms to match fuzzily. */
export interface FuzzyTerms {
  /** Terms in few or no texts, for which compounds match, too. */
  rare: Set<Term>
  /** Terms in no text, for which similar words and words that begin with the term match, too. */
  unknown: Set<Term>
}

const MAX_SIMILAR = 60
const MAX_MISSPELLED = 3
const PATTERNS_AT_ONCE = 28
/** Time limit for looking up the patterns of a search; concurrent searches share it. */
const MISSPELLED_MS = 300
/** Minimum length of a word for tolerating two wrong letters: its other letters are then enough for a lookup. */
const MIN_LENGTH_FOR_PIECES = 8
/** Minimum letters of a piece of a word; shorter ones occur in too many texts. */
const MIN_PIECE = 5
/** Maximum letters of a word that patterns are made from; more wouldn't make the result better. */
const MAX_LETTERS = 24
/** Minimum number of consecutive letters in a pattern for the trigram index to be of use. */
const INDEXED_LETTERS = 3

/** Finds texts with compounds and other spellings of words. */
export function createSpellingSearch({ store, log }: { store: Pick<MemoryStore, 'findLike'>; log: Log }) {
  let running = 0

  return {
    /**
     * Ids of moments that may contain a compound with a rare term, or another spelling of an unknown one; their words are
     * compared later. Each statement has patterns for about one word, so that other work gets the database in between.
     * Never throws: after a failure or the time limit, it returns the ids found so far.
     */
    async find({ rare, unknown }: FuzzyTerms, scope: SearchScope): Promise<string[]> {
      const terms = [...rare].filter(({ word }) => word.length >= MIN_MISSPELLED_LENGTH)
      const perWord = terms
        .slice(0, MAX_MISSPELLED)
        .map((term) => misspellingPatterns(term.word).slice(0, unknown.has(term) ? undefined : 1))
      const longest = Math.max(0, ...perWord.map(({ length }) => length))
      // First pattern of each word, then the second of each, and so on, since the first ones are the most useful.
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
 * LIKE patterns for texts with another spelling of a word. They're few and cheap to compare, and most have enough letters in
 * a row for the trigram index to find few texts.
 * @param word letters and digits in lower case.
 */
export function misspellingPatterns(word: string): string[] {
  const letters = [...word].slice(0, MAX_LETTERS)
  const patterns = letters.length < MIN_LENGTH_FOR_PIECES ? singleMistakePatterns(letters) : pieces(letters)
  return [...new Set([`%${letters.join('')}%`, ...patterns])]
}

/** Patterns for a short word with one mistake: a letter changed, added, dropped or swapped with the next. */
function singleMistakePatterns(letters: string[]): string[] {
  return letters.flatMap((letter, index) => {
    const [before, after] = [letters.slice(0, index).join(''), letters.slice(index + 1).join('')]
    const next = letters[index + 1]
    const isIndexed = Math.max(index, letters.length - index - 1) >= INDEXED_LETTERS
    return [
      // Without three letters in a row, the index can only be used with the beginning of the word.
      ...(isIndexed ? [`%${before}_${after}%`] : [`${before}_${after}%`, `% ${before}_${after}%`]),
      ...(index > 0 ? [`%${before}_${letter}${after}%`] : []),
      `%${before}${after}%`,
      ...(next !== undefined && next !== letter
        ? [`%${before}${next}${letter}${letters.slice(index + 2).join('')}%`]
        : []),
    ]
  })
}

/** Patterns for a long word: the word without each pair of neighbouring letters, and every piece of half its length. */
function pieces(letters: string[]): string[] {
  const piece = (from: number, to = letters.length) => letters.slice(from, to).join('')
  const half = Math.max(MIN_PIECE, Math.ceil(letters.length / 2))
  const gaps = letters.slice(1).map((_, index) => `%${piece(0, index)}%${piece(index + 2)}%`.replace('%%', '%'))
  const halves = letters.slice(half - 1).map((_, index) => `%${piece(index, index + half)}%`)
  return [...gaps, ...halves]
}

/** Words to search for in a memory. */
export interface WordsQuery {
  terms: Term[]
  /** ISO 639-1 code of the query's language; null when unsure. */
  language: string | null
  size: MemorySize
  /** Days that texts may name. */
  days?: DaySpan[] | undefined
}

/** Moments that may contain the words of a query, and terms to match fuzzily. */
export interface WordMatches extends FuzzyTerms {
  /** Most promising first. */
  moments: MomentRow[]
  /** Weight of each term by its rarity in the user's memory, taken from the language in which the term is most frequent. */
  rarities: number[]
}

const MAX_MOMENTS = 120
/** In a short query, a word that fewer moments contain is also searched for in compounds. */
const FEW_MOMENTS = 5
/** Maximum number of terms of a short query. */
const SHORT_QUERY_TERMS = 4
/**
 * Maximum number of moments that the frequent words looked up in one search are expected to match in total. The embedded
 * database takes some 8 µs per moment.
 */
const MAX_COMMON_MOMENTS = 1000
/** Number of the least frequent of the remaining words to look up when no other word was found. */
const MAX_FREQUENT = 2

/** Finds moments with the words of a query through the word index. */
export async function findByWords(
  store: Pick<CandidatesStore, 'withWords'>,
  { terms, size, language, days = [] }: WordsQuery,
  scope: SearchScope,
): Promise<WordMatches> {
  if (terms.length === 0 || size.moments === 0) {
    return { moments: [], rarities: terms.map(() => 0), rare: new Set(), unknown: new Set() }
  }
  const shares = terms.map(({ word, stems }) =>
    Math.max(0, ...[word, ...Object.values(stems)].map((form) => size.frequent.get(form ?? '') ?? 0)),
  )
  const minMomentCounts = terms.map(
    ({ word }) => size.moments * everydayShare(word, language, size.averageBytes('text')),
  )
  const dayQuery = dayQueryOf(days)
  const ofDays = dayQuery === null ? [] : [{ tsquery: dayQuery, weight: weights.terms.days, minMomentCount: 0 }]
  const lookUp = async (indexes: number[], isPrefix = false) => {
    if (indexes.length === 0)
      return { moments: [], counts: new Map<number, { count: number; adjustedCount: number }>() }
    const words = indexes.flatMap((index) => {
      const term = terms[index]
      return term
        ? [
            {
              tsquery: tsqueryOf({ ...term, isPrefix }),
              weight: term.weight,
              minMomentCount: minMomentCounts[index] ?? 0,
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
  const asTyped = await lookUp(rarest(shares, size.moments))
  const unknown = all.filter((index) => terms[index]?.weight === 1 && asTyped.counts.get(index)?.count === 0)
  // A term that no text contains as typed may be the beginning of a word.
  const byBeginning = await lookUp(
    unknown.filter((index) => terms[index]?.isPrefix),
    true,
  )
  const lookups = [asTyped, byBeginning]
  const isNoneFound = lookups.every((lookup) => [...lookup.counts.values()].every(({ count }) => count === 0))
  if (isNoneFound && asTyped.counts.size < terms.length) {
    const others = all
      .filter((index) => !asTyped.counts.has(index))
      .sort((one, other) => (shares[one] ?? 0) - (shares[other] ?? 0))
    lookups.push(await lookUp(others.slice(0, MAX_FREQUENT)))
  }
  const counts = new Map(lookups.flatMap((lookup) => [...lookup.counts]))
  const moments = new Map(lookups.flatMap((lookup) => lookup.moments.map((moment) => [moment.id, moment])))
  const estimatedCount = (index: number) => (shares[index] ?? 0) * size.moments
  const momentCounts = all.map((index) =>
    Math.max(counts.get(index)?.adjustedCount ?? estimatedCount(index), minMomentCounts[index] ?? 0),
  )
  const unadjustedCounts = all.map((index) => counts.get(index)?.count ?? estimatedCount(index))
  const rareBelow = terms.length <= SHORT_QUERY_TERMS ? FEW_MOMENTS : 1
  const isRare = ({ word, weight }: Term, count: number) =>
    // A word with a digit that some text contains is meant as typed: another number means something else.
    weight === 1 && count < rareBelow && !(count > 0 && hasDigit(word))
  return {
    moments: [...moments.values()],
    rarities: momentCounts.map((count) => rarityOf(count, size.moments)),
    rare: new Set(terms.filter((term, index) => isRare(term, unadjustedCounts[index] ?? 0))),
    unknown: new Set(terms.filter((_, index) => unknown.includes(index))),
  }
}

/** Indexes of the words to look up: all that aren't frequent, then frequent ones from the rarest, up to `MAX_COMMON_MOMENTS`. */
function rarest(shares: number[], moments: number): number[] {
  const byShare = [...shares.keys()].sort((one, other) => (shares[one] ?? 0) - (shares[other] ?? 0))
  let expected = 0
  const taken = byShare.filter((index) => {
    expected += (shares[index] ?? 0) * moments
    return expected <= MAX_COMMON_MOMENTS
  })
  return taken.sort((one, other) => one - other)
}

/** BM25's inverse document frequency of a word in `momentCount` of all `moments`. */
export function rarityOf(momentCount: number, moments: number): number {
  const all = Math.max(moments, momentCount)
  return Math.log(1 + (all - momentCount + 0.5) / (momentCount + 0.5))
}

type EverydayLanguage = Parameters<typeof everydaySentences>[0]

const spacedLanguages: readonly EverydayLanguage[] = ['en', 'es', 'fr', 'de']
/** Languages recognised by their script, whatever language was guessed. */
const unspacedLanguages: readonly EverydayLanguage[] = ['ja', 'zh']
/** Average bytes of a word with the space or punctuation after it. */
const BYTES_PER_WORD = 6

interface Sample {
  words: number
  counts: Map<string, number>
}

const samples = new Map<EverydayLanguage, Sample>()

/**
 * Share of texts of a certain length that would contain a word if people wrote as they talk, estimated from sample sentences of
 * everyday language: a small memory of letters and bills can't show that "did" and "which" are common. A word that occurs only
 * once in the sentences may be there by chance and counts as not common.
 * @param language ISO 639-1 code of the query; no word is common in an unknown one.
 */
export function everydayShare(word: string, language: string | null, averageBytes: number): number {
  const languages = isUnspaced(word) ? unspacedLanguages : spacedLanguages.filter((one) => one === language)
  return Math.max(0, ...languages.map((language) => shareIn(sampleOf(language), word, averageBytes)))
}

function shareIn({ words, counts }: Sample, word: string, averageBytes: number): number {
  const repeats = (counts.get(word) ?? 1) - 1
  return 1 - Math.exp((-weights.terms.everyday * repeats * averageBytes) / BYTES_PER_WORD / words)
}

function sampleOf(language: EverydayLanguage): Sample {
  const cached = samples.get(language)
  if (cached) return cached
  const words = queryWordsOf(everydaySentences(language))
  // In scripts such as Chinese, single characters of a query are terms, too.
  const characters = words.flatMap((word) => (isUnspaced(word) ? [...word].slice(0, 1) : []))
  const counts = new Map<string, number>()
  for (const word of [...words, ...characters]) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sample = { words: words.length, counts }
  samples.set(language, sample)
  return sample
}
