import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

export const instructionsQuery = queryOptions({
  queryKey: ['instructions'],
  queryFn: ({ signal }) => call('GET /me/instructions', { signal }),
})

/** The beginning of the keys of every list of facts. */
export const factsKey = ['facts']

/** Remembered facts that contain these words, page by page. */
export const factsQuery = (query: string) =>
  infiniteQueryOptions({
    queryKey: [...factsKey, query],
    queryFn: ({ pageParam, signal }) =>
      call('GET /me/facts', { signal, query: { limit: 20, cursor: pageParam, query: query || null } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
