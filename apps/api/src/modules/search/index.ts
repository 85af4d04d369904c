import type { Ai } from '../../engines/ai.ts'
import type { Log } from '../../log.ts'
import type { Database } from '../../platform/database/client.ts'
import { createVectors } from '../../platform/database/vector.ts'
import type { Events } from '../../platform/events/events.service.ts'
import type { PathSigner } from '../../platform/lib/path-signer.ts'
import { createSemaphore, type SemaphoreOptions } from '../../platform/lib/semaphore.ts'
import type { Queue } from '../../platform/queue/queue.ts'
import { createImageSearch, createSemanticSearch } from './arms/meaning.ts'
import { createCandidatesStore } from './candidates.store.ts'
import { createEmbeddingService } from './indexing/embedding.service.ts'
import { createEmbeddingsStore } from './indexing/embeddings.store.ts'
import { createEngineTrials } from './indexing/engine-trials.service.ts'
import { createItemMomentsStore } from './indexing/item-moments.store.ts'
import { createWordIndex } from './indexing/word-index.ts'
import { createStemsStore, createWordIndexStore } from './indexing/words.store.ts'
import { createKnownItemsStore } from './known-items.store.ts'
import { createKnownItems } from './known-items.ts'
import { createMemoryService } from './memory.service.ts'
import { createMemoryStore } from './memory.store.ts'
import { createMemorySizes } from './memory-sizes.ts'
import { createPassagesService } from './passages.service.ts'
import { createRetrieval } from './retrieval.ts'
import { createSearchRecordStore } from './search-record.store.ts'

export { type DaySpan, withEarlierYears } from '../../offline/phrases/written-days.ts'
export { misspellingPatterns } from './arms/words.ts'
export { expressionOf } from './memory.store.ts'
export { understandPhrases } from './query-phrases.ts'
export { quoteLexeme } from './terms.ts'

/** Limits of interactive searches. The embedded database runs one statement at a time, so the limits let other work through. */
const SEARCHES: SemaphoreOptions = {
  permits: 4,
  perUser: 2,
  maxWaiting: 100,
  maxWaitingPerUser: 16,
  busy: 'Too many searches are running right now. Try again in a moment.',
}

export interface SearchDeps {
  log: Log
  database: Database
  ai: Pick<Ai, 'embedding' | 'imageEmbedding' | 'formerEmbedder' | 'formerImageEmbedder' | 'reasonOff' | 'reranking'>
  queue: Pick<Queue, 'counts' | 'enqueue'>
  signedPaths: PathSigner
  events: Pick<Events, 'publish'>
  /** Shorter times than usual, which make tests fast. */
  limits?: { queryTimeoutMs?: number; pauseMs?: number } | undefined
}

/** Builds the search of users' memories and its index. */
export function buildMemory({ log, database, ai, queue, signedPaths, events, limits }: SearchDeps) {
  const store = createMemoryStore(database)
  const stems = createStemsStore(database)
  const items = createItemMomentsStore(database)
  const candidates = createCandidatesStore(database)
  const vectors = createVectors(database, { log })
  const embeddings = createEmbeddingsStore(database)
  const trials = createEngineTrials({ log })
  const embedding = createEmbeddingService({
    store: embeddings,
    vectors,
    ai,
    trials,
    queue,
    log,
    ...limits,
  })
  const meaning = createSemanticSearch({ store, candidates, vectors, embedding, trials, ai })
  const looks = createImageSearch({ store, vectors, embedding })
  const retrieval = createRetrieval({
    store,
    candidates,
    items,
    stems,
    sizes: createMemorySizes({ store: candidates }),
    meaning,
    looks,
    ai,
    runsOneStatementAtATime: database.engine === 'embedded',
    log,
  })
  const records = createSearchRecordStore(database)
  const semaphore = createSemaphore(SEARCHES)
  return {
    memory: createMemoryService({ store, items, stems, retrieval, signedPaths, events, records, semaphore }),
    /** Finds passages that the assistant bases its answers on. */
    passages: createPassagesService({ store, items, stems, retrieval, signedPaths }),
    embedding,
    embeddings,
    vectors,
    /** Re-indexes the words of moments after an upgrade has changed the indexing rules. */
    wordIndex: createWordIndex({ store: createWordIndexStore(database), log }),
    /** Nightly quality check: searches for known items and records whether they're found. */
    knownItems: createKnownItems({
      store: createKnownItemsStore(database),
      memory: store,
      stems,
      retrieval,
      meaning,
      looks,
    }),
  }
}

export type { EmbeddingService } from './indexing/embedding.service.ts'
export { createEmbeddingSwitch, type EmbeddingSwitchService } from './indexing/embedding-switch.service.ts'
export type { EmbeddingsStore, PartRow } from './indexing/embeddings.store.ts'
export type { WordIndex } from './indexing/word-index.ts'
export type { KnownItems } from './known-items.ts'
export type { MemoryService } from './memory.service.ts'
export type { MemoryPassage, PassagesService } from './passages.service.ts'
