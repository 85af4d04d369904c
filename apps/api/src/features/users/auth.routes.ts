import {
  apiTokenSchema,
  authSessionSchema,
  changePasswordSchema,
  createApiTokenSchema,
  idParamsSchema,
  loginAnswerSchema,
  loginSchema,
  pageQuerySchema,
  userSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../http/auth.ts'
import type { ClientAddressOf } from '../../http/client-address.ts'
import { readFormFields } from '../../http/multipart.ts'
import { noContentSchema } from '../../http/openapi.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import { type Actor, type AuthService, SESSION_LIFETIME_SECONDS } from './auth.service.ts'

interface AuthRoutesOptions {
  auth: AuthService
  /** Writes the token of a session. */
  signToken: (session: { userId: string; sessionId: string }) => string
  addressOf: ClientAddressOf
}

const nextCursorHeader = { 'X-Next-Cursor': 'Cursor of the next page; absent at the end' }

/** /auth/…: signing in and out, sessions and personal API tokens. */
export async function authRoutes(
  fastify: FastifyInstance,
  { auth, signToken, addressOf }: AuthRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const sessionOnly = { access: 'user', sessionOnly: true } as const

  app.post(
    '/auth/login',
    {
      config: { access: 'public' },
      schema: {
        summary: 'Sign in',
        description:
          'Fields as multipart form-data, urlencoded or JSON. After 10 failures for an account or 100 from an address ' +
          'in 15 minutes further attempts are refused for a while.',
        tags: ['Auth'],
        form: loginSchema,
        response: { 200: loginAnswerSchema },
        errors: [401, 415, 429],
      },
    },
    async (request) => {
      const { username, password } = loginSchema.parse(await readFormFields(request))
      const session = await auth.login({
        username,
        password,
        address: addressOf(request),
        userAgent: request.headers['user-agent'] ?? '',
        inAnalytics: !isAnalyticsOff(request),
      })
      return {
        access_token: signToken(session),
        token_type: 'bearer' as const,
        expires_in: SESSION_LIFETIME_SECONDS,
      }
    },
  )

  app.get(
    '/auth/me',
    {
      config: { access: 'user' },
      schema: { summary: 'Read who is signed in', tags: ['Auth'], response: { 200: userSchema } },
    },
    async (request) => principalOf(request).user,
  )

  app.post(
    '/auth/logout',
    {
      config: sessionOnly,
      schema: {
        summary: 'Sign out',
        description: 'The token no longer works, on any server.',
        tags: ['Auth'],
        response: { 204: noContentSchema },
        errors: [403],
      },
    },
    async (request, reply) => {
      await auth.logout(actorOf(request))
      return reply.code(204).send()
    },
  )

  app.post(
    '/auth/password',
    {
      config: sessionOnly,
      schema: {
        summary: 'Change the password',
        description: 'Every other session and every personal API token of the caller ends.',
        tags: ['Auth'],
        body: changePasswordSchema,
        response: { 204: noContentSchema },
        errors: [403, 429],
      },
    },
    async (request, reply) => {
      await auth.changePassword(actorOf(request), {
        currentPassword: request.body.current_password,
        newPassword: request.body.new_password,
        address: addressOf(request),
        inAnalytics: !isAnalyticsOff(request),
      })
      return reply.code(204).send()
    },
  )

  app.get(
    '/auth/sessions',
    {
      config: sessionOnly,
      schema: {
        summary: 'List where the caller is signed in',
        tags: ['Auth'],
        querystring: pageQuerySchema,
        response: { 200: z.array(authSessionSchema) },
        answerHeaders: nextCursorHeader,
        errors: [403],
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await auth.listSessions(actorOf(request), request.query)
      if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
      return items
    },
  )

  app.delete(
    '/auth/sessions/:id',
    {
      config: sessionOnly,
      schema: {
        summary: 'End a session',
        tags: ['Auth'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [403],
      },
    },
    async (request, reply) => {
      await auth.endSession(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.get(
    '/auth/tokens',
    {
      config: sessionOnly,
      schema: {
        summary: 'List the personal API tokens of the caller',
        tags: ['Auth'],
        querystring: pageQuerySchema,
        response: { 200: z.array(apiTokenSchema) },
        answerHeaders: nextCursorHeader,
        errors: [403],
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await auth.listTokens(principalOf(request).user.id, request.query)
      if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
      return items
    },
  )

  app.post(
    '/auth/tokens',
    {
      config: sessionOnly,
      schema: {
        summary: 'Make a personal API token',
        description: '`token` is shown in this answer and never again. A token cannot make tokens.',
        tags: ['Auth'],
        body: createApiTokenSchema,
        response: { 201: apiTokenSchema },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      const { name, expires_at: expiresAt = null } = request.body
      const inAnalytics = !isAnalyticsOff(request)
      reply.code(201)
      return auth.createToken(actorOf(request), { name, expiresAt, inAnalytics })
    },
  )

  app.delete(
    '/auth/tokens/:id',
    {
      config: sessionOnly,
      schema: {
        summary: 'Delete a personal API token',
        tags: ['Auth'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [403],
      },
    },
    async (request, reply) => {
      const inAnalytics = !isAnalyticsOff(request)
      await auth.deleteToken(principalOf(request).user.id, request.params.id, { inAnalytics })
      return reply.code(204).send()
    },
  )
}

/** Who acts by which session; only on routes that a personal API token does not open. */
function actorOf(request: FastifyRequest): Actor {
  const { user, credentialId } = principalOf(request)
  return { userId: user.id, sessionId: credentialId }
}
