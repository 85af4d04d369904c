import { can } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { WebhooksService } from './webhooks.service.ts'

/** /me/hooks: the caller's webhooks. */
export async function webhooksRoutes(app: FastifyInstance, { hooks }: { hooks: WebhooksService }): Promise<void> {
  serve(app, 'GET /me/hooks', async (request) => hooks.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /me/hooks', async (request, reply) => {
    const { user } = principalOf(request)
    return reply.code(201).send(await hooks.create(user.id, request.body, can(user, 'admin')))
  })

  serve(app, 'DELETE /me/hooks/:id', async (request, reply) => {
    await hooks.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /me/hooks/:id/test', async (request) => hooks.test(principalOf(request).user.id, request.params.id))

  serve(app, 'GET /me/hooks/:id/deliveries', async (request) =>
    hooks.deliveries(principalOf(request).user.id, request.params.id, request.query),
  )
}
