import { say } from '@mira/shared'
import type { Logger } from 'pino'
import type { Ai } from '../../engines/ai.ts'
import { guessLanguage } from '../../offline/language/language.ts'
import type { Database } from '../../platform/database/client.ts'
import { newId } from '../../platform/database/new-id.ts'
import { createVectors, toProbe } from '../../platform/database/vector.ts'
import type { Events } from '../../platform/events/events.service.ts'
import { createSemaphore, type SemaphoreOptions } from '../../platform/lib/semaphore.ts'
import { createCandidatesStore } from './candidates.store.ts'
import { createEmbeddingService, type EmbeddingService } from './indexing/embedding.service.ts'
import { createEmbeddingsStore, type ProfileKind } from './indexing/embeddings.store.ts'
import { createEngineTrials } from './indexing/engine-trials.service.ts'
import { createItemMomentsStore } from './indexing/item-moments.store.ts'
import { createStemsStore } from './indexing/stems.store.ts'
import { createWordIndexStore } from './indexing/word-index.store.ts'
import { createWordIndex, type WordIndex } from './indexing/word-index.ts'
import { createKnownItemsStore } from './known-items.store.ts'
import { createKnownItems, type KnownItems } from './known-items.ts'
import { createMeaningSearch } from './meaning.ts'
import { createMemoryService, type MemoryService } from './memory.service.ts'
import { createMemoryStore } from './memory.store.ts'
import { createMemorySizes } from './memory-sizes.ts'
import { createPassagesService, type PassagesService } from './passages.service.ts'
import { createReranking } from './reranking.ts'
import { createRetrieval } from './retrieval.ts'
import { createSearchRecordStore } from './search-record.store.ts'
import { createUnderstanding } from './understanding.ts'
import { createWordSearch } from './word-search.ts'

/** The embedded database does one thing after another: what waits here lets everything else through. */
const SEARCHES: SemaphoreOptions = {
  permits: 4,
  perUser: 2,
  maxWaiting: 100,
  maxWaitingPerUser: 16,
  busy: 'Too many searches are under way right now. Try again in a moment.',
}

export interface MemoryTools {
  log: Logger
  database: Database
  ai: Pick<Ai, 'embedding' | 'imageEmbedding' | 'formerEmbedder' | 'formerImageEmbedder' | 'reasonOff'>
  wantFilling(kind: ProfileKind): void
  /** Short times make tests fast. */
  limits?: { queryTimeoutMs?: number; pauseMs?: number } | undefined
  signPath(userId: string, path: string): string
  /** Left out where nobody listens. */
  publish?: Events['publish']
  /** Engine that puts what was found into a better order; null while there is none. Left out where there never is. */
  reranker?: Ai['reranking']
}

export interface Memory {
  memory: MemoryService
  /** Memory search for the chat. */
  passages: PassagesService
  embedding: EmbeddingService
  /** Writes the words of moments that were stored before the rules for it changed. */
  wordIndex: WordIndex
  /** Tries whether what is known is found. */
  knownItems: KnownItems
}

/** Builds what finds again what people have added, and what prepares it for that. */
export function buildMemory(tools: MemoryTools): Memory {
  const { log, database, ai, wantFilling, limits, signPath, publish = () => {}, reranker = () => null } = tools
  const store = createMemoryStore(database)
  const stems = createStemsStore(database)
  const vectors = createVectors(database, { log })
  const trials = createEngineTrials({ log })
  const embedding = createEmbeddingService({
    store: createEmbeddingsStore(database),
    vectors,
    embedder: ai.embedding,
    imageEmbedder: ai.imageEmbedding,
    formerEmbedder: ai.formerEmbedder,
    formerImageEmbedder: ai.formerImageEmbedder,
    onFilling: wantFilling,
    onUse: (embedder) => trials.begin(embedder),
    offReason: (kind) =>
      ai.reasonOff(kind === 'text' ? 'embedding' : 'image_embedding') ??
      say('no_engine', {}, 'No engine for this is connected.'),
    toProbe,
    log,
    ...limits,
  })
  const candidates = createCandidatesStore(database)
  const meaning = createMeaningSearch({
    store,
    candidates,
    vectors,
    embedding,
    trustIn: (maker, language) => trials.trustIn(maker, ai.embedding(), language),
  })
  const items = createItemMomentsStore(database)
  const retrieval = createRetrieval({
    store,
    items,
    stems,
    sizes: createMemorySizes({ store: candidates }),
    words: createWordSearch({ candidates, store, stems, log }),
    meaning,
    rerank: createReranking({ reranker, log }),
    isOneByOne: database.engine === 'embedded',
  })
  const understand = createUnderstanding({ stems, guessLanguage })
  const memory = createMemoryService({
    store,
    items,
    understand,
    retrieval,
    guessLanguage,
    signPath,
    newId,
    publish,
    records: createSearchRecordStore(database),
    semaphore: createSemaphore(SEARCHES),
  })
  const passages = createPassagesService({
    store,
    understand,
    retrieval,
    guessLanguage,
    signPath,
    items,
  })
  const knownItems = createKnownItems({
    store: createKnownItemsStore(database),
    memory: store,
    understand,
    retrieval,
    meaning,
    guessLanguage,
  })
  const wordIndex = createWordIndex({ store: createWordIndexStore(database), log })
  return { memory, passages, embedding, wordIndex, knownItems }
}
export type { EmbeddingService } from './indexing/embedding.service.ts'
export type { EmbeddingSwitchService } from './indexing/embedding-switch.service.ts'
export type { PartRow } from './indexing/embeddings.store.ts'
export { createEmbeddingsStore } from './indexing/embeddings.store.ts'
export type { KnownItems } from './known-items.ts'
export type { PassagesService } from './passages.service.ts'
