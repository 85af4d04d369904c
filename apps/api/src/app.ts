import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import jwt from '@fastify/jwt'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { Context } from './context.ts'
import { requireAccess } from './http/auth.ts'
import { setErrorHandler } from './http/error-handler.ts'
import { setSecurityHeaders } from './http/security-headers.ts'
import { serveWebApp } from './http/web-app.ts'
import { serializerCompiler, validatorCompiler } from './http/zod.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

/** Builds the HTTP server on a context, without listening: plugins first, then a line per feature. */
export async function buildApp(context: Context): Promise<FastifyInstance> {
  const { config } = context
  const app = Fastify({
    loggerInstance: context.log as FastifyBaseLogger,
    trustProxy: config.trustProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    // open streams must not keep the process from stopping
    forceCloseConnections: true,
    disableRequestLogging: true,
    routerOptions: { ignoreTrailingSlash: true },
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  setErrorHandler(app)
  setSecurityHeaders(app)

  await app.register(cors, {
    origin: config.corsOrigins.length > 0 ? config.corsOrigins : false,
    exposedHeaders: ['X-Next-Cursor', 'Retry-After'],
    maxAge: 86_400,
  })
  await app.register(formbody)
  await app.register(multipart)
  await app.register(jwt, { secret: context.jwtSecret, decoratorName: 'jwt' })
  requireAccess(app, context.authenticate(app))

  await app.register(serveWebApp, { distDir: config.webDistDir, assistantName: () => config.assistantName })
  return app
}
