import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { PromptsService } from './prompts.service.ts'

/** /prompts: texts that the caller saved to begin messages with. */
export async function promptsRoutes(app: FastifyInstance, { prompts }: { prompts: PromptsService }): Promise<void> {
  serve(app, 'GET /prompts', async (request) => prompts.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /prompts', async (request, reply) =>
    reply.code(201).send(await prompts.add(principalOf(request).user.id, request.body)),
  )

  serve(app, 'PATCH /prompts/:id', async (request) =>
    prompts.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /prompts/:id', async (request, reply) => {
    await prompts.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}
