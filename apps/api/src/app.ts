// biome-ignore-all lint/nursery/noMisusedPromises: Fastify awaits its plugins; the rule sees only their older form with a callback
import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import jwt from '@fastify/jwt'
import multipart from '@fastify/multipart'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { type Config, VERSION } from './config.ts'
import type { Context } from './context.ts'
import { agentsRoutes } from './features/agents/agents.routes.ts'
import { chatRoutes } from './features/chat/chat.routes.ts'
import { exportsRoutes } from './features/chat/exports.routes.ts'
import { picturesRoutes } from './features/chat/pictures.routes.ts'
import { eventsRoutes } from './features/events/events.routes.ts'
import { insightsRoutes } from './features/insights/insights.routes.ts'
import { mediaRoutes } from './features/media/media.routes.ts'
import { docsRoutes } from './features/system/docs.routes.ts'
import { systemRoutes } from './features/system/system.routes.ts'
import { adminRoutes } from './features/users/admin.routes.ts'
import { authRoutes } from './features/users/auth.routes.ts'
import { SESSION_LIFETIME_SECONDS } from './features/users/auth.service.ts'
import { requireAccess } from './http/auth.ts'
import { createAuthenticate } from './http/authenticate.ts'
import { createClientAddressOf } from './http/client-address.ts'
import { answerMalformedAddress, setErrorHandler } from './http/error-handler.ts'
import { createJwtTokens } from './http/jwt-tokens.ts'
import { isPublished } from './http/loopback.ts'
import { measureApp } from './http/metrics.ts'
import { collectRoutes, openApiDocument } from './http/openapi.ts'
import { logRequests } from './http/request-log.ts'
import { setSecurityHeaders } from './http/security-headers.ts'
import { requireStorableTexts } from './http/text.ts'
import { serveWebApp } from './http/web-app.ts'
import { serializerCompiler, validatorCompiler } from './http/zod.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
/** For a request to arrive, body and all; how long an answer takes is another thing. */
const REQUEST_TIMEOUT_MS = 120_000

/** Builds the HTTP server on a context, without listening: plugins first, then a line per feature. */
export async function buildApp(context: Context): Promise<FastifyInstance> {
  const { config, log } = context
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    trustProxy: trustProxyOf(config),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // open streams must not keep the process from stopping
    forceCloseConnections: true,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    routerOptions: { ignoreTrailingSlash: true },
    frameworkErrors: answerMalformedAddress,
  })
  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerCompiler)
  setErrorHandler(app)
  setSecurityHeaders(app)
  logRequests(app)
  requireStorableTexts(app)
  const metrics = measureApp(app, {
    runningAnswers: () => context.chat.runningAnswers(),
    countJobs: () => context.queue.counts(),
  })
  const routes = collectRoutes(app)

  await app.register(cors, {
    origin: config.corsOrigins.length > 0 ? config.corsOrigins : false,
    exposedHeaders: ['X-Next-Cursor', 'X-Request-Id', 'Retry-After'],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    maxAge: 86_400,
  })
  await app.register(formbody)
  await app.register(multipart)
  await app.register(jwt, { secret: context.jwtSecret, decoratorName: 'jwt' })
  const tokens = createJwtTokens(app.jwt, { lifetimeSeconds: SESSION_LIFETIME_SECONDS })
  const { authenticate, settle } = createAuthenticate({ verifyJwt: tokens.verify, credentials: context.auth, log })
  requireAccess(app, authenticate, context.authenticateSigned)
  app.addHook('onClose', settle)

  const addressOf = createClientAddressOf({ trustsProxy: config.trustProxy !== false, log })
  await app.register(authRoutes, { prefix: '/api', auth: context.auth, signToken: tokens.sign, addressOf })
  await app.register(adminRoutes, { prefix: '/api', users: context.users })

  await app.register(chatRoutes, { prefix: '/api', chat: context.chat })
  await app.register(exportsRoutes, { prefix: '/api', exports: context.chatExports })
  await app.register(picturesRoutes, { prefix: '/api', pictures: context.pictures })
  await app.register(agentsRoutes, { prefix: '/api', agents: context.agents })
  await app.register(eventsRoutes, { prefix: '/api', events: context.events })
  await app.register(mediaRoutes, { prefix: '/api', media: context.media })
  await app.register(insightsRoutes, { prefix: '/api', insights: context.insights })
  await app.register(systemRoutes, {
    prefix: '/api',
    system: context.system,
    metrics,
    isOpenToLoopback: !isPublished(config),
    openApiDocument: () => openApiDocument(routes, { name: config.assistantName, version: VERSION }),
  })
  await app.register(docsRoutes, { prefix: '/api' })

  await app.register(serveWebApp, { distDir: config.webDistDir, assistantName: () => config.assistantName })
  return app
}

/** Fastify takes no number of hops: a function says how many of the nearest addresses are proxies. */
function trustProxyOf({ trustProxy }: Config) {
  return typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy
}
