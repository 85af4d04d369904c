import { mediaArchiveQuerySchema, mediaArchiveRequestSchema, mediaArchiveSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { ArchivesService } from './archives.service.ts'

/** /media/archive: the files of several items at once. */
export async function archivesRoutes(
  fastify: FastifyInstance,
  { archives }: { archives: ArchivesService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/media/archive',
    {
      config: { access: 'upload', scope: 'read' },
      schema: {
        summary: 'Make an address that a browser loads several items from, as one archive',
        description: 'It opens for five minutes. Items that are not the caller’s are left out.',
        tags: ['Media'],
        body: mediaArchiveRequestSchema,
        response: { 200: mediaArchiveSchema },
        errors: [404],
      },
    },
    async (request) => archives.ticket(principalOf(request).user.id, request.body.ids),
  )

  app.get(
    '/media/archive',
    {
      config: { access: 'upload', signed: true, bound: 'export' },
      schema: {
        summary: 'Load the files of several items as a ZIP archive',
        description: 'Opens with a token or with the address that POST /media/archive makes.',
        tags: ['Media'],
        querystring: mediaArchiveQuerySchema,
        file: 'application/zip',
        errors: [404, 429],
      },
    },
    async (request, reply) => {
      const archive = await archives.open(principalOf(request).user.id, request.query.items)
      const name = `mira-${new Date().toISOString().slice(0, 10)}.zip`
      return reply
        .headers({
          'content-type': 'application/zip',
          'content-disposition': dispositionOf('attachment', name),
          'cache-control': 'no-store',
        })
        .send(archive)
    },
  )
}
