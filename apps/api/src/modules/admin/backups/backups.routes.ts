import {
  backupSchema,
  backupsResponseSchema,
  backupTicketSchema,
  offsiteTestResponseSchema,
  offsiteTestSchema,
  signedFileQuerySchema,
} from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { principalOf } from '../../../platform/http/access.ts'
import { sendFile } from '../../../platform/http/file-answer.ts'
import { noContentSchema } from '../../../platform/http/openapi.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { BackupsService } from './backups.service.ts'
import type { OffsiteService } from './offsite.service.ts'
import type { ProofsService } from './proofs.service.ts'

const paramsSchema = z.object({ id: z.uuid() })
/** An archive holds everything of everybody: a token that leaked must not bring it along, or remove it. */
const administration = { access: 'admin', sessionOnly: true } as const

/** /admin/backups: archives of the whole instance, for administrators. */
export async function backupsRoutes(
  fastify: FastifyInstance,
  { backups, offsite, proofs }: { backups: BackupsService; offsite: OffsiteService; proofs: ProofsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/backups',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'List the backups of the instance',
        description:
          'Newest first, with the one that is being made and those that failed in the last 30 days. `next_at` tells when the ' +
          'next one is made by itself, as the section `backups` of PUT /admin/settings says.',
        tags: ['Admin'],
        response: { 200: backupsResponseSchema },
      },
    },
    async () => backups.list(),
  )

  app.post(
    '/admin/backups',
    {
      config: { ...administration, audit: 'backup.begun' },
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
    async (_request, reply) => {
      reply.code(202)
      return backups.begin()
    },
  )

  app.post(
    '/admin/backups/offsite/test',
    {
      config: { ...administration, audit: 'backup.offsite_tested' },
      schema: {
        summary: 'Test an address for off-site copies',
        description:
          'Opens `s3://bucket/folder` or a folder of the server with the keys and passphrase set there, and writes to it.',
        tags: ['Admin'],
        body: offsiteTestSchema,
        response: { 200: offsiteTestResponseSchema },
      },
    },
    async (request) => offsite.test(request.body.address),
  )

  app.post(
    '/admin/backups/:id/ticket',
    {
      config: { ...administration, audit: 'backup.ticket_made' },
      schema: {
        summary: 'Make an address that a browser downloads a backup from',
        description:
          'The download must begin within 60 seconds, and before the password changes or sessions are ended.',
        tags: ['Admin'],
        params: paramsSchema,
        response: { 200: backupTicketSchema },
        errors: [404],
      },
    },
    async (request) => backups.ticket(principalOf(request).user.id, request.params.id),
  )

  app.get(
    '/admin/backups/:id/file',
    {
      config: { ...administration, signed: true, audit: 'backup.downloaded' },
      schema: {
        summary: 'Download a backup',
        description:
          'It holds everything of everybody, hashes of passwords included; sessions, API tokens and the secret of the ' +
          'instance stay out. Keep it as safe as the instance. Opens with a session, or with an address of …/ticket.',
        tags: ['Admin'],
        params: paramsSchema,
        querystring: signedFileQuerySchema,
        file: 'application/zip',
        errors: [404],
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const { name, sizeBytes, read } = await backups.open(id)
      return sendFile(request, reply, {
        etag: id,
        contentType: name.endsWith('.zip') ? 'application/zip' : 'application/octet-stream',
        name,
        cacheControl: 'no-store',
        open: async () => ({ sizeBytes, read: async (range) => read(range) }),
      })
    },
  )

  app.post(
    '/admin/backups/:id/proof',
    {
      config: { ...administration, audit: 'backup.proof_begun' },
      schema: {
        summary: 'Try to restore a backup',
        description:
          'Loads it into an empty database in the background, checks its foreign keys and a sample of its files, and ' +
          'deletes that again. GET /admin/backups tells how it went.',
        tags: ['Admin'],
        params: paramsSchema,
        response: { 204: noContentSchema },
        errors: [404],
      },
    },
    async (request, reply) => {
      await proofs.begin(request.params.id)
      return reply.code(204).send()
    },
  )

  app.delete(
    '/admin/backups/:id',
    {
      config: { ...administration, audit: 'backup.deleted' },
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
