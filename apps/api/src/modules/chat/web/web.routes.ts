import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'
import type { WebService } from './web.service.ts'

/** /admin/web: settings of the assistant's web access; /web: its availability in conversations. */
export async function webRoutes(app: FastifyInstance, { web }: { web: WebService }): Promise<void> {
  serve(app, 'GET /web', () => web.state())

  serve(app, 'GET /admin/web', () => web.settings())

  serve(app, 'PUT /admin/web', (request) => web.update(request.body))

  serve(app, 'POST /admin/web/test', () => web.test())
}
