import { AppError, sentenceOf } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { unlessAborted } from '../../../platform/lib/abort.ts'
import { setBounded } from '../../../platform/lib/bounded-map.ts'
import type { Sentence } from '../../../sentences.ts'
import type { EmbeddingsStore, Profile, ProfileKind } from './embeddings.store.ts'
import { type Embeddings, type Encoder, type EngineProfiles, matchesProfile } from './engine-profiles.ts'

export interface QueryVectorDeps {
  store: EmbeddingsStore
  profiles: EngineProfiles
  requestFilling(kind: ProfileKind): void
  log: Log
  /** Maximum wait for the vector of a query, however patient the caller. */
  queryTimeoutMs?: number
  /** Pause in searches by meaning after two consecutive timeouts. */
  pauseMs?: number
}

/** Vector of a query, or the reason why there is none. */
export type QueryVector =
  /**
   * `partial` is a reason, shown to the user, why not everything can be compared with the vector; undefined when everything can.
   * `isCached` means that the profile comes from the cache and may no longer be active.
   */
  | { profile: Profile; vector: number[]; probes: Buffer[]; partial?: string; isCached?: boolean }
  | { missing: 'no_embedding_engine' | 'embedding_engine_failed'; reason: Sentence | string }

const QUERY_TIMEOUT_MS = 3000
const PAUSE_MS = 60_000
const TIMEOUTS_BEFORE_PAUSE = 2
const MAX_CACHED_QUERIES = 200

/** Returns a function that embeds queries with the engine whose vectors searches use. */
export function createQueryVector({
  profiles,
  store,
  requestFilling,
  log,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
  pauseMs = PAUSE_MS,
}: QueryVectorDeps) {
  const queries = new Map<string, Embeddings>()
  const pausedUntil: Record<ProfileKind, number> = { text: 0, image: 0 }
  const timeouts: Record<ProfileKind, number> = { text: 0, image: 0 }
  /** Profiles by kind, as last read; they seldom change. */
  const cachedProfiles = new Map<ProfileKind, Profile[]>()

  /** Embeds a query with an encoder, unless its vector is cached. @param profilesOfKind all profiles of the kind. */
  const embedQuery = async (
    kind: ProfileKind,
    encoder: Encoder,
    text: string,
    profilesOfKind: Profile[],
    signal: AbortSignal,
  ) => {
    const key = `${kind} ${encoder.engine} ${encoder.model() ?? ''} ${text}`
    const queryVector = queries.get(key) ?? (await encoder.embedQueries([text], signal))
    setBounded(queries, key, queryVector, MAX_CACHED_QUERIES)
    const { profile, probes } = await profiles.profileOf(kind, encoder, queryVector, signal, {
      profiles: profilesOfKind,
    })
    return { profile, probes, vector: queryVector.vectors[0] ?? [] }
  }

  /** Embeds a query with the previous model, whose profile is still active; null when that model is unavailable. */
  const embedFormerQuery = async (active: Profile, text: string, profilesOfKind: Profile[], signal: AbortSignal) => {
    const encoder = profiles.formerEncoder(active)
    if (encoder === null) return null
    try {
      const query = await embedQuery(active.kind, encoder, text, profilesOfKind, signal)
      return query.profile.id === active.id ? query : null
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, model: active.model }, 'the previous embedding model is unavailable')
      profiles.markUnavailable(active)
      return null
    }
  }

  /** Embeds a query with the active profile's model, or if it's unavailable, with the chosen one, whose vectors may be incomplete. */
  const activeQuery = async (
    kind: ProfileKind,
    encoder: Encoder,
    text: string,
    signal: AbortSignal,
    skipsCache: boolean,
  ): Promise<QueryVector> => {
    const cached = skipsCache ? undefined : cachedProfiles.get(kind)
    if (cached?.some((one) => one.state === 'active' && matchesProfile(encoder, one))) {
      const query = await embedQuery(kind, encoder, text, cached, signal)
      if (query.profile.state === 'active') return { ...query, isCached: true }
    }
    const profilesOfKind = await store.profiles(kind)
    cachedProfiles.set(kind, profilesOfKind)
    const active = profilesOfKind.find(({ state }) => state === 'active')
    if (active !== undefined && !matchesProfile(encoder, active)) {
      const former = await embedFormerQuery(active, text, profilesOfKind, signal)
      if (former !== null) {
        requestFilling(kind)
        return former
      }
    }
    const query = await embedQuery(kind, encoder, text, profilesOfKind, signal)
    if (query.profile.state === 'active') return query
    const { filled, total } = await store.progress(query.profile)
    const vectors = kind === 'text' ? 'texts' : 'pictures'
    const partial = `The model for searching by meaning has changed: ${filled} of ${total} ${vectors} are ready for the new one.`
    return { ...query, partial }
  }

  /** Embeds a query within the time limit. Never throws. @param skipsCache reads the profiles again. */
  return async (
    kind: ProfileKind,
    text: string,
    maxWaitMs: number,
    { skipsCache = false }: { skipsCache?: boolean } = {},
  ): Promise<QueryVector> => {
    const encoder = profiles.chosenEncoder(kind)
    if (encoder === null) return { missing: 'no_embedding_engine', reason: profiles.reasonOff(kind) }
    const failed = (reason: Sentence | string): QueryVector => ({ missing: 'embedding_engine_failed', reason })
    const timeoutMs = Math.min(maxWaitMs, queryTimeoutMs)
    const timedOut = `The embedding model didn’t respond within ${timeoutMs / 1000} seconds.`
    if (pausedUntil[kind] > performance.now()) return failed(timedOut)
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const query = await unlessAborted(activeQuery(kind, encoder, text, timeout, skipsCache), timeout)
      timeouts[kind] = 0
      return query
    } catch (error) {
      log.warn({ err: error, kind }, 'could not embed a query')
      if (timeout.aborted) {
        timeouts[kind]++
        if (timeouts[kind] % TIMEOUTS_BEFORE_PAUSE === 0) pausedUntil[kind] = performance.now() + pauseMs
        return failed(timedOut)
      }
      return failed(error instanceof AppError ? sentenceOf(error) : 'The embedding model failed.')
    }
  }
}
