import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { MemoryLogsService } from './memory-logs.service.ts'

/** /memory/logs: the caller's own timeline. */
export async function memoryLogsRoutes(
  app: FastifyInstance,
  { memoryLogs }: { memoryLogs: MemoryLogsService },
): Promise<void> {
  serve(app, 'GET /memory/logs', async (request) => {
    const { user, timeZone } = principalOf(request)
    return memoryLogs.list({ userId: user.id, timeZone }, request.query)
  })

  serve(app, 'GET /memory/logs/export', async (request, reply) => {
    const { user, timeZone } = principalOf(request)
    const { name, text } = memoryLogs.exportCsv({ userId: user.id, timeZone }, request.query)
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': dispositionOf('attachment', name),
        'cache-control': 'no-store',
      })
      .send(Readable.from(text))
  })
}
