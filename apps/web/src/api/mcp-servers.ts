import type {
  McpServerJson,
  McpServersResponseJson,
  NewMcpServerJson,
  NewOwnMcpServerJson,
  OwnMcpServersResponseJson,
  UpdateMcpServerJson,
} from '@mira/shared'
import { call } from './client.ts'

/** Servers connected by administrators for everyone, or by a user for themselves. */
export type McpServersOf = 'instance' | 'person'

/** A server may be slow to list its tools. */
const ASKING_TIMEOUT_MS = 45_000

/** The MCP servers whose tools the assistant may call. */
export function fetchMcpServers(signal?: AbortSignal): Promise<McpServersResponseJson> {
  return call('GET /admin/mcp-servers', { signal })
}

/** The person's own, and whether they may have any. */
export function fetchOwnMcpServers(signal?: AbortSignal): Promise<OwnMcpServersResponseJson> {
  return call('GET /me/mcp-servers', { signal })
}

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

/** Removes a server with its key. */
export async function removeMcpServer(of: McpServersOf, id: string): Promise<void> {
  await call(of === 'person' ? 'DELETE /me/mcp-servers/:id' : 'DELETE /admin/mcp-servers/:id', { params: { id } })
}

/** Asks a server for its tools at once. */
export function testMcpServer(of: McpServersOf, id: string): Promise<McpServerJson> {
  const key = of === 'person' ? 'POST /me/mcp-servers/:id/test' : 'POST /admin/mcp-servers/:id/test'
  return call(key, { params: { id }, timeoutMs: ASKING_TIMEOUT_MS })
}
