import type { Log } from '../../log.ts'
import { everydaySentences } from '../../offline/everyday/everyday-sentences.ts'
import type { CandidatesStore } from './candidates.store.ts'
import { candidateWords, createJudge, type Evidence, type JudgeOptions } from './evidence.ts'
import type { StemsStore } from './indexing/stems.store.ts'
import type { Stems } from './indexing/stems.ts'
import { SHORTEST_MISSPELLED } from './likeness.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { MemorySize } from './memory-sizes.ts'
import type { SearchScope } from './scope.ts'
import { askedWordsOf, hasDigit, isUnspaced, wordsOf } from './split-words.ts'
import { type Term, tsqueryOf } from './terms.ts'

type EverydayLanguage = Parameters<typeof everydaySentences>[0]
const spaced: readonly EverydayLanguage[] = ['en', 'es', 'fr', 'de']
/** Their words are told by how they are written, whatever the language is taken for. */
const unspaced: readonly EverydayLanguage[] = ['ja', 'zh']
/** Bytes of a word with what stands beside it. */
const BYTES_PER_WORD = 6
/** Factor for the sample, which is written language: spoken sentences have more of these words. */
const SPOKEN_MORE = 1.5

interface Sample {
  words: number
  counts: Map<string, number>
}

const samples = new Map<string, Sample>()

/**
 * The share of all texts of a length that would hold a word if people wrote as they talk, by the sentences in `everyday`: they
 * are about nothing in particular, no two of them about the same. A small memory of letters and bills cannot tell that "did"
 * and "which" tell nothing. A word that was counted once may be there by chance, so it is not counted.
 * @param language ISO 639-1 code of the query; in one that is not known no word is common.
 */
export function everydayShare(word: string, language: string | null, averageBytes: number): number {
  const asked = isUnspaced(word) ? unspaced : spaced.filter((one) => one === language)
  return Math.max(0, ...asked.map((one) => shareIn(sampleOf(one), word, averageBytes)))
}

function shareIn({ words, counts }: Sample, word: string, averageBytes: number): number {
  const again = (counts.get(word) ?? 1) - 1
  return 1 - Math.exp((-SPOKEN_MORE * again * averageBytes) / BYTES_PER_WORD / words)
}

function sampleOf(language: EverydayLanguage): Sample {
  const known = samples.get(language)
  if (known) return known
  const words = askedWordsOf(everydaySentences(language))
  // characters of a Chinese query are looked for as well
  const characters = words.flatMap((word) => (isUnspaced(word) ? [...word].slice(0, 1) : []))
  const counts = new Map<string, number>()
  for (const word of [...words, ...characters]) counts.set(word, (counts.get(word) ?? 0) + 1)
  const sample = { words: words.length, counts }
  samples.set(language, sample)
  return sample
}

/** From this length, two letters may be wrong: pieces of the word are enough for a lookup. */
const PIECES_FROM = 8
/** Shorter pieces stand in too many texts. */
const SHORTEST_PIECE = 5
/** The rest of a long word tells no more. */
const MAX_LETTERS = 24
/** Shortest contiguous pattern that a trigram index can use. */
const INDEXED_LETTERS = 3

/**
 * Patterns of LIKE that texts match which hold a word that is spelled nearly so: few, each with enough letters in a row
 * that an index of trigrams finds only few texts, and cheap to compare with these. What is found has still to be judged.
 * @param word of letters and digits, in lower case.
 */
export function misspellingPatterns(word: string): string[] {
  const letters = [...word].slice(0, MAX_LETTERS)
  const patterns = letters.length < PIECES_FROM ? oneMistake(letters) : pieces(letters)
  return [...new Set([`%${letters.join('')}%`, ...patterns])]
}

/** A short word with each letter changed, added, dropped or swapped with the next. */
function oneMistake(letters: string[]): string[] {
  return letters.flatMap((letter, at) => {
    const [before, after, next] = [letters.slice(0, at).join(''), letters.slice(at + 1).join(''), letters[at + 1]]
    const changed = Math.max(at, letters.length - at - 1) >= INDEXED_LETTERS
    return [
      // without three letters in a row, the index needs the beginning of the word
      ...(changed ? [`%${before}_${after}%`] : [`${before}_${after}%`, `% ${before}_${after}%`]),
      ...(at > 0 ? [`%${before}_${letter}${after}%`] : []),
      `%${before}${after}%`,
      ...(next !== undefined && next !== letter
        ? [`%${before}${next}${letter}${letters.slice(at + 2).join('')}%`]
        : []),
    ]
  })
}

/** A long word without two neighbours, wherever these stand, and each half of it. */
function pieces(letters: string[]): string[] {
  const piece = (from: number, to = letters.length) => letters.slice(from, to).join('')
  const half = Math.max(SHORTEST_PIECE, Math.ceil(letters.length / 2))
  const gaps = letters.slice(1).map((_, at) => `%${piece(0, at)}%${piece(at + 2)}%`.replace('%%', '%'))
  const halves = letters.slice(half - 1).map((_, at) => `%${piece(at, at + half)}%`)
  return [...gaps, ...halves]
}

export interface WordSearchDeps {
  candidates: Pick<CandidatesStore, 'withWords' | 'itemBytes'>
  store: Pick<MemoryStore, 'findLike' | 'findTagged'>
  stems: StemsStore
  log: Log
}

/** Moments that may hold the words of a query. */
export interface WordsFound {
  /** The most promising first. */
  moments: MomentRow[]
  /** Weight of each term by its rarity in the user's memory, in the language where it's most frequent. */
  rarities: number[]
  /** Few or no texts hold these: compounds with them are looked for. */
  rare: Set<Term>
  /** No text holds these: others may be meant, that are spelled nearly so or begin so. */
  unknown: Set<Term>
}

/** A moment with its evidence, and its item's tags. */
export interface JudgedMoment {
  moment: MomentRow
  evidence: Evidence
}

/** Moments that hold a word spelled nearly as asked are judged one by one. */
const MAX_SIMILAR = 60
const MAX_MISSPELLED = 3
const PATTERNS_AT_ONCE = 28
/** No more patterns are looked for after this; searches that look at the same time share it. */
const MISSPELLED_MS = 300
/** Number of moments with a word of a short query below which compounds of it are searched for. */
const FEW = 5
const SHORT_QUERY = 4
/** Weight of an item's tag, relative to a word of its texts. */
const TAG_WEIGHT = 0.9
const TAG_STRENGTH = 1.6
/** Items whose length is looked up: those of the best moments. */
const MOST_ITEMS = 60
/** Number of the least frequent words to look up when all are frequent. */
const MAX_FREQUENT = 2

/** Finds moments by the words of a query, and tells what each holds of them. */
export function createWordSearch({ candidates, store, stems, log }: WordSearchDeps) {
  let looking = 0

  const find = async (
    scope: SearchScope,
    terms: Term[],
    size: MemorySize,
    limit: number,
    language: string | null,
  ): Promise<WordsFound> => {
    if (terms.length === 0 || size.moments === 0) {
      return { moments: [], rarities: terms.map(() => 0), rare: new Set(), unknown: new Set() }
    }
    const shares = terms.map(({ word, stems: forms }) =>
      Math.max(0, ...[word, ...Object.values(forms)].map((form) => size.frequent.get(form ?? '') ?? 0)),
    )
    const leastHeld = (at: number) =>
      size.moments * everydayShare(terms[at]?.word ?? '', language, size.averageBytes('text'))
    const look = async (asked: number[], isBegun = false) => {
      if (asked.length === 0) return { moments: [], counts: new Map<number, { count: number; held: number }>() }
      const given = asked.flatMap((at) => {
        const term = terms[at]
        return term
          ? [{ tsquery: tsqueryOf({ ...term, isOpen: isBegun }), weight: term.weight, leastHeld: leastHeld(at) }]
          : []
      })
      const { moments, counts, held } = await candidates.withWords(scope, given, size, limit)
      return {
        moments,
        counts: new Map(asked.map((at, place) => [at, { count: counts[place] ?? 0, held: held[place] ?? 0 }])),
      }
    }
    const all = [...terms.keys()]
    const asTyped = await look(all.filter((at) => shares[at] === 0))
    const unknown = all.filter((at) => terms[at]?.weight === 1 && asTyped.counts.get(at)?.count === 0)
    // what stands nowhere as it was typed may be the beginning of something
    const begun = await look(
      unknown.filter((at) => terms[at]?.isOpen),
      true,
    )
    const found = [asTyped, begun]
    if (found.every(({ moments }) => moments.length === 0) && asTyped.counts.size < terms.length) {
      const frequent = all
        .filter((at) => shares[at] !== 0)
        .sort((one, other) => (shares[one] ?? 0) - (shares[other] ?? 0))
      found.push(await look(frequent.slice(0, MAX_FREQUENT)))
    }
    const counts = new Map(found.flatMap((one) => [...one.counts]))
    const moments = new Map(found.flatMap((one) => one.moments.map((moment) => [moment.id, moment])))
    const ofFrequent = (at: number) => (shares[at] ?? 0) * size.moments
    const held = all.map((at) => Math.max(counts.get(at)?.held ?? ofFrequent(at), leastHeld(at)))
    const count = all.map((at) => counts.get(at)?.count ?? ofFrequent(at))
    const few = terms.length <= SHORT_QUERY ? FEW : 1
    return {
      moments: [...moments.values()],
      rarities: held.map((count) => rarityOf(count, size.moments)),
      rare: new Set(
        terms.filter(({ word, weight }, at) => {
          const texts = count[at] ?? 0
          // one with a number that stands somewhere as it was typed is meant: the next number is another thing
          return weight === 1 && texts < few && !(texts > 0 && hasDigit(word))
        }),
      ),
      unknown: new Set(terms.filter((_, at) => unknown.includes(at))),
    }
  }

  /**
   * Ids of moments that may hold a compound with one of these words, or one spelled nearly as those that stand nowhere. Looks for about one word at a time, so that others
   * get at the database meanwhile, and only for so long; finds fewer rather than making the search fail.
   */
  const findMisspelled = async (scope: SearchScope, rare: Set<Term>, unknown: Set<Term>): Promise<string[]> => {
    const terms = [...rare].filter(({ word }) => word.length >= SHORTEST_MISSPELLED)
    const perWord = terms
      .slice(0, MAX_MISSPELLED)
      .map((term) => misspellingPatterns(term.word).slice(0, unknown.has(term) ? undefined : 1))
    const longest = Math.max(0, ...perWord.map(({ length }) => length))
    // by turns, the first ones of each word being the most telling
    const patterns = Array.from({ length: longest }, (_, at) => perWord.flatMap((all) => all[at] ?? [])).flat()
    const times = new Map<string, number>()
    const startedAt = performance.now()
    looking++
    try {
      for (let at = 0; at < patterns.length; at += PATTERNS_AT_ONCE) {
        const leftMs = MISSPELLED_MS / looking - (performance.now() - startedAt)
        if (leftMs <= 0) break
        const ids = await store.findLike(scope, patterns.slice(at, at + PATTERNS_AT_ONCE), leftMs)
        for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
      }
    } catch (error) {
      log.warn({ err: error }, 'words that are spelled nearly so could not be looked for')
    } finally {
      looking--
    }
    const best = [...times].sort(([oneId, one], [otherId, other]) => other - one || (oneId < otherId ? 1 : -1))
    return best.slice(0, MAX_SIMILAR).map(([id]) => id)
  }

  /** Items whose tags are words of the query: what a person calls a thing is found like what stands in it. */
  const findTagged = async (scope: SearchScope, terms: Term[], limit: number): Promise<JudgedMoment[]> => {
    const asked = terms.map(({ word }) => word)
    if (asked.length === 0) return []
    const tagged = await store.findTagged(scope, asked, limit)
    return tagged.map(({ tags, ...moment }) => {
      const held = new Set(tags.flatMap(wordsOf))
      return {
        moment,
        evidence: {
          strengths: asked.map((word) => (held.has(word) ? TAG_STRENGTH : 0)),
          counts: asked.map((word) => (held.has(word) ? 1 : 0)),
          shares: asked.map((word) => (held.has(word) ? TAG_WEIGHT : 0)),
          guesses: new Map(),
          pairs: asked.map(() => 0),
          phrases: 0,
          words: asked.map(() => new Set<string>()),
        },
      }
    })
  }

  return {
    find,
    findMisspelled,
    findTagged,

    /** Bytes of the items of the first of some moments, but for their names. */
    itemBytes: (userId: string, momentIds: string[]): Promise<Map<string, number>> =>
      candidates.itemBytes(userId, momentIds, MOST_ITEMS),

    /** Creates the judge of moments for a query. */
    judging(
      asked: Pick<JudgeOptions, 'terms' | 'phrases' | 'rare' | 'unknown' | 'language'>,
      size: MemorySize,
    ): (moments: MomentRow[]) => Promise<JudgedMoment[]> {
      const known = new Map<string, Stems>()
      const judge = createJudge({ ...asked, stems: known, averageBytes: size.averageBytes })
      return async (moments) => {
        const texts = moments.map((moment) => ({ moment, words: wordsOf(moment.body) }))
        const words = new Set(texts.flatMap((text) => text.words))
        for (const [word, forms] of await stems.stemsOf(candidateWords(words, asked.terms))) known.set(word, forms)
        return texts.map((text) => ({ moment: text.moment, evidence: judge(text.moment, text.words) }))
      }
    },
  }
}

export type WordSearch = ReturnType<typeof createWordSearch>

/** Inverse document frequency of BM25 for a word in `held` of all moments. */
export function rarityOf(held: number, moments: number): number {
  const all = Math.max(moments, held)
  return Math.log(1 + (all - held + 0.5) / (held + 0.5))
}
