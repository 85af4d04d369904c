import { activityQuerySchema, activityResponseSchema, dashboardHealthSchema, overviewSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { InsightsService } from './insights.service.ts'

/** GET /dashboard/…: the caller's own figures and what works on this server. */
export async function insightsRoutes(
  fastify: FastifyInstance,
  { insights }: { insights: InsightsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/dashboard/overview',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read the four cards of the overview',
        tags: ['Dashboard'],
        response: { 200: overviewSchema },
      },
    },
    async (request) => insights.overview(principalOf(request).user.id),
  )

  app.get(
    '/dashboard/activity',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read what the caller did last',
        tags: ['Dashboard'],
        querystring: activityQuerySchema,
        response: { 200: activityResponseSchema },
      },
    },
    async (request) => ({ activity: await insights.activity(principalOf(request).user.id, request.query.limit) }),
  )

  app.get(
    '/dashboard/health',
    {
      config: { access: 'user' },
      schema: {
        summary: 'Read what works on this server',
        tags: ['Dashboard'],
        response: { 200: dashboardHealthSchema },
      },
    },
    async (request) => insights.health({ isAdmin: principalOf(request).user.role === 'admin' }),
  )
}
