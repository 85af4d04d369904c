import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../../../errors.ts'
import { principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { ImprovingService } from '../pipeline/improving.service.ts'
import type { MediaTrashService } from '../trash/trash.service.ts'
import type { CorrectionsService, OwnFactsService } from './corrections.service.ts'
import type { MediaService } from './media.service.ts'

/** /media/…: what the caller has shown to the assistant. */
export async function mediaRoutes(
  app: FastifyInstance,
  {
    media,
    corrections,
    ownFacts,
    improving,
    mediaTrash,
  }: {
    media: MediaService
    corrections: CorrectionsService
    ownFacts: OwnFactsService
    improving: ImprovingService
    mediaTrash: MediaTrashService
  },
): Promise<void> {
  serve(app, 'GET /media/stats', async (request) => media.stats(principalOf(request).user.id))

  serve(app, 'GET /media/library', async (request) => media.list(principalOf(request).user.id, request.query))

  serve(app, 'GET /media/tags', async (request) => ({ tags: await media.tags(principalOf(request).user.id) }))

  serve(app, 'POST /media/tags', async (request) => {
    const { ids, ...changes } = request.body
    return { changed: await media.tag(principalOf(request).user.id, ids, changes) }
  })

  serve(app, 'POST /media/changes', async (request) => ({
    changed: await ownFacts.changeMany(principalOf(request).user.id, request.body),
  }))

  serve(app, 'POST /media/known', async (request) => ({
    known: await media.known(principalOf(request).user.id, request.body.sha256),
  }))

  serve(app, 'POST /media/delete', async (request) => ({
    deleted: await media.remove(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /media/trash', async (request) => ({
    changed: await mediaTrash.trash(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'POST /media/restore', async (request) => ({
    changed: await mediaTrash.restore(principalOf(request).user.id, request.body.ids),
  }))

  serve(app, 'GET /media/:id', async (request) => media.detail(principalOf(request).user.id, request.params.id))

  serve(app, 'PATCH /media/:id', async (request) => {
    const userId = principalOf(request).user.id
    const { id } = request.params
    await corrections.change(userId, id, request.body)
    return media.item(userId, id)
  })

  serve(app, 'DELETE /media/:id', async (request, reply) => {
    const deleted = await media.remove(principalOf(request).user.id, [request.params.id])
    if (deleted === 0) throw new NotFoundError('This item is not there any more.')
    return reply.code(204).send()
  })

  serve(app, 'POST /media/reprocess', async (request, reply) => {
    return reply.code(202).send(await improving.begin(principalOf(request).user.id, request.body))
  })

  serve(app, 'GET /media/reprocess', async (request) => improving.progress(principalOf(request).user.id))

  serve(app, 'POST /media/:id/reprocess', async (request, reply) => {
    const item = await media.reprocess(principalOf(request).user.id, request.params.id, request.body.steps)
    return reply.code(202).send(item)
  })
}
