import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { WatchedFoldersService } from './watched-folders.service.ts'

/** /admin/watched-folders: folders on the server whose files are copied into users' libraries. */
export async function watchedFoldersRoutes(
  app: FastifyInstance,
  { watchedFolders }: { watchedFolders: WatchedFoldersService },
): Promise<void> {
  serve(app, 'GET /admin/watched-folders', () => watchedFolders.list())

  serve(app, 'POST /admin/watched-folders', async (request, reply) => {
    const folder = await watchedFolders.add(request.body)
    reply.code(201)
    return folder
  })

  serve(app, 'PATCH /admin/watched-folders/:id', async (request) =>
    watchedFolders.setEnabled(request.params.id, request.body.enabled),
  )

  serve(app, 'DELETE /admin/watched-folders/:id', async (request, reply) => {
    await watchedFolders.remove(request.params.id)
    return reply.code(204).send()
  })

  serve(app, 'POST /admin/watched-folders/:id/scan', async (request, reply) => {
    const folder = await watchedFolders.scan(request.params.id)
    reply.code(202)
    return folder
  })

  serve(app, 'GET /admin/watched-folders/:id/files', async (request) =>
    watchedFolders.files(request.params.id, request.query),
  )
}
