import {
  createPushSubscriptionSchema,
  pushKeySchema,
  pushSubscriptionSchema,
  removePushSubscriptionSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { PushService } from './push.service.ts'

/** /push: devices of the caller that are told things while no page is open. */
export async function pushRoutes(fastify: FastifyInstance, { push }: { push: PushService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/push/key',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read the key that browsers subscribe with',
        tags: ['Notifications'],
        response: { 200: pushKeySchema },
      },
    },
    async () => ({ public_key: await push.publicKey() }),
  )

  app.post(
    '/push/subscriptions',
    {
      // it ends with the session, and nothing could end it for a token
      config: { access: 'user', sessionOnly: true },
      schema: {
        summary: 'Have a device told',
        description:
          'Of reminders that are due, of long uploads that are done, and of answers. It ends with the session that asked ' +
          'for it, and when the push service says that the device is gone.',
        tags: ['Notifications'],
        body: createPushSubscriptionSchema,
        response: { 201: pushSubscriptionSchema },
      },
    },
    async (request, reply) => {
      const { user, credentialId } = principalOf(request)
      return reply.code(201).send(await push.subscribe(user.id, request.body, credentialId))
    },
  )

  app.delete(
    '/push/subscriptions',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Have a device told no more',
        tags: ['Notifications'],
        body: removePushSubscriptionSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await push.unsubscribe(principalOf(request).user.id, request.body.endpoint)
      return reply.code(204).send()
    },
  )
}
