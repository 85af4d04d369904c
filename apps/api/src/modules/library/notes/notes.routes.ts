import {
  createNoteSchema,
  idParamsSchema,
  mediaItemSchema,
  NOTE_BODY_MAX_BYTES,
  noteChangesSchema,
  noteSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves } from '../../../platform/http/caller-leaves.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { NotesService } from './notes.service.ts'

/** /notes: what the caller writes into the memory. */
export async function notesRoutes(fastify: FastifyInstance, { notes }: { notes: NotesService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/notes',
    {
      config: { access: 'upload', scope: 'upload' },
      bodyLimit: NOTE_BODY_MAX_BYTES,
      schema: {
        summary: 'Keep a note',
        description:
          'A Markdown document of the memory, dated and searchable. 200 with the item that is there when the very same ' +
          'note was kept before.',
        tags: ['Media'],
        body: createNoteSchema,
        response: { 200: mediaItemSchema, 201: mediaItemSchema },
        errors: [413, 429, 503, 507],
      },
    },
    async (request, reply) => {
      const writer = { userId: principalOf(request).user.id, inAnalytics: !isAnalyticsOff(request) }
      const { item, isNew } = await notes.create(writer, request.body, abortWhenCallerLeaves(reply))
      return reply.code(isNew ? 201 : 200).send(item)
    },
  )

  app.get(
    '/notes/:id',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Read a note as it was written',
        tags: ['Media'],
        params: idParamsSchema,
        response: { 200: noteSchema },
      },
    },
    async (request) => notes.read(principalOf(request).user.id, request.params.id),
  )

  app.patch(
    '/notes/:id',
    {
      config: { access: 'upload', scope: 'upload', answersStored: true },
      bodyLimit: NOTE_BODY_MAX_BYTES,
      schema: {
        summary: 'Write a note anew',
        description: 'What is left out stays. From then on it is found by what it says now.',
        tags: ['Media'],
        params: idParamsSchema,
        body: noteChangesSchema,
        response: { 200: mediaItemSchema },
        errors: [409, 413, 429, 503, 507],
      },
    },
    async (request, reply) =>
      notes.change(principalOf(request).user.id, request.params.id, request.body, abortWhenCallerLeaves(reply)),
  )
}
