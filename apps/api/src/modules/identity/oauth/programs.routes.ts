import {
  authorizationQuerySchema,
  consentQuestionSchema,
  consentResponseSchema,
  consentSchema,
  idParamsSchema,
  programsQuerySchema,
  programsResponseSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in-routes.ts'
import type { Audience, AuthorizingService } from './authorizing.service.ts'

export interface ProgramsRoutesOptions extends Pick<SignInRoutesOptions, 'addressOf'> {
  authorizing: AuthorizingService
  audienceOf(request: FastifyRequest): Audience
}

/** Routes for consent to programs, and for the list of programs with access. */
export async function programsRoutes(fastify: FastifyInstance, options: ProgramsRoutesOptions): Promise<void> {
  const { authorizing, audienceOf } = options
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const config = { access: 'user', sessionOnly: true } as const

  app.get(
    '/oauth/consent',
    {
      config: { ...config, bound: 'consent' },
      schema: {
        summary: 'Read which program asks for what',
        description: 'The query is the one that the program sent the browser with to /oauth/authorize.',
        tags: ['Auth'],
        querystring: authorizationQuerySchema,
        response: { 200: consentQuestionSchema },
        errors: [400, 403, 429],
      },
    },
    async (request) => authorizing.question(principalOf(request).user.id, request.query, audienceOf(request)),
  )

  app.post(
    '/oauth/consent',
    {
      config: { ...config, bound: 'consent' },
      schema: {
        summary: 'Agree that a program gets access, or refuse',
        description: 'The browser goes on to `redirect_to`, the address of the program with what was said.',
        tags: ['Auth'],
        body: consentSchema,
        response: { 200: consentResponseSchema },
        errors: [400, 403, 409, 429],
      },
    },
    async (request) => {
      const { agreed, scopes, ...query } = request.body
      const said = { query, agreed, scopes }
      return { redirect_to: await authorizing.answer(actorOf(request, options), said, audienceOf(request)) }
    },
  )

  app.get(
    '/me/programs',
    {
      config,
      schema: {
        summary: 'List the programs that have access',
        description: 'Newest first: those that the caller let in by OAuth.',
        tags: ['Auth'],
        querystring: programsQuerySchema,
        response: { 200: programsResponseSchema },
        errors: [403],
      },
    },
    async (request) => {
      const { items, nextCursor } = await authorizing.list(principalOf(request).user.id, request.query)
      return { programs: items, next_cursor: nextCursor }
    },
  )

  app.delete(
    '/me/programs/:id',
    {
      config,
      schema: {
        summary: 'End the access of a program',
        description: 'At once, with every token of it.',
        tags: ['Auth'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [403],
      },
    },
    async (request, reply) => {
      await authorizing.end(actorOf(request, options), request.params.id)
      return reply.code(204).send()
    },
  )
}
