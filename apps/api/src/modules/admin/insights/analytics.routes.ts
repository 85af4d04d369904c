import { analyticsQuerySchema, analyticsSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { AnalyticsService } from './analytics.service.ts'

/** GET /analytics: figures of a period, of everybody for administrators, else the caller's own. */
export async function analyticsRoutes(
  fastify: FastifyInstance,
  { analytics }: { analytics: AnalyticsService },
): Promise<void> {
  const app = fastify.withTypeProvider<ZodTypeProvider>()

  app.get(
    '/analytics',
    {
      config: { access: 'analytics' },
      schema: {
        summary: 'Read how use and performance changed over a period',
        description: 'Days and hours are those of the time zone that X-Time-Zone names.',
        tags: ['Dashboard'],
        querystring: analyticsQuerySchema,
        response: { 200: analyticsSchema },
        errors: [404],
      },
    },
    async (request) => {
      const { user, timeZone } = principalOf(request)
      const { period, user_id: userId } = request.query
      return analytics.read({ caller: { id: user.id, isAdmin: user.role === 'admin', timeZone }, period, userId })
    },
  )
}
