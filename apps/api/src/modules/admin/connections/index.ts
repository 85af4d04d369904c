import type { Context } from '../../../context-type.ts'
import { createOllama } from '../../../engines/remote/ollama.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { createGuardedFetch, leadsToMetadata } from '../../../platform/net/guarded-fetch.ts'
import { createConnectionsService } from './connections.service.ts'
import { createConnectionsStore } from './connections.store.ts'
import { createOllamaService } from './ollama.service.ts'

/** Maximum delay of a server that missed the message about a change. */
const POLL_MS = 15_000

const OPENAI_BASE_URL = 'https://api.openai.com/v1'

/** Builds what keeps connections to model servers, and connects them. */
export async function openConnections({
  config,
  database,
  jwtSecret,
  ai,
  log,
}: Pick<Context, 'config' | 'database' | 'jwtSecret' | 'ai' | 'log'>): Promise<
  Pick<Context, 'connections' | 'ollama'>
> {
  const { baseUrl, apiKey } = config.remoteAi
  const connections = createConnectionsService({
    store: createConnectionsStore(database),
    servers: ai.servers,
    seal: createSeal({ secret: jwtSecret, purpose: 'model connections' }),
    environment:
      baseUrl === undefined && apiKey === undefined
        ? null
        : { baseUrl: baseUrl ?? OPENAI_BASE_URL, apiKey: apiKey ?? null },
    leadsToMetadata: (address) => leadsToMetadata(address),
    listen: database.listen,
    notify: database.notify,
    pollMs: database.engine === 'server' ? POLL_MS : null,
    log,
  })
  await connections.open()
  const ollama = createOllamaService({
    ollama: createOllama(createGuardedFetch()),
    placeOf: connections.placeFor,
    askAgain: connections.test,
    log,
  })
  return { connections, ollama }
}
