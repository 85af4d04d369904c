import { cutText } from '@mira/shared/constants/cut-text'
import type { Ai } from '../../engines/ai.ts'
import { isArticle, isAsking, isFraming } from '../../offline/language/language.ts'
import { unlessAborted } from '../../platform/lib/abort.ts'
import type { SearchMode } from './arms/meaning.ts'
import type { Evidence, JudgedMoment } from './evidence.ts'
import { createGatherer, type GatherDeps, type Gathered } from './gather.ts'
import { type Candidate, guessesLast, type SearchHit, withOpeningTexts } from './hits.ts'
import type { ItemMomentsStore } from './indexing/item-moments.store.ts'
import { stemmedLanguageOf } from './indexing/words.store.ts'
import type { MemoryStore } from './memory.store.ts'
import type { MemorySizes } from './memory-sizes.ts'
import { readPreferenceMatches } from './preferences.ts'
import type { SearchScope } from './scope.ts'
import { type Ranking, rankHits } from './score.ts'
import { noStems, type QueryText, queryTerms, type Term } from './terms.ts'
import type { Understood } from './understand.ts'
import { weights } from './weights.ts'

export interface RetrievalDeps extends GatherDeps {
  store: GatherDeps['store'] & Pick<MemoryStore, 'readKinds' | 'itemsOfPhrases'>
  items: Pick<ItemMomentsStore, 'readFirstWords'>
  sizes: MemorySizes
  ai: Pick<Ai, 'reranking'>
}

/** Options of a search by an understood query. */
export interface RetrievalOptions {
  /** ISO 639-1 code of the query; null when unsure. */
  language: string | null
  /** location: one hit per frame, page, sentence or whole item; moment: one hit per text. */
  by: Ranking['by']
  /** Maximum wait for an embedding engine. */
  maxWaitMs: number
  /** Earlier questions and answers, or the question in other words; these words count for less. */
  context?: string[] | undefined
  /** Text before the query, if the query makes no sense alone; the meaning of both together is searched for. */
  about?: string | undefined
  /** True when the last word may be incomplete, as while it's being typed. */
  mayEndInPrefix?: boolean
  /** True to match words as typed, without misspellings and compounds. */
  isExact?: boolean | undefined
  /** False to search by words only. */
  byMeaning?: boolean
}

/** Results, best first, and the mode of the search. */
export interface Retrieved extends SearchMode {
  hits: SearchHit[]
  terms: Term[]
}

export type Retrieval = ReturnType<typeof createRetrieval>

/** Maximum number of items whose ids replace the phrases that they contain; a scope with more such items keeps its phrases. */
const MAX_PHRASED_ITEMS = 1000
const MAX_RERANKED = 30
const RERANK_TIMEOUT_MS = 1500
/** Pause in reranking after a timeout or a failure. */
const RERANK_PAUSE_MS = 30_000
const MAX_DOCUMENT_CHARACTERS = 2000

/** Searches a user's memory: gathers candidates by words, meaning and looks, and ranks them by a score. */
export function createRetrieval(deps: RetrievalDeps) {
  const { store, items, sizes, stems, ai, log } = deps
  const gatherCandidates = createGatherer(deps)
  let rerankingPausedUntil = 0

  /** Terms of a query, with their stems. @param isGuessed true when it's unsure that the query is in this language. */
  const readTerms = async (query: QueryText, language: string | null, isGuessed: boolean): Promise<Term[]> => {
    const bareTerms = queryTerms(query)
    const words = bareTerms.map(({ word }) => word)
    const stemsOf = await stems.stemsOf(words)
    const stopWords = stems.stopWordsOf(words, stemmedLanguageOf(language), { isGuessed })
    return bareTerms.map((term) => ({
      ...term,
      stems: stemsOf.get(term.word) ?? noStems,
      isStopWord: stopWords.has(term.word) || isArticle(term.word, language) || isFraming(term.word, language),
    }))
  }

  /** Replaces the phrases of a scope with the ids of items that contain them, so that they're looked up only once. */
  const withItemsOfPhrases = async (scope: SearchScope): Promise<SearchScope> => {
    if (scope.phrases.length === 0) return scope
    const ids = await store.itemsOfPhrases(scope, MAX_PHRASED_ITEMS)
    return ids === null ? scope : { ...scope, items: ids, phrases: [] }
  }

  /**
   * Reorders the best hits with an engine that reads the query and each text together. Never throws: after a failure, the
   * order stays.
   */
  const rerank = async (query: string, hits: SearchHit[]): Promise<SearchHit[]> => {
    const engine = ai.reranking()
    if (engine === null || hits.length < 2 || rerankingPausedUntil > performance.now()) return hits
    const best = hits.slice(0, MAX_RERANKED)
    const documents = best.map(({ moment }) => cutText(moment.body, MAX_DOCUMENT_CHARACTERS))
    const signal = AbortSignal.timeout(RERANK_TIMEOUT_MS)
    try {
      const { scores } = await unlessAborted(engine.rerank(query, documents, signal), signal)
      if (scores.length !== best.length || !scores.every(Number.isFinite))
        throw new Error('The engine did not score every text.')
      const order = best.map((hit, index) => ({ hit, score: scores[index] ?? 0 })).sort((a, b) => b.score - a.score)
      return [...order.map(({ hit }) => hit), ...hits.slice(MAX_RERANKED)]
    } catch (error) {
      log.warn({ err: error }, 'could not rerank hits')
      rerankingPausedUntil = performance.now() + RERANK_PAUSE_MS
      return hits
    }
  }

  return {
    /** Searches by an understood query. Returns hits, best first, even uncertain ones. */
    async find(understood: Understood, options: RetrievalOptions, limit: number): Promise<Retrieved> {
      const { phrases, preferences } = understood
      const { language, by, maxWaitMs, about, mayEndInPrefix = false, isExact = false, byMeaning = true } = options
      const { userId } = understood.scope
      // The words of phrases in quotes are searched for separately, too.
      const text = [understood.text, ...phrases].join(' ').trim()
      const context = [...understood.context, ...(options.context ?? [])]
      const [scope, size, allTerms] = await Promise.all([
        withItemsOfPhrases(understood.scope),
        sizes.of(userId),
        readTerms({ text, context, mayEndInPrefix }, language, understood.language === null),
      ])
      // "what did I do on 5 March" only asks for a time: its other words occur in any text. "my will from 2023" doesn't,
      // nor does "what did she say about it in March" after another question.
      const namesTime = preferences?.from !== undefined || preferences?.to !== undefined
      const asksForTime = namesTime && about === undefined && isAsking(understood.text)
      const isOnlyPreferences =
        preferences?.isAll === true ||
        (asksForTime && allTerms.every(({ weight, isStopWord }) => weight < 1 || isStopWord))
      const terms = isOnlyPreferences
        ? allTerms.map((term) => ({ ...term, weight: Math.min(term.weight, weights.terms.context) }))
        : allTerms
      const searchesMeaning = byMeaning && !isOnlyPreferences && /[\p{L}\p{N}]/u.test(understood.text)
      const query = {
        terms,
        language,
        size,
        text,
        about,
        phrases,
        isExact,
        byMeaning: searchesMeaning,
        maxWaitMs,
        preferences,
        days: preferences?.days,
      }
      const gathered = await gatherCandidates(query, scope)
      const { judged, tagged, looks, nearness, rarities, certainties: _, ...mode } = gathered
      const preferenceMatchOf = await readPreferenceMatches(
        store,
        scope,
        preferences,
        [...judged, ...looks].map(({ moment }) => moment),
      )
      const candidates = candidatesOf(gathered).filter(({ moment, evidence, cosine, semanticScore }) => {
        const isPreferred = preferences !== undefined && preferenceMatchOf(moment).share > 0
        return (
          isPreferred || cosine !== null || semanticScore > 0 || evidence?.strengths.some((strength) => strength > 0)
        )
      })
      const ranking: Ranking = {
        terms,
        rarities,
        itemLengths: new Map([...nearness.itemBytes].map(([id, bytes]) => [id, bytes / size.averageItemBytes])),
        trust: nearness.trust,
        background: nearness.background,
        by,
        preferenceMatchOf,
        isOnlyPreferences,
        isFramed: terms.some(({ word, weight }) => weight === 1 && isFraming(word, language)),
      }
      const ranked = rankHits(candidates, ranking, limit)
      const hits = await withOpeningTexts(ranked, (ids) => items.readFirstWords(userId, ids))
      return { hits: guessesLast(await rerank(text, hits)), terms, ...mode }
    },
  }
}

/** Candidates: one per moment, with everything that the retrievers found about it, and one per picture. */
function candidatesOf({ judged, tagged, looks, certainties, nearness }: Gathered): Candidate[] {
  const byMoment = new Map<string, JudgedMoment>()
  for (const judgedMoment of [...judged, ...tagged]) {
    const earlier = byMoment.get(judgedMoment.moment.id)
    byMoment.set(
      judgedMoment.moment.id,
      earlier ? { ...earlier, evidence: combined(earlier.evidence, judgedMoment.evidence) } : judgedMoment,
    )
  }
  const texts = [...byMoment.values()].map(({ moment, evidence }) => ({
    moment,
    evidence,
    semanticScore: certainties.get(moment.id) ?? 0,
    cosine: nearness.moments.get(moment.id) ?? null,
    itemCosine: nearness.items.get(moment.mediaId) ?? null,
  }))
  const pictures = looks.map(({ moment, certainty }) => ({
    moment,
    evidence: null,
    semanticScore: certainty,
    cosine: null,
    itemCosine: null,
  }))
  return [...texts, ...pictures]
}

function combined(one: Evidence, other: Evidence): Evidence {
  const greater = (figures: number[], otherFigures: number[]) =>
    figures.map((figure, index) => Math.max(figure, otherFigures[index] ?? 0))
  return {
    ...one,
    strengths: greater(one.strengths, other.strengths),
    counts: greater(one.counts, other.counts),
    shares: greater(one.shares, other.shares),
  }
}
