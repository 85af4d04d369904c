import { type ChatModel, encodeSse, SSE_DONE } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import { sendSse, sseEvent } from '../../../platform/http/sse.ts'
import type { ConnectionsService, OllamaService } from './connections.service.ts'

/** /admin/connections/{id}/ollama: the models that a connected Ollama has stored. */
export async function ollamaRoutes(app: FastifyInstance, { ollama }: { ollama: OllamaService }): Promise<void> {
  serve(app, 'GET /admin/connections/:id/ollama', (request) => ollama.describe(request.params.id))

  serve(app, 'POST /admin/connections/:id/ollama/pull', async (request, reply) => {
    const events = await ollama.pull(request.params.id, request.body.model)
    return sendSse(reply, async function* (closed) {
      for await (const event of events(closed)) yield sseEvent(event)
      yield encodeSse({ data: SSE_DONE })
    })
  })

  serve(app, 'POST /admin/connections/:id/ollama/remove', async (request, reply) => {
    await ollama.remove(request.params.id, request.body.model)
    return reply.code(204).send()
  })
}

interface ConnectionsRoutesOptions {
  connections: ConnectionsService
  /** Models available to conversations. */
  chatModels(): Promise<Omit<ChatModel, 'is_default'>[]>
  /** Default for answers; null when it isn't a model of a connection. */
  defaultModel(): string | null
}

/** /admin/connections: model servers, for administrators; /models: the models that users can choose from. */
export async function connectionsRoutes(
  app: FastifyInstance,
  { connections, chatModels, defaultModel }: ConnectionsRoutesOptions,
): Promise<void> {
  serve(app, 'GET /models', async () => {
    const models = await chatModels()
    const defaultId = defaultModel()
    return models.map((model) => ({ ...model, is_default: model.id === defaultId }))
  })

  serve(app, 'GET /admin/connections', () => connections.list())

  serve(app, 'POST /admin/connections', async (request, reply) => {
    const connection = await connections.add(request.body)
    reply.code(201)
    return connection
  })

  serve(app, 'POST /admin/connections/test', async (request) => connections.tryValues(request.body))

  serve(app, 'PATCH /admin/connections/:id', async (request) => connections.update(request.params.id, request.body))

  serve(app, 'DELETE /admin/connections/:id', async (request, reply) => {
    await connections.remove(request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /admin/connections/:id/test', async (request) => connections.test(request.params.id))
}
