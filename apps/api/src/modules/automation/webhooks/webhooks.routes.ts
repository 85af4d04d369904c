import {
  can,
  createdHookSchema,
  createHookSchema,
  hookDeliveriesQuerySchema,
  hookDeliveriesResponseSchema,
  hookDeliverySchema,
  hooksQuerySchema,
  hooksResponseSchema,
  idParamsSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { WebhooksService } from './webhooks.service.ts'

/** /me/hooks: addresses that are told what happens to the caller's things. */
export async function webhooksRoutes(fastify: FastifyInstance, { hooks }: { hooks: WebhooksService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/me/hooks',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List the hooks',
        description: 'Newest first, each with what it was told last.',
        tags: ['Hooks'],
        querystring: hooksQuerySchema,
        response: { 200: hooksResponseSchema },
      },
    },
    async (request) => hooks.list(principalOf(request).user.id, request.query),
  )

  app.post(
    '/me/hooks',
    {
      // it would go on sending after the token is revoked
      config: { access: 'user', sessionOnly: true },
      schema: {
        summary: 'Add a hook',
        description:
          'The secret is shown in this answer alone. Deliveries are signed with it as Standard Webhooks says: `webhook-id`, ' +
          '`webhook-timestamp` and `webhook-signature`. `automation.run` is for administrators. An API token cannot add one.',
        tags: ['Hooks'],
        body: createHookSchema,
        response: { 201: createdHookSchema },
        errors: [403, 409],
      },
    },
    async (request, reply) => {
      const { user } = principalOf(request)
      return reply.code(201).send(await hooks.create(user.id, request.body, can(user, 'admin')))
    },
  )

  app.delete(
    '/me/hooks/:id',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Delete a hook',
        description: 'With its log, and with what waits to be delivered.',
        tags: ['Hooks'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await hooks.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/me/hooks/:id/test',
    {
      config: { access: 'user', bound: 'hook_test' },
      schema: {
        summary: 'Send a trial to a hook',
        description: 'Once, and at once: the answer tells what came of it.',
        tags: ['Hooks'],
        params: idParamsSchema,
        response: { 200: hookDeliverySchema },
        errors: [429],
      },
    },
    async (request) => hooks.test(principalOf(request).user.id, request.params.id),
  )

  app.get(
    '/me/hooks/:id/deliveries',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List what a hook was told',
        description: 'Newest first; kept for 30 days.',
        tags: ['Hooks'],
        params: idParamsSchema,
        querystring: hookDeliveriesQuerySchema,
        response: { 200: hookDeliveriesResponseSchema },
      },
    },
    async (request) => hooks.deliveries(principalOf(request).user.id, request.params.id, request.query),
  )
}
