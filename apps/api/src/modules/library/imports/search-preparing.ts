import type { Events } from '../../../platform/events/events.service.ts'
import type { ConversationTaker } from './chat-importer.ts'
import type { ImportedThingsStore } from './imported-things.store.ts'

interface SearchPreparingDeps {
  store: ImportedThingsStore
  conversations: ConversationTaker
  events: Events
}

const BATCH_SIZE = 20
const PROGRESS_PAUSE_MS = 500

/** Indexes the words of imported conversations, which takes many times as long as importing them. */
export function createSearchPreparing({ store, conversations, events }: SearchPreparingDeps) {
  return {
    isWaiting: async (): Promise<boolean> => (await store.nextUnsearched(1)) !== null,

    /** Runs until all are indexed, or the signal is aborted. */
    async run(signal: AbortSignal): Promise<void> {
      let reportedAt = Number.NEGATIVE_INFINITY
      for (;;) {
        const batch = await store.nextUnsearched(BATCH_SIZE)
        if (batch === null) return
        const { id, userId, state, sessionIds } = batch
        do {
          if (signal.aborted) return
        } while (await conversations.makeSearched(sessionIds))
        await store.markSearched(id, sessionIds)
        const isLast = sessionIds.length < BATCH_SIZE
        if (!isLast && performance.now() - reportedAt < PROGRESS_PAUSE_MS) continue
        events.publish(userId, { type: 'import.progress', id, state })
        reportedAt = performance.now()
      }
    },
  }
}
