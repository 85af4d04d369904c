import type { McpServerJson } from '@mira/shared'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { fetchMcpServers, fetchOwnMcpServers, type McpServersOf } from '../../../api/mcp-servers.ts'

/** Data of a card of MCP servers. */
export interface ShownMcpServers {
  servers: McpServerJson[]
  /** Offer servers that run as programs on the host. */
  allowsPrograms: boolean
  /** False when administrators don't let users connect their own. */
  mayAdd: boolean
}

/** The connected MCP servers, those of the instance or a person's own. */
export const mcpServersQuery = (of: McpServersOf) =>
  queryOptions({
    queryKey: ['mcp-servers', of],
    queryFn: async ({ signal }): Promise<ShownMcpServers> => {
      if (of === 'person') {
        const { allowed, servers } = await fetchOwnMcpServers(signal)
        return { servers, allowsPrograms: false, mayAdd: allowed }
      }
      const { stdio_allowed, servers } = await fetchMcpServers(signal)
      return { servers, allowsPrograms: stdio_allowed, mayAdd: true }
    },
  })

/** Puts a server into the list that is shown, or takes it out. */
export function keepMcpServer(
  queryClient: QueryClient,
  of: McpServersOf,
  id: string,
  server: McpServerJson | null,
): void {
  queryClient.setQueryData(mcpServersQuery(of).queryKey, (cached) => {
    if (cached === undefined) return cached
    const isKnown = cached.servers.some((one) => one.id === id)
    const updated = cached.servers.flatMap((one) => (one.id === id ? (server ?? []) : one))
    return { ...cached, servers: isKnown || server === null ? updated : [...updated, server] }
  })
}
