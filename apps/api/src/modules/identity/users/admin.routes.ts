import {
  confirmationSchema,
  createUserSchema,
  deleteUserQuerySchema,
  idParamsSchema,
  listUsersQuerySchema,
  updateUserSchema,
  userSchema,
  userSignInSchema,
} from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import type { ClientAddressOf } from '../../../platform/http/client-address.ts'
import { nextCursorHeader, noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { Administrator, UsersService } from './users.service.ts'

/** /admin/users: accounts, for administrators. */
export async function adminRoutes(
  fastify: FastifyInstance,
  { users, addressOf }: { users: UsersService; addressOf: ClientAddressOf },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()
  /** A token that leaked must not make accounts that stay. */
  const administration = { access: 'admin', sessionOnly: true, audit: false } as const
  const administratorOf = (request: FastifyRequest): Administrator => {
    const { user, credentialId } = principalOf(request)
    return {
      userId: user.id,
      sessionId: credentialId,
      address: addressOf(request),
      inAnalytics: !isAnalyticsOff(request),
    }
  }

  app.get(
    '/admin/users',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the users',
        description:
          '`query` is looked for in username, email and full name. Accounts in the trash are left out; `in=trash` lists ' +
          'these alone.',
        tags: ['Admin'],
        querystring: listUsersQuerySchema,
        response: { 200: z.array(userSchema) },
        answerHeaders: nextCursorHeader,
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
      config: administration,
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
      config: administration,
      schema: {
        summary: 'Change a user',
        description:
          'Takes the whole user and changes the fields listed here; other fields are ignored. A new password, or ' +
          'disabling the user, ends their sessions. Changing the password or the role takes `current_password`, the ' +
          'administrator’s own; so does changing the email address, more than ten minutes after signing in.',
        tags: ['Admin'],
        params: idParamsSchema,
        body: updateUserSchema,
        response: { 200: userSchema },
        errors: [403, 409, 429],
      },
    },
    async (request) => users.update(administratorOf(request), request.params.id, request.body),
  )

  app.get(
    '/admin/users/:id/sign-in',
    {
      config: administration,
      schema: {
        summary: 'Read by what a user can sign in',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 200: userSignInSchema },
      },
    },
    async (request) => users.signInOf(request.params.id),
  )

  app.delete(
    '/admin/users/:id/totp',
    {
      config: administration,
      schema: {
        summary: 'Turn the codes of a user off',
        description:
          'For somebody who lost their phone and their recovery codes. More than ten minutes after signing in ' +
          '`current_password`, the administrator’s own, is needed as well.',
        tags: ['Admin'],
        params: idParamsSchema,
        body: confirmationSchema,
        response: { 204: noContentSchema },
        errors: [429],
      },
    },
    async (request, reply) => {
      await users.turnCodesOff(administratorOf(request), request.params.id, request.body.current_password)
      return reply.code(204).send()
    },
  )

  app.delete(
    '/admin/users/:id/passkeys',
    {
      config: administration,
      schema: {
        summary: 'Remove the passkeys of a user',
        description:
          'More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.',
        tags: ['Admin'],
        params: idParamsSchema,
        body: confirmationSchema.nullish(),
        response: { 204: noContentSchema },
        errors: [429],
      },
    },
    async (request, reply) => {
      await users.removePasskeysOf(administratorOf(request), request.params.id, request.body?.current_password)
      return reply.code(204).send()
    },
  )

  app.delete(
    '/admin/users/:id',
    {
      config: administration,
      schema: {
        summary: 'Delete a user',
        description:
          'Puts the account into the trash: it is signed out everywhere, its tokens, passkeys, hooks and links do nothing, ' +
          'its names stay taken, and it is deleted for good after `trash.account_days` of GET /config (7) unless it is ' +
          'restored. `now=true` deletes it for good, also one in the trash, with all that is theirs: rows at once, files ' +
          'soon after. More than ten minutes after signing in `current_password`, the administrator’s own, is needed as well.',
        tags: ['Admin'],
        params: idParamsSchema,
        querystring: deleteUserQuerySchema,
        body: confirmationSchema.nullish(),
        response: { 204: noContentSchema },
        errors: [403, 409, 429],
      },
    },
    async (request, reply) => {
      await users.remove(administratorOf(request), request.params.id, {
        password: request.body?.current_password,
        now: request.query.now === 'true',
      })
      return reply.code(204).send()
    },
  )

  app.post(
    '/admin/users/:id/restore',
    {
      config: administration,
      schema: {
        summary: 'Restore a user from the trash',
        description:
          'The account is as it was, with all that is theirs, disabled if it was; they sign in again. 409 when it is not ' +
          'in the trash.',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 200: userSchema },
        errors: [409],
      },
    },
    async (request) => users.restore(administratorOf(request), request.params.id),
  )
}
