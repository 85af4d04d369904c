import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { SignInWays } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createConstantResponse } from '../../../platform/http/compress-responses.ts'
import type { Metrics } from '../../../platform/http/metrics.ts'
import type { OpenApiDocument } from '../../../platform/http/openapi.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { HealthService } from './health.service.ts'
import { publicConfigOf } from './public-config.ts'
import type { SystemOverviewService } from './system-overview.service.ts'

/** Content security policy of the page, under which Swagger UI works unchanged: no inline scripts or styles, no other origins. */
const DOCS_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // Names of the policies that docs-page.js and DOMPurify (in Swagger UI) create.
  'trusted-types default dompurify',
].join('; ')

const swaggerDir = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const files = {
  'swagger-ui.css': swaggerDir,
  'swagger-ui-bundle.js': swaggerDir,
  'favicon-32x32.png': swaggerDir,
  'docs-page.js': join(import.meta.dirname, 'docs-page'),
  'docs-page.css': join(import.meta.dirname, 'docs-page'),
} as const

/** /docs: a page for reading and trying the API. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: swaggerDir, serve: false, cacheControl: false })

  serve(app, 'GET /docs', async (_request, reply) =>
    reply
      .header('content-security-policy', DOCS_POLICY)
      .sendFile('docs-page.html', join(import.meta.dirname, 'docs-page')),
  )

  serve(app, 'GET /docs/:file', async (request, reply) => {
    const { file } = request.params
    // Revalidated by ETag: a new version of Mira must not use files of an old one.
    return reply.header('cache-control', 'public, no-cache').sendFile(file, files[file])
  })
}

/** /admin/system: parts and load of the instance. */
export async function systemOverviewRoutes(
  app: FastifyInstance,
  { systemOverview }: { systemOverview: SystemOverviewService },
): Promise<void> {
  serve(app, 'GET /admin/system', async () => systemOverview.read())
}

interface WatchRoutesOptions {
  health: HealthService
  metrics: Metrics
  /** True when the metrics need no sign-in. */
  areMetricsOpen: boolean
}

/** /health and /metrics: whether the server works, on servers of every role. */
export async function healthRoutes(
  app: FastifyInstance,
  { health, metrics, areMetricsOpen }: WatchRoutesOptions,
): Promise<void> {
  serve(app, 'GET /health', async (_request, reply) =>
    reply.status(health.isStopping() ? 503 : 200).send(await health.health()),
  )

  serve(
    app,
    'GET /metrics',
    async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()),
    areMetricsOpen ? { access: 'public' } : {},
  )
}

interface SystemRoutesOptions {
  settings: Parameters<typeof publicConfigOf>[0]['settings']
  ai: Parameters<typeof publicConfigOf>[0]['ai']
  /** Sign-in methods available at the request's address. */
  signInWays: (request: FastifyRequest) => SignInWays
  openApiDocument: () => OpenApiDocument
}

/** /config and /openapi.json: what clients need to know about the server. */
export async function systemRoutes(
  app: FastifyInstance,
  { settings, ai, signInWays, openApiDocument }: SystemRoutesOptions,
): Promise<void> {
  let sendDocument: ReturnType<typeof createConstantResponse> | undefined

  serve(app, 'GET /config', async (request) => ({
    ...publicConfigOf({ settings, ai }),
    sign_in: signInWays(request),
  }))

  // Cached: it's public, and encoding and compressing it takes as long as many other requests.
  serve(app, 'GET /openapi.json', async (request, reply) => {
    sendDocument ??= createConstantResponse(JSON.stringify(openApiDocument()))
    return sendDocument(request, reply)
  })
}
