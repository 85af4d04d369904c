import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { NotificationsService } from './notifications.service.ts'

/** /notifications: the caller's notifications. */
export async function notificationsRoutes(
  app: FastifyInstance,
  { notifications }: { notifications: NotificationsService },
): Promise<void> {
  serve(app, 'GET /notifications', async (request) => notifications.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /notifications/shown', async (request) =>
    notifications.claimShown(principalOf(request).user.id, request.body.subject_id),
  )

  serve(app, 'POST /notifications/read', async (request, reply) => {
    await notifications.read(principalOf(request).user.id, request.body.ids)
    return reply.code(204).send()
  })
}
