import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { PersonasService } from './personas.service.ts'

/** /personas: how the assistant can be: the caller's own personas, and those of everybody. */
export async function personasRoutes(app: FastifyInstance, { personas }: { personas: PersonasService }): Promise<void> {
  serve(app, 'GET /personas', async (request) => personas.list(principalOf(request).user.id, request.query))

  serve(app, 'GET /personas/tools', async (request) => personas.tools(principalOf(request).user.id))

  serve(app, 'POST /personas', async (request, reply) =>
    reply.code(201).send(await personas.add(principalOf(request).user.id, request.body)),
  )

  serve(app, 'PATCH /personas/:id', async (request) =>
    personas.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /personas/:id', async (request, reply) => {
    await personas.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'PATCH /admin/personas/:id', async (request) =>
    personas.administer(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /admin/personas/:id', async (request, reply) => {
    await personas.removeShared(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}
