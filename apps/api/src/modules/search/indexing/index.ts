import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import { createVectors } from '../../../platform/database/vector.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { EmbeddingService } from './embedding.service.ts'
import { createEmbeddingSwitch, type EmbeddingSwitchService } from './embedding-switch.service.ts'
import { createEmbeddingsStore, type PartRow, type ProfileKind } from './embeddings.store.ts'

/** Builds what lets another embedding model take over, and lets it follow the settings. */
export function buildEmbeddingSwitch(tools: {
  database: Database
  embedding: EmbeddingService
  readPart(part: PartRow): Promise<Uint8Array>
  settings: SettingsReader
  queue: Queue
  log: Log
}): EmbeddingSwitchService {
  const { database, embedding, readPart, settings, queue, log } = tools
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
