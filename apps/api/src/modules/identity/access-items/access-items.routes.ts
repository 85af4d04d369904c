import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in.routes.ts'
import type { AccessItemsService } from './access-items.service.ts'

interface AccessItemsRoutesOptions extends Pick<SignInRoutesOptions, 'addressOf'> {
  accessItems: AccessItemsService
}

/** /auth/access: everything with access to the caller's account. */
export async function accessItemsRoutes(
  app: FastifyInstance,
  { accessItems, ...options }: AccessItemsRoutesOptions,
): Promise<void> {
  serve(app, 'GET /auth/access', async (request) => accessItems.list(actorOf(request, options), request.query))

  serve(app, 'POST /auth/access/end', async (request, reply) => {
    await accessItems.end(actorOf(request, options), request.body.items)
    return reply.code(204).send()
  })

  serve(app, 'POST /auth/access/confirm', async (request, reply) => {
    const { items, current_password: password } = request.body
    await accessItems.confirm(actorOf(request, options), items, password)
    return reply.code(204).send()
  })
}
