import type { Common } from '../../../common.ts'
import { VERSION } from '../../../config.ts'
import { loadOnce } from '../../../platform/lib/load-once.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { createGuardedFetch } from '../../../platform/net/guarded-fetch.ts'
import { createSafeFetch } from '../../../platform/net/safe-fetcher.ts'
import type { createMcpClient, McpClient, McpLimits } from './mcp-client.ts'
import { createMcpServersService, type McpServersService } from './mcp-servers.service.ts'
import { createMcpServersStore } from './mcp-servers.store.ts'

/** Polling interval, in case this server misses a notification of a change. */
const POLL_MS = 15_000

/** Builds the connections to external MCP servers and their tools. */
export async function openMcpServers(
  deps: Pick<Common, 'config' | 'database' | 'jwtSecret' | 'log' | 'settings'> & {
    limits: Partial<McpLimits> | undefined
  },
): Promise<McpServersService> {
  const { config, database, jwtSecret, log, settings, limits } = deps
  const safe = createSafeFetch({ allowedHosts: config.web.allowedHosts })
  const mcpServers = createMcpServersService({
    store: createMcpServersStore(database),
    client: createLazyClient({ fetch: createGuardedFetch(), version: VERSION, limits }),
    ownClient: createLazyClient({ fetch: safe.fetch, version: VERSION, limits }),
    settings,
    isAllowedAddress: safe.mayAsk,
    seal: createSeal({ secret: jwtSecret, purpose: 'MCP servers' }),
    allowsStdio: config.mcpStdio,
    database,
    pollMs: POLL_MS,
    log,
  })
  await mcpServers.open()
  return mcpServers
}

/** A client that loads its library on the first call, to save memory on servers without MCP servers. */
function createLazyClient(options: Parameters<typeof createMcpClient>[0]): McpClient {
  const client = loadOnce(async () => (await import('./mcp-client.ts')).createMcpClient(options))
  return {
    listTools: async (...args) => (await client()).listTools(...args),
    callTool: async (...args) => (await client()).callTool(...args),
  }
}
