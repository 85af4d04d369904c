import { type QueryKey, type UseQueryOptions, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useIsPainted } from '../../ui/use-is-painted.ts'

/**
 * Asks as `useQuery` does, once what asks has been painted: for what adds to a screen that is worth reading without it. On a slow
 * line it would hold up what the screen is drawn from.
 */
export function useQueryOncePainted<Found, Failure = Error, Shown = Found, Key extends QueryKey = QueryKey>(
  options: UseQueryOptions<Found, Failure, Shown, Key>,
): UseQueryResult<Shown, Failure> {
  const isPainted = useIsPainted()
  return useQuery({ ...options, enabled: isPainted && options.enabled !== false })
}
