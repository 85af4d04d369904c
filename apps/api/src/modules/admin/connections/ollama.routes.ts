import { encodeSse, SSE_DONE } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import { sendSse, sseEvent } from '../../../platform/http/sse.ts'
import type { OllamaService } from './ollama.service.ts'

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
