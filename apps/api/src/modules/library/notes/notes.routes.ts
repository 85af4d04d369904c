import type { FastifyInstance } from 'fastify'
import { isAnalyticsOff, principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect } from '../../../platform/http/caller-of.ts'
import { serve } from '../../../platform/http/serve.ts'
import { presentExistingItem } from '../upload/known-item.ts'
import type { NotesService } from './notes.service.ts'

/** /notes: the caller's notes. */
export async function notesRoutes(app: FastifyInstance, { notes }: { notes: NotesService }): Promise<void> {
  serve(app, 'POST /notes', async (request, reply) => {
    const writer = { userId: principalOf(request).user.id, countsInAnalytics: !isAnalyticsOff(request) }
    const { item, isNew } = await notes.create(writer, request.body, abortOnDisconnect(reply))
    return isNew ? reply.code(201).send(item) : presentExistingItem(request, item)
  })

  serve(app, 'GET /notes/:id', async (request) => notes.read(principalOf(request).user.id, request.params.id))

  serve(app, 'PATCH /notes/:id', async (request, reply) =>
    notes.change(principalOf(request).user.id, request.params.id, request.body, abortOnDisconnect(reply)),
  )
}
