import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { setBounded } from '../../../platform/lib/bounded-map.ts'
import type { Sentence } from '../../../sentences.ts'
import type { EmbeddingsStore, Profile, ProfileKind } from './embeddings.store.ts'
import { type Encoder, type EngineProfiles, isMakerOf, type Made } from './engine-profiles.ts'

export interface QueryVectorDeps {
  store: EmbeddingsStore
  profiles: EngineProfiles
  requestFilling(kind: ProfileKind): void
  log: Log
  /** Nothing waits longer for the vector of its query. */
  queryTimeoutMs?: number
  /** Pause of searches by meaning after two timeouts in a row. */
  pauseMs?: number
}

/** Vector of a query, or the reason why there is none. */
export type QueryVector =
  /**
   * `partial`: why not everything can be compared, for a person. `isRemembered`: the profile was searched when it was last asked
   * for; another one may be by now.
   */
  | { profile: Profile; vector: number[]; probes: Buffer[]; partial?: string; isRemembered?: boolean }
  | { missing: 'no_embedding_engine' | 'embedding_engine_failed'; reason: Sentence | string }

const QUERY_TIMEOUT_MS = 3000
const PAUSE_MS = 60_000
const TIMEOUTS_BEFORE_PAUSE = 2
const MAX_KEPT_QUERIES = 200

/** Embeds queries with the engine whose vectors are searched. */
export function createQueryVector({
  profiles,
  store,
  requestFilling,
  log,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
  pauseMs = PAUSE_MS,
}: QueryVectorDeps) {
  const queries = new Map<string, Made>()
  const pausedUntil: Record<ProfileKind, number> = { text: 0, image: 0 }
  const timeouts: Record<ProfileKind, number> = { text: 0, image: 0 }
  /** The profiles of each kind, as they were when they were last asked for: few searches find them changed. */
  const remembered = new Map<ProfileKind, Profile[]>()

  /** @param profilesOfKind the profiles of the kind, as they are now. */
  const embedQuery = async (
    kind: ProfileKind,
    encoder: Encoder,
    text: string,
    profilesOfKind: Profile[],
    signal: AbortSignal,
  ) => {
    const key = `${kind} ${encoder.engine} ${encoder.model() ?? ''} ${text}`
    const queryVector = queries.get(key) ?? (await encoder.queries([text], signal))
    setBounded(queries, key, queryVector, MAX_KEPT_QUERIES)
    const { profile, probes } = await profiles.of(kind, encoder, queryVector, signal, { profiles: profilesOfKind })
    return { profile, probes, vector: queryVector.vectors[0] ?? [] }
  }

  /** With the model whose vectors are searched, though another one is chosen by now; null when it cannot be asked. */
  const embedFormerQuery = async (active: Profile, text: string, profilesOfKind: Profile[], signal: AbortSignal) => {
    const encoder = profiles.formerEncoder(active)
    if (encoder === null) return null
    try {
      const query = await embedQuery(active.kind, encoder, text, profilesOfKind, signal)
      return query.profile.id === active.id ? query : null
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, model: active.model }, 'the model that is searched with cannot be asked any more')
      profiles.markGone(active)
      return null
    }
  }

  /** With the searched vectors' model; when that's gone, with the existing vectors of the next one. */
  const searchedQuery = async (
    kind: ProfileKind,
    encoder: Encoder,
    text: string,
    signal: AbortSignal,
    isAfresh: boolean,
  ): Promise<QueryVector> => {
    const before = isAfresh ? undefined : remembered.get(kind)
    if (before?.some((one) => one.state === 'active' && isMakerOf(encoder, one))) {
      const query = await embedQuery(kind, encoder, text, before, signal)
      if (query.profile.state === 'active') return { ...query, isRemembered: true }
    }
    const profilesOfKind = await store.profiles(kind)
    remembered.set(kind, profilesOfKind)
    const active = profilesOfKind.find(({ state }) => state === 'active')
    if (active !== undefined && !isMakerOf(encoder, active)) {
      const former = await embedFormerQuery(active, text, profilesOfKind, signal)
      if (former !== null) {
        requestFilling(kind)
        return former
      }
    }
    const query = await embedQuery(kind, encoder, text, profilesOfKind, signal)
    if (query.profile.state === 'active') return query
    const { filled, total } = await store.progress(query.profile)
    const partial = `The model for searching by meaning has changed: ${filled} of ${total} places are prepared for the new one.`
    return { ...query, partial }
  }

  /** Vector of a query, within the time limit; never throws. `isAfresh`: bypasses the cache. */
  return async (
    kind: ProfileKind,
    text: string,
    patienceMs: number,
    { isAfresh = false }: { isAfresh?: boolean } = {},
  ): Promise<QueryVector> => {
    const encoder = profiles.chosenEncoder(kind)
    if (encoder === null) return { missing: 'no_embedding_engine', reason: profiles.offReason(kind) }
    const failed = (reason: Sentence | string): QueryVector => ({ missing: 'embedding_engine_failed', reason })
    const timeoutMs = Math.min(patienceMs, queryTimeoutMs)
    const late = `The embedding model did not answer within ${timeoutMs / 1000} seconds.`
    if (pausedUntil[kind] > performance.now()) return failed(late)
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const query = await unlessAborted(searchedQuery(kind, encoder, text, timeout, isAfresh), timeout)
      timeouts[kind] = 0
      return query
    } catch (error) {
      log.warn({ err: error, kind }, 'a query could not be turned into a vector')
      if (timeout.aborted) {
        timeouts[kind]++
        if (timeouts[kind] % TIMEOUTS_BEFORE_PAUSE === 0) pausedUntil[kind] = performance.now() + pauseMs
        return failed(late)
      }
      return failed(error instanceof AppError ? sentenceOf(error) : 'The embedding model failed.')
    }
  }
}
