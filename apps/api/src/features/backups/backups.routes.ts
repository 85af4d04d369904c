import { backupSchema, backupsAnswerSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../../http/auth.ts'
import { sendFile } from '../../http/file-answer.ts'
import { noContentSchema } from '../../http/openapi.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { BackupsService } from './backups.service.ts'

const paramsSchema = z.object({ id: z.uuid() })

/** /admin/backups: archives of the whole instance, for administrators. */
export async function backupsRoutes(fastify: FastifyInstance, { backups }: { backups: BackupsService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/backups',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the backups of the instance',
        description: 'Newest first, with the one that is being made; as many as are kept.',
        tags: ['Admin'],
        response: { 200: backupsAnswerSchema },
      },
    },
    async (request) => backups.list(principalOf(request).user.id),
  )

  app.post(
    '/admin/backups',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Back up the instance',
        description:
          'Makes an archive of the database and all files as they are at one moment, in the background, while everything ' +
          'goes on. GET /admin/backups tells how far it is. 409 while one is being made, 507 when there is no room.',
        tags: ['Admin'],
        response: { 202: backupSchema },
        errors: [409, 507],
      },
    },
    async (request, reply) => {
      reply.code(202)
      return backups.begin(principalOf(request).user.id)
    },
  )

  app.get(
    '/admin/backups/:id/file',
    {
      config: { access: 'admin', signed: true },
      schema: {
        summary: 'Download a backup',
        description: 'It holds everything of everybody but secrets and sign-ins: keep it as safe as the instance.',
        tags: ['Admin'],
        params: paramsSchema,
        file: 'application/zip',
        errors: [404],
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { name, sizeBytes, read } = await backups.open(id)
      return sendFile(request, reply, {
        ...{ etag: id, contentType: 'application/zip', name, cacheControl: 'no-store' },
        open: async () => ({ sizeBytes, read: async (range) => read(range) }),
      })
    },
  )

  app.delete(
    '/admin/backups/:id',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Delete a backup',
        tags: ['Admin'],
        params: paramsSchema,
        response: { 204: noContentSchema },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      await backups.remove(request.params.id)
      return reply.code(204).send()
    },
  )
}
