import type { Events } from '../../../platform/events/events.service.ts'
import type { ConversationStore } from './chat-importer.ts'
import type { ImportedObjectsStore } from './imported-objects.store.ts'

interface ConversationIndexingDeps {
  store: ImportedObjectsStore
  conversations: ConversationStore
  events: Events
}

const BATCH_SIZE = 20
const PROGRESS_PAUSE_MS = 500

/** Indexes the words of imported conversations, which takes many times as long as importing them. */
export function createConversationIndexing({ store, conversations, events }: ConversationIndexingDeps) {
  return {
    isWaiting: async (): Promise<boolean> => (await store.nextUnindexed(1)) !== null,

    /** Runs until all conversations are indexed or the signal is aborted. */
    async run(signal: AbortSignal): Promise<void> {
      let reportedAt = Number.NEGATIVE_INFINITY
      for (;;) {
        const batch = await store.nextUnindexed(BATCH_SIZE)
        if (batch === null) return
        const { id, userId, state, sessionIds } = batch
        do {
          if (signal.aborted) return
        } while (await conversations.indexNext(sessionIds))
        await store.markIndexed(id, sessionIds)
        const isLast = sessionIds.length < BATCH_SIZE
        if (!isLast && performance.now() - reportedAt < PROGRESS_PAUSE_MS) continue
        events.publish(userId, { type: 'import.progress', id, state })
        reportedAt = performance.now()
      }
    },
  }
}
