import { setTimeout as sleep } from 'node:timers/promises'
import type { EmbeddingProfilesResponse } from '@mira/shared'
import { AppError, ConflictError, NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Vectors } from '../../../platform/database/vector.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { EmbeddingService } from './embedding.service.ts'
import type { EmbeddingsStore, OwnedItem, PartRow, Profile, ProfileKind } from './embeddings.store.ts'

export interface SwitchDeps {
  store: EmbeddingsStore
  embedding: EmbeddingService
  vectors: Vectors
  settings: SettingsReader
  queue: Queue
  /** Reads the thumbnail of a part; provided by the library module. */
  readPart(part: PartRow): Promise<Uint8Array>
  log: Log
}

export type EmbeddingSwitchService = ReturnType<typeof createEmbeddingSwitch>

const kinds: ProfileKind[] = ['text', 'image']
const ITEMS_AT_ONCE = 20
const MAX_ATTEMPTS = 3
/** Pause after each item, as a share of the time that the item took, so that searches come first. */
const REST_SHARE = 0.2
const MAX_REST_MS = 1000
const NOTE_EVERY_MS = 2000

/** Switches the search by meaning to another model. Until the new model's vectors are complete, the previous ones are searched. */
export function createEmbeddingSwitch({ store, embedding, vectors, settings, queue, readPart, log }: SwitchDeps) {
  settings.onChange(({ engines }, before) => {
    const enqueue = (kind: ProfileKind) =>
      queue
        .enqueue('fill-embeddings', { kind })
        .catch((error: unknown) => log.warn({ err: error }, 'could not enqueue a fill of embeddings'))
    if (engines.embedding !== before.engines.embedding) void enqueue('text')
    if (engines.image_embedding !== before.engines.image_embedding) void enqueue('image')
  })

  /** Makes an item's missing vectors with the chosen engine. */
  const embed = (kind: ProfileKind, item: OwnedItem, signal: AbortSignal) =>
    kind === 'text' ? embedding.embedItem(item, signal) : embedding.embedItemPictures(item, readPart, signal)

  /** Returns a function that stores the progress of filling a profile, so that every server can report it. */
  const createProgressRecorder = async (profile: Profile) => {
    const [startedAt, before] = [performance.now(), await store.progress(profile)]
    let notedAt = Number.NEGATIVE_INFINITY
    return async (error: string | null, failedItems: number) => {
      if (error === null && performance.now() - notedAt < NOTE_EVERY_MS) return
      notedAt = performance.now()
      const { filled } = await store.progress(profile)
      const minutes = (performance.now() - startedAt) / 60_000
      const perMinute = filled > before.filled ? Math.round((filled - before.filled) / minutes) : null
      const note = { at: new Date().toISOString(), per_minute: perMinute, error, failed_items: failedItems }
      await store.saveFillProgress(profile.id, note)
    }
  }

  /** Makes the vectors that a profile lacks. @returns false when another engine was chosen meanwhile. @throws AppError */
  const fill = async (profile: Profile, signal: AbortSignal): Promise<boolean> => {
    const note = await createProgressRecorder(profile)
    const attempts = new Map<string, number>()
    const givenUpIds = () => [...attempts].filter(([, count]) => count >= MAX_ATTEMPTS).map(([id]) => id)
    for (;;) {
      signal.throwIfAborted()
      if ((await embedding.chosenProfile(profile.kind, signal))?.id !== profile.id) return false
      const items = await store.itemsToFill(profile, ITEMS_AT_ONCE, givenUpIds())
      if (items.length === 0) return true
      for (const item of items) {
        signal.throwIfAborted()
        const beganAt = performance.now()
        // After a few attempts, an item is left out: one that keeps changing or has a damaged picture mustn't hold up the others.
        attempts.set(item.id, (attempts.get(item.id) ?? 0) + 1)
        try {
          await embed(profile.kind, item, signal)
        } catch (error) {
          if (signal.aborted || error instanceof AppError) {
            const reason = error instanceof AppError ? error.message : 'The server was shut down.'
            await note(reason, givenUpIds().length)
            throw error
          }
          log.warn({ err: error, media_id: item.id }, 'could not embed an item with the new model')
        }
        await note(null, givenUpIds().length)
        await sleep(Math.min(MAX_REST_MS, (performance.now() - beganAt) * REST_SHARE), undefined, { signal })
      }
    }
  }

  const find = async (id: number): Promise<Profile> => {
    const profile = await store.profileById(id)
    if (profile === null) throw new NotFoundError('These vectors don’t exist.')
    return profile
  }

  return {
    /** Fills the profile of the chosen engine, then switches to it. Does nothing when it's already active. */
    async run(kind: ProfileKind, signal: AbortSignal): Promise<void> {
      const profile = await embedding.chosenProfile(kind, signal)
      if (profile === null || profile.state === 'active') return
      log.info({ kind, model: profile.model }, 'embedding the memory with a new model')
      if (!(await fill(profile, signal))) return
      await store.activate(profile)
      await store.deleteFillProgress(profile.id)
      log.info({ kind, model: profile.model }, 'searches now use a new model')
    },

    /** Kinds of vectors for which searches don't use the chosen engine yet, as far as known without a request to it. */
    async waiting(): Promise<ProfileKind[]> {
      const active = await Promise.all(kinds.map(store.activeProfile))
      return kinds.filter((_kind, index) => active[index] != null && embedding.isAnotherChosen(active[index]))
    },

    async profiles(): Promise<EmbeddingProfilesResponse> {
      const profiles = []
      for (const profile of (await Promise.all(kinds.map(store.profiles))).flat()) {
        const { filled, total } = await store.progress(profile)
        const isChosen = embedding.isChosen(profile)
        const isFilling = profile.state !== 'active' && isChosen
        const note = isFilling ? await store.readFillProgress(profile.id) : null
        const secondsLeft = note?.per_minute ? Math.round(((total - filled) / note.per_minute) * 60) : null
        profiles.push({
          id: profile.id,
          kind: profile.kind,
          engine: profile.engine,
          model: profile.model,
          dimensions: profile.dimensions,
          filled,
          total,
          is_chosen: isChosen,
          state: isFilling ? ('filling' as const) : profile.state === 'active' ? ('active' as const) : ('old' as const),
          per_minute: note?.per_minute ?? null,
          seconds_left: secondsLeft === null ? null : Math.max(0, secondsLeft),
          failed_items: note?.failed_items ?? 0,
          error: note?.error ?? null,
        })
      }
      return { profiles }
    },

    /**
     * Deletes the vectors of a model that's no longer used.
     * @throws NotFoundError; ConflictError while they're in use or being made.
     */
    async drop(id: number): Promise<void> {
      const profile = await find(id)
      if (profile.state === 'active') {
        throw new ConflictError('Searches are using these vectors.', { code: 'vectors_in_use' })
      }
      if (embedding.isChosen(profile)) {
        throw new ConflictError('These vectors are being made for the chosen model. Choose another one first.', {
          code: 'vectors_being_made',
        })
      }
      await store.drop(id)
      await store.deleteFillProgress(id)
      await vectors.removeIndex(profile.kind === 'text' ? 'moment' : 'part', id)
    },
  }
}
