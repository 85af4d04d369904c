import type { FastifyInstance } from 'fastify'
import { NotFoundError } from '../../../errors.ts'
import { principalOf } from '../../../platform/http/access.ts'
import { callerOf } from '../../../platform/http/caller-of.ts'
import { dispositionOf, sendFile } from '../../../platform/http/file-response.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { BulkReprocessingService } from '../pipeline/bulk-reprocessing.service.ts'
import type { MediaTrashService } from '../trash/trash.service.ts'
import type { ArchivesService } from './archives.service.ts'
import type { CorrectionsService, OwnFactsService } from './corrections.service.ts'
import type { MediaService } from './media.service.ts'

/** /media/{id}/file and similar: files of items, and files derived from them. */
export async function mediaFilesRoutes(app: FastifyInstance, { media }: { media: MediaService }): Promise<void> {
  for (const [key, size] of [
    ['GET /media/:id/file', 'original'],
    ['GET /media/:id/preview', 'preview'],
  ] as const) {
    serve(app, key, async (request, reply) =>
      sendFile(request, reply, await media.file(principalOf(request).user.id, request.params.id, size)),
    )
  }

  serve(app, 'GET /media/:id/thumbnail', async (request, reply) => {
    const userId = principalOf(request).user.id
    const { id } = request.params
    const isSmall = request.query.size === 'small'
    return sendFile(
      request,
      reply,
      await (isSmall ? media.smallThumbnail(userId, id) : media.file(userId, id, 'thumbnail')),
    )
  })

  for (const fileKind of ['motion', 'film'] as const) {
    serve(app, `GET /media/:id/${fileKind}`, async (request, reply) =>
      sendFile(request, reply, await media.motion(principalOf(request).user.id, request.params.id, fileKind)),
    )
  }

  for (const part of ['frame', 'page'] as const) {
    serve(app, `GET /media/:id/${part}s/:n`, async (request, reply) => {
      const { id, n } = request.params
      return sendFile(request, reply, await media.part(principalOf(request).user.id, id, part, n))
    })
  }
}

/** /media/archive: the files of several items at once. */
export async function archivesRoutes(app: FastifyInstance, { archives }: { archives: ArchivesService }): Promise<void> {
  serve(app, 'POST /media/archive', async (request) => archives.ticket(principalOf(request).user.id, request.body.ids))

  serve(app, 'GET /media/archive', async (request, reply) => {
    const { userId, language } = callerOf(request)
    const archive = await archives.open(userId, request.query.items, language)
    const name = `mira-${new Date().toISOString().slice(0, 10)}.zip`
    return reply
      .headers({
        'content-type': 'application/zip',
        'content-disposition': dispositionOf('attachment', name),
        'cache-control': 'no-store',
      })
      .send(archive)
  })
}

/** /media/…: the caller's items. */
export async function mediaRoutes(
  app: FastifyInstance,
  {
    media,
    corrections,
    ownFacts,
    bulkReprocessing,
    mediaTrash,
  }: {
    media: MediaService
    corrections: CorrectionsService
    ownFacts: OwnFactsService
    bulkReprocessing: BulkReprocessingService
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
    known: await media.findByHashes(principalOf(request).user.id, request.body.sha256),
  }))

  serve(app, 'POST /media/delete', async (request) => ({
    deleted: await media.remove(principalOf(request).user.id, request.body.ids, request.body.in),
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
    if (deleted === 0) throw new NotFoundError('This item no longer exists.')
    return reply.code(204).send()
  })

  serve(app, 'POST /media/reprocess', async (request, reply) => {
    return reply.code(202).send(await bulkReprocessing.begin(principalOf(request).user.id, request.body))
  })

  serve(app, 'GET /media/reprocess', async (request) => bulkReprocessing.progress(principalOf(request).user.id))

  serve(app, 'POST /media/:id/reprocess', async (request, reply) => {
    const item = await media.reprocess(principalOf(request).user.id, request.params.id, request.body.steps)
    return reply.code(202).send(item)
  })
}
