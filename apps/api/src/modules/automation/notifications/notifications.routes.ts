import {
  notificationsQuerySchema,
  notificationsReadSchema,
  notificationsResponseSchema,
  notificationsShownResponseSchema,
  notificationsShownSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { NotificationsService } from './notifications.service.ts'

/** /notifications: what is behind the caller's bell. */
export async function notificationsRoutes(
  fastify: FastifyInstance,
  { notifications }: { notifications: NotificationsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/notifications',
    {
      config: { access: 'user' },
      schema: {
        summary: 'List the notifications',
        description: 'Newest first; `unread` leaves out those that were read. New ones come through /events.',
        tags: ['Notifications'],
        querystring: notificationsQuerySchema,
        response: { 200: notificationsResponseSchema },
      },
    },
    async (request) => notifications.list(principalOf(request).user.id, request.query),
  )

  app.post(
    '/notifications/shown',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Claim reminders to show',
        description:
          'For a device that shows what came due by itself: gives unread reminders that no other device of the caller has claimed, of one reminder (`subject_id`) or all.',
        tags: ['Notifications'],
        body: notificationsShownSchema,
        response: { 200: notificationsShownResponseSchema },
      },
    },
    async (request) => notifications.claimShown(principalOf(request).user.id, request.body.subject_id),
  )

  app.post(
    '/notifications/read',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Mark notifications as read',
        description: 'All of them without ids; ids that are not there, or not the caller’s, are left out.',
        tags: ['Notifications'],
        body: notificationsReadSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await notifications.read(principalOf(request).user.id, request.body.ids)
      return reply.code(204).send()
    },
  )
}
