import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../../platform/http/serve.ts'

/** Swagger UI runs under this policy as it is: no inline script or style, nothing from elsewhere. */
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
  // that of docs-page.js, and the one that Swagger UI's purifier keeps to itself
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

/** /docs: a page to read the API and to try it. */
export async function docsRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, { root: swaggerDir, serve: false, cacheControl: false })

  serve(app, 'GET /docs', async (_request, reply) =>
    reply
      .header('content-security-policy', DOCS_POLICY)
      .sendFile('docs-page.html', join(import.meta.dirname, 'docs-page')),
  )

  serve(app, 'GET /docs/:file', async (request, reply) => {
    const { file } = request.params
    // revalidated by ETag: a newer version of Mira must not meet older files
    return reply.header('cache-control', 'public, no-cache').sendFile(file, files[file])
  })
}
