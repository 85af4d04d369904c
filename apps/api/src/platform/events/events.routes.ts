import { userEventSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../http/access.ts'
import { serve } from '../http/serve.ts'
import { sendSse, sseEvent } from '../http/sse.ts'
import type { Events } from './events.service.ts'

/** GET /events: live events about the caller's data. */
export async function eventsRoutes(app: FastifyInstance, { events }: { events: Events }): Promise<void> {
  serve(app, 'GET /events', (request, reply) => {
    const { user } = principalOf(request)
    return sendSse(reply, async function* (closed) {
      // the headers are sent with the first bytes, so that clients know immediately that they're connected
      yield ': connected\n\n'
      for await (const event of events.subscribe(user.id, closed, { sendsConnectedEvent: true }))
        yield sseEvent(z.encode(userEventSchema, event))
    })
  })
}
