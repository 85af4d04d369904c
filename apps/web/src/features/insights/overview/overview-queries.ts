import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Number of activities to fetch; more than are shown, because repeated ones are grouped. */
const ACTIVITY_LIMIT = 40
const HEALTH_REFRESH_MS = 60_000

export const figuresQuery = queryOptions({
  queryKey: ['overview', 'figures'],
  queryFn: ({ signal }) => call('GET /dashboard/overview', { signal }),
  staleTime: 0,
})

/** The user's latest activity. */
export const activityQuery = queryOptions({
  queryKey: ['overview', 'activity'],
  queryFn: ({ signal }) =>
    call('GET /dashboard/activity', { signal, query: { limit: ACTIVITY_LIMIT } }).then(({ activity }) => activity),
  staleTime: 0,
})

/** State of the server's parts; polled unless data saver is on. */
export function healthQuery(isSavingData: boolean) {
  return queryOptions({
    queryKey: ['overview', 'health'],
    queryFn: ({ signal }) => call('GET /dashboard/health', { signal }),
    refetchInterval: isSavingData ? false : HEALTH_REFRESH_MS,
  })
}

/** Refetches everything that changes with the user's activity. */
export async function refreshOverview(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: figuresQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: activityQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['overview', 'failed-items'] }),
  ])
}
