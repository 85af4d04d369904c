import { createRemote, type RemoteOptions, type RemoteServer } from '../src/adapters/ai/remote/remote-ai.ts'
import { silentLog } from './database-template.ts'
import type { OpenAiServer } from './openai-server.ts'

/** What asks the test model server, with short times; models are chosen by their names unless they are given. */
export function connectTo(server: OpenAiServer, options: Partial<RemoteOptions> = {}): RemoteServer {
  return createRemote({
    baseUrl: server.baseUrl,
    apiKey: 'sk-test',
    log: silentLog,
    callTimeoutMs: 400,
    retryDelayMs: 5,
    ...options,
  })
}
