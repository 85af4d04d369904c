import type { NotificationsResponseJson, NotificationsShownResponseJson } from '@mira/shared'
import { infiniteQueryOptions, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'

const PAGE_SIZE = 20

/** A page of the user's notifications, newest first. */
function fetchNotifications(
  { cursor = null, unread = false }: { cursor?: string | null; unread?: boolean },
  signal?: AbortSignal,
): Promise<NotificationsResponseJson> {
  return call('GET /notifications', { signal, query: { limit: PAGE_SIZE, cursor, unread } })
}

/** Claims the notifications, of one reminder or all, that none of the user's devices has displayed yet. */
export function claimShown(subjectId?: string): Promise<NotificationsShownResponseJson> {
  const json = subjectId === undefined ? {} : { subject_id: subjectId }
  return call('POST /notifications/shown', { json })
}

const notificationsKey = ['notifications']

/** Notifications, page by page. */
export const notificationsQuery = infiniteQueryOptions({
  queryKey: notificationsKey,
  queryFn: ({ pageParam, signal }) => fetchNotifications({ cursor: pageParam }, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

/** Refetches notifications when one arrives or is read on another device. */
export function useLiveNotifications(): void {
  const queryClient = useQueryClient()
  useUserEvents(({ type }) => {
    if (type === 'notification' || type === 'notifications.read' || type === 'events.resumed') refresh(queryClient)
  })
}

/** Marks the given notifications as read, by default all, and refreshes the list. */
export async function markRead(queryClient: QueryClient, ids?: string[]): Promise<void> {
  await call('POST /notifications/read', { json: ids === undefined ? {} : { ids } })
  refresh(queryClient)
}

function refresh(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: notificationsKey })
}
