import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** The beginning of the keys of everything about hooks. */
export const hooksKey = ['hooks']

/** The person's hooks, page by page. */
export const hooksQuery = infiniteQueryOptions({
  queryKey: [...hooksKey, 'list'],
  queryFn: ({ pageParam, signal }) => call('GET /me/hooks', { signal, query: { limit: 50, cursor: pageParam } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

/** Deliveries of a webhook, page by page. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...hooksKey, 'deliveries', id],
    queryFn: ({ pageParam, signal }) =>
      call('GET /me/hooks/:id/deliveries', { params: { id }, signal, query: { limit: 50, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
