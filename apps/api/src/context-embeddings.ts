import type { Database } from './db/client.ts'
import { createVectors } from './db/vector.ts'
import type { EmbeddingService } from './features/memory/embedding.service.ts'
import { createEmbeddingSwitch, type EmbeddingSwitchService } from './features/memory/embedding-switch.service.ts'
import { createEmbeddingsStore, type PartRow, type ProfileKind } from './features/memory/embeddings.store.ts'
import type { Settings } from './features/settings/settings.service.ts'
import type { Queue } from './jobs/queue.ts'
import type { Log } from './log.ts'

/** A filling that is asked for by every search is enqueued once in this time. */
const ENQUEUE_EVERY_MS = 10_000

/** Asks for another model to take over: see createEmbeddingSwitch. Never throws. */
export type WantFilling = (kind: ProfileKind) => void

/** Makes it over the queue, which runs one filling of a kind at once on all servers. */
export function createWantFilling({ queue, log }: { queue: Queue; log: Log }): WantFilling {
  const wantedAt = new Map<ProfileKind, number>()
  return (kind) => {
    if (performance.now() - (wantedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < ENQUEUE_EVERY_MS) return
    wantedAt.set(kind, performance.now())
    const enqueue = async () => {
      const { waiting, active } = (await queue.counts())['fill-embeddings']
      // one of the other kind may be among them: then the sweep asks again
      if (waiting + active < 2) await queue.enqueue('fill-embeddings', { kind })
    }
    enqueue().catch((error: unknown) => log.warn({ err: error }, 'the filling of vectors could not be enqueued'))
  }
}

/** Builds what lets another embedding model take over, and lets it follow the settings. */
export function buildEmbeddingSwitch(ground: {
  database: Database
  embedding: EmbeddingService
  readPart(part: PartRow): Promise<Uint8Array>
  settings: Settings
  queue: Queue
  log: Log
}): EmbeddingSwitchService {
  const { database, embedding, readPart, settings, queue, log } = ground
  const vectors = createVectors(database, { log })
  settings.onChange(({ engines }, before) => {
    const enqueue = (kind: ProfileKind) =>
      queue
        .enqueue('fill-embeddings', { kind })
        .catch((error: unknown) => log.warn({ err: error }, 'the filling of vectors could not be enqueued'))
    if (engines.embedding !== before.engines.embedding) void enqueue('text')
    if (engines.image_embedding !== before.engines.image_embedding) void enqueue('image')
  })
  return createEmbeddingSwitch({
    store: createEmbeddingsStore(database),
    embedding,
    prepare: {
      text: (item, signal) => embedding.embedItem(item, signal),
      image: (item, signal) => embedding.lookItem(item, readPart, signal),
    },
    dropIndex: (kind, profileId) => vectors.removeIndex(kind === 'text' ? 'moment' : 'part', profileId),
    log,
  })
}
