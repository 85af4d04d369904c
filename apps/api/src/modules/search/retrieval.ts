import type { Ai } from '../../engines/ai.ts'
import { isArticle, isAsking, isFraming } from '../../offline/language/language.ts'
import { type DaySpan, fitOfWrittenDays } from '../../offline/phrases/written-days.ts'
import { unlessAborted } from '../../platform/lib/abort.ts'
import type { SearchMode } from './arms/meaning.ts'
import type { Evidence, JudgedMoment } from './evidence.ts'
import { createGatherer, type GatherDeps, type Gathered } from './gather.ts'
import { type Candidate, guessesLast, type SearchHit, withBeginnings } from './hits.ts'
import type { ItemMomentsStore } from './indexing/item-moments.store.ts'
import { stemmedLanguageOf } from './indexing/words.store.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { MemorySizes } from './memory-sizes.ts'
import type { SearchScope } from './scope.ts'
import { notPreferred, type Preferred, type Ranking, rankHits } from './score.ts'
import { askedTerms, noStems, type QueryText, type Term } from './terms.ts'
import type { RankingPreferences, Understood } from './understand.ts'
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
  /** location: a frame, page, sentence or whole item is found once; moment: each text is. */
  by: Ranking['by']
  /** Longest wait for an embedding engine. */
  patienceMs: number
  /** Earlier turns, or the question in other words: their words count for less. */
  context?: string[] | undefined
  /** Preceding text, for a text that makes no sense alone; both are interpreted together. */
  about?: string | undefined
  /** True when the last word may be incomplete. */
  isOpen?: boolean
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

/** Most item ids passed on; for more items, the condition itself is passed on instead. */
const MAX_PHRASED_ITEMS = 1000
const MAX_RERANKED = 30
const RERANK_TIMEOUT_MS = 1500
/** Pause of reranking after a timeout or a failure. */
const RERANK_PAUSE_MS = 30_000
const LONGEST_DOCUMENT_CHARACTERS = 2000

/** Longest time that tells much about a text: a season. */
const SHORT_TIME_DAYS = 92
const DAY_MS = 86_400_000

/** True when spans are so short that few texts name a day of them. */
function isShort(spans: readonly DaySpan[]): boolean {
  return spans.every(({ first, last }) => {
    const days = (Date.parse(last ?? '') - Date.parse(first ?? '')) / DAY_MS
    return days <= SHORT_TIME_DAYS
  })
}

/** Searches a user's memory: the arms gather candidates, the score ranks them. */
export function createRetrieval(deps: RetrievalDeps) {
  const { store, items, sizes, stems, ai, log } = deps
  const gatherArms = createGatherer(deps)
  let isRerankingPausedUntil = 0

  /** `isGuessed` tells that the language is not the query's for sure. */
  const readTerms = async (query: QueryText, language: string | null, isGuessed: boolean): Promise<Term[]> => {
    const plain = askedTerms(query)
    const words = plain.map(({ word }) => word)
    const stemsOf = await stems.stemsOf(words)
    const joining = stems.joiningOf(words, stemmedLanguageOf(language), { isGuessed })
    return plain.map((term) => ({
      ...term,
      stems: stemsOf.get(term.word) ?? noStems,
      isJoining: joining.has(term.word) || isArticle(term.word, language) || isFraming(term.word, language),
    }))
  }

  /** Looks phrases up once, instead of in every statement that has to keep to their items. */
  const withItemsOfPhrases = async (scope: SearchScope): Promise<SearchScope> => {
    if (scope.phrases.length === 0) return scope
    const ids = await store.itemsOfPhrases(scope, MAX_PHRASED_ITEMS)
    return ids === null ? scope : { ...scope, items: ids, phrases: [] }
  }

  /** Match of each moment and its item with the preferences. */
  const readPreferred = async (
    { userId, timeZone }: SearchScope,
    preferences: RankingPreferences | undefined,
    moments: MomentRow[],
  ): Promise<Ranking['preferred']> => {
    if (!preferences) return () => notPreferred
    const { mediaTypes, from, to, days = [] } = preferences
    const ids = [...new Set(moments.map(({ mediaId }) => mediaId))]
    const kinds = await store.readKinds(userId, ids, { from: from ?? null, to: to ?? null, timeZone })
    const kindOf = new Map(kinds.map((kind) => [kind.mediaId, kind]))
    const { preference, time, undated, onlyAdded } = weights.score
    const ofTime = isShort(days) ? time : preference
    const judge = (moment: MomentRow): Preferred => {
      const kind = kindOf.get(moment.mediaId)
      if (kind === undefined) return notPreferred
      const judgeTime = (): Preferred => {
        const written = fitOfWrittenDays(moment.body, days)
        if (kind.isTaken && kind.isInTime) return { share: 1, lead: ofTime }
        if (written !== null && written > 0) return { share: written, lead: written * ofTime }
        if (kind.isTaken) return notPreferred
        // a text that only names other days is hardly meant because it was added in time
        const added = kind.isInTime ? (written === null ? 1 : onlyAdded) : 0
        return { share: added, lead: Math.max(added * preference, written === null ? undated * ofTime : 0) }
      }
      const ofType = (isMatch: boolean): Preferred => (isMatch ? { share: 1, lead: preference } : notPreferred)
      const checks = [
        ...(mediaTypes ? [ofType(mediaTypes.includes(kind.mediaType))] : []),
        ...(from || to ? [judgeTime()] : []),
      ]
      const mean = (figure: keyof Preferred) =>
        checks.reduce((sum, check) => sum + check[figure], 0) / Math.max(1, checks.length)
      return { share: mean('share'), lead: mean('lead') }
    }
    const known = new Map<string, Preferred>()
    return (moment) => {
      const preferred = known.get(moment.id) ?? judge(moment)
      known.set(moment.id, preferred)
      return preferred
    }
  }

  /** Puts the best hits into the order of an engine that reads query and text together; never throws. */
  const rerank = async (query: string, hits: SearchHit[]): Promise<SearchHit[]> => {
    const engine = ai.reranking()
    if (engine === null || hits.length < 2 || isRerankingPausedUntil > performance.now()) return hits
    const best = hits.slice(0, MAX_RERANKED)
    const documents = best.map(({ moment }) => moment.body.slice(0, LONGEST_DOCUMENT_CHARACTERS))
    const signal = AbortSignal.timeout(RERANK_TIMEOUT_MS)
    try {
      const { scores } = await unlessAborted(engine.rerank(query, documents, signal), signal)
      if (scores.length !== best.length || !scores.every(Number.isFinite))
        throw new Error('The engine did not score every text.')
      const order = best.map((hit, index) => ({ hit, score: scores[index] ?? 0 })).sort((a, b) => b.score - a.score)
      return [...order.map(({ hit }) => hit), ...hits.slice(MAX_RERANKED)]
    } catch (error) {
      log.warn({ err: error }, 'could not rerank hits')
      isRerankingPausedUntil = performance.now() + RERANK_PAUSE_MS
      return hits
    }
  }

  return {
    /** Hits of a query, best first, however certain they are. */
    async find(understood: Understood, options: RetrievalOptions, limit: number): Promise<Retrieved> {
      const { phrases, preferences } = understood
      const { language, by, patienceMs, about, isOpen = false, isExact = false, byMeaning = true } = options
      const { userId } = understood.scope
      // Words in quotes are searched for, too.
      const text = [understood.text, ...phrases].join(' ').trim()
      const context = [...understood.context, ...(options.context ?? [])]
      const [scope, size, readQuery] = await Promise.all([
        withItemsOfPhrases(understood.scope),
        sizes.of(userId),
        readTerms({ text, context, isOpen }, language, understood.language === null),
      ])
      // "what did I do on 5 March" asks for a time: its other words stand in any text. "my will from 2023" doesn't, nor
      // does "what did she say about it in March" after another question.
      const isOfTime = preferences?.from !== undefined || preferences?.to !== undefined
      const isQuestionOfTime = isOfTime && about === undefined && isAsking(understood.text)
      const isAllPreferred =
        preferences?.isAll === true ||
        (isQuestionOfTime && readQuery.every(({ weight, isJoining }) => weight < 1 || isJoining))
      const terms = isAllPreferred
        ? readQuery.map((term) => ({ ...term, weight: Math.min(term.weight, weights.terms.context) }))
        : readQuery
      const isMeant = byMeaning && !isAllPreferred && /[\p{L}\p{N}]/u.test(understood.text)
      const query = {
        terms,
        language,
        size,
        text,
        about,
        phrases,
        isExact,
        byMeaning: isMeant,
        patienceMs,
        preferences,
        days: preferences?.days,
      }
      const gathered = await gatherArms(query, scope)
      const { judged, tagged, looks, nearness, rarities, certainties: _, ...mode } = gathered
      const preferred = await readPreferred(
        scope,
        preferences,
        [...judged, ...looks].map(({ moment }) => moment),
      )
      const candidates = candidatesOf(gathered).filter(({ moment, evidence, cosine, semanticScore }) => {
        const isPreferred = preferences !== undefined && preferred(moment).share > 0
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
        preferred,
        isAllPreferred,
        isFramed: terms.some(({ word, weight }) => weight === 1 && isFraming(word, language)),
      }
      const ranked = rankHits(candidates, ranking, limit)
      const hits = await withBeginnings(ranked, (ids) => items.readFirstWords(userId, ids))
      return { hits: guessesLast(await rerank(text, hits)), terms, ...mode }
    },
  }
}

/** One candidate of each moment, with everything that the arms found for it, and one of each picture. */
function candidatesOf({ judged, tagged, looks, certainties, nearness }: Gathered): Candidate[] {
  const byMoment = new Map<string, JudgedMoment>()
  for (const judgedMoment of [...judged, ...tagged]) {
    const earlier = byMoment.get(judgedMoment.moment.id)
    byMoment.set(
      judgedMoment.moment.id,
      earlier ? { ...earlier, evidence: joined(earlier.evidence, judgedMoment.evidence) } : judgedMoment,
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

function joined(one: Evidence, other: Evidence): Evidence {
  const greater = (these: number[], those: number[]) =>
    these.map((figure, index) => Math.max(figure, those[index] ?? 0))
  return {
    ...one,
    strengths: greater(one.strengths, other.strengths),
    counts: greater(one.counts, other.counts),
    shares: greater(one.shares, other.shares),
  }
}
