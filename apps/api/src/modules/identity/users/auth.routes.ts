import { loginSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { readFormFields } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, loginResponse, type SignInRoutesOptions, visitorOf } from '../sign-in/sign-in.routes.ts'
import type { AuthService } from './auth.service.ts'

interface AuthRoutesOptions extends SignInRoutesOptions {
  auth: AuthService
}

/** /auth/…: signing in and out, sessions, and one's own password. */
export async function authRoutes(app: FastifyInstance, { auth, ...options }: AuthRoutesOptions): Promise<void> {
  serve(app, 'POST /auth/login', async (request, reply) => {
    const { username, password } = loginSchema.parse(await readFormFields(request))
    const outcome = await auth.login({ username, password, ...visitorOf(request, options) })
    if ('sessionId' in outcome) return loginResponse(outcome, options)
    return reply.code(202).send(outcome)
  })

  serve(app, 'GET /auth/me', async (request) => auth.describe(principalOf(request).user))

  serve(app, 'POST /auth/logout', async (request, reply) => {
    await auth.logout(actorOf(request, options))
    // Images would stay in the browser for a year; theme and settings may stay, they're no secret.
    return reply.header('clear-site-data', '"cache"').code(204).send()
  })

  serve(app, 'POST /auth/password', async (request, reply) => {
    await auth.changePassword(actorOf(request, options), {
      currentPassword: request.body.current_password,
      newPassword: request.body.new_password,
      end: request.body.end_access ?? [],
    })
    return reply.code(204).send()
  })

  serve(app, 'GET /auth/sessions', async (request, reply) => {
    const { items, nextCursor } = await auth.listSessions(actorOf(request, options), request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'DELETE /auth/sessions/:id', async (request, reply) => {
    await auth.endSession(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })
}
