import {
  createPromptSchema,
  idParamsSchema,
  pageQuerySchema,
  promptSchema,
  promptsResponseSchema,
  updatePromptSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PromptsService } from './prompts.service.ts'

/** /prompts: texts that the caller saved to begin messages with. */
export async function promptsRoutes(fastify: FastifyInstance, { prompts }: { prompts: PromptsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/prompts',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the saved prompts',
        description: 'In the order of their commands.',
        tags: ['Chat'],
        querystring: pageQuerySchema,
        response: { 200: promptsResponseSchema },
      },
    },
    async (request) => prompts.list(principalOf(request).user.id, request.query),
  )

  app.post(
    '/prompts',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Save a prompt',
        description:
          'Names in double braces, such as {{city}}, are filled in when it is used. Each command is there once.',
        tags: ['Chat'],
        body: createPromptSchema,
        response: { 201: promptSchema },
        errors: [409],
      },
    },
    async (request, reply) => reply.code(201).send(await prompts.add(principalOf(request).user.id, request.body)),
  )

  app.patch(
    '/prompts/:id',
    {
      config: { access: 'chat', answersStored: true },
      schema: {
        summary: 'Change a saved prompt',
        description: 'What is left out stays.',
        tags: ['Chat'],
        params: idParamsSchema,
        body: updatePromptSchema,
        response: { 200: promptSchema },
        errors: [409],
      },
    },
    async (request) => prompts.update(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/prompts/:id',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Delete a saved prompt',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await prompts.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )
}
