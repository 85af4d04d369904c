import type { Events } from '../../../platform/events/events.service.ts'
import type { ConversationTaker } from './chat-importer.ts'
import type { ImportedThingsStore } from './imported-things.store.ts'

interface SearchPreparingDeps {
  store: ImportedThingsStore
  conversations: ConversationTaker
  events: Events
}

const PREPARED_AT_ONCE = 20
const PROGRESS_PAUSE_MS = 500

/** Indexes the words of imported conversations, which takes many times as long as importing them. */
export function createSearchPreparing({ store, conversations, events }: SearchPreparingDeps) {
  return {
    isWaiting: async (): Promise<boolean> => (await store.unsearched(1)) !== null,

    /** Runs until all are indexed, or the signal is aborted. */
    async run(signal: AbortSignal): Promise<void> {
      let reportedAt = Number.NEGATIVE_INFINITY
      for (;;) {
        const some = await store.unsearched(PREPARED_AT_ONCE)
        if (some === null) return
        const { id, userId, state, sessionIds } = some
        do {
          if (signal.aborted) return
        } while (await conversations.makeSearched(sessionIds))
        await store.markSearched(id, sessionIds)
        const isLast = sessionIds.length < PREPARED_AT_ONCE
        if (!isLast && performance.now() - reportedAt < PROGRESS_PAUSE_MS) continue
        events.publish(userId, { type: 'import.progress', id, state })
        reportedAt = performance.now()
      }
    },
  }
}
