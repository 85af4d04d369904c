import { infiniteQueryOptions } from '@tanstack/react-query'
import { fetchDeliveries, fetchHooks } from '../../../api/webhooks.ts'

/** The beginning of the keys of everything about hooks. */
export const hooksKey = ['hooks']

/** The person's hooks, page by page. */
export const hooksQuery = infiniteQueryOptions({
  queryKey: [...hooksKey, 'list'],
  queryFn: ({ pageParam, signal }) => fetchHooks(pageParam, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})

/** Deliveries of a webhook, page by page. */
export const deliveriesQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: [...hooksKey, 'deliveries', id],
    queryFn: ({ pageParam, signal }) => fetchDeliveries(id, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
