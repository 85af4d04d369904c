import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { SessionsService } from './sessions.service.ts'

/** /chat/sessions, /chat/tags and /chat/stats: the conversations themselves, to be found, read and kept in order. */
export async function sessionsRoutes(app: FastifyInstance, { sessions }: { sessions: SessionsService }): Promise<void> {
  serve(app, 'GET /chat/sessions', async (request, reply) => {
    const { items, nextCursor } = await sessions.list(principalOf(request).user.id, request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'GET /chat/sessions/:id', async (request) =>
    sessions.get(principalOf(request).user.id, request.params.id, request.query),
  )

  serve(app, 'PATCH /chat/sessions/:id', async (request) =>
    sessions.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /chat/sessions/:id', async (request, reply) => {
    await sessions.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /chat/sessions/delete', async (request) => ({
    deleted: await sessions.removeMany(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /chat/sessions/trash', async (request) => ({
    changed: await sessions.trashMany(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /chat/sessions/restore', async (request) => ({
    changed: await sessions.restoreMany(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /chat/sessions/change', async (request) => ({
    changed: await sessions.changeMany(principalOf(request).user.id, request.body),
  }))

  serve(app, 'GET /chat/tags', async (request) => sessions.listTags(principalOf(request).user.id))

  serve(app, 'GET /chat/stats', async (request) => sessions.stats(principalOf(request).user.id))
}
