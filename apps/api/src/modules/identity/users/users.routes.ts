import { loginSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { readFormFields } from '../../../platform/http/multipart.ts'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, loginResponse, type SignInRoutesOptions, visitorOf } from '../sign-in/sign-in.routes.ts'
import type { ApiTokensService } from './api-tokens.service.ts'
import type { AuthService } from './auth.service.ts'
import type { StorageUseService } from './storage-use.service.ts'
import type { UsersService } from './users.service.ts'

/** Routes for storage use: the caller's own, and everyone's for administrators. */
export async function storageRoutes(app: FastifyInstance, { storage }: { storage: StorageUseService }): Promise<void> {
  serve(app, 'GET /me/storage', async (request) => storage.useOf(principalOf(request).user.id))

  serve(app, 'GET /admin/users/:id/storage', async (request) => storage.useOf(request.params.id))
}

interface ApiTokensRoutesOptions extends SignInRoutesOptions {
  apiTokens: ApiTokensService
}

/** /auth/tokens: the caller's personal API tokens. */
export async function apiTokensRoutes(
  app: FastifyInstance,
  { apiTokens, ...options }: ApiTokensRoutesOptions,
): Promise<void> {
  serve(app, 'GET /auth/tokens', async (request, reply) => {
    const { items, nextCursor } = await apiTokens.list(principalOf(request).user.id, request.query)
    if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
    return items
  })

  serve(app, 'POST /auth/tokens', async (request, reply) => {
    const { name, scopes, expires_at: expiresAt } = request.body
    reply.code(201)
    return apiTokens.create(actorOf(request, options), { name, scopes, expiresAt })
  })

  serve(app, 'DELETE /auth/tokens/:id', async (request, reply) => {
    await apiTokens.remove(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })
}

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

interface AuthRoutesOptions extends SignInRoutesOptions {
  auth: AuthService
}

/** /auth/…: signing in and out, sessions, and the caller's own password. */
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
    // Otherwise images would stay in the browser's cache for a year. Theme and settings aren't secret and may stay.
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
