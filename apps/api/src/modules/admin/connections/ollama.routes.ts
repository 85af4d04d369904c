import {
  connectionParamsSchema,
  encodeSse,
  ollamaModelSchema,
  ollamaPullEventSchema,
  ollamaSchema,
  SSE_DONE,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import { sendSse, sseEvent } from '../../../platform/http/sse.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { OllamaService } from './ollama.service.ts'

/** /admin/connections/{id}/ollama: the models that a connected Ollama has stored. */
export async function ollamaRoutes(fastify: FastifyInstance, { ollama }: { ollama: OllamaService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/connections/:id/ollama',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List what a connected Ollama has stored',
        description: '`version` is null where the server is something else, or does not answer.',
        tags: ['Admin'],
        params: connectionParamsSchema,
        response: { 200: ollamaSchema },
      },
    },
    (request) => ollama.describe(request.params.id),
  )

  app.post(
    '/admin/connections/:id/ollama/pull',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'ollama.pulled' },
      schema: {
        summary: 'Have Ollama fetch a model',
        description:
          'The last event is `done` or `failed`, then `[DONE]` ends the stream. Whoever closes it stops the fetching; what had ' +
          'come stays for the next time.',
        tags: ['Admin'],
        params: connectionParamsSchema,
        body: ollamaModelSchema,
        events: ollamaPullEventSchema,
        errors: [409],
      },
    },
    async (request, reply) => {
      const events = await ollama.pull(request.params.id, request.body.model)
      return sendSse(reply, async function* (closed) {
        for await (const event of events(closed)) yield sseEvent(event)
        yield encodeSse({ data: SSE_DONE })
      })
    },
  )

  app.post(
    '/admin/connections/:id/ollama/remove',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'ollama.removed' },
      schema: {
        summary: 'Remove a model from Ollama',
        tags: ['Admin'],
        params: connectionParamsSchema,
        body: ollamaModelSchema,
        response: { 204: noContentSchema },
        errors: [503],
      },
    },
    async (request, reply) => {
      await ollama.remove(request.params.id, request.body.model)
      return reply.code(204).send()
    },
  )
}
