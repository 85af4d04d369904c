import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, callPage } from '../../../lib/api/client.ts'
import type { SessionFilters } from './session-filters.ts'

const PAGE_SIZE = 20

/** The beginning of the keys of everything that is fetched here. */
export const chatLogsKey = ['chat-logs']

/** The figures over all conversations. */
export const statsQuery = queryOptions({
  queryKey: [...chatLogsKey, 'stats'],
  queryFn: ({ signal }) => call('GET /chat/stats', { signal }),
  staleTime: 0,
})

/** One page of conversations; the page before stays until the next is there. */
export function pageQuery({ query, status, sort, order }: SessionFilters, cursor: string | null) {
  return queryOptions({
    queryKey: [...chatLogsKey, 'page', query, status, sort, order, cursor],
    queryFn: ({ signal }) =>
      callPage('GET /chat/sessions', {
        signal,
        query: {
          query: query || null,
          status: status ?? undefined,
          sort,
          order,
          cursor,
          limit: PAGE_SIZE,
          archived: 'any',
        },
      }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}
