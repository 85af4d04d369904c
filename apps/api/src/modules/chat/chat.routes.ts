import type { FastifyInstance } from 'fastify'
import { principalOf, requireTokenScope } from '../../platform/http/access.ts'
import { callerOf } from '../../platform/http/caller-of.ts'
import { serve } from '../../platform/http/serve.ts'
import { sendSse } from '../../platform/http/sse.ts'
import type { ChatService } from './chat.service.ts'

/** /chat: messages, and their answers as they are made. */
export async function chatRoutes(app: FastifyInstance, { chat }: { chat: ChatService }): Promise<void> {
  serve(app, 'POST /chat/message', async (request, reply) => {
    const startedAt = performance.now()
    const answer = await chat.send(callerOf(request), request.body, startedAt)
    // tens of megabytes that nobody needs while the answer streams
    request.body = { ...request.body, images: [] }
    return sendSse(reply, answer)
  })

  serve(app, 'GET /chat/sessions/:id/stream', async (request, reply) => {
    const answer = await chat.follow(principalOf(request).user.id, request.params.id, {
      messageId: request.query.message_id,
      afterSeq: request.headers['last-event-id'],
    })
    return sendSse(reply, answer)
  })

  serve(app, 'POST /chat/sessions/:id/regenerate', async (request, reply) => {
    const startedAt = performance.now()
    // another answer is made of the conversation
    requireTokenScope(request, 'read')
    const { params, body } = request
    return sendSse(reply, await chat.regenerate(callerOf(request), params.id, body, startedAt))
  })

  serve(app, 'GET /chat/messages/:id/versions', async (request) => ({
    messages: await chat.versions(principalOf(request).user.id, request.params.id),
  }))

  serve(app, 'POST /chat/messages/:id/feedback', async (request) =>
    chat.rate(principalOf(request).user.id, request.params.id, request.body.rating),
  )

  serve(app, 'POST /chat/sessions/:id/stop', async (request, reply) => {
    await chat.stop(principalOf(request).user.id, request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /chat/sessions/:id/calls/:call_id', async (request) => {
    const startedAt = performance.now()
    const { params, body } = request
    return chat.answerCall(callerOf(request), params.id, params.call_id, body.allow, startedAt)
  })

  serve(app, 'POST /chat/sessions/:id/messages/:message_id/continue', async (request) => {
    const startedAt = performance.now()
    const { params } = request
    return chat.continueAnswer(callerOf(request), params.id, params.message_id, startedAt)
  })
}
