import type { Config } from '../../../config.ts'
import type { Ai } from '../../../engines/ai.ts'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import type { ChatService } from '../../chat/index.ts'
import { createCompletionsService } from './completions.service.ts'
import { createEmbeddingsService } from './embeddings.service.ts'
import { createResponsesService } from './responses.service.ts'
import { createResponsesStore } from './responses.store.ts'

/** Builds what answers programs that speak the OpenAI protocol. */
export function buildOpenAi({
  config,
  database,
  ai,
  chat,
}: {
  config: Config
  database: Database
  ai: Ai
  chat: ChatService
}) {
  const completions = createCompletionsService({
    answer: chat.answerProgram,
    send: (caller, question, startedAt) => chat.send(caller, question, startedAt),
    relays: ai.relays,
    addressOf: (path) => `${config.publicUrl ?? ''}${path}`,
    newId,
  })
  const embeddings = createEmbeddingsService({ embedder: () => ai.embedding(), relayOf: completions.relayOf })
  const responses = createResponsesService({ completions, store: createResponsesStore(database), newId })
  return { openAi: { completions, responses, embeddings } }
}
