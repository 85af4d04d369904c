import type { McpServerJson, NewMcpServerJson, NewOwnMcpServerJson, UpdateMcpServerJson } from '@mira/shared'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { call } from '../../../lib/api/client.ts'

/** Servers connected by administrators for everyone, or by a user for themselves. */
export type McpServersOf = 'instance' | 'person'

/** A server may be slow to list its tools. */
const ASKING_TIMEOUT_MS = 45_000

/** Connects a server; the answer tells how it did when it was asked for its tools. */
export function addMcpServer(of: McpServersOf, server: NewMcpServerJson): Promise<McpServerJson> {
  const timeoutMs = ASKING_TIMEOUT_MS
  // the form of a person's own asks for no more than they may have
  return of === 'person'
    ? call('POST /me/mcp-servers', { json: server as NewOwnMcpServerJson, timeoutMs })
    : call('POST /admin/mcp-servers', { json: server, timeoutMs })
}

/** Changes what is given. */
export function updateMcpServer(of: McpServersOf, id: string, changes: UpdateMcpServerJson): Promise<McpServerJson> {
  const options = { params: { id }, json: changes, timeoutMs: ASKING_TIMEOUT_MS }
  return of === 'person' ? call('PATCH /me/mcp-servers/:id', options) : call('PATCH /admin/mcp-servers/:id', options)
}

/** Asks a server for its tools at once. */
export function testMcpServer(of: McpServersOf, id: string): Promise<McpServerJson> {
  const key = of === 'person' ? 'POST /me/mcp-servers/:id/test' : 'POST /admin/mcp-servers/:id/test'
  return call(key, { params: { id }, timeoutMs: ASKING_TIMEOUT_MS })
}

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
        const { allowed, servers } = await call('GET /me/mcp-servers', { signal })
        return { servers, allowsPrograms: false, mayAdd: allowed }
      }
      const { stdio_allowed, servers } = await call('GET /admin/mcp-servers', { signal })
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
