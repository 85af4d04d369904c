import type { Embedder, ImageEmbedder } from '../../../engines/engine-types.ts'
import type { Vectors } from '../../../platform/database/vector.ts'
import { batchCalls } from '../../../platform/lib/batch-calls.ts'
import { wholeWords } from '../../../platform/lib/searched-form.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { EmbeddingTurn, StepOutcome } from '../../library/index.ts'
import type { NewVector, OwnedItem, PartRow, Profile, ProfileKind } from './embeddings.store.ts'
import {
  createEngineProfiles,
  type Embeddings,
  type Encoder,
  type EngineProfilesDeps,
  matchesProfile,
  pictureEncoder,
  textEncoder,
} from './engine-profiles.ts'
import type { EngineTrials } from './engine-trials.service.ts'
import { createQueryVector, type QueryVectorDeps } from './query-vector.ts'

export interface EmbeddingDeps
  extends Omit<EngineProfilesDeps, 'requestFilling'>,
    Pick<QueryVectorDeps, 'queryTimeoutMs' | 'pauseMs' | 'log'> {
  vectors: Vectors
  trials: EngineTrials
  queue: Pick<Queue, 'counts' | 'enqueue'>
}

type EmbeddingOutcome = Pick<StepOutcome, 'engine' | 'model' | 'skipped' | 'isUnfinished'>

export type EmbeddingService = ReturnType<typeof createEmbeddingService>

const BATCH_TEXTS = 64
/** Maximum texts of an item to batch it with other items, which have to wait for all of its texts. */
const MAX_BATCHED_TEXTS = 16
/** Maximum concurrent batched requests: while these are being processed, the next batch fills up. */
const BATCHED_REQUESTS = 2
/** Maximum concurrent batched saves: more than one, since a save may have to wait for the deletion of one of its items. */
const BATCHED_SAVES = 3
const MAX_BATCHED_ITEMS = 64
/** Id for a profile that isn't known yet; no profile has it. */
const UNKNOWN_PROFILE = 0
/** Minimum time between two requests to fill a profile, since every search makes one until the profile is filled. */
const REQUEST_FILLING_EVERY_MS = 10_000
const BATCH_PICTURES = 16
/** Maximum number of times that the model may change while one item is being embedded. */
const MAX_CHANGES = 2

/** Code of an engine's or database's error. */
const codeOf = (error: unknown) => String((error as { code?: unknown }).code)

/** Embeds items and queries with the connected engine. */
export function createEmbeddingService(deps: EmbeddingDeps) {
  const { store, vectors, ai, trials, queue, log } = deps
  const requestedAt = new Map<ProfileKind, number>()

  /** Enqueues a job that fills the chosen model's profile. The queue runs only one such job per kind on all servers. */
  const requestFilling = (kind: ProfileKind): void => {
    if (performance.now() - (requestedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < REQUEST_FILLING_EVERY_MS) return
    requestedAt.set(kind, performance.now())
    const enqueue = async () => {
      const { waiting, active } = (await queue.counts())['fill-embeddings']
      // The job in the queue may be for the other kind; a later sweep will then request this kind again.
      if (waiting + active < 2) await queue.enqueue('fill-embeddings', { kind })
    }
    enqueue().catch((error: unknown) => log.warn({ err: error }, 'could not enqueue a fill of embeddings'))
  }

  const profiles = createEngineProfiles({ store, ai, requestFilling })

  /** Looks for texts without vectors. Calls for several items are batched, since many small items arrive at the same time. */
  const surveyTexts = batchCalls(store.surveyTexts, { atOnce: 1, max: MAX_BATCHED_ITEMS, concernsInput: () => false })
  const saveTexts = batchCalls(
    async (all: NewVector[][]) => {
      await store.save('text', all.flat())
      return all
    },
    {
      atOnce: BATCHED_SAVES,
      max: BATCH_TEXTS,
      sizeOf: ({ length }) => length,
      concernsInput: (error) => /^2[23]/.test(codeOf(error)),
    },
  )
  const batchedEmbedders = new WeakMap<Embedder, (request: EmbedRequest) => Promise<Embeddings>>()
  const batchedEmbedder = (embedder: Embedder) => {
    const existing = batchedEmbedders.get(embedder)
    if (existing !== undefined) return existing
    const batched = batchCalls((requests: EmbedRequest[]) => embedBatch(embedder, requests), {
      atOnce: BATCHED_REQUESTS,
      max: BATCH_TEXTS,
      sizeOf: ({ texts }) => texts.length,
      // Other errors concern all requests: the embedder itself skips single texts that a server refuses.
      concernsInput: (error) => ['useless_vectors', 'context_too_long'].includes(codeOf(error)),
    })
    batchedEmbedders.set(embedder, batched)
    return batched
  }

  /** Makes the vectors that an item lacks in the encoder's profile, a batch at a time. */
  const fill = async <Missing extends { id: string }>(
    item: OwnedItem,
    kind: ProfileKind,
    encoder: Encoder,
    work: {
      /** Number of texts or pictures, including those with a vector. */
      count: number
      missing(profileId: number): Promise<Missing[]>
      embed(batch: Missing[]): Promise<Embeddings>
      batchSize: number
      save(made: (NewVector & Missing)[]): Promise<unknown>
      /** Current profiles of the kind. */
      profiles: Profile[]
    },
    signal: AbortSignal,
    { progress = () => {}, max = Number.POSITIVE_INFINITY }: EmbeddingTurn,
  ): Promise<EmbeddingOutcome> => {
    let target = await profiles.current(kind, encoder, signal, work.profiles)
    for (let changes = 0; ; changes++) {
      const missing = await work.missing(target.profile.id)
      const existingCount = Math.max(0, work.count - missing.length)
      let end = Math.min(missing.length, max)
      let doneCount = 0
      while (doneCount < end) {
        signal.throwIfAborted()
        const batch = missing.slice(doneCount, Math.min(end, doneCount + work.batchSize))
        const embedded = await work.embed(batch)
        const { model, dimensions } = target.profile
        if (embedded.model !== model || embedded.dimensions !== dimensions) break
        const { userId } = item
        const profileId = target.profile.id
        const rows = batch.map((one, index) => ({ ...one, profileId, userId, vector: embedded.vectors[index] ?? [] }))
        const usable = rows.filter(({ vector }) => vector.length > 0)
        await work.save(usable)
        doneCount += batch.length
        // Skipped passages stay missing and don't count towards the limit, or else those after them would never be embedded.
        end = Math.min(missing.length, end + rows.length - usable.length)
        if (usable.length < rows.length) {
          log.warn({ media_id: item.id, passages: rows.length - usable.length }, 'some passages could not be embedded')
        }
        progress((existingCount + doneCount) / (existingCount + missing.length))
      }
      if (doneCount >= missing.length) break
      if (doneCount >= end) return { engine: encoder.engine, model: target.profile.model, isUnfinished: true }
      if (changes >= MAX_CHANGES) throw new Error('The embedding model keeps changing.')
      target = await profiles.probed(kind, encoder, signal)
    }
    const { profile } = target
    const { userId } = item
    if (userId === null) return { engine: encoder.engine, model: profile.model }
    vectors
      .keepIndexed(kind === 'text' ? 'moment' : 'part', profile, userId)
      .catch((error: unknown) => log.warn({ err: error }, 'could not build a vector index'))
    return { engine: encoder.engine, model: profile.model }
  }

  const isUnfinished = (outcome: EmbeddingOutcome) => outcome.isUnfinished === true

  /**
   * Embeds an item with the previous model, too, while searches still use its vectors, so that they find the item immediately.
   * Does nothing when that model is unavailable.
   * @returns true when some texts or pictures are left for later.
   */
  const fillActive = async (
    encoder: { engine: string; model(): string | null },
    profilesOfKind: Profile[],
    signal: AbortSignal,
    fillProfile: (active: Profile) => Promise<boolean>,
  ): Promise<boolean> => {
    const active = profilesOfKind.find(({ state }) => state === 'active')
    if (active === undefined || matchesProfile(encoder, active) || profiles.isUnavailable(active)) return false
    try {
      return await fillProfile(active)
    } catch (error) {
      if (signal.aborted) throw error
      log.warn({ err: error, model: active.model }, 'an item was only embedded with the new model')
      profiles.markUnavailable(active)
      return false
    }
  }

  /** True when the chosen engine makes the profile's vectors; null when no engine is chosen. */
  const isMadeByChosen = (profile: Profile): boolean | null => {
    const encoder = profiles.chosenEncoder(profile.kind)
    if (encoder === null) return null
    // Compared by the profile, since a model may start to make vectors with other dimensions under the same name.
    const current = profiles.known(profile.kind, encoder)
    return current === undefined ? matchesProfile(encoder, profile) : current.profile.id === profile.id
  }

  const skip = (reason: Sentence): EmbeddingOutcome => ({ engine: null, model: null, skipped: reason })

  return {
    /** Reason why no engine makes vectors of a kind, shown to the user; null when one does. */
    reasonOff: (kind: ProfileKind): Sentence | null =>
      profiles.chosenEncoder(kind) === null ? profiles.reasonOff(kind) : null,

    /** Embeds every text of an item that has no vector yet. @throws EngineError */
    async embedItem(item: OwnedItem, signal: AbortSignal, turn: EmbeddingTurn = {}): Promise<EmbeddingOutcome> {
      const embedder = ai.embedding()
      if (embedder === null) return skip(profiles.reasonOff('text'))
      const profileId = profiles.known('text', textEncoder(embedder))?.profile.id ?? UNKNOWN_PROFILE
      const survey = await surveyTexts({ item, profileId })
      if (survey.count === 0) return skip(say('nothing_to_embed', {}))
      trials.begin(embedder)
      let firstSurvey: typeof survey | undefined = survey
      const missingOf = async (id: number) => {
        const { missing } =
          firstSurvey !== undefined && id === profileId ? firstSurvey : await surveyTexts({ item, profileId: id })
        // Used only once: after a change of the model, the survey is outdated.
        firstSurvey = undefined
        return missing
      }
      const fillWith = (by: Embedder, bounds: EmbeddingTurn) =>
        fill<{ id: string; text: string }>(
          item,
          'text',
          textEncoder(by),
          {
            count: survey.count,
            profiles: survey.profiles,
            missing: missingOf,
            embed: (batch) => {
              const texts = batch.map(({ text }) => wholeWords(text))
              return texts.length > MAX_BATCHED_TEXTS
                ? embedPassages(by, texts, signal)
                : batchedEmbedder(by)({ texts, signal })
            },
            save: saveTexts,
            batchSize: BATCH_TEXTS,
          },
          signal,
          bounds,
        )
      const outcome = await fillWith(embedder, turn)
      if (outcome.isUnfinished) return outcome
      const isActiveUnfinished = await fillActive(embedder, survey.profiles, signal, async (active) => {
        const former = ai.formerEmbedder(active)
        return former !== null && isUnfinished(await fillWith(former, { max: turn.max }))
      })
      return isActiveUnfinished ? { ...outcome, isUnfinished: true } : outcome
    },

    /**
     * Embeds every picture of an item that has no vector yet: the item itself, its frames or its pages.
     * @param readPart reads the thumbnail of a part.
     * @throws EngineError
     */
    async embedItemPictures(
      item: OwnedItem,
      readPart: (part: PartRow) => Promise<Uint8Array>,
      signal: AbortSignal,
      turn: EmbeddingTurn = {},
    ): Promise<EmbeddingOutcome> {
      const embedder = ai.imageEmbedding()
      if (embedder === null) return skip(profiles.reasonOff('image'))
      const count = await store.countParts(item)
      if (count === 0) return skip(say('nothing_to_look_at', {}))
      const profilesOfKind = await store.profiles('image')
      const fillWith = (by: ImageEmbedder, bounds: EmbeddingTurn) =>
        fill<PartRow>(
          item,
          'image',
          pictureEncoder(by),
          {
            count,
            profiles: profilesOfKind,
            missing: (profileId) => store.missingParts(item, profileId),
            embed: async (batch) => by.embedPictures(await Promise.all(batch.map(readPart)), signal),
            save: (made) => store.save('image', made),
            batchSize: BATCH_PICTURES,
          },
          signal,
          bounds,
        )
      const outcome = await fillWith(embedder, turn)
      if (outcome.isUnfinished) return outcome
      const isActiveUnfinished = await fillActive(embedder, profilesOfKind, signal, async (active) => {
        const former = ai.formerImageEmbedder(active)
        return former !== null && isUnfinished(await fillWith(former, { max: turn.max }))
      })
      return isActiveUnfinished ? { ...outcome, isUnfinished: true } : outcome
    },

    /** Profile of the chosen engine's vectors; null when there is no engine. @throws EngineError */
    async chosenProfile(kind: ProfileKind, signal: AbortSignal): Promise<Profile | null> {
      const encoder = profiles.chosenEncoder(kind)
      return encoder && (await profiles.current(kind, encoder, signal)).profile
    },

    /** True when an engine is chosen that makes other vectors than the profile's, as far as known without a request to it. */
    isAnotherChosen: (profile: Profile): boolean => isMadeByChosen(profile) === false,

    /** True when the chosen engine makes the profile's vectors, as far as known without a request to it. */
    isChosen: (profile: Profile): boolean => isMadeByChosen(profile) === true,

    queryVector: createQueryVector({ ...deps, profiles, requestFilling }),
  }
}

interface EmbedRequest {
  texts: string[]
  signal: AbortSignal
}

const embedPassages = (embedder: Embedder, texts: string[], signal: AbortSignal): Promise<Embeddings> =>
  embedder.embed(texts, 'passage', signal, { skipsRefused: true })

/** Embeds the texts of several items together; cancelled when all of their requests are. */
async function embedBatch(embedder: Embedder, requests: EmbedRequest[]): Promise<Embeddings[]> {
  const cancellation = new AbortController()
  const cancelIfUnwanted = () => {
    if (requests.every(({ signal }) => signal.aborted)) cancellation.abort(requests[0]?.signal.reason)
  }
  for (const { signal } of requests) signal.addEventListener('abort', cancelIfUnwanted, { once: true })
  cancelIfUnwanted()
  try {
    const texts = requests.flatMap((request) => request.texts)
    const { vectors, ...origin } = await embedPassages(embedder, texts, cancellation.signal)
    let begin = 0
    return requests.map((request) => {
      const end = begin + request.texts.length
      const own = { ...origin, vectors: vectors.slice(begin, end) }
      begin = end
      return own
    })
  } finally {
    for (const { signal } of requests) signal.removeEventListener('abort', cancelIfUnwanted)
  }
}
