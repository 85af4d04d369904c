import { path } from '@mira/client/path'
import type {
  McpServerJson,
  McpServersResponseJson,
  NewMcpServerJson,
  OwnMcpServersResponseJson,
  UpdateMcpServerJson,
} from '@mira/shared'
import { request, requestJson } from './client.ts'

/** Servers connected by administrators for everyone, or by a user for themselves. */
export type McpServersOf = 'instance' | 'person'

/** A server may be slow to list its tools. */
const ASKING_TIMEOUT_MS = 45_000

const pathOf = (of: McpServersOf) => (of === 'person' ? path`/me/mcp-servers` : path`/admin/mcp-servers`)
const pathOfOne = (of: McpServersOf, id: string) =>
  of === 'person' ? path`/me/mcp-servers/${id}` : path`/admin/mcp-servers/${id}`

/** The MCP servers whose tools the assistant may call. */
export function fetchMcpServers(signal?: AbortSignal): Promise<McpServersResponseJson> {
  return requestJson('/admin/mcp-servers', { signal })
}

/** The person's own, and whether they may have any. */
export function fetchOwnMcpServers(signal?: AbortSignal): Promise<OwnMcpServersResponseJson> {
  return requestJson('/me/mcp-servers', { signal })
}

/** Connects a server; the answer tells how it did when it was asked for its tools. */
export function addMcpServer(of: McpServersOf, server: NewMcpServerJson): Promise<McpServerJson> {
  return requestJson(pathOf(of), { method: 'POST', json: server, timeoutMs: ASKING_TIMEOUT_MS })
}

/** Changes what is given. */
export function updateMcpServer(of: McpServersOf, id: string, changes: UpdateMcpServerJson): Promise<McpServerJson> {
  return requestJson(pathOfOne(of, id), { method: 'PATCH', json: changes, timeoutMs: ASKING_TIMEOUT_MS })
}

/** Removes a server with its key. */
export async function removeMcpServer(of: McpServersOf, id: string): Promise<void> {
  await request(pathOfOne(of, id), { method: 'DELETE' })
}

/** Asks a server for its tools at once. */
export function testMcpServer(of: McpServersOf, id: string): Promise<McpServerJson> {
  const test = of === 'person' ? path`/me/mcp-servers/${id}/test` : path`/admin/mcp-servers/${id}/test`
  return requestJson(test, { method: 'POST', timeoutMs: ASKING_TIMEOUT_MS })
}
