import type { Log } from '../../log.ts'
import type { ImageMatch, ImageSearch, Nearness, SearchMode, SemanticMatches, SemanticSearch } from './arms/meaning.ts'
import {
  createSpellingSearch,
  type FuzzyTerms,
  findByTags,
  findByWords,
  rarityOf,
  type WordMatches,
  type WordsQuery,
} from './arms/words.ts'
import type { CandidatesStore } from './candidates.store.ts'
import { candidateWords, createJudge, type JudgedMoment } from './evidence.ts'
import { type Stems, type StemsStore, stemmedLanguageOf } from './indexing/words.store.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { SearchScope } from './scope.ts'
import { queryWordsOf, type Term, wordsOf } from './terms.ts'
import type { RankingPreferences } from './understand.ts'

export interface GatherDeps {
  store: Pick<MemoryStore, 'readMoments' | 'listItems' | 'findTagged' | 'findLike'>
  candidates: Pick<CandidatesStore, 'withWords' | 'itemBytes'>
  stems: StemsStore
  meaning: SemanticSearch
  looks: ImageSearch
  /** True when the database runs one statement at a time. The slowest statement, for the nearest vectors, then comes last. */
  runsOneStatementAtATime: boolean
  log: Log
}

/** Query for the retrievers of a search: by words, spelling, tags, meaning and looks. */
export interface RetrieverQuery extends WordsQuery {
  text: string
  /** Text before the query, if the query makes no sense alone; the meaning of both together is searched for. */
  about?: string | undefined
  /** Phrases that have to match literally, ignoring case. */
  phrases: string[]
  /** True to match words as typed, without misspellings and compounds. */
  isExact: boolean
  /** False to search by words only. */
  byMeaning: boolean
  /** Maximum wait for an embedding engine. */
  maxWaitMs: number
  preferences?: RankingPreferences | undefined
}

/** Candidates found by any of the retrievers, and figures for scoring them. */
export interface Gathered extends SearchMode {
  /** Moments with their evidence, alternately from the retrievers, the best of each first. */
  judged: JudgedMoment[]
  tagged: JudgedMoment[]
  looks: ImageMatch[]
  /** Certainty that a moment was meant, 0 to 1, by the moment's id. */
  certainties: Map<string, number>
  nearness: Nearness
  /** Inverse document frequency of each term. */
  rarities: number[]
}

const MAX_PREFERRED = 60
/** Maximum number of items whose length is looked up: those of the best moments. */
const MAX_ITEMS = 60
/** Share of the texts above which a word counts as common and isn't embedded with the query. */
const CONTENT_SHARE = 0.2
/** Minimum moments of a memory that can show which words are common. */
const MIN_MOMENTS_FOR_COMMON_WORDS = 30

/**
 * Runs the retrievers of a search, in two passes. The first pass needs only the query: it looks for the query's words and tags,
 * and then for other spellings of the terms that weren't found. At the same time, it looks for the nearest texts and
 * pictures, and for items with a preferred type or time. The second pass completes the results of the first: it finds the
 * query's words in the moments found by meaning, and compares the other moments with the query's vector.
 */
export function createGatherer({ store, candidates, stems, meaning, looks, runsOneStatementAtATime, log }: GatherDeps) {
  const typos = createSpellingSearch({ store, log })

  const readMoments = async (userId: string, ids: string[]) => (ids.length > 0 ? store.readMoments(userId, ids) : [])

  /** Moments with the query's words, and ids of moments that may contain other spellings of them. */
  const findLexical = async (
    query: RetrieverQuery,
    scope: SearchScope,
    lookups: { words: Promise<WordMatches>; tags: Promise<JudgedMoment[]> },
  ) => {
    const [words, tagged] = await Promise.all([lookups.words, lookups.tags])
    const fuzzy = fuzzyTerms(query, words, tagged)
    return { words, fuzzy, misspelled: await typos.find(fuzzy, scope) }
  }

  const createMomentsJudge = ({ terms, phrases, language, size }: RetrieverQuery, { rare, unknown }: FuzzyTerms) => {
    const textStems = new Map<string, Stems>()
    const judge = createJudge({
      terms,
      phrases,
      rare,
      unknown,
      language: stemmedLanguageOf(language),
      stems: textStems,
      averageBytes: size.averageBytes,
    })
    return async (moments: MomentRow[]): Promise<JudgedMoment[]> => {
      const texts = moments.map((moment) => ({ moment, words: wordsOf(moment.body) }))
      const words = new Set(texts.flatMap((text) => text.words))
      for (const [word, forms] of await stems.stemsOf(candidateWords(words, terms))) textStems.set(word, forms)
      return texts.map((text) => ({ moment: text.moment, evidence: judge(text.moment, text.words) }))
    }
  }

  /** Moments and pictures nearest to the query. The query is embedded without words that many texts contain. */
  const findNear = async (
    query: RetrieverQuery,
    scope: SearchScope,
    wordsLookup: Promise<WordMatches>,
    ready: Promise<unknown> | undefined,
  ): Promise<SemanticMatches & { looks: ImageMatch[] }> => {
    if (!query.byMeaning) return { mode: 'words', moments: new Map(), compare: null, looks: [] }
    const { terms, size, language, maxWaitMs } = query
    // In a large memory, frequent words are already known, so this needn't wait for the lookup of the words.
    const rarities =
      size.frequent.size > 0
        ? terms.map(({ word }) => rarityOf((size.frequent.get(word) ?? 0) * size.moments, size.moments))
        : (await wordsLookup).rarities
    const fullText = query.about === undefined ? query.text : `${query.about} ${query.text}`
    const text =
      size.moments < MIN_MOMENTS_FOR_COMMON_WORDS ? fullText : contentOf(fullText, terms, rarities, size.moments)
    const meaningQuery = { text, language, maxWaitMs, ready }
    const [texts, pictures] = await Promise.all([meaning.find(meaningQuery, scope), looks.find(meaningQuery, scope)])
    // The mode of the texts takes precedence: a picture that can't be compared may still be found by its caption.
    const { mode, mode_reason, mode_reason_code } =
      texts.mode === 'semantic' || pictures.mode === 'words' ? texts : pictures
    return {
      mode,
      ...(mode_reason && { mode_reason }),
      ...(mode_reason_code && { mode_reason_code }),
      moments: texts.moments,
      compare: texts.compare,
      looks: pictures.looks,
    }
  }

  /** The newest items that match the query's preferences, whatever words they contain. */
  const listPreferred = async ({ preferences }: RetrieverQuery, scope: SearchScope): Promise<MomentRow[]> => {
    if (!preferences) return []
    const { mediaTypes, from, to, isByTimeAdded } = preferences
    const types = mediaTypes?.filter((type) => scope.types === null || scope.types.includes(type)) ?? scope.types
    const range = { from: from ?? scope.from, to: to ?? scope.to, isByTimeAdded: isByTimeAdded || scope.isByTimeAdded }
    return store.listItems({ ...scope, ...range, types }, MAX_PREFERRED)
  }

  return async function gatherCandidates(query: RetrieverQuery, scope: SearchScope): Promise<Gathered> {
    const { userId } = scope
    const lookups = { tags: findByTags(store, query, scope), words: findByWords(candidates, query, scope) }
    const lexical = findLexical(query, scope, lookups)
    // Texts with the words are read and judged while the nearest vectors are looked up.
    const judging = lexical.then(async ({ words, fuzzy, misspelled }) => {
      const judge = createMomentsJudge(query, fuzzy)
      const ids = new Set(words.moments.map(({ id }) => id))
      const others = await readMoments(
        userId,
        misspelled.filter((id) => !ids.has(id)),
      )
      return { words, misspelled, judge, judged: await judge([...words.moments, ...others]) }
    })
    const [{ words, misspelled, judge, judged }, near, tagged, preferred] = await Promise.all([
      judging,
      findNear(query, scope, lookups.words, runsOneStatementAtATime ? lexical : undefined),
      lookups.tags,
      listPreferred(query, scope),
    ])

    const wordIds = words.moments.map(({ id }) => id)
    const ids = [...new Set([...interleaved(wordIds, [...near.moments.keys()]), ...misspelled])]
    const all = [...new Set([...ids, ...preferred.map(({ id }) => id)])]
    const byId = new Map(judged.map((judgedMoment) => [judgedMoment.moment.id, judgedMoment]))
    const judgeOthers = async () => {
      const others = await readMoments(
        userId,
        ids.filter((id) => !byId.has(id)),
      )
      const knownIds = new Set([...byId.keys(), ...others.map(({ id }) => id)])
      return judge([...others, ...preferred.filter(({ id }) => !knownIds.has(id))])
    }
    const [others, nearness] = await Promise.all([
      judgeOthers(),
      near.compare?.(all) ??
        candidates.itemBytes(userId, ids, MAX_ITEMS).then((itemBytes) => ({ ...noNearness, itemBytes })),
    ])
    for (const judgedMoment of others) byId.set(judgedMoment.moment.id, judgedMoment)
    const { moments: certainties, compare: _, ...rest } = near
    return {
      ...rest,
      certainties,
      judged: all.flatMap((id) => byId.get(id) ?? []),
      tagged,
      nearness,
      rarities: words.rarities,
    }
  }
}

const noNearness = { moments: new Map(), items: new Map(), background: { moments: [], items: [] }, trust: 0 }

/** Terms to match fuzzily. Words in quotes are meant literally, and words of the user's tags were found as typed. */
function fuzzyTerms(
  { terms, phrases, isExact }: RetrieverQuery,
  { rare, unknown }: WordMatches,
  tagged: JudgedMoment[],
): FuzzyTerms {
  const literal = new Set(phrases.flatMap(queryWordsOf))
  const tags = terms.filter((_, index) => tagged.some(({ evidence }) => (evidence.shares[index] ?? 0) > 0))
  for (const { word } of isExact ? terms : tags) literal.add(word)
  const isFuzzy = ({ word }: Term) => !literal.has(word)
  return { rare: new Set([...rare].filter(isFuzzy)), unknown: new Set([...unknown].filter(isFuzzy)) }
}

/** A query without the words that many texts contain; the whole query when it has no other words. */
function contentOf(text: string, terms: Term[], rarities: number[], moments: number): string {
  const minRarity = Math.log(1 + (1 - CONTENT_SHARE) / CONTENT_SHARE) - 1 / moments
  const common = new Set(terms.flatMap(({ word }, index) => ((rarities[index] ?? 0) < minRarity ? [word] : [])))
  const content = text.split(/\s+/).filter((chunk) => queryWordsOf(chunk).some((word) => !common.has(word)))
  return content.length > 0 ? content.join(' ') : text
}

function interleaved(first: string[], second: string[]): string[] {
  return Array.from({ length: Math.max(first.length, second.length) }, (_, index) => [first[index], second[index]])
    .flat()
    .filter((id) => id !== undefined)
}
