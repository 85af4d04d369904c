import { systemOverviewSchema } from '@mira/shared'
import type { FastifyInstance } from 'fastify'
import type { ZodTypeProvider } from '../../../platform/http/zod.ts'
import type { SystemOverviewService } from './system-overview.service.ts'

/** /admin/system: what the instance is made of and how it does. */
export async function systemOverviewRoutes(
  fastify: FastifyInstance,
  { systemOverview }: { systemOverview: SystemOverviewService },
): Promise<void> {
  fastify.withTypeProvider<ZodTypeProvider>().get(
    '/admin/system',
    {
      config: { access: 'admin' },
      schema: {
        summary: 'Read what was measured of the instance and of this server',
        description: 'Each server keeps a sample of itself every five minutes; what none measured is null.',
        tags: ['Admin'],
        response: { 200: systemOverviewSchema },
      },
    },
    async () => systemOverview.read(),
  )
}
