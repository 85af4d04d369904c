import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in.routes.ts'
import type { ApiTokensService } from './api-tokens.service.ts'

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
