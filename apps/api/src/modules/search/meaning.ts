import type { SearchResponse } from '@mira/shared'
import type { Ai } from '../../engines/ai.ts'
import type { NearRow, Vectors } from '../../platform/database/vector.ts'
import { calibrate } from './calibrate.ts'
import type { CandidatesStore, Comparison } from './candidates.store.ts'
import type { EmbeddingService } from './indexing/embedding.service.ts'
import type { ProfileKind } from './indexing/embeddings.store.ts'
import type { EngineTrials } from './indexing/engine-trials.service.ts'
import type { MemoryStore, MomentRow } from './memory.store.ts'
import type { QueryVector } from './query-vector.ts'
import type { SearchScope } from './scope.ts'

export interface MeaningDeps {
  store: Pick<MemoryStore, 'momentCondition' | 'partCondition' | 'readParts'>
  candidates: Pick<CandidatesStore, 'compare' | 'someEmbedded'>
  vectors: Pick<Vectors, 'nearest' | 'hasAny'>
  embedding: Pick<EmbeddingService, 'queryVector'>
  trials: EngineTrials
  ai: Pick<Ai, 'embedding'>
}

/** Query to embed with the engine of the stored text vectors. */
export interface AskedMeaning {
  text: string
  /** ISO 639-1 code; null when unsure. */
  language: string | null
  /** Longest wait for the engine. */
  patienceMs: number
  /** Database work that goes first. */
  ready?: Promise<unknown> | undefined
}

/** Nearest moments and pictures of a query. */
export interface NearFound extends Pick<SearchResponse, 'mode' | 'mode_reason' | 'mode_reason_code'> {
  /** Moments with how sure it is that one was meant, 0 to 1; the nearest first. */
  moments: Map<string, number>
  /** Pictures that may look so, likewise. */
  looks: { moment: MomentRow; probability: number }[]
  /** Compares others with the query; null when nothing can. */
  compare: Compare | null
}

/** Cosines of texts with a query. */
export interface Nearness extends Comparison {
  /** Cosines to texts that are about anything: what lies no nearer lies far. */
  background: { moments: number[]; items: number[] }
  /** Trust in the cosines, 0 to 1. */
  trust: number
}
/** By the ids of moments, the most promising first. */
export type Compare = (momentIds: string[]) => Promise<Nearness>

export type MeaningSearch = ReturnType<typeof createMeaningSearch>

const NOTHING_EMBEDDED = 'Nothing that you uploaded has been prepared for searching by meaning yet.'
const BACKGROUND_MOMENTS = 64
/** Lifetime of a background sample; the topics of a memory change slowly. */
const BACKGROUND_LIFETIME_MS = 5 * 60_000
const MAX_BACKGROUNDS = 1000
/** Whole items that are compared: those of the best moments. */
const MOST_ITEMS = 60

type VectorOfQuery = Extract<QueryVector, { profile: unknown }>
/** `some`: ids of moments that are about anything. */
type Found = VectorOfQuery & { near: NearRow[]; some: string[] }

/** Finds what means or looks like a query, where an engine is connected. */
export function createMeaningSearch({ store, candidates, vectors, embedding, trials, ai }: MeaningDeps) {
  const backgrounds = new Map<string, { ids: string[]; until: number }>()

  const backgroundOf = async (userId: string, profileId: number): Promise<string[]> => {
    const key = `${userId} ${profileId}`
    const known = backgrounds.get(key)
    if (known && known.until > Date.now()) return known.ids
    const ids = await candidates.someEmbedded(userId, profileId, BACKGROUND_MOMENTS)
    backgrounds.delete(key)
    // a memory that has only begun changes with every item
    if (ids.length === BACKGROUND_MOMENTS) backgrounds.set(key, { ids, until: Date.now() + BACKGROUND_LIFETIME_MS })
    const oldest = backgrounds.keys().next().value
    if (backgrounds.size > MAX_BACKGROUNDS && oldest !== undefined) backgrounds.delete(oldest)
    return ids
  }

  const findMoments = async (scope: SearchScope, asked: AskedMeaning, limit: number): Promise<NearFound> => {
    const found = await nearest('text', scope, asked, limit)
    if ('missing' in found) return nothing(found.reason, found.missing)
    const { near, some, ...query } = found
    if (near.length === 0 && !(await vectors.hasAny('moment', query.profile.id, scope.userId))) {
      if (query.partial === undefined) return nothing(NOTHING_EMBEDDED, 'nothing_embedded')
    }
    const told =
      query.partial === undefined
        ? { mode: 'semantic' as const }
        : { mode: 'words' as const, mode_reason: query.partial, mode_reason_code: 'embedding_model_changed' as const }
    const sure = calibrate(near)
    const moments = new Map(near.map(({ id }, at) => [id, sure[at] ?? 0]))
    return { ...told, moments, looks: [], compare: compareWith(scope.userId, query, near, some, asked.language) }
  }

  /** Nearest vectors to the query, and the query's own vector. */
  const nearest = async (
    kind: ProfileKind,
    scope: SearchScope,
    asked: AskedMeaning,
    limit: number,
    isAfresh = false,
  ): Promise<Found | Extract<QueryVector, { missing: unknown }>> => {
    const query = await embedding.queryVector(kind, asked.text, asked.patienceMs, { isAfresh })
    if ('missing' in query) return query
    await asked.ready
    const { profile, vector, probes, isRemembered: isOnlyActive } = query
    const { userId } = scope
    const which =
      kind === 'text'
        ? { kind: 'moment' as const, condition: store.momentCondition(scope) }
        : { kind: 'part' as const, condition: store.partCondition(scope) }
    const [near, some] = await Promise.all([
      vectors.nearest({ ...which, profile, userId, vector, probes, limit, isOnlyActive }),
      kind === 'text' ? backgroundOf(userId, profile.id) : [],
    ])
    // nothing may be there to be near, or another profile be searched by now
    if (near.length === 0 && isOnlyActive) return nearest(kind, scope, asked, limit, true)
    return { ...query, near, some }
  }

  const compareWith =
    (userId: string, query: VectorOfQuery, known: NearRow[], some: string[], language: string | null): Compare =>
    async (ids) => {
      const moments = new Map(known.map(({ id, cosine }) => [id, cosine]))
      const others = [...new Set([...ids, ...some])].filter((id) => !moments.has(id))
      const [compared, trust] = await Promise.all([
        candidates.compare(userId, query, others, { ofMoments: ids, most: MOST_ITEMS }),
        trials.trustIn(query.profile, ai.embedding(), language),
      ])
      for (const [id, cosine] of compared.moments) moments.set(id, cosine)
      const anything = some.flatMap((id) => moments.get(id) ?? [])
      return { ...compared, moments, background: { moments: anything, items: anything }, trust }
    }

  const findLooks = async (scope: SearchScope, asked: AskedMeaning, limit: number): Promise<NearFound> => {
    const found = await nearest('image', scope, asked, limit)
    if ('missing' in found) return nothing(found.reason, found.missing)
    const { near, profile } = found
    const sure = calibrate(near)
    const probabilities = new Map(near.map(({ id }, at) => [id, sure[at] ?? 0]))
    const ids = [...probabilities].flatMap(([id, probability]) => (probability > 0 ? [id] : []))
    const parts = ids.length > 0 ? await store.readParts(scope.userId, ids) : []
    const looks = parts.map((moment) => ({ moment, probability: probabilities.get(moment.id) ?? 0 }))
    const isThere = near.length > 0 || (await vectors.hasAny('part', profile.id, scope.userId))
    if (!isThere) return nothing(NOTHING_EMBEDDED, 'nothing_embedded')
    return { mode: 'semantic', moments: new Map(), looks, compare: null }
  }

  return {
    /** The reason of the texts counts: pictures that cannot be compared are missed by nobody who has a caption. */
    async near(scope: SearchScope, asked: AskedMeaning, limit: number): Promise<NearFound> {
      const [texts, pictures] = await Promise.all([findMoments(scope, asked, limit), findLooks(scope, asked, limit)])
      const { mode, mode_reason, mode_reason_code } =
        texts.mode === 'semantic' || pictures.mode === 'words' ? texts : pictures
      const told = { mode, ...(mode_reason && { mode_reason }), ...(mode_reason_code && { mode_reason_code }) }
      return { ...told, moments: texts.moments, compare: texts.compare, looks: pictures.looks }
    },
  }
}

function nothing(reason: string, code: NonNullable<SearchResponse['mode_reason_code']>): NearFound {
  return { mode: 'words', mode_reason: reason, mode_reason_code: code, moments: new Map(), looks: [], compare: null }
}
