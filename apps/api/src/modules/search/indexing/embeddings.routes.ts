import { embeddingProfileParamsSchema, embeddingProfilesResponseSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { EmbeddingSwitchService } from './embedding-switch.service.ts'

/** /admin/embeddings: which models have prepared the memory for searching by meaning, for administrators. */
export async function embeddingsRoutes(
  fastify: FastifyInstance,
  { embeddingSwitch }: { embeddingSwitch: EmbeddingSwitchService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/embeddings',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the vectors that searches by meaning use',
        description: 'By the model that made them, with how many there are and how long the filling of new ones takes.',
        tags: ['Admin'],
        response: { 200: embeddingProfilesResponseSchema },
      },
    },
    async () => embeddingSwitch.profiles(),
  )

  app.post(
    '/admin/embeddings/:id/drop',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'vectors.dropped' },
      schema: {
        summary: 'Remove the vectors of a model that is not used any more',
        tags: ['Admin'],
        params: embeddingProfileParamsSchema,
        response: { 204: noContentSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      await embeddingSwitch.drop(request.params.id)
      return reply.code(204).send()
    },
  )
}
