import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { fetchMemoryLogs, type LogFilters } from '../../api/memory-logs.ts'

const PAGE_SIZE = 25

/** The beginning of the keys of everything that is fetched here. */
export const memoryLogsKey = ['memory-logs']

/** The timeline as far as it was asked for; what other filters let through stays until it is there. */
export function logsQuery(filters: LogFilters) {
  return infiniteQueryOptions({
    queryKey: [...memoryLogsKey, filters],
    queryFn: ({ signal, pageParam }) => fetchMemoryLogs(filters, { limit: PAGE_SIZE, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
}
