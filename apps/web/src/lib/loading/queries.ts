import { type QueryKey, queryOptions, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useIsPainted } from '../../ui/use-is-painted.ts'
import { call } from '../api/client.ts'

/** The server's public configuration. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: ({ signal }) => call('GET /config', { signal }),
})

/** `useQuery` that waits for the first paint: for secondary data, which would delay the screen on a slow connection. */
export function useQueryOncePainted<Fetched, Failure = Error, Data = Fetched, Key extends QueryKey = QueryKey>(
  options: UseQueryOptions<Fetched, Failure, Data, Key>,
): UseQueryResult<Data, Failure> {
  const isPainted = useIsPainted()
  return useQuery({ ...options, enabled: isPainted && options.enabled !== false })
}
