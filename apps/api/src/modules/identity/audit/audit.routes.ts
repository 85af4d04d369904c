import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { dispositionOf } from '../../../platform/http/file-response.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { AuditService } from './audit.service.ts'

/** /admin/audit: the audit log, for administrators. */
export async function auditRoutes(app: FastifyInstance, { audit }: { audit: AuditService }): Promise<void> {
  serve(app, 'GET /admin/audit', async (request) => audit.list(request.query, request.query))

  serve(app, 'GET /admin/audit/export', async (request, reply) => {
    const { name, text } = audit.exportCsv(request.query)
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': dispositionOf('attachment', name),
        'cache-control': 'no-store',
      })
      .send(Readable.from(text))
  })
}
