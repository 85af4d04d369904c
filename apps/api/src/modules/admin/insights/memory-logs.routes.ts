import { Readable } from 'node:stream'
import { memoryLogFiltersSchema, memoryLogsQuerySchema, memoryLogsResponseSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-answer.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { MemoryLogsService } from './memory-logs.service.ts'

/** /memory/logs: the caller's own timeline. */
export async function memoryLogsRoutes(
  fastify: FastifyInstance,
  { memoryLogs }: { memoryLogs: MemoryLogsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/memory/logs',
    {
      config: { access: 'upload' },
      schema: {
        summary: 'Read what the caller asked, added, searched and called',
        description:
          'Newest first. All filters combine; `range` is read in the time zone of the caller. What was not measured, or ' +
          `went with its source, is null. The figures in \`stats\` do not depend on the filters.`,
        tags: ['Dashboard'],
        querystring: memoryLogsQuerySchema,
        response: { 200: memoryLogsResponseSchema },
      },
    },
    async (request) => {
      const { user, timeZone } = principalOf(request)
      return memoryLogs.list({ userId: user.id, timeZone }, request.query)
    },
  )

  app.get(
    '/memory/logs/export',
    {
      config: { access: 'upload', bound: 'export' },
      schema: {
        summary: 'Export the same as a CSV file',
        description: 'UTF-8, RFC 4180; what a spreadsheet would take for a formula is led by an apostrophe.',
        tags: ['Dashboard'],
        querystring: memoryLogFiltersSchema,
        file: 'text/csv',
      },
    },
    async (request, reply) => {
      const { user, timeZone } = principalOf(request)
      const { name, text } = memoryLogs.exportCsv({ userId: user.id, timeZone }, request.query)
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
