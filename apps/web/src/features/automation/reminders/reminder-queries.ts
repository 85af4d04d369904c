import { infiniteQueryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Snooze times with their texts. */
export const snoozeOptions = [
  { minutes: 10, label: 'snooze10' },
  { minutes: 60, label: 'snooze60' },
  { minutes: 24 * 60, label: 'tomorrow' },
] as const

/** Prefix of all query keys about reminders. */
export const remindersKey = ['reminders']

/** Active reminders, page by page. */
export const remindersQuery = infiniteQueryOptions({
  queryKey: [...remindersKey, 'active'],
  queryFn: ({ pageParam, signal }) => call('GET /reminders', { signal, query: { limit: 50, cursor: pageParam } }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
