import { Readable } from 'node:stream'
import { auditFiltersSchema, auditQuerySchema, auditResponseSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { AuditService } from './audit.service.ts'

/** /admin/audit: what administrators and sign-ins did, for administrators. */
export async function auditRoutes(fastify: FastifyInstance, { audit }: { audit: AuditService }): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/admin/audit',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read the audit log',
        description:
          'What administrators did, and every sign-in, failed one, session and token; newest first. Lines are only ever ' +
          'added, and go when they are older than the settings keep them.',
        tags: ['Admin'],
        querystring: auditQuerySchema,
        response: { 200: auditResponseSchema },
      },
    },
    async (request) => audit.list(request.query, request.query),
  )

  app.get(
    '/admin/audit/export',
    {
      config: { access: 'admin', bound: 'export', audit: 'audit.exported' },
      schema: {
        summary: 'Export the same as a CSV file',
        description: 'UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.',
        tags: ['Admin'],
        querystring: auditFiltersSchema,
        file: 'text/csv',
      },
    },
    async (request, reply) => {
      const { name, text } = audit.exportCsv(request.query)
      return reply
        .headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': dispositionOf('attachment', name),
          'cache-control': 'no-store',
        })
        .send(Readable.from(text))
    },
  )
}
