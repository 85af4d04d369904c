import type { PublicConfig } from '@mira/shared'
import { useQueryClient } from '@tanstack/react-query'
import { configQuery, useQueryOncePainted } from '../../lib/loading/queries.ts'

/** Polling interval while the user waits for a missing capability. */
const POLL_MS = 15_000

/**
 * Available capabilities of this server; undefined until they've loaded.
 *
 * @param awaitedCapability polls until this capability is available.
 */
export function useCapabilities(
  awaitedCapability?: keyof PublicConfig['capabilities'],
): PublicConfig['capabilities'] | undefined {
  const { data } = useQueryOncePainted({
    ...configQuery,
    refetchInterval: ({ state }) =>
      awaitedCapability !== undefined && state.data?.capabilities[awaitedCapability] === false ? POLL_MS : false,
  })
  return data?.capabilities
}

/** Fetches the capabilities again; fails at once without a connection, because the user is waiting. */
export function useFetchCapabilities(): () => Promise<PublicConfig['capabilities']> {
  const queryClient = useQueryClient()
  return async () => (await queryClient.fetchQuery({ ...configQuery, staleTime: 0, retry: false })).capabilities
}
