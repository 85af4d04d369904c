import { userEventSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../http/access.ts'
import { sendSse, sseEvent } from '../http/sse.ts'
import type { ZodTypeProvider } from '../http/zod.ts'
import type { Events } from './events.service.ts'

/** /events: what happens to the caller's things, as it happens. */
export async function eventsRoutes(fastify: FastifyInstance, { events }: { events: Events }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/events',
    {
      config: { access: 'user', bound: 'stream' },
      schema: {
        summary: 'Follow what happens',
        description:
          'One stream of what happens to the caller’s things. Events that come while nobody listens are not kept: ' +
          'after connecting again, read what is shown anew.',
        tags: ['Events'],
        events: userEventSchema,
        errors: [429],
      },
    },
    (request, reply) => {
      const { user } = principalOf(request)
      return sendSse(reply, async function* (closed) {
        // The headers leave with the first bytes: a client knows at once that it is connected.
        yield ': connected\n\n'
        for await (const event of events.subscribe(user.id, closed)) yield sseEvent(z.encode(userEventSchema, event))
      })
    },
  )
}
