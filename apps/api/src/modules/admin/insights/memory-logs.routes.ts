import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import { serve } from '../../../platform/http/serve.ts'
import { mayKnowSetup } from '../../../platform/http/wording.ts'
import type { MemoryLogsService } from './memory-logs.service.ts'

/** /memory/logs: the caller's own timeline. */
export async function memoryLogsRoutes(
  app: FastifyInstance,
  { memoryLogs }: { memoryLogs: MemoryLogsService },
): Promise<void> {
  serve(app, 'GET /memory/logs', async (request) => {
    return memoryLogs.list(readerOf(request), request.query)
  })

  serve(app, 'GET /memory/logs/export', async (request, reply) => {
    const { name, text } = memoryLogs.exportCsv(readerOf(request), request.query)
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': dispositionOf('attachment', name),
        'cache-control': 'no-store',
      })
      .send(Readable.from(text))
  })
}

function readerOf(request: FastifyRequest) {
  const { user, timeZone } = principalOf(request)
  return { userId: user.id, timeZone, mayKnowSetup: mayKnowSetup(request) }
}
