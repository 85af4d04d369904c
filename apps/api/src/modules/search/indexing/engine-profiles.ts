import type { Ai } from '../../../engines/ai.ts'
import type { Embedder, ImageEmbedder } from '../../../engines/engine-types.ts'
import { toProbe } from '../../../platform/database/vector.ts'
import { wholeWords } from '../../../platform/lib/searched-form.ts'
import { type Sentence, say } from '../../../sentences.ts'
import { pictureProbeTexts, probeTexts } from '../weights.ts'
import type { EmbeddingsStore, Profile, ProfileKind } from './embeddings.store.ts'

/** Engine and model that make vectors of one kind. */
export type EngineModel = Pick<Profile, 'engine' | 'model'>

/** Vectors of texts or pictures, with the model that made them. */
export interface Embeddings {
  vectors: number[][]
  model: string
  dimensions: number
}

/** Common interface of engines that embed texts and pictures. */
export interface Encoder {
  engine: string
  model(): string | null
  embedQueries(texts: string[], signal: AbortSignal): Promise<Embeddings>
}

export function textEncoder(embedder: Embedder): Encoder
export function textEncoder(embedder: Embedder | null): Encoder | null
export function textEncoder(embedder: Embedder | null): Encoder | null {
  if (embedder === null) return null
  return {
    engine: embedder.engine,
    model: () => embedder.model(),
    embedQueries: (texts, signal) => embedder.embed(texts.map(wholeWords), 'query', signal),
  }
}

export function pictureEncoder(embedder: ImageEmbedder): Encoder
export function pictureEncoder(embedder: ImageEmbedder | null): Encoder | null
export function pictureEncoder(embedder: ImageEmbedder | null): Encoder | null {
  if (embedder === null) return null
  return {
    engine: embedder.engine,
    model: () => embedder.model(),
    embedQueries: (texts, signal) => embedder.embedTexts(texts, signal),
  }
}

/** True when an engine makes a profile's vectors, or may do so because its model isn't known yet. */
export function matchesProfile(
  { engine, model }: { engine: string; model(): string | null },
  profile: Profile,
): boolean {
  return engine === profile.engine && (model() ?? profile.model) === profile.model
}

export interface EngineProfilesDeps {
  store: EmbeddingsStore
  ai: Pick<Ai, 'embedding' | 'imageEmbedding' | 'formerEmbedder' | 'formerImageEmbedder' | 'reasonOff'>
  /** Requests that the chosen engine's profile be filled; called while it isn't active. */
  requestFilling(kind: ProfileKind): void
}

/** Profile of an engine's vectors, and its vectors of the probe texts, which calibrate cosines. */
export interface QueryProfile {
  profile: Profile
  probes: Buffer[]
}

/** Pause before retrying a previous model that failed. */
const UNAVAILABLE_MS = 60_000

const probeTextsOf: Record<ProfileKind, string[]> = { text: probeTexts, image: pictureProbeTexts }

export type EngineProfiles = ReturnType<typeof createEngineProfiles>

/** Maps engines to the profiles of their vectors, and remembers unavailable engines. */
export function createEngineProfiles({ store, ai, requestFilling }: EngineProfilesDeps) {
  const knownProfiles = new Map<string, QueryProfile>()
  const unavailableUntil = new Map<number, number>()

  /** Finds or creates the profile of an engine's vectors. @param freshProbes vectors of the probe texts, if they were just made. */
  const profileOf = async (
    kind: ProfileKind,
    encoder: Encoder,
    origin: Omit<Embeddings, 'vectors'>,
    signal: AbortSignal,
    { freshProbes, profiles = [] }: { freshProbes?: number[][]; profiles?: Profile[] } = {},
  ): Promise<QueryProfile> => {
    const { model, dimensions } = origin
    const key = `${kind} ${encoder.engine} ${dimensions} ${model}`
    const cached = knownProfiles.get(key)
    const probes =
      cached?.probes ?? (freshProbes ?? (await encoder.embedQueries(probeTextsOf[kind], signal)).vectors).map(toProbe)
    // The profile is never taken from the cache, since it may have been activated or dropped.
    const isSame = (one: Profile) =>
      one.engine === encoder.engine && one.model === model && one.dimensions === dimensions
    const profile =
      profiles.find(isSame) ?? (await store.findOrCreateProfile({ kind, engine: encoder.engine, model, dimensions }))
    if (profile.state !== 'active') requestFilling(kind)
    const target = { profile, probes }
    knownProfiles.delete(key)
    knownProfiles.set(key, target)
    return target
  }

  /** Profile and probes of an engine's current model, from a request to the engine. @throws EngineError */
  const probeProfile = async (kind: ProfileKind, encoder: Encoder, signal: AbortSignal): Promise<QueryProfile> => {
    const probeVectors = await encoder.embedQueries(probeTextsOf[kind], signal)
    return profileOf(kind, encoder, probeVectors, signal, { freshProbes: probeVectors.vectors })
  }

  /** Profile and probes of an engine's current model; undefined when they aren't known without a request. */
  const knownProfile = (kind: ProfileKind, encoder: Encoder): QueryProfile | undefined => {
    const candidates = [...knownProfiles.values()].filter(
      ({ profile }) => profile.kind === kind && profile.engine === encoder.engine,
    )
    const model = encoder.model()
    // The latest profile, since a model may start to make other vectors under the same name.
    return candidates.findLast(({ profile }) => profile.model === model)
  }

  /**
   * Profile and probes of an engine's current model, requested if unknown.
   * @param profiles all profiles of the kind, if they were already read.
   */
  const currentProfile = async (
    kind: ProfileKind,
    encoder: Encoder,
    signal: AbortSignal,
    profiles?: Profile[],
  ): Promise<QueryProfile> => {
    const target = knownProfile(kind, encoder)
    if (target) return profileOf(kind, encoder, target.profile, signal, profiles && { profiles })
    return probeProfile(kind, encoder, signal)
  }

  return {
    /** Encoder of the engine chosen for a kind; null when none is available. */
    chosenEncoder: (kind: ProfileKind): Encoder | null =>
      kind === 'text' ? textEncoder(ai.embedding()) : pictureEncoder(ai.imageEmbedding()),

    /** Encoder that made a profile's vectors; null when it's unavailable or has failed within the last minute. */
    formerEncoder(profile: Profile): Encoder | null {
      if ((unavailableUntil.get(profile.id) ?? 0) > performance.now()) return null
      if (profile.kind === 'text') return textEncoder(ai.formerEmbedder(profile))
      return pictureEncoder(ai.formerImageEmbedder(profile))
    },

    /** Reason why no engine is available for a kind, shown to the user. */
    reasonOff: (kind: ProfileKind): Sentence =>
      ai.reasonOff(kind === 'text' ? 'embedding' : 'image_embedding') ?? say('no_engine', {}),

    isUnavailable: (profile: Profile): boolean => (unavailableUntil.get(profile.id) ?? 0) > performance.now(),

    /** Remembers that a profile's engine has failed, so that it isn't used for a minute. */
    markUnavailable(profile: Profile): void {
      unavailableUntil.set(profile.id, performance.now() + UNAVAILABLE_MS)
    },

    profileOf,
    known: knownProfile,
    current: currentProfile,
    probed: probeProfile,
  }
}
