import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { MediaService } from './media.service.ts'

/** /media/{id}/file and its like: the bytes of items and of what was made of them. */
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

  for (const film of ['motion', 'film'] as const) {
    serve(app, `GET /media/:id/${film}`, async (request, reply) =>
      sendFile(request, reply, await media.motion(principalOf(request).user.id, request.params.id, film)),
    )
  }

  for (const part of ['frame', 'page'] as const) {
    serve(app, `GET /media/:id/${part}s/:n`, async (request, reply) => {
      const { id, n } = request.params
      return sendFile(request, reply, await media.part(principalOf(request).user.id, id, part, n))
    })
  }
}
