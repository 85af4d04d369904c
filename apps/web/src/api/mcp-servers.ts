import { path } from '@mira/client/path'
import type { McpServerJson, McpServersAnswerJson, NewMcpServerJson, UpdateMcpServerJson } from '@mira/shared'
import { request, requestJson } from './client.ts'

/** A server may be slow to list its tools. */
const ASKING_TIMEOUT_MS = 45_000

/** The MCP servers whose tools the assistant may call. */
export function fetchMcpServers(signal?: AbortSignal): Promise<McpServersAnswerJson> {
  return requestJson('/admin/mcp-servers', { signal })
}

/** Connects a server; the answer tells how it did when it was asked for its tools. */
export function addMcpServer(server: NewMcpServerJson): Promise<McpServerJson> {
  return requestJson('/admin/mcp-servers', { method: 'POST', json: server, timeoutMs: ASKING_TIMEOUT_MS })
}

/** Changes what is given. */
export function updateMcpServer(id: string, changes: UpdateMcpServerJson): Promise<McpServerJson> {
  return requestJson(path`/admin/mcp-servers/${id}`, { method: 'PATCH', json: changes, timeoutMs: ASKING_TIMEOUT_MS })
}

/** Removes a server with its key. */
export async function removeMcpServer(id: string): Promise<void> {
  await request(path`/admin/mcp-servers/${id}`, { method: 'DELETE' })
}

/** Asks a server for its tools at once. */
export function testMcpServer(id: string): Promise<McpServerJson> {
  return requestJson(path`/admin/mcp-servers/${id}/test`, { method: 'POST', timeoutMs: ASKING_TIMEOUT_MS })
}
