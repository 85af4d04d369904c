import {
  changeChatSessionsSchema,
  changedSchema,
  chatSessionDetailSchema,
  chatSessionQuerySchema,
  chatSessionSchema,
  chatStatsSchema,
  chatTagsSchema,
  deleteChatSessionsSchema,
  deletedSchema,
  idParamsSchema,
  listChatSessionsQuerySchema,
  updateChatSessionSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../../../platform/http/access.ts'
import { nextCursorHeader, noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { SessionsService } from './sessions.service.ts'

/** /chat/sessions, /chat/tags and /chat/stats: the conversations themselves, to be found, read and kept in order. */
export async function sessionsRoutes(
  fastify: FastifyInstance,
  { sessions }: { sessions: SessionsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/chat/sessions',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the conversations',
        description:
          '`query` is looked for in names and messages. In the order of last use, newest first, pinned conversations ' +
          'come before the others. Archived ones are left out unless asked for. `in=trash` lists those in the trash alone.',
        tags: ['Chat'],
        querystring: listChatSessionsQuerySchema,
        response: { 200: z.array(chatSessionSchema) },
        answerHeaders: nextCursorHeader,
      },
    },
    async (request, reply) => {
      const { items, nextCursor } = await sessions.list(principalOf(request).user.id, request.query)
      if (nextCursor !== null) reply.header('x-next-cursor', nextCursor)
      return items
    },
  )

  app.get(
    '/chat/sessions/:id',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Read a conversation',
        description:
          'The newest messages of the branch that is shown, oldest first; `before` takes previous_cursor. The content ' +
          'of a message that is streaming is what has come so far.',
        tags: ['Chat'],
        params: idParamsSchema,
        querystring: chatSessionQuerySchema,
        response: { 200: chatSessionDetailSchema },
      },
    },
    async (request) => sessions.get(principalOf(request).user.id, request.params.id, request.query),
  )

  app.patch(
    '/chat/sessions/:id',
    {
      config: { access: 'chat', answersStored: true },
      schema: {
        summary: 'Rename a conversation, complete, pin, archive or tag it, or show another branch',
        description: 'current_message_id shows the branch of that message, down to the newest message below it.',
        tags: ['Chat'],
        params: idParamsSchema,
        body: updateChatSessionSchema,
        response: { 200: chatSessionSchema },
      },
    },
    async (request) => sessions.update(principalOf(request).user.id, request.params.id, request.body),
  )

  app.delete(
    '/chat/sessions/:id',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Delete a conversation for good',
        description: 'Also one in the trash. It goes with everything in it; nothing can be restored.',
        tags: ['Chat'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await sessions.remove(principalOf(request).user.id, request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/chat/sessions/delete',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Delete several conversations for good',
        description:
          'Also of those in the trash; nothing can be restored. Ids that are not there, or not the caller’s, are left out of the count.',
        tags: ['Chat'],
        body: deleteChatSessionsSchema,
        response: { 200: deletedSchema },
      },
    },
    async (request) => ({ deleted: await sessions.removeMany(principalOf(request).user.id, request.body.ids) }),
  )

  app.post(
    '/chat/sessions/trash',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Move conversations to the trash',
        description:
          'Nothing but the list of the trash shows them there, links to them open nothing, and they are deleted for good ' +
          'when their days are over (`trash.days` of GET /config; 409 `trash_off` when that is 0). An answer that is being ' +
          'made ends where it is. Ids that are not there, or not the caller’s, are left out of the count.',
        tags: ['Chat'],
        body: deleteChatSessionsSchema,
        response: { 200: changedSchema },
        errors: [409],
      },
    },
    async (request) => ({ changed: await sessions.trashMany(principalOf(request).user.id, request.body.ids) }),
  )

  app.post(
    '/chat/sessions/restore',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Restore conversations from the trash',
        description: 'They are as they were before. Ids that are not in the caller’s trash are left out of the count.',
        tags: ['Chat'],
        body: deleteChatSessionsSchema,
        response: { 200: changedSchema },
      },
    },
    async (request) => ({ changed: await sessions.restoreMany(principalOf(request).user.id, request.body.ids) }),
  )

  app.post(
    '/chat/sessions/change',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Archive, tag or move several conversations',
        description: 'Ids that are not there, or not the caller’s, are left out of the count.',
        tags: ['Chat'],
        body: changeChatSessionsSchema,
        response: { 200: changedSchema },
        errors: [404, 409],
      },
    },
    async (request) => ({ changed: await sessions.changeMany(principalOf(request).user.id, request.body) }),
  )

  app.get(
    '/chat/tags',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'List the tags of the conversations',
        tags: ['Chat'],
        response: { 200: chatTagsSchema },
      },
    },
    async (request) => sessions.listTags(principalOf(request).user.id),
  )

  app.get(
    '/chat/stats',
    {
      config: { access: 'chat' },
      schema: {
        summary: 'Total the conversations',
        tags: ['Chat'],
        response: { 200: chatStatsSchema },
      },
    },
    async (request) => sessions.stats(principalOf(request).user.id),
  )
}
