import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in.routes.ts'
import type { UsersService } from './users.service.ts'

/** /admin/users: accounts, for administrators. */
export async function adminRoutes(
  app: FastifyInstance,
  { users, ...options }: { users: UsersService } & Pick<SignInRoutesOptions, 'addressOf'>,
): Promise<void> {
  serve(app, 'GET /admin/users', async (request, reply) => {
    const { items, nextCursor } = await users.list(request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'POST /admin/users', async (request, reply) => {
    reply.code(201)
    return users.create(actorOf(request, options), request.body)
  })

  serve(app, 'PUT /admin/users/:id', async (request) =>
    users.update(actorOf(request, options), request.params.id, request.body),
  )

  serve(app, 'GET /admin/users/:id/sign-in', async (request) => users.signInOf(request.params.id))

  serve(app, 'DELETE /admin/users/:id/totp', async (request, reply) => {
    await users.turnCodesOff(actorOf(request, options), request.params.id, request.body.current_password)
    return reply.code(204).send()
  })

  serve(app, 'DELETE /admin/users/:id/passkeys', async (request, reply) => {
    await users.removePasskeysOf(actorOf(request, options), request.params.id, request.body?.current_password)
    return reply.code(204).send()
  })

  serve(app, 'DELETE /admin/users/:id', async (request, reply) => {
    await users.remove(actorOf(request, options), request.params.id, {
      password: request.body?.current_password,
      now: request.query.now === 'true',
    })
    return reply.code(204).send()
  })

  serve(app, 'POST /admin/users/:id/restore', async (request) =>
    users.restore(actorOf(request, options), request.params.id),
  )
}
