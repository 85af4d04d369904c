import { infiniteQueryOptions, type QueryClient, useQueryClient } from '@tanstack/react-query'
import { fetchNotifications, markNotificationsRead } from '../../../api/notifications.ts'
import { useUserEvents } from '../../../lib/loading/event-stream.ts'

const notificationsKey = ['notifications']

/** Notifications, page by page. */
export const notificationsQuery = infiniteQueryOptions({
  queryKey: notificationsKey,
  queryFn: ({ pageParam, signal }) => fetchNotifications({ cursor: pageParam }, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

/** Has what is behind the bell fetched again when something comes, or was read elsewhere. */
export function useLiveNotifications(): void {
  const queries = useQueryClient()
  useUserEvents(({ type }) => {
    if (type === 'notification' || type === 'notifications.read' || type === 'events.resumed') refresh(queries)
  })
}

/** Marks these as read, or all, and shows it. */
export async function markRead(queries: QueryClient, ids?: string[]): Promise<void> {
  await markNotificationsRead(ids)
  refresh(queries)
}

function refresh(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: notificationsKey })
}
