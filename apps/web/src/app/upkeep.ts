import type { QueryClient } from '@tanstack/react-query'
import { renewPush } from '../lib/browser/device-push.ts'
import { startUserEvents } from '../lib/loading/event-connection.ts'
import { listenToUserEvents } from '../lib/loading/event-stream.ts'
import { memoryKey } from '../lib/loading/query-keys.ts'

/** Events after which a search may return different results. */
const resultChangingEvents: ReadonlySet<string> = new Set(['media.done', 'media.updated', 'events.resumed'])

/** Starts a signed-in user's background work, such as the event stream; returns a function that stops it. */
export function startUpkeep(userId: string, queryClient: QueryClient): () => void {
  renewPush(userId).catch((error: unknown) => console.error('This device could not be registered again', error))
  // Search results are only marked stale, not refetched: nobody searches while uploading or deleting.
  const stopListening = listenToUserEvents(({ type }) => {
    if (resultChangingEvents.has(type)) void queryClient.invalidateQueries({ queryKey: memoryKey, refetchType: 'none' })
  })
  const stopEvents = startUserEvents(userId)
  return () => {
    stopEvents()
    stopListening()
  }
}
