import { createRemote, type RemoteOptions, type RemoteServer } from '../src/engines/remote/remote-ai.ts'
import { silentLog } from './database-template.ts'
import type { OpenAiServer } from './openai-server.ts'

/** Client of the test model server with short pauses before retries; models are chosen by name by default. */
export function connectTo(server: OpenAiServer, options: Partial<RemoteOptions> = {}): RemoteServer {
  return createRemote({
    baseUrl: server.baseUrl,
    apiKey: 'sk-test',
    log: silentLog,
    retryDelayMs: 5,
    ...options,
  })
}
