import { deleteDataSchema, deletedDataSchema, exportQuerySchema, exportTicketSchema } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../http/auth.ts'
import { dispositionOf } from '../../http/file-answer.ts'
import type { ZodTypeProvider } from '../../http/zod.ts'
import type { DeletionService } from './deletion.service.ts'
import type { ExportService } from './export.service.ts'

export interface AccountRoutesOptions {
  exports: ExportService
  deletion: DeletionService
  addressOf(request: FastifyRequest): string | null
}

/** /me/…: what a person takes along, and what they delete. */
export async function accountRoutes(
  fastify: FastifyInstance,
  { exports, deletion, addressOf }: AccountRoutesOptions,
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.post(
    '/me/export',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Make an address that a browser loads an export of everything from',
        description: 'It opens for five minutes. A script can read GET /me/export with its token at once.',
        tags: ['My data'],
        response: { 200: exportTicketSchema },
      },
    },
    async (request) => exports.ticket(principalOf(request).user.id),
  )

  app.get(
    '/me/export',
    {
      config: { access: 'user', signed: true },
      schema: {
        summary: 'Export everything that is the caller’s',
        description:
          'A ZIP archive of any size: every row as JSON, conversations as Markdown, the originals of all files, and a manifest with the SHA-256 of each.',
        tags: ['My data'],
        querystring: exportQuerySchema,
        file: 'application/zip',
      },
    },
    async (request, reply) => {
      const { user, language, timeZone } = principalOf(request)
      const { expires, export_id: exportId } = request.query
      if (request.query.signature !== undefined) exports.requireOpen(expires)
      const reader = { ...user, name: user.full_name ?? user.username, language, timeZone }
      const name = `mira-export-${user.username}-${new Date().toISOString().slice(0, 10)}.zip`
      return reply
        .headers({
          'content-type': 'application/zip',
          'content-disposition': dispositionOf('attachment', name),
          'cache-control': 'no-store',
        })
        .send(exports.open(reader, exportId))
    },
  )

  app.delete(
    '/me/data',
    {
      config: { access: 'user', sessionOnly: true },
      schema: {
        summary: 'Delete everything that is the caller’s, but not the account',
        tags: ['My data'],
        body: deleteDataSchema,
        response: { 200: deletedDataSchema },
        errors: [403, 429],
      },
    },
    async (request) => {
      const { password } = request.body
      const given = { password, address: addressOf(request) }
      return { deleted: await deletion.deleteData(principalOf(request).user.id, given) }
    },
  )
}
