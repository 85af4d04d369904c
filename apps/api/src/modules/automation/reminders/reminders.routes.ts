import {
  createReminderSchema,
  idParamsSchema,
  reminderSchema,
  remindersQuerySchema,
  remindersResponseSchema,
  snoozeReminderSchema,
  updateReminderSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { RemindersService } from './reminders.service.ts'

/** /reminders: what the caller wants to be told of at a time. */
export async function remindersRoutes(
  fastify: FastifyInstance,
  { reminders }: { reminders: RemindersService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/reminders',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'List the reminders',
        description: 'Active ones by when they are due, the next one first; completed ones newest first.',
        tags: ['Reminders'],
        querystring: remindersQuerySchema,
        response: { 200: remindersResponseSchema },
      },
    },
    async (request) => reminders.list(principalOf(request).user.id, request.query),
  )

  app.post(
    '/reminders',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Add a reminder',
        description:
          'With a recurrence it is first told at its first time at or after due_at, and keeps its time of day in its ' +
          'zone. When it is due it comes through /events and waits as a notification.',
        tags: ['Reminders'],
        body: createReminderSchema,
        response: { 201: reminderSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const { user, timeZone } = principalOf(request)
      const { time_zone = timeZone, ...given } = request.body
      return reply.code(201).send(await reminders.create(user.id, { ...given, time_zone }))
    },
  )

  app.patch(
    '/reminders/:id',
    {
      config: { access: 'agents', answersStored: true },
      schema: {
        summary: 'Change a reminder',
        description: 'What is left out stays. One that was completed and gets another time is active again.',
        tags: ['Reminders'],
        params: idParamsSchema,
        body: updateReminderSchema,
        response: { 200: reminderSchema },
        errors: [409],
      },
    },
    async (request) => reminders.update(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/reminders/:id',
    {
      config: { access: 'agents' },
      schema: {
        summary: 'Delete a reminder',
        description: 'Of one that recurs, all its times.',
        tags: ['Reminders'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await reminders.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/reminders/:id/snooze',
    {
      config: { access: 'agents', answersStored: true },
      schema: {
        summary: 'Be told again later',
        tags: ['Reminders'],
        params: idParamsSchema,
        body: snoozeReminderSchema,
        response: { 200: reminderSchema },
        errors: [409],
      },
    },
    async (request) => reminders.snooze(principalOf(request).user.id, request.params.id, request.body.minutes),
  )

  app.post(
    '/reminders/:id/complete',
    {
      config: { access: 'agents', answersStored: true },
      schema: {
        summary: 'Complete a reminder',
        description: 'One that recurs moves to its next time; delete it to end it.',
        tags: ['Reminders'],
        params: idParamsSchema,
        response: { 200: reminderSchema },
        errors: [409],
      },
    },
    async (request) => reminders.complete(principalOf(request).user.id, request.params.id),
  )
}
