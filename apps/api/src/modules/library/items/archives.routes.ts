import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { ArchivesService } from './archives.service.ts'

/** /media/archive: the files of several items at once. */
export async function archivesRoutes(app: FastifyInstance, { archives }: { archives: ArchivesService }): Promise<void> {
  serve(app, 'POST /media/archive', async (request) => archives.ticket(principalOf(request).user.id, request.body.ids))

  serve(app, 'GET /media/archive', async (request, reply) => {
    const archive = await archives.open(principalOf(request).user.id, request.query.items)
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
