import type { FastifyInstance } from 'fastify'
import { isAdminCall, principalOf } from '../../../platform/http/access.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { AnalyticsService } from './analytics.service.ts'

/** GET /analytics: figures of a period, of everybody for administrators, else the caller's own. */
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
