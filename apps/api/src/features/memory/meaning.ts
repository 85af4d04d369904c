import type { SearchAnswer } from '@mira/shared'
import type { VectorKind, Vectors } from '../../db/vector.ts'
import { calibrate, type Thresholds } from './calibrate.ts'
import type { EmbeddingService } from './embedding.service.ts'
import type { ProfileKind } from './embeddings.store.ts'
import type { MemoryStore, SearchScope } from './memory.store.ts'
import type { VectorHit } from './ranking.ts'

export interface MeaningDeps {
  store: Pick<MemoryStore, 'momentCondition' | 'partCondition' | 'readMoments' | 'readParts'>
  vectors: Pick<Vectors, 'nearest' | 'hasAny'>
  embedding: Pick<EmbeddingService, 'queryVector'>
  thresholds?: Thresholds | undefined
}

/** What lies near a query, and whether anything could be compared with it. */
export interface MeaningFound extends Pick<SearchAnswer, 'mode' | 'mode_reason' | 'mode_reason_code'> {
  hits: VectorHit[]
}

export type MeaningSearch = ReturnType<typeof createMeaningSearch>

const vectorKinds: Record<ProfileKind, VectorKind> = { text: 'moment', image: 'part' }
const NOTHING_EMBEDDED = 'Nothing that you uploaded has been prepared for searching by meaning yet.'

/** Finds what means or looks like a query, where an engine is connected. */
export function createMeaningSearch({ store, vectors, embedding, thresholds }: MeaningDeps) {
  const findKind = async (
    kind: ProfileKind,
    scope: SearchScope,
    text: string,
    limit: number,
  ): Promise<MeaningFound> => {
    const query = await embedding.queryVector(kind, text)
    if ('missing' in query) {
      return { hits: [], mode: 'words', mode_reason: query.reason, mode_reason_code: query.missing }
    }
    const { profile, vector, probes } = query
    const condition = kind === 'text' ? store.momentCondition(scope) : store.partCondition(scope)
    const found = { kind: vectorKinds[kind], profile, userId: scope.userId, vector, probes, limit, condition }
    const near = await vectors.nearest(found)
    const told: Omit<MeaningFound, 'hits'> =
      query.partial === undefined
        ? { mode: 'semantic' }
        : { mode: 'words', mode_reason: query.partial, mode_reason_code: 'embedding_model_changed' }
    if (
      query.partial === undefined &&
      near.length === 0 &&
      !(await vectors.hasAny(found.kind, profile.id, scope.userId))
    ) {
      return { hits: [], mode: 'words', mode_reason: NOTHING_EMBEDDED, mode_reason_code: 'nothing_embedded' }
    }
    const probabilities = new Map(
      calibrate(near, thresholds).map((probability, at) => [near[at]?.id ?? '', probability]),
    )
    const ids = [...probabilities].filter(([, probability]) => probability > 0).map(([id]) => id)
    const read = kind === 'text' ? store.readMoments : store.readParts
    const moments = ids.length > 0 ? await read(scope.userId, ids) : []
    // many may be equally certain: the nearest come first then
    const order = new Map(near.map(({ id }, at) => [id, at]))
    moments.sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0))
    const hits = moments.map((moment) => ({
      kind: kind === 'text' ? ('meaning' as const) : ('looks' as const),
      moment,
      probability: probabilities.get(moment.id) ?? 0,
    }))
    return { hits, ...told }
  }

  return {
    /** The reason of the texts counts: pictures that cannot be compared are missed by nobody who has a caption. */
    async find(scope: SearchScope, text: string, limit: number): Promise<MeaningFound> {
      const [texts, pictures] = await Promise.all([
        findKind('text', scope, text, limit),
        findKind('image', scope, text, limit),
      ])
      const hits = [...texts.hits, ...pictures.hits]
      return texts.mode === 'semantic' || pictures.mode === 'words' ? { ...texts, hits } : { ...pictures, hits }
    },
  }
}
