import type { Logger } from 'pino'
import type { Ai } from './adapters/ai/ai.ts'
import { asLanguage, guessLanguage, searchConfiguration } from './adapters/ai/language.ts'
import type { Database } from './db/client.ts'
import { newId } from './db/new-id.ts'
import { createVectors, toProbe } from './db/vector.ts'
import type { Events } from './features/events/events.service.ts'
import type { Thresholds } from './features/memory/calibrate.ts'
import { createEmbeddingService, type EmbeddingService } from './features/memory/embedding.service.ts'
import { createEmbeddingsStore, type ProfileKind } from './features/memory/embeddings.store.ts'
import { createItemMomentsStore } from './features/memory/item-moments.store.ts'
import { createMeaningSearch } from './features/memory/meaning.ts'
import { createMemoryService, type MemoryService } from './features/memory/memory.service.ts'
import { createMemoryStore } from './features/memory/memory.store.ts'
import { createPassagesService, type PassagesService } from './features/memory/passages.service.ts'
import { createSearchRecordStore } from './features/memory/search-record.store.ts'
import { createStemsStore } from './features/memory/stems.store.ts'
import type { StemmedLanguage } from './features/memory/stems.ts'
import { createSearchTurns, type SearchTurnsLimits } from './features/memory/turns.ts'
import { createWordSearch } from './features/memory/words.ts'

/** The embedded database does one thing after another: what waits here lets everything else through. */
const TURNS: SearchTurnsLimits = { perUser: 2, inAll: 4, waitingPerUser: 16, waitingInAll: 100 }

export interface MemoryGround {
  log: Logger
  database: Database
  ai: Pick<Ai, 'embedding' | 'imageEmbedding' | 'formerEmbedder' | 'formerImageEmbedder' | 'reasonOff'>
  wantFilling(kind: ProfileKind): void
  /** Short times make tests fast. */
  limits?: { queryTimeoutMs?: number; pauseMs?: number } | undefined
  signPath(userId: string, path: string): string
  /** Left out where nobody listens. */
  publish?: Events['publish']
  /** Measurements try others. */
  thresholds?: Thresholds
}

export interface Memory {
  memory: MemoryService
  /** What chat finds in it. */
  passages: PassagesService
  embedding: EmbeddingService
}

/** Builds what finds again what people have added, and what prepares it for that. */
export function buildMemory(ground: MemoryGround): Memory {
  const { log, database, ai, wantFilling, limits, signPath, publish = () => {}, thresholds } = ground
  const store = createMemoryStore(database)
  const stems = createStemsStore(database)
  const vectors = createVectors(database, { log })
  const embedding = createEmbeddingService({
    store: createEmbeddingsStore(database),
    vectors,
    embedder: ai.embedding,
    imageEmbedder: ai.imageEmbedding,
    formerEmbedder: ai.formerEmbedder,
    formerImageEmbedder: ai.formerImageEmbedder,
    onFilling: wantFilling,
    offReason: (kind) =>
      ai.reasonOff(kind === 'text' ? 'embedding' : 'image_embedding') ?? 'No engine for this is connected.',
    toProbe,
    log,
    ...limits,
  })
  const words = createWordSearch({ store, stems, log })
  const meaning = createMeaningSearch({ store, vectors, embedding, thresholds })
  const takeTurn = createSearchTurns(TURNS)
  const memory = createMemoryService({
    ...{ store, records: createSearchRecordStore(database), stems, words, meaning, takeTurn },
    searchConfigurationOf: (text) => searchConfiguration(guessLanguage(text)),
    searchConfigurationOfLanguage: (code) => searchConfiguration(asLanguage(code)),
    ...{ signPath, newId, publish },
  })
  const passages = createPassagesService({
    ...{ store, stems, words, meaning, signPath },
    items: createItemMomentsStore(database),
    languageOf: (text, readerLanguage) => {
      const language = searchConfiguration(guessLanguage(text) ?? asLanguage(readerLanguage))
      return language === 'simple' ? null : (language as StemmedLanguage)
    },
  })
  return { memory, passages, embedding }
}
