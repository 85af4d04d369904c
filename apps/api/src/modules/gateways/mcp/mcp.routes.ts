import { can, decodeSse, programScopes, type TokenScope } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequestError, ForbiddenError, missingScopeError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { type Principal, principalOf } from '../../../platform/http/access.ts'
import { abortOnDisconnect, callerOf } from '../../../platform/http/caller-of.ts'
import { asAppError } from '../../../platform/http/error-handler.ts'
import { mayKnowSetup } from '../../../platform/http/wording.ts'
import { loadOnce } from '../../../platform/lib/load-once.ts'
import { createSemaphore } from '../../../platform/lib/semaphore.ts'
import type { MemoryForPrograms } from './memory.service.ts'
import { ruleOf, type ToolContext } from './tools.ts'

interface McpRoutesOptions {
  memory: MemoryForPrograms
  assistantName(): string
  version: string
  /** Origins of web pages and apps that may call the endpoint, in the form of the `Origin` header. */
  allowedOrigins: readonly string[]
  /** URL of the metadata that tells clients how to request access (RFC 9728). */
  resourceMetadataOf(request: FastifyRequest): string
  log: Log
}

/** Fits the largest file that can be sent, encoded as base64. */
const BODY_LIMIT_BYTES = 48 * 1024 * 1024
/** JSON-RPC messages per request. */
const MAX_BATCH = 20
/** Above this size, fewer calls run at once, since a body stays in memory until its tool has run. */
const LARGE_BYTES = 1024 * 1024
const CALLS = { permits: 100, perUser: 4, maxWaiting: 1000, maxWaitingPerUser: 60 }
const LARGE_CALLS = { permits: 6, perUser: 2, reserve: 2, maxWaiting: 0 }
const BUSY = 'Too many tools run right now. Try again in a moment.'
/** JSON-RPC leaves this code to the implementation; `data.code` tells the errors apart. */
const SERVER_ERROR_CODE = -32_001
/** JSON-RPC's error code for an unparseable body. */
const UNPARSED_CODE = -32_700

/**
 * /mcp: the Model Context Protocol over Streamable HTTP. It's stateless, so that any of several servers can handle each
 * request.
 */
export async function mcpRoutes(app: FastifyInstance, options: McpRoutesOptions): Promise<void> {
  const { memory, assistantName, version, allowedOrigins, resourceMetadataOf, log } = options
  const contexts = new WeakMap<Request, ToolContext>()
  const semaphore = createSemaphore({ ...CALLS, busy: BUSY })
  const largeCalls = createSemaphore({ ...LARGE_CALLS, busy: BUSY })
  // Loaded at the first request, since the SDK takes memory that most instances never need.
  const handler = loadOnce(async () => {
    const [{ createMcpHandler }, { createMemoryServer }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./memory-server.ts'),
    ])
    return createMcpHandler(
      ({ requestInfo }) => {
        const context = requestInfo && contexts.get(requestInfo)
        if (context === undefined) throw new Error('a request of this protocol has no caller')
        return createMemoryServer({ title: assistantName(), version }, context)
      },
      { onerror: (error) => log.debug({ err: error }, 'a request of the Model Context Protocol failed') },
    )
  })
  app.addHook('onClose', async () => (await handler.loaded)?.close())

  // The protocol requires this against DNS rebinding, which lets another website's page pass as this server's own.
  app.addHook('onRequest', async ({ headers: { origin } }) => {
    if (origin === undefined || allowedOrigins.includes(origin)) return
    throw new ForbiddenError('Web pages and apps of this origin may not connect. Ask an administrator to allow it.', {
      code: 'origin_not_allowed',
    })
  })

  app.setErrorHandler((error, request, reply) => {
    const appError = asAppError(error)
    const status = appError?.status ?? 500
    const challenge = `Bearer realm="Mira", resource_metadata="${resourceMetadataOf(request)}"`
    if (status === 401) {
      const tokenError = request.headers.authorization === undefined ? '' : ', error="invalid_token"'
      reply.header('www-authenticate', `${challenge}, scope="${programScopes.join(' ')}"${tokenError}`)
    }
    if (appError?.code === 'scope_missing') {
      const scopes = scopesFor(request).join(' ')
      reply.header('www-authenticate', `${challenge}, scope="${scopes}", error="insufficient_scope"`)
    }
    if (appError?.retryAfterSeconds !== undefined) reply.header('retry-after', String(appError.retryAfterSeconds))
    const { message, code } = appError ?? { message: 'Internal server error', code: 'internal_error' }
    return reply.code(status).send({
      jsonrpc: '2.0',
      id: null,
      error: { code: code === 'invalid_json' ? UNPARSED_CODE : SERVER_ERROR_CODE, message, data: { code } },
    })
  })

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    bodyLimit: BODY_LIMIT_BYTES,
    // Some programs look with HEAD for an endpoint: like GET, it isn't supported.
    exposeHeadRoute: false,
    // Each tool also has a scope of its own.
    config: { access: 'user', scope: 'read', userLimit: 'stream', acceptsOauthClients: true },
    handler: async (request, reply) => {
      const principal = principalOf(request)
      requireShortBatch(request.body)
      requireToolScopes(request.body, principal)
      const userId = principal.user.id
      const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
      const isLarge = request.method === 'POST' && length > LARGE_BYTES
      using _permit = isLarge ? await largeCalls.acquire({ userId }) : null
      const signal = abortOnDisconnect(reply)
      const webRequest = webRequestOf(request, signal)
      contexts.set(webRequest, {
        caller: callerOf(request),
        memory,
        semaphore,
        signal,
        log,
        mayKnowSetup: mayKnowSetup(request),
        mayUse: ({ access, scope }) =>
          can(principal.user, access) && (principal.scopes === null || principal.scopes.includes(scope)),
      })
      const response = await (await handler()).fetch(webRequest, { parsedBody: request.body })
      return reply.send(request.method === 'POST' && !acceptsStreams(request) ? await asJson(response) : response)
    },
  })
}

/** The request for the handler, which gets the body separately. */
function webRequestOf({ method, url, headers, host, protocol }: FastifyRequest, signal: AbortSignal): Request {
  const webHeaders = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // The token has been checked already, and nothing further needs it.
    if (typeof value === 'string' && name !== 'authorization' && name !== 'content-length') webHeaders.set(name, value)
  }
  // The handler refuses a POST that doesn't accept both types. Programs that don't accept event streams get JSON (`asJson`).
  if (method === 'POST') webHeaders.set('accept', 'application/json, text/event-stream')
  return new Request(new URL(url, `${protocol}://${host || 'localhost'}`), { method, headers: webHeaders, signal })
}

const acceptsStreams = ({ headers }: FastifyRequest) => headers.accept?.includes('text/event-stream') ?? false

/** Converts an event stream to JSON, without notifications. */
async function asJson(response: Response): Promise<Response> {
  const { status, headers, body } = response
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return response
  const messages: { id?: unknown }[] = []
  for await (const { data } of decodeSse(body.pipeThrough(new TextDecoderStream()))) {
    if (data !== '') messages.push(JSON.parse(data))
  }
  const results = messages.filter((message) => 'result' in message || 'error' in message)
  const jsonHeaders = new Headers(headers)
  jsonHeaders.set('content-type', 'application/json')
  return new Response(JSON.stringify(results.length === 1 ? results[0] : results), { status, headers: jsonHeaders })
}

/** Scopes to request after a refusal: `read`, those of the token, and those of the called tools. */
function scopesFor({ body, principal }: FastifyRequest): TokenScope[] {
  const toolScopes = [...calledTools(body)].map(({ scope }) => scope)
  return [...new Set<TokenScope>(['read', ...(principal?.scopes ?? []), ...toolScopes])]
}

/** The rules of the tools that a request calls. */
function* calledTools(body: unknown) {
  for (const message of [body].flat() as ({ method?: unknown; params?: { name?: unknown } } | null | undefined)[]) {
    const rule = message?.method === 'tools/call' ? ruleOf(message.params?.name) : null
    if (rule !== null) yield rule
  }
}

/** @throws BadRequestError */
function requireShortBatch(body: unknown): void {
  if (!Array.isArray(body) || body.length <= MAX_BATCH) return
  throw new BadRequestError(`Send at most ${MAX_BATCH} messages at once.`, { code: 'batch_too_long' })
}

/** @throws ForbiddenError when an API token lacks the scope of a called tool. */
function requireToolScopes(body: unknown, { scopes }: Principal): void {
  if (scopes === null) return
  for (const rule of calledTools(body)) {
    if (scopes.includes(rule.scope)) continue
    throw missingScopeError(rule.scope)
  }
}
