import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { ProjectsService } from './projects.service.ts'

/** /projects: what belongs together of the caller's conversations. */
export async function projectsRoutes(app: FastifyInstance, { projects }: { projects: ProjectsService }): Promise<void> {
  serve(app, 'GET /projects', async (request) => projects.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /projects', async (request, reply) =>
    reply.code(201).send(await projects.add(principalOf(request).user.id, request.body)),
  )

  serve(app, 'PATCH /projects/:id', async (request) =>
    projects.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /projects/:id', async (request, reply) => {
    await projects.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })
}
