import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { EmbeddingSwitchService } from './embedding-switch.service.ts'

/** /admin/embeddings: which models have prepared the memory for searching by meaning, for administrators. */
export async function embeddingsRoutes(
  app: FastifyInstance,
  { embeddingSwitch }: { embeddingSwitch: EmbeddingSwitchService },
): Promise<void> {
  serve(app, 'GET /admin/embeddings', async () => embeddingSwitch.profiles())

  serve(app, 'POST /admin/embeddings/:id/drop', async (request, reply) => {
    await embeddingSwitch.drop(request.params.id)
    return reply.code(204).send()
  })
}
