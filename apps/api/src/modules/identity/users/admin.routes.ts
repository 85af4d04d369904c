import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import type { ClientAddressOf } from '../../../platform/http/client-address.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { Administrator, UsersService } from './users.service.ts'

/** /admin/users: accounts, for administrators. */
export async function adminRoutes(
  app: FastifyInstance,
  { users, addressOf }: { users: UsersService; addressOf: ClientAddressOf },
): Promise<void> {
  const administratorOf = (request: FastifyRequest): Administrator => {
    const { user, credentialId } = principalOf(request)
    return {
      userId: user.id,
      sessionId: credentialId,
      address: addressOf(request),
      inAnalytics: !isAnalyticsOff(request),
    }
  }

  serve(app, 'GET /admin/users', async (request, reply) => {
    const { items, nextCursor } = await users.list(request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'POST /admin/users', async (request, reply) => {
    reply.code(201)
    return users.create(administratorOf(request), request.body)
  })

  serve(app, 'PUT /admin/users/:id', async (request) =>
    users.update(administratorOf(request), request.params.id, request.body),
  )

  serve(app, 'GET /admin/users/:id/sign-in', async (request) => users.signInOf(request.params.id))

  serve(app, 'DELETE /admin/users/:id/totp', async (request, reply) => {
    await users.turnCodesOff(administratorOf(request), request.params.id, request.body.current_password)
    return reply.code(204).send()
  })

  serve(app, 'DELETE /admin/users/:id/passkeys', async (request, reply) => {
    await users.removePasskeysOf(administratorOf(request), request.params.id, request.body?.current_password)
    return reply.code(204).send()
  })

  serve(app, 'DELETE /admin/users/:id', async (request, reply) => {
    await users.remove(administratorOf(request), request.params.id, {
      password: request.body?.current_password,
      now: request.query.now === 'true',
    })
    return reply.code(204).send()
  })

  serve(app, 'POST /admin/users/:id/restore', async (request) =>
    users.restore(administratorOf(request), request.params.id),
  )
}
