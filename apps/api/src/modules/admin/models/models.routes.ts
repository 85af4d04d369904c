import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { ModelsService } from './models.service.ts'

/** /admin/models: models that this server runs itself, for administrators. */
export async function modelsRoutes(app: FastifyInstance, { models }: { models: ModelsService }): Promise<void> {
  serve(app, 'GET /admin/models', () => models.list())

  serve(app, 'POST /admin/models/:id/download', async (request, reply) => {
    reply.code(202)
    return models.download(request.params.id)
  })

  serve(app, 'DELETE /admin/models/:id', async (request, reply) => {
    await models.remove(request.params.id)
    return reply.code(204).send()
  })
}
