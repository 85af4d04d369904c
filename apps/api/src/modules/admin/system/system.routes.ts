import type { SignInWays } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Metrics } from '../../../platform/http/metrics.ts'
import type { OpenApiDocument } from '../../../platform/http/openapi.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { HealthService } from './health.service.ts'
import { publicConfigOf } from './public-config.ts'

interface SystemRoutesOptions {
  health: HealthService
  settings: Parameters<typeof publicConfigOf>[0]['settings']
  ai: Parameters<typeof publicConfigOf>[0]['ai']
  /** By what people may sign in at the address of a request. */
  signInWays: (request: FastifyRequest) => SignInWays
  metrics: Metrics
  openApiDocument: () => OpenApiDocument
  /** True when the metrics need no sign-in. */
  areMetricsOpen: boolean
}

/** /health, /config, /openapi.json and /metrics: what the server is and whether it works. */
export async function systemRoutes(
  app: FastifyInstance,
  { health, settings, ai, signInWays, metrics, openApiDocument, areMetricsOpen }: SystemRoutesOptions,
): Promise<void> {
  let document: OpenApiDocument | undefined

  serve(app, 'GET /health', async () => health.health())

  serve(app, 'GET /config', async (request) => ({
    ...publicConfigOf({ settings, ai }),
    sign_in: signInWays(request),
  }))

  serve(app, 'GET /openapi.json', async () => {
    document ??= openApiDocument()
    return document
  })

  serve(
    app,
    'GET /metrics',
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
    areMetricsOpen ? { access: 'public' } : {},
  )
}
