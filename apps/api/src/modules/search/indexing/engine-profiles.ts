import type { Ai } from '../../../engines/ai.ts'
import type { Embedder, ImageEmbedder } from '../../../engines/other-engines.ts'
import { toProbe } from '../../../platform/database/vector.ts'
import { wholeWords } from '../../../platform/lib/searched-form.ts'
import { type Sentence, say } from '../../../sentences.ts'
import { pictureProbeTexts, probeTexts } from '../weights.ts'
import type { EmbeddingsStore, Profile, ProfileKind } from './embeddings.store.ts'

/** Engine and model that make vectors of one kind. */
export type Maker = Pick<Profile, 'engine' | 'model'>

/** Vectors of some texts, and what made them. */
export interface Made {
  vectors: number[][]
  model: string
  dimensions: number
}

/** Either engine, as far as they are alike. */
export interface Encoder {
  engine: string
  model(): string | null
  queries(texts: string[], signal: AbortSignal): Promise<Made>
}

export function textEncoder(embedder: Embedder): Encoder
export function textEncoder(embedder: Embedder | null): Encoder | null
export function textEncoder(embedder: Embedder | null): Encoder | null {
  if (embedder === null) return null
  const queries: Encoder['queries'] = (texts, signal) => embedder.embed(texts.map(wholeWords), 'query', signal)
  return { engine: embedder.engine, model: () => embedder.model(), queries }
}

export function pictureEncoder(embedder: ImageEmbedder): Encoder
export function pictureEncoder(embedder: ImageEmbedder | null): Encoder | null
export function pictureEncoder(embedder: ImageEmbedder | null): Encoder | null {
  if (embedder === null) return null
  const queries: Encoder['queries'] = (texts, signal) => embedder.embedTexts(texts, signal)
  return { engine: embedder.engine, model: () => embedder.model(), queries }
}

/** One that does not know its model yet may be the one. */
export function isMakerOf({ engine, model }: { engine: string; model(): string | null }, profile: Profile): boolean {
  return engine === profile.engine && (model() ?? profile.model) === profile.model
}

export interface EngineProfilesDeps {
  store: EmbeddingsStore
  ai: Pick<Ai, 'embedding' | 'imageEmbedding' | 'formerEmbedder' | 'formerImageEmbedder' | 'reasonOff'>
  /** Requests the filling of the chosen engine's profile; called when it isn't searched yet. */
  requestFilling(kind: ProfileKind): void
}

/** Profile of an engine's vectors, and probes that detect a change of its model. */
export interface QueryProfile {
  profile: Profile
  probes: Buffer[]
}

/** Pause before asking a previous model again that stopped responding. */
const GONE_MS = 60_000

const probesOf: Record<ProfileKind, string[]> = { text: probeTexts, image: pictureProbeTexts }

export type EngineProfiles = ReturnType<typeof createEngineProfiles>

/** Knows which profile the vectors of each engine belong to, and which engines cannot be asked at present. */
export function createEngineProfiles({ store, ai, requestFilling }: EngineProfilesDeps) {
  const knownProfiles = new Map<string, QueryProfile>()
  const goneUntil = new Map<number, number>()

  /** The profile and probes of what an engine has just made; `probes` when they were made along. */
  const of = async (
    kind: ProfileKind,
    encoder: Encoder,
    origin: Omit<Made, 'vectors'>,
    signal: AbortSignal,
    { madeProbes, profiles = [] }: { madeProbes?: number[][]; profiles?: Profile[] } = {},
  ): Promise<QueryProfile> => {
    const { model, dimensions } = origin
    const key = `${kind} ${encoder.engine} ${dimensions} ${model}`
    const cached = knownProfiles.get(key)
    const probes =
      cached?.probes ?? (madeProbes ?? (await encoder.queries(probesOf[kind], signal)).vectors).map(toProbe)
    // asked for each time: it may have been switched to, or dropped
    const isOfThis = (one: Profile) =>
      one.engine === encoder.engine && one.model === model && one.dimensions === dimensions
    const profile =
      profiles.find(isOfThis) ?? (await store.profileOf({ kind, engine: encoder.engine, model, dimensions }))
    if (profile.state !== 'active') requestFilling(kind)
    const target = { profile, probes }
    knownProfiles.delete(key)
    knownProfiles.set(key, target)
    return target
  }

  /** The profile and probes of what an engine makes, by asking it. @throws EngineError */
  const probed = async (kind: ProfileKind, encoder: Encoder, signal: AbortSignal): Promise<QueryProfile> => {
    const probeVectors = await encoder.queries(probesOf[kind], signal)
    return of(kind, encoder, probeVectors, signal, { madeProbes: probeVectors.vectors })
  }

  /** Profile and probes of an engine's current model, as far as known without a request. */
  const known = (kind: ProfileKind, encoder: Encoder): QueryProfile | undefined => {
    const candidates = [...knownProfiles.values()].filter(
      ({ profile }) => profile.kind === kind && profile.engine === encoder.engine,
    )
    const model = encoder.model()
    // a model may begin to give other vectors under the same name
    return candidates.findLast(({ profile }) => profile.model === model)
  }

  /** The same; asks the engine when it isn't known. @param profiles of the kind, as they are now, where they are at hand. */
  const current = async (
    kind: ProfileKind,
    encoder: Encoder,
    signal: AbortSignal,
    profiles?: Profile[],
  ): Promise<QueryProfile> => {
    const target = known(kind, encoder)
    if (target) return of(kind, encoder, target.profile, signal, profiles && { profiles })
    return probed(kind, encoder, signal)
  }

  return {
    /** Current encoder of this kind; null for none. */
    chosenEncoder: (kind: ProfileKind): Encoder | null =>
      kind === 'text' ? textEncoder(ai.embedding()) : pictureEncoder(ai.imageEmbedding()),

    /** Encoder that made a profile's vectors; null when it's unavailable, or failed within the last minute. */
    formerEncoder(profile: Profile): Encoder | null {
      if ((goneUntil.get(profile.id) ?? 0) > performance.now()) return null
      if (profile.kind === 'text') return textEncoder(ai.formerEmbedder(profile))
      return pictureEncoder(ai.formerImageEmbedder(profile))
    },

    /** Reason shown to the user why there is no engine. */
    offReason: (kind: ProfileKind): Sentence =>
      ai.reasonOff(kind === 'text' ? 'embedding' : 'image_embedding') ?? say('no_engine', {}),

    isGone: (profile: Profile): boolean => (goneUntil.get(profile.id) ?? 0) > performance.now(),

    /** Its model did not answer: it is left alone for a minute. */
    markGone(profile: Profile): void {
      goneUntil.set(profile.id, performance.now() + GONE_MS)
    },

    of,
    known,
    current,
    probed,
  }
}
