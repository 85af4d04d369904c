import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isAdminCall, principalOf } from '../../../platform/http/access.ts'
import { dispositionOf } from '../../../platform/http/file-response.ts'
import { serve } from '../../../platform/http/serve.ts'
import { mayKnowSetup } from '../../../platform/http/wording.ts'
import type { AnalyticsService } from './analytics.service.ts'
import type { InsightsService } from './insights.service.ts'
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

/** GET /analytics: figures of a period, everybody's for administrators and the caller's own for other users. */
export async function analyticsRoutes(
  app: FastifyInstance,
  { analytics }: { analytics: AnalyticsService },
): Promise<void> {
  serve(app, 'GET /analytics', async (request) => {
    const { user, timeZone } = principalOf(request)
    const { period, user_id: userId } = request.query
    return analytics.read({ caller: { id: user.id, isAdmin: isAdminCall(request), timeZone }, period, userId })
  })
}

/** GET /dashboard/…: the caller's own figures and what works on this server. */
export async function insightsRoutes(app: FastifyInstance, { insights }: { insights: InsightsService }): Promise<void> {
  serve(app, 'GET /dashboard/overview', async (request) => insights.overview(principalOf(request).user.id))

  serve(app, 'GET /dashboard/activity', async (request) => ({
    activity: await insights.activity(principalOf(request).user.id, request.query.limit),
  }))

  serve(app, 'GET /dashboard/health', async (request) => insights.health({ isAdmin: isAdminCall(request) }))
}
