import { accessItemsResponseSchema, confirmAccessSchema, endAccessSchema, pageQuerySchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in-routes.ts'
import type { AccessItemsService } from './access-items.service.ts'

export interface AccessItemsRoutesOptions extends Pick<SignInRoutesOptions, 'addressOf'> {
  accessItems: AccessItemsService
}

/** /auth/access: everything with access to the caller's account. */
export async function accessItemsRoutes(
  fastify: FastifyInstance,
  { accessItems, ...options }: AccessItemsRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  const config = { access: 'user', sessionOnly: true } as const

  app.get(
    '/auth/access',
    {
      config,
      schema: {
        summary: 'List everything with access to the account, or that data is sent to',
        description:
          'Newest first, without the session of this call. `is_suspended`: off since a restore, until confirmed.',
        tags: ['Auth'],
        querystring: pageQuerySchema,
        response: { 200: accessItemsResponseSchema },
        errors: [403],
      },
    },
    async (request) => accessItems.list(actorOf(request, options), request.query),
  )

  app.post(
    '/auth/access/end',
    {
      config,
      schema: {
        summary: 'End things with access to the account',
        tags: ['Auth'],
        body: endAccessSchema,
        response: { 204: noContentSchema },
        errors: [403],
      },
    },
    async (request, reply) => {
      await accessItems.end(actorOf(request, options), request.body.items)
      return reply.code(204).send()
    },
  )

  app.post(
    '/auth/access/confirm',
    {
      config,
      schema: {
        summary: 'Turn on again what a restore turned off',
        description: 'More than ten minutes after signing in `current_password` is needed as well.',
        tags: ['Auth'],
        body: confirmAccessSchema,
        response: { 204: noContentSchema },
        errors: [403, 429],
      },
    },
    async (request, reply) => {
      const { items, current_password: password } = request.body
      await accessItems.confirm(actorOf(request, options), items, password)
      return reply.code(204).send()
    },
  )
}
