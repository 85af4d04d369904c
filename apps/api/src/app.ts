// biome-ignore-all lint/nursery/noMisusedPromises: Fastify awaits its plugins; the rule sees only their older form with a callback
import { randomUUID } from 'node:crypto'
import cors from '@fastify/cors'
import formbody from '@fastify/formbody'
import jwt from '@fastify/jwt'
import multipart from '@fastify/multipart'
import { UPLOAD_MAX_BYTES } from '@mira/shared'
import Fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, LogController } from 'fastify'
import { type Config, VERSION } from './config.ts'
import type { Context } from './context.ts'
import { backupsRoutes } from './modules/admin/backups/backups.routes.ts'
import { connectionsRoutes, ollamaRoutes } from './modules/admin/connections/connections.routes.ts'
import { analyticsRoutes, insightsRoutes, memoryLogsRoutes } from './modules/admin/insights/insights.routes.ts'
import { modelsRoutes } from './modules/admin/models/models.routes.ts'
import { settingsRoutes } from './modules/admin/settings/settings.routes.ts'
import { docsRoutes, healthRoutes, systemOverviewRoutes, systemRoutes } from './modules/admin/system/system.routes.ts'
import {
  automationRoutes,
  notificationsRoutes,
  pushRoutes,
  remindersRoutes,
  webhooksRoutes,
} from './modules/automation/automation.routes.ts'
import { agentsRoutes } from './modules/chat/agents/agents.routes.ts'
import {
  aboutMeRoutes,
  chatRoutes,
  exportsRoutes,
  personasRoutes,
  picturesRoutes,
  projectsRoutes,
  promptsRoutes,
  sessionsRoutes,
  sharesRoutes,
} from './modules/chat/chat.routes.ts'
import { mcpServersRoutes, ownMcpServersRoutes } from './modules/chat/mcp-servers/mcp-servers.routes.ts'
import { voiceRoutes } from './modules/chat/voice/voice.routes.ts'
import { webRoutes } from './modules/chat/web/web.routes.ts'
import { mcpRoutes } from './modules/gateways/mcp/mcp.routes.ts'
import { openAiRoutes } from './modules/gateways/openai/openai.routes.ts'
import { accessItemsRoutes } from './modules/identity/access-items/access-items.routes.ts'
import { accountRoutes } from './modules/identity/account/account.routes.ts'
import { auditRoutes } from './modules/identity/audit/audit.routes.ts'
import { audienceOf, oauthRoutes, programsRoutes, resourceMetadataOf } from './modules/identity/oauth/oauth.routes.ts'
import { SESSION_LIFETIME_SECONDS } from './modules/identity/sign-in/begin-session.ts'
import { relyingPartyOf } from './modules/identity/sign-in/passkeys.service.ts'
import {
  actorOf,
  invitationsRoutes,
  oidcRoutes,
  passkeysRoutes,
  totpRoutes,
} from './modules/identity/sign-in/sign-in.routes.ts'
import { adminRoutes, apiTokensRoutes, authRoutes, storageRoutes } from './modules/identity/users/users.routes.ts'
import { importsRoutes } from './modules/library/imports/imports.routes.ts'
import { archivesRoutes, mediaFilesRoutes, mediaRoutes } from './modules/library/items/media.routes.ts'
import { notesRoutes } from './modules/library/notes/notes.routes.ts'
import { overrideMethod, partialUploadsRoutes, uploadRoutes } from './modules/library/upload/upload.routes.ts'
import { watchedFoldersRoutes } from './modules/library/watched-folders/watched-folders.routes.ts'
import { pagesRoutes } from './modules/library/web-pages/pages.routes.ts'
import { embeddingsRoutes, memoryRoutes } from './modules/search/memory.routes.ts'
import { effectsRoutes, madePicturesRoutes } from './modules/studio/effects/effects.routes.ts'
import { eventsRoutes } from './platform/events/events.routes.ts'
import { requireAccess } from './platform/http/access.ts'
import { createOtherMethodsHook } from './platform/http/allowed-methods.ts'
import { auditActs } from './platform/http/audit-acts.ts'
import { createAuthenticate } from './platform/http/authenticate.ts'
import { runHandlersAsCaller } from './platform/http/caller-of.ts'
import { addressGroup, createClientAddressOf, isNearby } from './platform/http/client-address.ts'
import { compressResponses } from './platform/http/compress-responses.ts'
import { type BodyTimeLimits, limitBodyTime, limitConnections } from './platform/http/connection-limits.ts'
import { trackOpenRequests } from './platform/http/draining.ts'
import { endWithAccess } from './platform/http/end-with-access.ts'
import { respondToMalformedUrl, respondToUnparsableRequest, setErrorHandler } from './platform/http/error-handler.ts'
import { createJwtTokens } from './platform/http/jwt-tokens.ts'
import { readJson } from './platform/http/large-json.ts'
import { measureApp } from './platform/http/metrics.ts'
import { documentedRoutes, openApiDocument } from './platform/http/openapi.ts'
import { limitUsers } from './platform/http/rate-limits.ts'
import { countRequests } from './platform/http/request-counts.ts'
import { logRequests, logStalls } from './platform/http/request-log.ts'
import { setSecurityHeaders } from './platform/http/security-headers.ts'
import { serializerCompiler, validatorCompiler } from './platform/http/serve.ts'
import { requireStorableTexts } from './platform/http/storable-texts.ts'
import { serveWebApp } from './platform/http/web-app.ts'
import { wordForCallers } from './platform/http/wording.ts'

const BODY_LIMIT_BYTES = 1024 * 1024
const ARRIVAL_LIMITS: BodyTimeLimits = { wholeMs: 120_000, idleMs: 60_000, minBytesPerSecond: 1_000 }
/** Deadline for the headers of a request. For a connection's first request, it starts when the connection opens. */
const HEADERS_TIMEOUT_MS = 20_000
const MAX_CONNECTIONS = 4_000
/** Maximum listeners of a response. Node warns of a leak above ten, which a streamed answer exceeds. */
const MAX_RESPONSE_LISTENERS = 30
/** A browser opens six connections; a household or an office behind one address may open hundreds. */
const MAX_CONNECTIONS_PER_ADDRESS = 1_000
/** Enough for the largest upload over the slowest connection. */
const REQUEST_TIMEOUT_MS = 2 * 60 * 60_000

/** Response headers of partial uploads (tus) that other origins may read. */
const tusHeaders = ['Location', 'Tus-Resumable', 'Upload-Offset', 'Upload-Length', 'Upload-Expires']

/** Builds the HTTP server without listening: plugins first, then the routes of each feature. */
export async function buildApp(
  context: Context,
  { arrivalLimits = ARRIVAL_LIMITS }: { arrivalLimits?: BodyTimeLimits } = {},
): Promise<FastifyInstance> {
  const { config, log } = context
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    trustProxy: trustProxyOf(config),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Open streams must not keep the process from stopping.
    forceCloseConnections: true,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: () => randomUUID(),
    // Clients append `/v1/…` to a base URL that may end with a slash or with /v1: accept `//` and `/v1/v1` in paths.
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true },
    rewriteUrl: (request) => {
      overrideMethod(request)
      return (request.url ?? '/').replace(/^\/{1,2}v1\/{1,2}v1(?=\/)/, '/v1')
    },
    // Set here, because Fastify would load its own compilers before any later call. Cast to `never`, since its types only allow those.
    schemaController: {
      compilersFactory: {
        buildValidator: () => validatorCompiler as never,
        buildSerializer: () => serializerCompiler as never,
      },
    },
    frameworkErrors: respondToMalformedUrl,
    clientErrorHandler: respondToUnparsableRequest,
  })
  app.server.headersTimeout = HEADERS_TIMEOUT_MS
  limitConnections(app.server, {
    max: MAX_CONNECTIONS,
    maxPerAddress: MAX_CONNECTIONS_PER_ADDRESS,
    groupOf: (address) => (config.trustProxy !== false || isNearby(address) ? null : addressGroup(address)),
  })
  setErrorHandler(app)
  wordForCallers(app)
  limitBodyTime(app, arrivalLimits)
  setSecurityHeaders(app, { isHttps: config.publicUrl?.startsWith('https://') ?? false })
  compressResponses(app)
  logRequests(app)
  logStalls(app)
  readJson(app)
  requireStorableTexts(app)
  const metrics = measureApp(app, {
    role: config.role,
    version: VERSION,
    runningAnswers: () => context.chat.runningAnswers(),
    countJobs: () => context.queue.counts(),
  })
  countRequests(app, context.requestCounter)
  trackOpenRequests(app, context.draining)
  app.addHook('onRequest', async (_request, reply) => void reply.raw.setMaxListeners(MAX_RESPONSE_LISTENERS))

  const answerOtherMethods = createOtherMethodsHook(app)
  // The hook runs before the CORS plugin for OPTIONS, since the plugin refuses OPTIONS requests that aren't preflights. It runs
  // after the plugin for all other methods, since their responses need the plugin's headers.
  app.addHook('onRequest', async (request, reply) =>
    request.method === 'OPTIONS' ? answerOtherMethods(request, reply) : undefined,
  )
  await app.register(cors, {
    origin: config.corsOrigins.length > 0 ? config.corsOrigins : false,
    exposedHeaders: ['X-Next-Cursor', 'WWW-Authenticate', 'X-Request-Id', 'Retry-After', ...tusHeaders],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    maxAge: 86_400,
  })
  app.addHook('onRequest', answerOtherMethods)
  await app.register(formbody)
  // Each route that takes files sets its own limit.
  await app.register(multipart, { throwFileSizeLimit: false })
  await app.register(jwt, { secret: context.jwtSecret, decoratorName: 'jwt' })
  const tokens = createJwtTokens(app.jwt, { lifetimeSeconds: SESSION_LIFETIME_SECONDS })
  const { authenticate, settle } = createAuthenticate({
    verifyJwt: tokens.verify,
    credentials: {
      ...context.auth,
      findToken: async (token) => (await context.apiTokens.find(token)) ?? context.programs.programTokens.find(token),
    },
    log,
    rememberEpoch: context.signedPaths.rememberEpoch,
  })
  const publicUrl = config.publicUrl ?? null
  requireAccess(app, authenticate, context.authenticateSigned, (request) => audienceOf(request, publicUrl).resource)
  endWithAccess(app)
  limitUsers(app)
  runHandlersAsCaller(app)
  app.addHook('onClose', settle)

  const addressOf = createClientAddressOf({
    trustsProxy: config.trustProxy !== false,
    untrustedProxies: context.untrustedProxies,
    log,
  })
  const requireFresh = (request: FastifyRequest, password: string | undefined) =>
    context.confirmation.requireFresh(actorOf(request, { addressOf }), password)
  auditActs(app, { record: context.recordAudit, addressOf })
  await app.register(healthRoutes, {
    prefix: '/api',
    health: context.health,
    metrics,
    areMetricsOpen: config.metrics === 'open',
  })
  if (config.role === 'worker') return app

  const { passkeys, totp, oidc, invitations } = context.signIn
  const signInOptions = { prefix: '/api', signToken: tokens.sign, addressOf }
  await app.register(authRoutes, { ...signInOptions, auth: context.auth })
  await app.register(apiTokensRoutes, { ...signInOptions, apiTokens: context.apiTokens })
  await app.register(accessItemsRoutes, { ...signInOptions, accessItems: context.accessItems })
  await app.register(passkeysRoutes, { ...signInOptions, passkeys, publicUrl })
  await app.register(totpRoutes, { ...signInOptions, totp })
  await app.register(oidcRoutes, { ...signInOptions, oidc })
  await app.register(invitationsRoutes, { ...signInOptions, invitations, publicUrl })
  await app.register(programsRoutes, { prefix: '/api', ...context.programs, publicUrl, addressOf })
  await app.register(oauthRoutes, {
    ...context.programs,
    publicUrl,
    addressOf,
    settings: context.settings,
  })
  await app.register(adminRoutes, { prefix: '/api', users: context.users, addressOf })

  await app.register(chatRoutes, { prefix: '/api', chat: context.chat })
  await app.register(sessionsRoutes, { prefix: '/api', sessions: context.chat })
  await app.register(exportsRoutes, { prefix: '/api', exports: context.chatExports })
  await app.register(picturesRoutes, { prefix: '/api', pictures: context.pictures })
  await app.register(sharesRoutes, { prefix: '/api', shares: context.shares, addressOf })
  await app.register(mcpRoutes, {
    memory: context.memoryForPrograms,
    assistantName: () => context.settings.current().assistant_name,
    version: VERSION,
    // The request's own host isn't allowed, since any name can resolve to this server.
    allowedOrigins: [...config.corsOrigins, ...(publicUrl === null ? [] : [new URL(publicUrl).origin])],
    resourceMetadataOf: (request) => resourceMetadataOf(audienceOf(request, publicUrl)),
    log,
  })
  await app.register(openAiRoutes, {
    prefix: '/v1',
    completions: context.completions,
    responses: context.responses,
    voice: context.voice,
  })
  await app.register(agentsRoutes, { prefix: '/api', agents: context.agents })
  await app.register(voiceRoutes, { prefix: '/api', voice: context.voice })
  await app.register(eventsRoutes, { prefix: '/api', events: context.events })
  await app.register(notificationsRoutes, { prefix: '/api', notifications: context.notifications })
  await app.register(pushRoutes, { prefix: '/api', push: context.push })
  await app.register(webhooksRoutes, { prefix: '/api', hooks: context.hooks })
  await app.register(remindersRoutes, { prefix: '/api', reminders: context.reminders })
  await app.register(mediaRoutes, {
    prefix: '/api',
    media: context.media,
    mediaTrash: context.mediaTrash,
    corrections: context.corrections,
    ownFacts: context.ownFacts,
    bulkReprocessing: context.bulkReprocessing,
  })
  await app.register(archivesRoutes, { prefix: '/api', archives: context.archives })
  await app.register(mediaFilesRoutes, { prefix: '/api', media: context.media })
  await app.register(uploadRoutes, {
    prefix: '/api',
    uploads: context.uploads,
    maxFileBytes: () => Math.min(UPLOAD_MAX_BYTES, context.settings.current().limits.upload_bytes),
  })
  await app.register(partialUploadsRoutes, { prefix: '/api', partialUploads: context.partialUploads })
  await app.register(notesRoutes, { prefix: '/api', notes: context.notes })
  await app.register(pagesRoutes, { prefix: '/api', pages: context.pages })
  await app.register(embeddingsRoutes, { prefix: '/api', embeddingSwitch: context.embeddingSwitch })
  await app.register(memoryRoutes, { prefix: '/api', memory: context.memory })
  await app.register(modelsRoutes, { prefix: '/api', models: context.models })
  await app.register(connectionsRoutes, {
    prefix: '/api',
    connections: context.connections,
    chatModels: context.ai.servers.chatModels,
    defaultModel: () => context.ai.chat().model(),
  })
  await app.register(ollamaRoutes, { prefix: '/api', ollama: context.ollama })
  await app.register(webRoutes, { prefix: '/api', web: context.web })
  await app.register(mcpServersRoutes, {
    prefix: '/api',
    mcpServers: context.mcpServers,
    requireFresh,
  })
  await app.register(ownMcpServersRoutes, { prefix: '/api', mcpServers: context.mcpServers })
  await app.register(watchedFoldersRoutes, { prefix: '/api', watchedFolders: context.watchedFolders })
  await app.register(effectsRoutes, { prefix: '/api', effects: context.effects })
  await app.register(madePicturesRoutes, { prefix: '/api', madePictures: context.madePictures })
  await app.register(automationRoutes, {
    prefix: '/api',
    automation: context.automation,
    summaries: context.summaries,
  })
  await app.register(personasRoutes, { prefix: '/api', personas: context.personas })
  await app.register(projectsRoutes, { prefix: '/api', projects: context.projects })
  await app.register(promptsRoutes, { prefix: '/api', prompts: context.prompts })
  await app.register(aboutMeRoutes, { prefix: '/api', aboutMe: context.aboutMe })
  await app.register(accountRoutes, { prefix: '/api', ...context.account, addressOf })
  await app.register(importsRoutes, { prefix: '/api', imports: context.imports })
  await app.register(auditRoutes, { prefix: '/api', audit: context.audit })
  await app.register(backupsRoutes, {
    prefix: '/api',
    backups: context.backups,
    offsite: context.offsite,
    trialRestores: context.trialRestores,
    requireFresh,
  })
  await app.register(insightsRoutes, { prefix: '/api', insights: context.insights })
  await app.register(memoryLogsRoutes, { prefix: '/api', memoryLogs: context.memoryLogs })
  await app.register(analyticsRoutes, { prefix: '/api', analytics: context.analytics })
  await app.register(systemRoutes, {
    prefix: '/api',
    settings: context.settings,
    ai: context.ai,
    signInWays: ({ host, socket: { localPort } }) => ({
      password: context.settings.current().sign_in.passwords,
      passkeys: relyingPartyOf(publicUrl, { host, localPort }) !== null,
      oidc: context.signIn.oidc.provider(),
    }),
    openApiDocument: () =>
      openApiDocument(documentedRoutes(app.declaredRoutes), {
        name: context.settings.current().assistant_name,
        version: VERSION,
      }),
  })
  await app.register(systemOverviewRoutes, { prefix: '/api', systemOverview: context.systemOverview })
  await app.register(settingsRoutes, { prefix: '/api', settings: context.settings, engines: context.engines })
  await app.register(storageRoutes, { prefix: '/api', storage: context.storage })
  await app.register(docsRoutes, { prefix: '/api' })

  await app.register(serveWebApp, {
    distDir: config.webDistDir,
    assistantName: () => context.settings.current().assistant_name,
  })
  return app
}

/** Fastify's `trustProxy` option. A number of hops becomes a function that counts them, since Fastify trusts no proxy if it's given a number. */
function trustProxyOf({ trustProxy }: Config) {
  return typeof trustProxy === 'number' ? (_address: string, hop: number) => hop < trustProxy : trustProxy
}
