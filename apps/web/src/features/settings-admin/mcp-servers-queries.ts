import type { McpServerJson } from '@mira/shared'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { fetchMcpServers } from '../../api/mcp-servers.ts'

/** The connected MCP servers. */
export const mcpServersQuery = queryOptions({
  queryKey: ['admin-mcp-servers'],
  queryFn: ({ signal }) => fetchMcpServers(signal),
})

/** Puts a server into the list that is shown, or takes it out. */
export function keepMcpServer(queryClient: QueryClient, id: string, server: McpServerJson | null): void {
  queryClient.setQueryData(mcpServersQuery.queryKey, (known) => {
    if (known === undefined) return known
    const isKnown = known.servers.some((one) => one.id === id)
    const kept = known.servers.flatMap((one) => (one.id === id ? (server ?? []) : one))
    return { ...known, servers: isKnown || server === null ? kept : [...kept, server] }
  })
}
