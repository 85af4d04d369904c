import type { Context } from '../../../context-type.ts'
import { newId } from '../../../platform/database/new-id.ts'
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
}: Pick<Context, 'config' | 'database' | 'ai' | 'chat'>): Pick<Context, 'openAi'> {
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
