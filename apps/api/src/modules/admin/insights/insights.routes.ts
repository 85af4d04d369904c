import type { FastifyInstance } from 'fastify'
import { isAdminCall, principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { InsightsService } from './insights.service.ts'

/** GET /dashboard/…: the caller's own figures and what works on this server. */
export async function insightsRoutes(app: FastifyInstance, { insights }: { insights: InsightsService }): Promise<void> {
  serve(app, 'GET /dashboard/overview', async (request) => insights.overview(principalOf(request).user.id))

  serve(app, 'GET /dashboard/activity', async (request) => ({
    activity: await insights.activity(principalOf(request).user.id, request.query.limit),
  }))

  serve(app, 'GET /dashboard/health', async (request) => insights.health({ isAdmin: isAdminCall(request) }))
}
