import type { PublicConfig } from '@mira/shared'
import { useQuery } from '@tanstack/react-query'
import { fetchConfig } from '../../api/system.ts'

/** What is missing may be there a moment later: it is asked for again as long as somebody waits for it. */
const ASK_AGAIN_MS = 15_000

/**
 * What has an engine on this server now; undefined until it is known.
 *
 * @param awaited is asked for again and again while it has none.
 */
export function useCapabilities(
  awaited?: keyof PublicConfig['capabilities'],
): PublicConfig['capabilities'] | undefined {
  const { data } = useQuery({
    queryKey: ['config'],
    queryFn: ({ signal }) => fetchConfig(signal),
    refetchInterval: ({ state }) =>
      awaited !== undefined && state.data?.capabilities[awaited] === false ? ASK_AGAIN_MS : false,
  })
  return data?.capabilities
}
