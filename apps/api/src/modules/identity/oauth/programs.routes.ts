import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in-routes.ts'
import { audienceOf } from './audience.ts'
import type { AuthorizingService } from './authorizing.service.ts'

export interface ProgramsRoutesOptions extends Pick<SignInRoutesOptions, 'addressOf'> {
  authorizing: AuthorizingService
  publicUrl: string | null
}

/** Routes for consent to programs, and for the list of programs with access. */
export async function programsRoutes(app: FastifyInstance, options: ProgramsRoutesOptions): Promise<void> {
  const { authorizing, publicUrl } = options

  serve(app, 'GET /oauth/consent', async (request) =>
    authorizing.question(principalOf(request).user.id, request.query, audienceOf(request, publicUrl)),
  )

  serve(app, 'POST /oauth/consent', async (request) => {
    const { agreed, scopes, ...query } = request.body
    const consent = { query, agreed, scopes }
    return { redirect_to: await authorizing.decide(actorOf(request, options), consent, audienceOf(request, publicUrl)) }
  })

  serve(app, 'GET /me/programs', async (request) => {
    const { items, nextCursor } = await authorizing.list(principalOf(request).user.id, request.query)
    return { programs: items, next_cursor: nextCursor }
  })

  serve(app, 'DELETE /me/programs/:id', async (request, reply) => {
    await authorizing.end(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })
}
