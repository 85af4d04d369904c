import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { RemindersService } from './reminders.service.ts'

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
    reminders.complete(principalOf(request).user.id, request.params.id),
  )
}
