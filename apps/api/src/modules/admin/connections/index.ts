import type { Common } from '../../../common.ts'
import { createOllama } from '../../../engines/remote/ollama.ts'
import { createSeal } from '../../../platform/lib/sealing.ts'
import { createGuardedFetch } from '../../../platform/net/guarded-fetch.ts'
import { createConnectionsService, createOllamaService } from './connections.service.ts'

/** Opens the connections to model servers. */
export async function openConnections(deps: Pick<Common, 'config' | 'database' | 'jwtSecret' | 'ai' | 'log'>) {
  const connections = createConnectionsService({
    ...deps,
    seal: createSeal({ secret: deps.jwtSecret, purpose: 'model connections' }),
  })
  await connections.open()
  const ollama = createOllamaService({ ...deps, ollama: createOllama(createGuardedFetch()), connections })
  return { connections, ollama }
}
