import { localModelSchema, localModelsResponseSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ModelsService } from './models.service.ts'

const paramsSchema = z.object({ id: z.string().min(1).max(200) })

/** /admin/models: models that this server runs itself, for administrators. */
export async function modelsRoutes(fastify: FastifyInstance, { models }: { models: ModelsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/models',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the models that this server can run itself',
        description: 'Progress comes as `model.progress` of GET /events.',
        tags: ['Admin'],
        response: { 200: localModelsResponseSchema },
      },
    },
    () => models.list(),
  )

  app.post(
    '/admin/models/:id/download',
    {
      config: { access: 'admin', audit: 'model.fetched' },
      schema: {
        summary: 'Download a model',
        description: 'Goes on in the background. The slash of the name is written as %2F.',
        tags: ['Admin'],
        params: paramsSchema,
        response: { 202: localModelSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      reply.code(202)
      return models.download(request.params.id)
    },
  )

  app.delete(
    '/admin/models/:id',
    {
      config: { access: 'admin', audit: 'model.removed' },
      schema: {
        summary: 'Remove a model from this server',
        tags: ['Admin'],
        params: paramsSchema,
        response: { 204: noContentSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      await models.remove(request.params.id)
      return reply.code(204).send()
    },
  )
}
