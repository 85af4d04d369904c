import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { SystemOverviewService } from './system-overview.service.ts'

/** /admin/system: what the instance is made of and how it does. */
export async function systemOverviewRoutes(
  app: FastifyInstance,
  { systemOverview }: { systemOverview: SystemOverviewService },
): Promise<void> {
  serve(app, 'GET /admin/system', async () => systemOverview.read())
}
