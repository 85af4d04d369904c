import { createUserSchema, idParamsSchema, listUsersQuerySchema, updateUserSchema, userSchema } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../http/auth.ts'
import { noContentSchema } from '../../http/openapi.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { Administrator, UsersService } from './users.service.ts'

/** /admin/users: accounts, for administrators. */
export async function adminRoutes(fastify: FastifyInstance, { users }: { users: UsersService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/users',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the users',
        description: '`query` is looked for in username, email and full name.',
        tags: ['Admin'],
        querystring: listUsersQuerySchema,
        response: { 200: z.array(userSchema) },
        answerHeaders: { 'X-Next-Cursor': 'Cursor of the next page; absent at the end' },
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await users.list(request.query)
      if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
      return items
    },
  )

  app.post(
    '/admin/users',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Create a user',
        tags: ['Admin'],
        body: createUserSchema,
        response: { 201: userSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      reply.code(201)
      return users.create(administratorOf(request), request.body)
    },
  )

  app.put(
    '/admin/users/:id',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Change a user',
        description:
          'Takes the whole user and changes the fields listed here; other fields are ignored. A new password, or ' +
          'disabling the user, ends their sessions.',
        tags: ['Admin'],
        params: idParamsSchema,
        body: updateUserSchema,
        response: { 200: userSchema },
        errors: [409],
      },
    },
    async (request) => users.update(administratorOf(request), request.params.id, request.body),
  )

  app.delete(
    '/admin/users/:id',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Delete a user',
        description: 'All that is theirs goes with them: rows at once, files soon after.',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      await users.remove(administratorOf(request), request.params.id)
      return reply.code(204).send()
    },
  )
}

function administratorOf(request: FastifyRequest): Administrator {
  const { user, via, credentialId } = principalOf(request)
  return { userId: user.id, via, credentialId, inAnalytics: !isAnalyticsOff(request) }
}
