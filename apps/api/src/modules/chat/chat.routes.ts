import {
  answerCallSchema,
  answerVersionsSchema,
  callParamsSchema,
  chatEventSchema,
  chatMessageSchema,
  chatRequestSchema,
  chatStreamHeadersSchema,
  chatStreamQuerySchema,
  continueParamsSchema,
  feedbackSchema,
  idParamsSchema,
  MAX_SHOWN_VERSIONS,
  MESSAGE_BODY_MAX_BYTES,
  regenerateSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../platform/http/access.ts'
import { callerOf } from '../../platform/http/caller-of.ts'
import { readLargeJson } from '../../platform/http/large-json.ts'
import { noContentSchema } from '../../platform/http/openapi.ts'
import { sendSse } from '../../platform/http/sse.ts'
import type { ZodTypeProvider } from '../../platform/http/zod.ts'
import type { ChatService } from './chat.service.ts'
import type { TemporaryAnswers } from './turns/temporary.service.ts'

const STREAM_DESCRIPTION =
  'Each event has an id; the last line is `data: [DONE]`. A lost connection does not stop the answer: follow it ' +
  'again with `Last-Event-ID`.'

/** /chat: messages, and their answers as they are made. */
export async function chatRoutes(
  fastify: FastifyInstance,
  { chat, temporary }: { chat: ChatService; temporary: TemporaryAnswers },
): Promise<void> {
  readLargeJson(fastify)
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/chat/message',
    {
      config: { access: 'chat' },
      bodyLimit: MESSAGE_BODY_MAX_BYTES,
      schema: {
        summary: 'Send a message and follow its answer',
        description:
          'Without session_id it begins a conversation. Another message with the parent_id of one that is there is a ' +
          `branch beside it; null stands for the parent of the first message. Of a temporary message nothing is stored: its ` +
          `events have a session_id of null, history tells what was said before, and who leaves ends it. Items, agents, ` +
          `projects and tags that are named are the caller’s own. ${STREAM_DESCRIPTION}`,
        tags: ['Chat'],
        body: chatRequestSchema,
        events: chatEventSchema,
        errors: [404, 409, 413, 415, 429, 507],
      },
    },
    async (request, reply) => {
      const startedAt = performance.now()
      const sender = request.body.temporary ? temporary : chat
      const answer = await sender.send(callerOf(request), request.body, startedAt)
      // tens of megabytes that nobody needs while the answer streams
      request.body = { ...request.body, images: [] }
      return sendSse(reply, answer)
    },
  )

  app.get(
    '/chat/sessions/:id/stream',
    {
      config: { access: 'chat', bound: 'stream' },
      schema: {
        summary: 'Follow an answer',
        description:
          'Replays and follows the newest answer, or the one of message_id; ids of events count within one answer, so ' +
          'send message_id together with Last-Event-ID. An answer whose events are not kept any more is told anew, ' +
          'beginning with its session event.',
        tags: ['Chat'],
        params: idParamsSchema,
        querystring: chatStreamQuerySchema,
        headers: chatStreamHeadersSchema,
        events: chatEventSchema,
      },
    },
    async (request, reply) => {
      const answer = await chat.follow(principalOf(request).user.id, request.params.id, {
        messageId: request.query.message_id,
        afterSeq: request.headers['last-event-id'],
      })
      return sendSse(reply, answer)
    },
  )

  app.post(
    '/chat/sessions/:id/regenerate',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Make another answer beside one that is there',
        description:
          'The conversation shows the new answer, unless it is made beside another one to be compared; of these, a few are made ' +
          `at once. A model that is given makes this one alone. ${STREAM_DESCRIPTION}`,
        tags: ['Chat'],
        params: idParamsSchema,
        body: regenerateSchema,
        events: chatEventSchema,
        errors: [409, 429],
      },
    },
    async (request, reply) => {
      const startedAt = performance.now()
      const { params, body } = request
      return sendSse(reply, await chat.regenerate(callerOf(request), params.id, body, startedAt))
    },
  )

  app.get(
    '/chat/messages/:id/versions',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Read all answers to the question of an answer',
        description:
          `The newest ${MAX_SHOWN_VERSIONS}, in the order in which they began: those that were made again and those that were made ` +
          'beside one another. The content of one that is streaming is what has come so far.',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 200: answerVersionsSchema },
      },
    },
    async (request) => ({ messages: await chat.versions(principalOf(request).user.id, request.params.id) }),
  )

  app.post(
    '/chat/messages/:id/feedback',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Rate an answer',
        tags: ['Chat'],
        params: idParamsSchema,
        body: feedbackSchema,
        response: { 200: chatMessageSchema },
      },
    },
    async (request) => chat.rate(principalOf(request).user.id, request.params.id, request.body.rating),
  )

  app.post(
    '/chat/sessions/:id/stop',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Stop the answer that is being made',
        description: 'What had arrived is kept, marked interrupted. Does nothing when no answer is being made.',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await chat.stop(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/chat/sessions/:id/calls/:call_id',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Allow or refuse a call of an agent that waits',
        description:
          'A call that would change something waits when words of files or of the web are in the conversation, and one of a ' +
          'connected server that asks first. It is made once, after its answer has ended; the answer then goes on with what ' +
          'came of it, or without it: `streaming` says so, and the stream of the conversation tells the rest.',
        tags: ['Chat'],
        params: callParamsSchema,
        body: answerCallSchema,
        response: { 200: chatMessageSchema },
        errors: [409, 429],
      },
    },
    async (request) => {
      const startedAt = performance.now()
      const { params, body } = request
      return chat.answerCall(callerOf(request), params.id, params.call_id, body.allow, startedAt)
    },
  )

  app.post(
    '/chat/sessions/:id/messages/:message_id/continue',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Go on with an answer that was cut at its length',
        description:
          'One whose `stop_reason` is `length`: what follows is added to it. `streaming` is true then, and the stream of the ' +
          'conversation tells the rest.',
        tags: ['Chat'],
        params: continueParamsSchema,
        response: { 200: chatMessageSchema },
        errors: [409, 429],
      },
    },
    async (request) => {
      const startedAt = performance.now()
      const { params } = request
      return chat.continueAnswer(callerOf(request), params.id, params.message_id, startedAt)
    },
  )
}
