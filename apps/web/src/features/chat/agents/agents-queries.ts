import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

const RUNS_PAGE = 10

export const agentsQuery = queryOptions({
  queryKey: ['agents', 'available'],
  queryFn: ({ signal }) => call('GET /agents/available', { signal }),
})

/** State of the server's agents (administrators). */
export const agentsStatusQuery = queryOptions({
  queryKey: ['agents', 'status'],
  queryFn: ({ signal }) => call('GET /agents/status', { signal }),
  staleTime: 0,
})

/** Statistics of calls per agent, as in the Agents Logs. */
export const agentAnalyticsQuery = queryOptions({
  queryKey: ['agents', 'analytics'],
  queryFn: ({ signal }) => call('GET /agents/analytics', { signal }),
  staleTime: 0,
})

/** The user's calls of one agent, page by page. */
export function runsQuery(agent: string) {
  return infiniteQueryOptions({
    queryKey: ['agents', 'runs', agent],
    queryFn: ({ pageParam, signal }) =>
      call('GET /agents/:name/runs', {
        params: { name: agent },
        signal,
        query: { cursor: pageParam, limit: RUNS_PAGE },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
  })
}

/** Fetches again what a call changes: histories and figures. */
export async function refreshAfterCall(queryClient: QueryClient): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['agents', 'runs'] }),
    queryClient.invalidateQueries({ queryKey: agentsStatusQuery.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['agents', 'analytics'] }),
    // a call may have made or changed some
    queryClient.invalidateQueries({ queryKey: ['reminders'] }),
  ])
}
