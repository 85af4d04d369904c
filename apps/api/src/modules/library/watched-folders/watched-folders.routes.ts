import {
  idParamsSchema,
  newWatchedFolderSchema,
  updateWatchedFolderSchema,
  watchedFilesQuerySchema,
  watchedFilesResponseSchema,
  watchedFolderSchema,
  watchedFoldersResponseSchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { WatchedFoldersService } from './watched-folders.service.ts'

/** /admin/watched-folders: folders of the server whose files are copied into people's memories. */
export async function watchedFoldersRoutes(
  fastify: FastifyInstance,
  { watchedFolders }: { watchedFolders: WatchedFoldersService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/watched-folders',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the watched folders',
        description: 'With how the last look went, or how far the one is that goes on.',
        tags: ['Admin'],
        response: { 200: watchedFoldersResponseSchema },
      },
    },
    () => watchedFolders.list(),
  )

  app.post(
    '/admin/watched-folders',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'watched_folder.added' },
      schema: {
        summary: 'Watch a folder for a person',
        description:
          'It lies below WATCHED_FOLDERS_ROOT, links followed. Its files are copied in; links, names that begin with a dot and what systems put there are left out.',
        tags: ['Admin'],
        body: newWatchedFolderSchema,
        response: { 201: watchedFolderSchema },
        errors: [409],
      },
    },
    async (request, reply) => {
      const made = await watchedFolders.add(request.body)
      reply.code(201)
      return made
    },
  )

  app.patch(
    '/admin/watched-folders/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'watched_folder.changed' },
      schema: {
        summary: 'Turn a watched folder on or off',
        tags: ['Admin'],
        params: idParamsSchema,
        body: updateWatchedFolderSchema,
        response: { 200: watchedFolderSchema },
      },
    },
    async (request) => watchedFolders.setEnabled(request.params.id, request.body.enabled),
  )

  app.delete(
    '/admin/watched-folders/:id',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'watched_folder.removed' },
      schema: {
        summary: 'Watch a folder no longer',
        description: 'What was copied in stays.',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 204: noContentSchema },
      },
    },
    async (request, reply) => {
      await watchedFolders.remove(request.params.id)
      return reply.code(204).send()
    },
  )

  app.post(
    '/admin/watched-folders/:id/scan',
    {
      config: { access: 'admin', sessionOnly: true, audit: 'watched_folder.scanned' },
      schema: {
        summary: 'Look through a folder now',
        tags: ['Admin'],
        params: idParamsSchema,
        response: { 202: watchedFolderSchema },
      },
    },
    async (request, reply) => {
      const folder = await watchedFolders.scan(request.params.id)
      reply.code(202)
      return folder
    },
  )

  app.get(
    '/admin/watched-folders/:id/files',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the files of a watched folder',
        description: 'Newest first; what is gone where it came from keeps its item.',
        tags: ['Admin'],
        params: idParamsSchema,
        querystring: watchedFilesQuerySchema,
        response: { 200: watchedFilesResponseSchema },
      },
    },
    async (request) => watchedFolders.files(request.params.id, request.query),
  )
}
