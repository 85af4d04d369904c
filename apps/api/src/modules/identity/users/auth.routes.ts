import {
  authSessionSchema,
  changePasswordSchema,
  idParamsSchema,
  loginChallengeSchema,
  loginResponseSchema,
  loginSchema,
  meSchema,
  pageQuerySchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { readFormFields } from '../../../platform/http/multipart.ts'
import { nextCursorHeader, noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import { actorOf, loginAnswer, type SignInRoutesOptions, visitorOf } from '../sign-in/sign-in-routes.ts'
import type { AuthService } from './auth.service.ts'

interface AuthRoutesOptions extends SignInRoutesOptions {
  auth: AuthService
}

/** /auth/…: signing in and out, sessions, and one's own password. */
export async function authRoutes(fastify: FastifyInstance, { auth, ...options }: AuthRoutesOptions): Promise<void> {
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
          'in 15 minutes further attempts are refused for a while. 202: the password was right, and a code is asked ' +
          'for; `challenge` and the code go to /auth/totp/sign-in.',
        tags: ['Auth'],
        form: loginSchema,
        response: { 200: loginResponseSchema, 202: loginChallengeSchema },
        errors: [401, 403, 415, 429],
      },
    },
    async (request, reply) => {
      const { username, password } = loginSchema.parse(await readFormFields(request))
      const outcome = await auth.login({ username, password, ...visitorOf(request, options) })
      if ('sessionId' in outcome) return loginAnswer(outcome, options)
      return reply.code(202).send(outcome)
    },
  )

  app.get(
    '/auth/me',
    {
      config: { access: 'user' },
      schema: { summary: 'Read who is signed in', tags: ['Auth'], response: { 200: meSchema } },
    },
    async (request) => auth.describe(principalOf(request).user),
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
      await auth.logout(actorOf(request, options))
      // pictures stay in the browser for a year; theme and settings, which are no secret, stay
      return reply.header('clear-site-data', '"cache"').code(204).send()
    },
  )

  app.post(
    '/auth/password',
    {
      config: sessionOnly,
      schema: {
        summary: 'Change the password',
        description:
          'Every other session and every personal API token of the caller ends, and what `end_access` names of GET /auth/access.',
        tags: ['Auth'],
        body: changePasswordSchema,
        response: { 204: noContentSchema },
        errors: [403, 429],
      },
    },
    async (request, reply) => {
      await auth.changePassword(actorOf(request, options), {
        currentPassword: request.body.current_password,
        newPassword: request.body.new_password,
        end: request.body.end_access ?? [],
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
      const { items, nextCursor } = await auth.listSessions(actorOf(request, options), request.query)
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
      await auth.endSession(actorOf(request, options), request.params.id)
      return reply.code(204).send()
    },
  )
}
