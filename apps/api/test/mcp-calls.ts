import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as PreviousTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createApiToken } from './api-tokens.ts'
import type { TestAccount, TestApp } from './test-app.ts'

export const NEWEST = '2026-07-28'
export const PREVIOUS = '2025-11-25'

/** Tools of a token that may only read. */
export const READ_TOOLS = ['search_memory', 'get_passage', 'get_item', 'list_items']

export type McpCalls = ReturnType<typeof mcpCallsOf>

/** MCP clients and plain calls of an account's programs; `url` is the server's address. */
export function mcpCallsOf({ mira, url, account }: { mira: TestApp; url: string; account: TestAccount }) {
  const address = new URL('/mcp', url)
  const options = (token: string, headers: Record<string, string> = {}) => ({
    requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
  })

  return {
    tokenWith: (scopes: string[], owner = account) => createApiToken(mira, owner, scopes),

    /** Client that accepts only the newest protocol version. */
    async connect(token: string, headers?: Record<string, string>): Promise<Client> {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: NEWEST } } })
      await client.connect(new StreamableHTTPClientTransport(address, options(token, headers)))
      return client
    },

    /** Client of the previous protocol version, which begins with a handshake, and its transport. */
    async connectPrevious(token: string): Promise<{ client: PreviousClient; transport: PreviousTransport }> {
      const client = new PreviousClient({ name: 'test', version: '1' })
      const transport = new PreviousTransport(address, options(token))
      await client.connect(transport)
      return { client, transport }
    },

    post: (body: object, token?: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(address, {
        method: 'POST',
        ...(signal && { signal }),
        body: JSON.stringify(body),
        headers: {
          ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      }),
  }
}
