import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { PushService } from './push.service.ts'

/** /push: the caller's devices that receive push messages. */
export async function pushRoutes(app: FastifyInstance, { push }: { push: PushService }): Promise<void> {
  serve(app, 'GET /push/key', async () => ({ public_key: await push.publicKey() }))

  serve(app, 'POST /push/subscriptions', async (request, reply) => {
    const { user, credentialId } = principalOf(request)
    return reply.code(201).send(await push.subscribe(user.id, request.body, credentialId))
  })

  serve(app, 'DELETE /push/subscriptions', async (request, reply) => {
    await push.unsubscribe(principalOf(request).user.id, request.body.endpoint)
    return reply.code(204).send()
  })
}
