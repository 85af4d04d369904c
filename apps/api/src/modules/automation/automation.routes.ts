import { Readable } from 'node:stream'
import { can } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../platform/http/access.ts'
import { dispositionOf } from '../../platform/http/file-response.ts'
import { serve } from '../../platform/http/serve.ts'
import type { NotificationsService } from './notifications/notifications.service.ts'
import type { PushService } from './push/push.service.ts'
import type { RemindersService } from './reminders/reminders.service.ts'
import type { AutomationService } from './tasks/automation.service.ts'
import type { SummariesService } from './tasks/summaries.service.ts'
import type { WebhooksService } from './webhooks/webhooks.service.ts'

/** /automation/…: scheduled tasks, for administrators; /me/summaries: the caller's own. */
export async function automationRoutes(
  app: FastifyInstance,
  { automation, summaries }: { automation: AutomationService; summaries: SummariesService },
): Promise<void> {
  serve(app, 'GET /automation/health', async () => ({
    status: 'ok' as const,
    scheduler_running: await automation.isRunning(),
  }))

  serve(app, 'GET /automation/status', async () => automation.status())

  serve(app, 'GET /automation/runs', async (request) => automation.runs(request.query))

  serve(app, 'GET /automation/runs/:id', async (request) => automation.run(request.params.id))

  serve(app, 'GET /automation/runs/:id/dataset', async (request, reply) => {
    const lines = await automation.dataset(request.params.id)
    return reply
      .headers({
        'content-type': 'application/jsonl; charset=utf-8',
        'content-disposition': dispositionOf('attachment', `mira-training-${request.params.id}.jsonl`),
        'cache-control': 'no-store',
      })
      .send(Readable.from(lines))
  })

  serve(app, 'POST /automation/trigger', async (request, reply) => {
    const { task_type: taskType, reason } = request.body
    return reply.code(202).send(await automation.trigger(taskType, reason, principalOf(request).user.id))
  })

  serve(app, 'POST /automation/runs/:id/cancel', async (request, reply) => {
    await automation.cancel(request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /automation/runs/:id/retry', async (request, reply) =>
    reply.code(202).send(await automation.retry(request.params.id, principalOf(request).user.id)),
  )

  serve(app, 'PUT /automation/tasks/:task_type', async (request) =>
    automation.update(request.params.task_type, request.body),
  )

  serve(app, 'GET /automation/summaries', async (request) => ({
    summaries: await summaries.list(null, request.query.limit, principalOf(request).language),
  }))

  serve(app, 'GET /me/summaries', async (request) => {
    const { user, language } = principalOf(request)
    return { summaries: await summaries.list(user.id, request.query.limit, language) }
  })
}

/** /me/hooks: the caller's webhooks. */
export async function webhooksRoutes(app: FastifyInstance, { hooks }: { hooks: WebhooksService }): Promise<void> {
  serve(app, 'GET /me/hooks', async (request) => hooks.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /me/hooks', async (request, reply) => {
    const { user } = principalOf(request)
    return reply.code(201).send(await hooks.create(user.id, request.body, can(user, 'admin')))
  })

  serve(app, 'DELETE /me/hooks/:id', async (request, reply) => {
    await hooks.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /me/hooks/:id/test', async (request) => hooks.test(principalOf(request).user.id, request.params.id))

  serve(app, 'GET /me/hooks/:id/deliveries', async (request) =>
    hooks.deliveries(principalOf(request).user.id, request.params.id, request.query),
  )
}

/** /reminders: the caller's reminders. */
export async function remindersRoutes(
  app: FastifyInstance,
  { reminders }: { reminders: RemindersService },
): Promise<void> {
  serve(app, 'GET /reminders', async (request) => reminders.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /reminders', async (request, reply) => {
    const { user, timeZone } = principalOf(request)
    const { time_zone = timeZone, ...values } = request.body
    return reply.code(201).send(await reminders.create(user.id, { ...values, time_zone }))
  })

  serve(app, 'PATCH /reminders/:id', async (request) =>
    reminders.update(principalOf(request).user.id, request.params.id, request.body),
  )

  serve(app, 'DELETE /reminders/:id', async (request, reply) => {
    await reminders.remove(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /reminders/:id/snooze', async (request) =>
    reminders.snooze(principalOf(request).user.id, request.params.id, request.body.minutes),
  )

  serve(app, 'POST /reminders/:id/complete', async (request) =>
    reminders.complete(principalOf(request).user.id, request.params.id, request.body?.due_at),
  )
}

/** /push: the caller's devices that receive push messages. */
export async function pushRoutes(app: FastifyInstance, { push }: { push: PushService }): Promise<void> {
  serve(app, 'GET /push/key', async () => ({ public_key: await push.publicKey() }))

  serve(app, 'GET /push/subscriptions', async (request) => push.list(principalOf(request).user.id))

  serve(app, 'POST /push/subscriptions', async (request, reply) => {
    const { user, credentialId } = principalOf(request)
    return reply.code(201).send(await push.subscribe(user.id, request.body, credentialId))
  })

  serve(app, 'DELETE /push/subscriptions', async (request, reply) => {
    await push.unsubscribe(principalOf(request).user.id, request.body.endpoint)
    return reply.code(204).send()
  })
}

/** /notifications: the caller's notifications. */
export async function notificationsRoutes(
  app: FastifyInstance,
  { notifications }: { notifications: NotificationsService },
): Promise<void> {
  serve(app, 'GET /notifications', async (request) => notifications.list(principalOf(request).user.id, request.query))

  serve(app, 'POST /notifications/shown', async (request) =>
    notifications.claimUnshown(principalOf(request).user.id, request.body.subject_id),
  )

  serve(app, 'POST /notifications/read', async (request, reply) => {
    await notifications.markRead(principalOf(request).user.id, request.body.ids)
    return reply.code(204).send()
  })
}
