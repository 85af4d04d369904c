import { apiTokenSchema, createApiTokenSchema, idParamsSchema, pageQuerySchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { nextCursorHeader, noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in-routes.ts'
import type { ApiTokensService } from './api-tokens.service.ts'

interface ApiTokensRoutesOptions extends SignInRoutesOptions {
  apiTokens: ApiTokensService
}

/** /auth/tokens: what the caller's own programs sign in with. */
export async function apiTokensRoutes(
  fastify: FastifyInstance,
  { apiTokens, ...options }: ApiTokensRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const sessionOnly = { access: 'user', sessionOnly: true } as const

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
      const { items, nextCursor } = await apiTokens.list(principalOf(request).user.id, request.query)
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
        description:
          '`token` is shown in this answer and never again. It opens what its scopes name, of what the caller may do; ' +
          'each route says which one it needs. A token cannot make tokens.',
        tags: ['Auth'],
        body: createApiTokenSchema,
        response: { 201: apiTokenSchema },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      const { name, scopes, expires_at: expiresAt } = request.body
      const inAnalytics = !isAnalyticsOff(request)
      reply.code(201)
      return apiTokens.create(actorOf(request, options), { name, scopes, expiresAt, inAnalytics })
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
      await apiTokens.remove(actorOf(request, options), request.params.id, { inAnalytics })
      return reply.code(204).send()
    },
  )
}
