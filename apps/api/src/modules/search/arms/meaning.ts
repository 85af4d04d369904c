import type { SearchResponse } from '@mira/shared'
import type { Ai } from '../../../engines/ai.ts'
import type { NearRow, Vectors } from '../../../platform/database/vector.ts'
import { setBounded } from '../../../platform/lib/bounded-map.ts'
import { forCaller } from '../../../platform/messages/audience.ts'
import type { CandidatesStore, Comparison } from '../candidates.store.ts'
import type { EmbeddingService } from '../indexing/embedding.service.ts'
import type { ProfileKind } from '../indexing/embeddings.store.ts'
import type { EngineTrials } from '../indexing/engine-trials.service.ts'
import type { QueryVector } from '../indexing/query-vector.ts'
import type { MemoryStore, MomentRow } from '../memory.store.ts'
import type { SearchScope } from '../scope.ts'
import { calibrate } from '../weights.ts'

/** Query to embed and to compare with the stored vectors. */
interface MeaningQuery {
  text: string
  /** ISO 639-1 code of the query's language; null when unsure. */
  language: string | null
  /** Maximum wait for the engine to embed the query. */
  maxWaitMs: number
  /** Other queries of this search to wait for, so that the slow comparison of vectors comes last. */
  ready?: Promise<unknown> | undefined
}

/** Mode of a search, and the reason if it isn't by meaning. */
export type SearchMode = Pick<SearchResponse, 'mode' | 'mode_reason' | 'mode_reason_code'>

/** Moments nearest to a query by meaning. */
export interface SemanticMatches extends SearchMode {
  /** Certainty that a moment was meant, 0 to 1, by the moment's id; nearest first. */
  moments: Map<string, number>
  /** Compares other moments with the query; null when the query has no vector. */
  compare: Compare | null
}

/** Cosine similarities of moments and items to a query, and figures for judging them. */
export interface Nearness extends Comparison {
  /** Cosines of a random sample: a text that is no nearer to the query than these isn't a match. */
  background: { moments: number[]; items: number[] }
  /** Trust in the cosines, 0 to 1. */
  trust: number
}

/** Compares moments with a query. @param momentIds most promising first, since only some of their items are compared. */
export type Compare = (momentIds: string[]) => Promise<Nearness>

interface VectorDeps {
  store: Pick<MemoryStore, 'momentCondition' | 'partCondition'>
  vectors: Pick<Vectors, 'nearest' | 'hasAny'>
  embedding: Pick<EmbeddingService, 'queryVector'>
}

export interface SemanticSearchDeps extends VectorDeps {
  candidates: Pick<CandidatesStore, 'compare' | 'sampleEmbedded'>
  trials: EngineTrials
  ai: Pick<Ai, 'embedding'>
}

type VectorOfQuery = Extract<QueryVector, { profile: unknown }>
type MissingVector = Extract<QueryVector, { missing: unknown }>

export type SemanticSearch = ReturnType<typeof createSemanticSearch>

const MAX_NEAREST = 80
const BACKGROUND_MOMENTS = 64
/** Lifetime of a cached background sample; the topics of a memory change slowly. */
const BACKGROUND_LIFETIME_MS = 5 * 60_000
const MAX_BACKGROUNDS = 1000
/** Maximum number of items to compare as a whole: those of the best moments. */
const MAX_ITEMS = 60

/** Finds texts by meaning, if an engine is connected. */
export function createSemanticSearch(deps: SemanticSearchDeps) {
  const { candidates, vectors, trials, ai } = deps
  const backgrounds = new Map<string, { ids: string[]; expiresAt: number }>()

  /** Ids of a random sample of the user's moments, whose cosines serve as the background. */
  const backgroundOf = async (userId: string, profileId: number): Promise<string[]> => {
    const key = `${userId} ${profileId}`
    const cached = backgrounds.get(key)
    if (cached && cached.expiresAt > performance.now()) return cached.ids
    const ids = await candidates.sampleEmbedded(userId, profileId, BACKGROUND_MOMENTS)
    const expiresAt = performance.now() + BACKGROUND_LIFETIME_MS
    // The sample of a small memory isn't cached, since every new item changes it.
    if (ids.length < BACKGROUND_MOMENTS) backgrounds.delete(key)
    else setBounded(backgrounds, key, { ids, expiresAt }, MAX_BACKGROUNDS)
    return ids
  }

  const compareWith =
    (userId: string, query: VectorOfQuery, near: NearRow[], background: string[], language: string | null): Compare =>
    async (ids) => {
      const moments = new Map(near.map(({ id, cosine }) => [id, cosine]))
      const others = [...new Set([...ids, ...background])].filter((id) => !moments.has(id))
      const [compared, trust] = await Promise.all([
        candidates.compare(userId, query, others, { ofMoments: ids, max: MAX_ITEMS }),
        trials.trustIn(query.profile, ai.embedding(), language),
      ])
      for (const [id, cosine] of compared.moments) moments.set(id, cosine)
      const cosines = background.flatMap((id) => moments.get(id) ?? [])
      return { ...compared, moments, background: { moments: cosines, items: cosines }, trust }
    }

  return {
    async find(query: MeaningQuery, scope: SearchScope, limit = MAX_NEAREST): Promise<SemanticMatches> {
      const { userId } = scope
      const nearest = await findNearest(deps, 'text', query, scope, limit, (id) => backgroundOf(userId, id))
      if ('missing' in nearest) return { ...modeWithout(nearest), moments: new Map(), compare: null }
      const { near, vector, other: background } = nearest
      if (
        near.length === 0 &&
        vector.partial === undefined &&
        !(await vectors.hasAny('moment', vector.profile.id, userId))
      )
        return { ...NOTHING_EMBEDDED, moments: new Map(), compare: null }
      const mode: SearchMode =
        vector.partial === undefined
          ? { mode: 'semantic' }
          : { mode: 'words', mode_reason: vector.partial, mode_reason_code: 'embedding_model_changed' }
      const certainties = calibrate(near)
      const moments = new Map(near.map(({ id }, index) => [id, certainties[index] ?? 0]))
      return { ...mode, moments, compare: compareWith(userId, vector, near, background, query.language) }
    },
  }
}

/**
 * Finds the vectors nearest to a query; also returns the query's own vector.
 * @param readOther runs at the same time as the lookup; it receives the id of the profile.
 */
async function findNearest<Other>(
  deps: VectorDeps,
  kind: ProfileKind,
  query: MeaningQuery,
  scope: SearchScope,
  limit: number,
  readOther: (profileId: number) => Promise<Other>,
  skipsCache = false,
): Promise<{ vector: VectorOfQuery; near: NearRow[]; other: Other } | MissingVector> {
  const { store, vectors, embedding } = deps
  const vector = await embedding.queryVector(kind, query.text, query.maxWaitMs, { skipsCache })
  if ('missing' in vector) return vector
  await query.ready
  const { profile, probes, isCached: isOnlyActive } = vector
  const target =
    kind === 'text'
      ? { kind: 'moment' as const, condition: store.momentCondition(scope) }
      : { kind: 'part' as const, condition: store.partCondition(scope) }
  const [near, other] = await Promise.all([
    vectors.nearest({
      ...target,
      profile,
      userId: scope.userId,
      vector: vector.vector,
      probes,
      limit,
      isOnlyActive,
    }),
    readOther(profile.id),
  ])
  // Perhaps there are no vectors, or the cached profile is no longer the active one: try again without the cache.
  if (near.length === 0 && isOnlyActive) return findNearest(deps, kind, query, scope, limit, readOther, true)
  return { vector, near, other }
}

const NOTHING_EMBEDDED: SearchMode = {
  mode: 'words',
  mode_reason: 'None of your uploads have been prepared for search by meaning yet.',
  mode_reason_code: 'nothing_embedded',
}

function modeWithout({ missing, reason }: MissingVector): SearchMode {
  const text = typeof reason === 'string' ? reason : forCaller(reason).text
  return { mode: 'words', mode_reason: text, mode_reason_code: missing }
}

/** A picture that may look like the query. */
export interface ImageMatch {
  moment: MomentRow
  /** Certainty that the picture was meant, 0 to 1. */
  certainty: number
}

interface ImageMatches extends SearchMode {
  looks: ImageMatch[]
}

interface ImageSearchDeps extends VectorDeps {
  store: VectorDeps['store'] & Pick<MemoryStore, 'readParts'>
}

export type ImageSearch = ReturnType<typeof createImageSearch>

const MAX_LOOKS = 80

/** Finds pictures and frames that look like a query, if an engine is connected. */
export function createImageSearch(deps: ImageSearchDeps) {
  return {
    async find(query: MeaningQuery, scope: SearchScope, limit = MAX_LOOKS): Promise<ImageMatches> {
      const { userId } = scope
      const nearest = await findNearest(deps, 'image', query, scope, limit, async () => null)
      if ('missing' in nearest) return { ...modeWithout(nearest), looks: [] }
      const { near, vector } = nearest
      const certainties = calibrate(near)
      const byId = new Map(near.map(({ id }, index) => [id, certainties[index] ?? 0]))
      const ids = [...byId].flatMap(([id, certainty]) => (certainty > 0 ? [id] : []))
      const parts = ids.length > 0 ? await deps.store.readParts(userId, ids) : []
      if (near.length === 0 && !(await deps.vectors.hasAny('part', vector.profile.id, userId)))
        return { ...NOTHING_EMBEDDED, looks: [] }
      return { mode: 'semantic', looks: parts.map((moment) => ({ moment, certainty: byId.get(moment.id) ?? 0 })) }
    },
  }
}
