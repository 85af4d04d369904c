import { infiniteQueryOptions } from '@tanstack/react-query'
import { fetchReminders } from '../../../api/reminders.ts'

/** The beginning of the keys of everything about reminders. */
export const remindersKey = ['reminders']

/** Active reminders, page by page. */
export const remindersQuery = infiniteQueryOptions({
  queryKey: [...remindersKey, 'active'],
  queryFn: ({ pageParam, signal }) => fetchReminders(pageParam, signal),
  initialPageParam: null as string | null,
  getNextPageParam: ({ next_cursor }) => next_cursor,
})
