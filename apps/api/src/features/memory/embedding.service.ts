import { type Sentence, say } from '@mira/shared'
import type { Embedder, ImageEmbedder } from '../../adapters/ai/understanding.ts'
import type { Vectors } from '../../db/vector.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { pictureProbeTexts, probeTexts } from './calibrate.ts'
import type { EmbeddingsStore, OwnedItem, PartRow, Profile, ProfileKind } from './embeddings.store.ts'
import { type Encoder, isMakerOf, type Made, type Maker, pictureEncoder, textEncoder } from './encoders.ts'

export interface EmbeddingDeps {
  store: EmbeddingsStore
  vectors: Vectors
  /** What turns texts into vectors now; null when nothing does. */
  embedder(): Embedder | null
  imageEmbedder(): ImageEmbedder | null
  /** One that made vectors before another one was chosen; null when it cannot be had any more. */
  formerEmbedder(maker: Maker): Embedder | null
  formerImageEmbedder(maker: Maker): ImageEmbedder | null
  /** What the engine makes belongs to a profile that is not searched yet: it has to be filled. */
  onFilling?(kind: ProfileKind): void
  /** An engine of texts is in use. */
  onUse?(embedder: Embedder): void
  /** Why there is none, for a person. */
  offReason(kind: ProfileKind): Sentence
  /** A vector as the database compares others with it. */
  toProbe(vector: number[]): string
  log: Log
  /** Nothing waits longer for the vector of its query. */
  queryTimeoutMs?: number
  /** How long searches do without, after two in a row have waited for nothing. */
  pauseMs?: number
}

/** How a step ended. */
export interface EmbeddingOutcome {
  engine: string | null
  model: string | null
  /** Why there was nothing to do, for a person. */
  skipped?: Sentence
}

/** What a query is compared with, or why it cannot be. */
export type QueryVector =
  /** `partial`: why not everything can be compared, for a person. */
  | { profile: Profile; vector: number[]; probes: string[]; partial?: string }
  | { missing: 'no_embedding_engine' | 'embedding_engine_failed'; reason: string }

/** The profile of the vectors that an engine makes, and the probes that tell whether it still makes the same ones. */
interface QueryProfile {
  profile: Profile
  probes: string[]
}

export type EmbeddingService = ReturnType<typeof createEmbeddingService>

const QUERY_TIMEOUT_MS = 3000
const PAUSE_MS = 60_000
const TIMEOUTS_BEFORE_PAUSE = 2
const BATCH_TEXTS = 64
const BATCH_PICTURES = 16
const MOST_KEPT_QUERIES = 200
/** How often the model may change while one item is embedded. */
const MOST_CHANGES = 2

/** How long a model that made the vectors and does not answer any more is not asked. */
const GONE_MS = 60_000

const probesOf: Record<ProfileKind, string[]> = { text: probeTexts, image: pictureProbeTexts }

/** Turns what was found in items, and what is asked for, into vectors of the engine that is connected. */
export function createEmbeddingService(deps: EmbeddingDeps) {
  const { store, vectors, log, queryTimeoutMs = QUERY_TIMEOUT_MS, pauseMs = PAUSE_MS } = deps
  const knownProfiles = new Map<string, QueryProfile>()
  const queries = new Map<string, Made>()
  const pausedUntil: Record<ProfileKind, number> = { text: 0, image: 0 }
  const timeouts: Record<ProfileKind, number> = { text: 0, image: 0 }

  const goneUntil = new Map<number, number>()

  const encoderOf = (kind: ProfileKind): Encoder | null => {
    if (kind === 'text') return textEncoder(deps.embedder())
    return pictureEncoder(deps.imageEmbedder())
  }

  const formerEncoder = (profile: Profile): Encoder | null => {
    if (profile.kind === 'text') return textEncoder(deps.formerEmbedder(profile))
    return pictureEncoder(deps.formerImageEmbedder(profile))
  }

  /** The profile and probes of what an engine has just made; `probes` when they were made along. */
  const queryProfileOf = async (
    kind: ProfileKind,
    encoder: Encoder,
    made: Omit<Made, 'vectors'>,
    signal: AbortSignal,
    { madeProbes, profiles = [] }: { madeProbes?: number[][]; profiles?: Profile[] } = {},
  ): Promise<QueryProfile> => {
    const { model, dimensions } = made
    const key = `${kind} ${encoder.engine} ${dimensions} ${model}`
    const known = knownProfiles.get(key)
    const probes =
      known?.probes ?? (madeProbes ?? (await encoder.queries(probesOf[kind], signal)).vectors).map(deps.toProbe)
    // asked for each time: it may have been switched to, or dropped
    const isOfThis = (one: Profile) =>
      one.engine === encoder.engine && one.model === model && one.dimensions === dimensions
    const profile =
      profiles.find(isOfThis) ?? (await store.profileOf({ kind, engine: encoder.engine, model, dimensions }))
    if (profile.state !== 'active') deps.onFilling?.(kind)
    const target = { profile, probes }
    knownProfiles.delete(key)
    knownProfiles.set(key, target)
    return target
  }

  /** The profile and probes of what an engine would make now, as far as can be told without waiting for it. */
  const currentQueryProfile = async (
    kind: ProfileKind,
    encoder: Encoder,
    signal: AbortSignal,
  ): Promise<QueryProfile> => {
    const known = [...knownProfiles.values()].filter(
      ({ profile }) => profile.kind === kind && profile.engine === encoder.engine,
    )
    const model = encoder.model()
    // a model may begin to give other vectors under the same name
    const target = known.findLast(({ profile }) => profile.model === model)
    if (target) return queryProfileOf(kind, encoder, target.profile, signal)
    const made = await encoder.queries(probesOf[kind], signal)
    return queryProfileOf(kind, encoder, made, signal, { madeProbes: made.vectors })
  }

  /** @param profiles of the kind, as they are now. */
  const embedQuery = async (
    kind: ProfileKind,
    encoder: Encoder,
    text: string,
    profiles: Profile[],
    signal: AbortSignal,
  ) => {
    const key = `${kind} ${encoder.engine} ${encoder.model() ?? ''} ${text}`
    let made = queries.get(key)
    if (made) queries.delete(key)
    else made = await encoder.queries([text], signal)
    queries.set(key, made)
    const oldest = queries.keys().next().value
    if (queries.size > MOST_KEPT_QUERIES && oldest !== undefined) queries.delete(oldest)
    const { profile, probes } = await queryProfileOf(kind, encoder, made, signal, { profiles })
    return { profile, probes, vector: made.vectors[0] ?? [] }
  }

  /** With the model whose vectors are searched, though another one is chosen by now; null when it cannot be asked. */
  const embedFormerQuery = async (active: Profile, text: string, profiles: Profile[], signal: AbortSignal) => {
    const encoder = formerEncoder(active)
    if (encoder === null || (goneUntil.get(active.id) ?? 0) > Date.now()) return null
    try {
      const query = await embedQuery(active.kind, encoder, text, profiles, signal)
      return query.profile.id === active.id ? query : null
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, model: active.model }, 'the model that is searched with cannot be asked any more')
      goneUntil.set(active.id, Date.now() + GONE_MS)
      return null
    }
  }

  /** By the vectors that are searched; where their model is gone, by those that are there of the next one. */
  const searchedQuery = async (
    kind: ProfileKind,
    encoder: Encoder,
    text: string,
    signal: AbortSignal,
  ): Promise<QueryVector> => {
    const profiles = await store.profiles(kind)
    const active = profiles.find(({ state }) => state === 'active')
    if (active !== undefined && !isMakerOf(encoder, active)) {
      const former = await embedFormerQuery(active, text, profiles, signal)
      if (former !== null) {
        deps.onFilling?.(kind)
        return former
      }
    }
    const query = await embedQuery(kind, encoder, text, profiles, signal)
    if (query.profile.state === 'active') return query
    const { filled, total } = await store.progress(query.profile)
    const partial = `The model for searching by meaning has changed: ${filled} of ${total} places are prepared for the new one.`
    return { ...query, partial }
  }

  /** Fills a profile with what an item lacks in it, a batch at a time. */
  const fill = async <Missing extends { id: string }>(
    item: OwnedItem,
    kind: ProfileKind,
    encoder: Encoder,
    work: {
      missing(profileId: number): Promise<Missing[]>
      embed(batch: Missing[]): Promise<Made>
      batchSize: number
      textOf?(missing: Missing): string
    },
    signal: AbortSignal,
    progress: (fraction: number) => void,
  ): Promise<EmbeddingOutcome> => {
    let target = await currentQueryProfile(kind, encoder, signal)
    for (let changes = 0; ; changes++) {
      const missing = await work.missing(target.profile.id)
      let done = 0
      while (done < missing.length) {
        signal.throwIfAborted()
        const batch = missing.slice(done, done + work.batchSize)
        const made = await work.embed(batch)
        const { model, dimensions } = target.profile
        if (made.model !== model || made.dimensions !== dimensions) break
        const rows = batch.map((one, at) => ({
          id: one.id,
          vector: made.vectors[at] ?? [],
          text: work.textOf?.(one) ?? '',
        }))
        await store.save(target.profile, item.userId, rows)
        done += batch.length
        progress(done / missing.length)
      }
      if (done >= missing.length) break
      if (changes >= MOST_CHANGES) throw new Error('The model that makes vectors changes all the time.')
      const made = await encoder.queries(probesOf[kind], signal)
      target = await queryProfileOf(kind, encoder, made, signal, { madeProbes: made.vectors })
    }
    const { profile } = target
    vectors
      .keepIndexed(kind === 'text' ? 'moment' : 'part', profile, item.userId)
      .catch((error: unknown) => log.warn({ err: error }, 'an index of vectors could not be built'))
    return { engine: encoder.engine, model: profile.model }
  }

  /** What is added while another profile is filled is found at once, as long as the model before can be had. */
  const fillSearched = async (
    kind: ProfileKind,
    chosen: { engine: string; model(): string | null },
    signal: AbortSignal,
    fillFor: (active: Profile) => Promise<void>,
  ) => {
    const active = await store.activeProfile(kind)
    if (active === null || isMakerOf(chosen, active) || (goneUntil.get(active.id) ?? 0) > Date.now()) return
    try {
      await fillFor(active)
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, model: active.model }, 'an item was prepared for the new model only')
      goneUntil.set(active.id, Date.now() + GONE_MS)
    }
  }

  const skip = (reason: Sentence): EmbeddingOutcome => ({ engine: null, model: null, skipped: reason })

  return {
    /** Why there is no engine for this, for a person; null when there is one. */
    reasonOff: (kind: ProfileKind): Sentence | null => (encoderOf(kind) === null ? deps.offReason(kind) : null),

    /** Gives every text of an item its vector; what has one keeps it. @throws EngineError */
    async embedItem(
      item: OwnedItem,
      signal: AbortSignal,
      progress: (fraction: number) => void = () => {},
    ): Promise<EmbeddingOutcome> {
      const embedder = deps.embedder()
      if (embedder === null) return skip(deps.offReason('text'))
      if ((await store.countOf(item, 'text')) === 0) return skip(say('nothing_to_embed', {}, 'There is no text in it.'))
      deps.onUse?.(embedder)
      const fillWith = (by: Embedder, report: (fraction: number) => void) =>
        fill<{ id: string; text: string }>(
          item,
          'text',
          textEncoder(by),
          {
            missing: (profileId) => store.missingTexts(item, profileId),
            embed: (batch) =>
              by.embed(
                batch.map(({ text }) => text),
                'passage',
                signal,
              ),
            textOf: ({ text }) => text,
            batchSize: BATCH_TEXTS,
          },
          signal,
          report,
        )
      const outcome = await fillWith(embedder, progress)
      await fillSearched('text', embedder, signal, async (active) => {
        const former = deps.formerEmbedder(active)
        if (former !== null) await fillWith(former, () => {})
      })
      return outcome
    },

    /**
     * Gives every picture of an item (itself, frames) its vector; what has one keeps it.
     * @param readPart lends the thumbnail of a part.
     * @throws EngineError
     */
    async lookItem(
      item: OwnedItem,
      readPart: (part: PartRow) => Promise<Uint8Array>,
      signal: AbortSignal,
      progress: (fraction: number) => void = () => {},
    ): Promise<EmbeddingOutcome> {
      const embedder = deps.imageEmbedder()
      if (embedder === null) return skip(deps.offReason('image'))
      if ((await store.countOf(item, 'image')) === 0)
        return skip(say('nothing_to_look_at', {}, 'There is no picture of it.'))
      const fillWith = (by: ImageEmbedder, report: (fraction: number) => void) =>
        fill<PartRow>(
          item,
          'image',
          pictureEncoder(by),
          {
            missing: (profileId) => store.missingParts(item, profileId),
            embed: async (batch) => by.embedPictures(await Promise.all(batch.map(readPart)), signal),
            batchSize: BATCH_PICTURES,
          },
          signal,
          report,
        )
      const outcome = await fillWith(embedder, progress)
      await fillSearched('image', embedder, signal, async (active) => {
        const former = deps.formerImageEmbedder(active)
        if (former !== null) await fillWith(former, () => {})
      })
      return outcome
    },

    /** The profile of what the chosen engine makes; null when there is no engine. @throws EngineError */
    async chosenProfile(kind: ProfileKind, signal: AbortSignal): Promise<Profile | null> {
      const encoder = encoderOf(kind)
      return encoder && (await currentQueryProfile(kind, encoder, signal)).profile
    },

    /** Whether an engine is chosen that makes other vectors than those of a profile, as far as is known without asking. */
    isAnotherChosen(profile: Profile): boolean {
      const encoder = encoderOf(profile.kind)
      return encoder !== null && !isMakerOf(encoder, profile)
    },

    /** Whether the engine that is chosen makes the vectors of a profile, as far as is known without asking it. */
    isChosen(profile: Profile): boolean {
      const encoder = encoderOf(profile.kind)
      return encoder !== null && isMakerOf(encoder, profile)
    },

    /** The vector of what is searched for, within the time given; never throws. */
    async queryVector(kind: ProfileKind, text: string, patienceMs: number): Promise<QueryVector> {
      const encoder = encoderOf(kind)
      if (encoder === null) return { missing: 'no_embedding_engine', reason: deps.offReason(kind).text }
      const failed = (reason: string): QueryVector => ({ missing: 'embedding_engine_failed', reason })
      const timeoutMs = Math.min(patienceMs, queryTimeoutMs)
      const late = `The embedding model did not answer within ${timeoutMs / 1000} seconds.`
      if (pausedUntil[kind] > Date.now()) return failed(late)
      const timeout = AbortSignal.timeout(timeoutMs)
      const expired = new Promise<never>((_, reject) => {
        timeout.addEventListener('abort', () => reject(timeout.reason), { once: true })
      })
      try {
        const query = await Promise.race([searchedQuery(kind, encoder, text, timeout), expired])
        timeouts[kind] = 0
        return query
      } catch (error) {
        log.warn({ err: error, kind }, 'a query could not be turned into a vector')
        if (timeout.aborted) {
          timeouts[kind]++
          if (timeouts[kind] % TIMEOUTS_BEFORE_PAUSE === 0) pausedUntil[kind] = Date.now() + pauseMs
          return failed(late)
        }
        return failed(error instanceof AppError ? error.message : 'The embedding model failed.')
      }
    },
  }
}
