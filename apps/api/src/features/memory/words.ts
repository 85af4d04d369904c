import type { Log } from '../../log.ts'
import { candidateWords, createMatcher, SHORTEST_MISSPELLED } from './matching.ts'
import type { Condition, MemoryStore, MomentRow, SearchScope } from './memory.store.ts'
import { misspellingPatterns } from './misspellings.ts'
import type { WordHit } from './ranking.ts'
import type { StemsStore } from './stems.store.ts'
import { patternOf, type Term, tsqueryOf, wordsOf } from './terms.ts'

export interface WordSearchDeps {
  store: Pick<MemoryStore, 'findAll' | 'findSome' | 'findLike' | 'findTagged' | 'parseWords' | 'readMoments'>
  stems: StemsStore
  log: Log
}

/** What holds the words of a query; `weights` follow its terms. */
export interface WordsFound {
  hits: WordHit[]
  weights: number[]
}

/** Moments that hold words spelled nearly as asked are judged one by one. */
const MOST_SIMILAR = 60
const MOST_MISSPELLED = 3
const PATTERNS_AT_ONCE = 4
/** No more patterns are looked for after this. */
const MISSPELLED_MS = 300
/** When fewer moments hold a word, those that hold one spelled nearly so are looked for. */
const FEW = 5
/** How well a tag of an item stands for a word of its texts. */
const TAG_WEIGHT = 0.9
/** Of a term that stands nowhere: the person may have meant something else by it. */
const UNKNOWN_WEIGHT = 0.6

/** Finds moments by the words of a query: all of them first, then some, then words that are spelled nearly so. */
export function createWordSearch({ store, stems, log }: WordSearchDeps) {
  const conditionsOf = async (terms: Term[]): Promise<Condition[]> => {
    const pieces = terms.flatMap((term) => (term.kind === 'word' && term.parts.length > 1 ? [term.chunk] : []))
    const parsed = await store.parseWords(pieces)
    return terms.map((term) => {
      if (term.kind === 'phrase') return { pattern: patternOf(term.phrase), tsquery: tsqueryOf(term) || null }
      return { pattern: null, tsquery: tsqueryOf(term, term.parts.length > 1 ? parsed.shift() : '') }
    })
  }

  /** `rare` are the terms that few texts hold, so that words spelled nearly so count. */
  const judge = async (moments: MomentRow[], terms: Term[], rare: Set<Term>): Promise<WordHit[]> => {
    const texts = moments.map((moment) => ({ ...moment, words: new Set(wordsOf(moment.body)) }))
    const allWords = new Set(texts.flatMap(({ words }) => [...words]))
    const match = createMatcher(terms, await stems.stemsOf(candidateWords(allWords, terms)), rare)
    return texts
      .map((text, at) => ({ moment: moments[at] as MomentRow, matches: match(text) }))
      .filter(({ matches }) => matches.some(({ weight }) => weight > 0))
  }

  /**
   * Moments that may hold a word spelled nearly as one of these. Looks a few patterns at a time, so that others get at the
   * database meanwhile, and only for so long; finds fewer rather than making the search fail.
   */
  const findMisspelled = async (scope: SearchScope, words: string[]): Promise<MomentRow[]> => {
    const perWord = words.map(misspellingPatterns)
    const longest = Math.max(0, ...perWord.map(({ length }) => length))
    // by turns, the first ones of each word being the most telling
    const patterns = Array.from({ length: longest }, (_, at) => perWord.flatMap((all) => all[at] ?? [])).flat()
    const times = new Map<string, number>()
    const startedAt = performance.now()
    try {
      for (let at = 0; at < patterns.length; at += PATTERNS_AT_ONCE) {
        if (performance.now() - startedAt > MISSPELLED_MS) break
        const ids = await store.findLike(scope, patterns.slice(at, at + PATTERNS_AT_ONCE))
        for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
      }
      const best = [...times].sort(([oneId, one], [otherId, other]) => other - one || (oneId < otherId ? 1 : -1))
      const ids = best.slice(0, MOST_SIMILAR).map(([id]) => id)
      return ids.length > 0 ? await store.readMoments(scope.userId, ids) : []
    } catch (error) {
      log.warn({ err: error }, 'words that are spelled nearly so could not be looked for')
      return []
    }
  }

  /** Items whose tags are words of the query: what a person calls a thing is found like what stands in it. */
  const findTagged = async (scope: SearchScope, terms: Term[], limit: number): Promise<WordHit[]> => {
    const named = terms.map((term) => (term.kind === 'word' ? term.parts.map(({ word }) => word).join(' ') : ''))
    const tagged = await store.findTagged(scope, [...new Set(named.filter((word) => word !== ''))], limit)
    return tagged.map(({ tags, ...moment }) => ({
      moment,
      matches: named.map((word) => ({ weight: tags.includes(word) ? TAG_WEIGHT : 0, words: new Set<string>() })),
    }))
  }

  return {
    conditionsOf,

    /**
     * @param enough moments that hold all words make others needless.
     * @param limit of those that are judged.
     */
    async find(scope: SearchScope, terms: Term[], enough: number, limit: number): Promise<WordsFound> {
      if (terms.length === 0) return { hits: [], weights: [] }
      const conditions = await conditionsOf(terms)
      const all = await store.findAll(scope, conditions, limit)
      if (all.length >= enough) return { hits: await judge(all, terms, new Set()), weights: terms.map(() => 1) }

      const some =
        terms.length > 1 ? await store.findSome(scope, conditions, limit) : { rows: all, counts: [all.length] }
      const weights = some.counts.map((count) => (count === 0 ? UNKNOWN_WEIGHT : 1 / (1 + Math.log(1 + count))))
      const known = new Map([...all, ...some.rows].map((moment) => [moment.id, moment]))
      const rare = new Set(all.length < FEW ? terms.filter((_, at) => (some.counts[at] ?? 0) < FEW) : [])
      const words = [...rare].flatMap((term) => (term.kind === 'word' ? term.parts.map(({ word }) => word) : []))
      const misspelled = words.filter((word) => word.length >= SHORTEST_MISSPELLED).slice(0, MOST_MISSPELLED)
      for (const moment of await findMisspelled(scope, misspelled))
        if (!known.has(moment.id)) known.set(moment.id, moment)
      const [judged, tagged] = [await judge([...known.values()], terms, rare), await findTagged(scope, terms, limit)]
      return { hits: [...judged, ...tagged], weights }
    },
  }
}

export type WordSearch = ReturnType<typeof createWordSearch>
