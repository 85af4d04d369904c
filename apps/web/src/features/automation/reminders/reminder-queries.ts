import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** The beginning of the keys of everything about reminders. */
export const remindersKey = ['reminders']

/** Active reminders, page by page. */
export const remindersQuery = infiniteQueryOptions({
  queryKey: [...remindersKey, 'active'],
  queryFn: ({ pageParam, signal }) => call('GET /reminders', { signal, query: { limit: 50, cursor: pageParam } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
