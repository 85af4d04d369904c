import type { AnalyticsPeriod } from '@mira/shared'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { fetchAnalytics } from '../../api/analytics.ts'
import { fetchUsers } from '../../api/users.ts'

/** The periods in the order of their menu. */
export const periods = ['day', 'week', 'month', 'quarter'] as const satisfies AnalyticsPeriod[]

/** Usual time to recalculate changed figures, and the polling interval meanwhile. */
const ADDED_UP_AGAIN_MS = 3000

/** The figures of a period, in the time zone of the settings; another period keeps the last one until it is there. */
export function analyticsQuery(period: AnalyticsPeriod, userId: string | null, timeZone: string) {
  return queryOptions({
    queryKey: ['analytics', period, userId, timeZone],
    queryFn: ({ signal }) => fetchAnalytics({ period, userId }, signal),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.as_of ? ADDED_UP_AGAIN_MS : false),
  })
}

/** More are found by a search. */
const MOST_USERS = 100

/** People whose figures an administrator may choose. */
export function peopleQuery(query: string) {
  return queryOptions({
    queryKey: ['analytics', 'people', query],
    queryFn: ({ signal }) => fetchUsers({ query, cursor: null, limit: MOST_USERS }, signal),
    placeholderData: keepPreviousData,
  })
}
