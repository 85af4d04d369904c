import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fetchFacts, fetchInstructions } from '../../../api/about-me.ts'

export const instructionsQuery = queryOptions({
  queryKey: ['instructions'],
  queryFn: ({ signal }) => fetchInstructions(signal),
})

/** The beginning of the keys of every list of facts. */
export const factsKey = ['facts']

/** Remembered facts that contain these words, page by page. */
export const factsQuery = (query: string) =>
  infiniteQueryOptions({
    queryKey: [...factsKey, query],
    queryFn: ({ pageParam, signal }) => fetchFacts({ query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
