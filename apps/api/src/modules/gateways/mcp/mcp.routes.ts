import { can, decodeSse, programScopes, type TokenScope } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { BadRequestError, ForbiddenError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { type Principal, principalOf } from '../../../platform/http/access.ts'
import { abortWhenCallerLeaves, callerOf } from '../../../platform/http/caller-of.ts'
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
  /** Address of the metadata about requesting access (RFC 9728). */
  resourceMetadataOf(request: FastifyRequest): string
  log: Log
}

/** A file as base64 of the largest that is sent along. */
const BODY_LIMIT_BYTES = 48 * 1024 * 1024
/** Most messages that one request may bring. */
const MAX_BATCH = 20
/** A larger body stays in memory until its tool has run. */
const LARGE_BYTES = 1024 * 1024
const CALLS = { permits: 100, perUser: 4, maxWaiting: 1000, maxWaitingPerUser: 60 }
const LARGE_CALLS = { permits: 6, perUser: 2, reserve: 2, maxWaiting: 0 }
const BUSY = 'Too many tools run right now. Try again in a moment.'
const UNAUTHORIZED_CODE = -32_001
/** JSON-RPC's error code for an unparseable body. */
const UNPARSED_CODE = -32_700

/**
 * /mcp: the Model Context Protocol over Streamable HTTP. Nothing is kept between two requests, so that any server of several
 * can answer each.
 */
export async function mcpRoutes(app: FastifyInstance, options: McpRoutesOptions): Promise<void> {
  const { memory, assistantName, version, resourceMetadataOf, log } = options
  const contexts = new WeakMap<Request, ToolContext>()
  const semaphore = createSemaphore({ ...CALLS, busy: BUSY })
  const largeCalls = createSemaphore({ ...LARGE_CALLS, busy: BUSY })
  // with the first program: it takes memory that most instances never need
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

  app.setErrorHandler((error, request, reply) => {
    const appError = asAppError(error)
    const status = appError?.status ?? 500
    const challenge = `Bearer realm="Mira", resource_metadata="${resourceMetadataOf(request)}"`
    if (status === 401) {
      const wrong = request.headers.authorization === undefined ? '' : ', error="invalid_token"'
      reply.header('www-authenticate', `${challenge}, scope="${programScopes.join(' ')}"${wrong}`)
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
      error: { code: code === 'invalid_json' ? UNPARSED_CODE : UNAUTHORIZED_CODE, message, data: { code } },
    })
  })

  app.route({
    method: ['GET', 'POST', 'DELETE'],
    url: '/mcp',
    bodyLimit: BODY_LIMIT_BYTES,
    // each tool has a scope of its own
    config: { access: 'user', scope: 'read', userLimit: 'stream', opensToPrograms: true },
    handler: async (request, reply) => {
      const principal = principalOf(request)
      requireShortBatch(request.body)
      requireToolScopes(request.body, principal)
      const userId = principal.user.id
      const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
      const isLarge = request.method === 'POST' && length > LARGE_BYTES
      using _permit = isLarge ? await largeCalls.acquire({ userId }) : null
      const signal = abortWhenCallerLeaves(reply)
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
      const answer = await (await handler()).fetch(webRequest, { parsedBody: request.body })
      return reply.send(request.method === 'POST' && !takesStreams(request) ? await asJson(answer) : answer)
    },
  })
}

/** The request in the form that the handler reads; its body is passed separately. */
function webRequestOf({ method, url, headers, host, protocol }: FastifyRequest, signal: AbortSignal): Request {
  const webHeaders = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    // the token is judged already, and nothing further in needs it
    if (typeof value === 'string' && name !== 'authorization' && name !== 'content-length') webHeaders.set(name, value)
  }
  // some programs ask for anything, or for nothing in particular; they are answered in one piece
  if (method === 'POST') webHeaders.set('accept', 'application/json, text/event-stream')
  return new Request(new URL(url, `${protocol}://${host || 'localhost'}`), { method, headers: webHeaders, signal })
}

const takesStreams = ({ headers }: FastifyRequest) => headers.accept?.includes('text/event-stream') ?? false

/** An answer in one piece: what a stream says at its end. */
async function asJson(answer: Response): Promise<Response> {
  const { status, headers, body } = answer
  if (body === null || !headers.get('content-type')?.startsWith('text/event-stream')) return answer
  const messages: { id?: unknown }[] = []
  for await (const { data } of decodeSse(body.pipeThrough(new TextDecoderStream()))) {
    if (data !== '') messages.push(JSON.parse(data))
  }
  const answers = messages.filter((message) => 'result' in message || 'error' in message)
  const jsonHeaders = new Headers(headers)
  jsonHeaders.set('content-type', 'application/json')
  return new Response(JSON.stringify(answers.length === 1 ? answers[0] : answers), { status, headers: jsonHeaders })
}

/** Scopes required after a refused request: those of its token, and those of the called tools. */
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

/** @throws ForbiddenError when an API token was not made for a tool that is called. */
function requireToolScopes(body: unknown, { scopes }: Principal): void {
  if (scopes === null) return
  for (const rule of calledTools(body)) {
    if (scopes.includes(rule.scope)) continue
    throw new ForbiddenError(`This API token lacks the scope “${rule.scope}”. Make one that has it.`, {
      code: 'scope_missing',
    })
  }
}
