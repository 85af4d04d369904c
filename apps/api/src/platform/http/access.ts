import { AsyncLocalStorage } from 'node:async_hooks'
import { type Access, asLanguage, can, type Language, scopeOf, type TokenScope, type User } from '@mira/shared'
import type { RoutePolicy } from '@mira/shared/contract/route'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import { ForbiddenError, missingScope, sessionEnded, UnauthorizedError, unknownToken } from '../../errors.ts'

/** Time zone and language of a request. */
export interface RequestTraits {
  /** An IANA time zone; undefined when none that is known was sent. */
  timeZone: string | undefined
  /** A language that the product speaks; undefined when none of them was sent. */
  language: Language | undefined
}

/** Reads `X-Time-Zone` and `Accept-Language`. */
export function readTraits(headers: Record<string, string | string[] | undefined>): RequestTraits {
  return {
    timeZone: readTimeZone(boundedText(headers['x-time-zone'])),
    language: readLanguage(boundedText(headers['accept-language'])),
  }
}

function boundedText(value: string | string[] | undefined): string {
  return typeof value === 'string' && value.length <= 200 ? value : ''
}

/** Zones that were seen and are known: making the formatter that judges them takes long. */
const knownZones = new Set(['UTC'])
const KNOWN_ZONES_MAX = 1000

function readTimeZone(zone: string): string | undefined {
  if (knownZones.has(zone)) return zone
  // offsets such as +01:00 are left out: PostgreSQL reads them with the opposite sign
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(zone)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    return undefined
  }
  if (knownZones.size < KNOWN_ZONES_MAX) knownZones.add(zone)
  return zone
}

/** The language of ours that the header prefers. */
function readLanguage(header: string): Language | undefined {
  const options = header.split(',').flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim())
    const language = /^..(-|$)/.test(range) ? asLanguage(range.slice(0, 2).toLowerCase()) : null
    const weight = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find(Boolean)
    const quality = weight === undefined ? 1 : Number(weight)
    return language !== null && quality > 0 ? [{ language, quality }] : []
  })
  return options.sort((a, b) => b.quality - a.quality)[0]?.language
}

/** Beginning of each session token, a JWT. */
const JWT_START = 'eyJ'
/** A request whose body arrived faster is not checked again. */
const PROMPT_MS = 1000
const callers = new AsyncLocalStorage<string | null>()

/** Runs `work`, and everything that follows from it, as a request let in by this API token; null for any other caller. */
export function runAsToken<Result>(tokenId: string | null, work: () => Result): Result {
  return callers.run(tokenId, work)
}

/** Id of the API token that the current request was let in by; null for sessions and outside of requests. */
export function currentTokenId(): string | null {
  return callers.getStore() ?? null
}

/** The caller, loaded from the database for this request. */
export interface Principal {
  user: User
  /** By what they are let in: a login's session, or what opens less, a personal API token or a signed path. */
  via: 'session' | 'token' | 'signed'
  /** Id of that session or token; of a signed path, the token that it was made for, else empty. */
  credentialId: string
  /** The scopes of the API token that was sent, or that a signed path was made for; null for everything else. */
  scopes: readonly TokenScope[] | null
  /** The one address that the token of a program opens; a personal API token opens every route that its scopes name. */
  audience?: string | undefined
  /** IANA time zone and language (en, es, fr, de) of this request, else of their last one. */
  timeZone: string
  language: string
}

/** A route with what opens it. */
export interface DeclaredRoute {
  method: string
  url: string
  access: Access
  /** Scope that a personal API token needs; null when tokens aren't allowed or nobody has to sign in. */
  scope: TokenScope | null
  schema: FastifySchema | undefined
}

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<RoutePolicy> {
    /** Tokens of programs open it that a person let in by OAuth. */
    opensToPrograms?: boolean
  }
  interface FastifyInstance {
    /** Every route, as it declared itself. */
    declaredRoutes: DeclaredRoute[]
  }
  interface FastifyRequest {
    /** Null on public routes without a token. */
    principal: Principal | null
    /** True while the token or the signed address still opens the route; checked while an answer is sent. */
    isStillAllowed?: () => Promise<boolean>
    /** Time at which the caller was let in, by `performance.now()`. */
    letInAt?: number
  }
}

/**
 * Finds the holder of a bearer token (a JWT or a personal API token).
 * Null when it is unknown, expired or revoked, or its account is disabled.
 */
export type Authenticate = (token: string, traits: RequestTraits) => Promise<Principal | null>

/**
 * Finds the user whom the address of a request was signed for; null as for tokens.
 * @param isUnderWay lets a download go on that began in time.
 */
export type AuthenticateSigned = (url: string, traits: RequestTraits, isUnderWay: boolean) => Promise<Principal | null>

/**
 * Denies by default: every route declares its access, and every request is held against it before its body is read.
 * @throws Error while the server is being built, when a route declares none.
 */
export function requireAccess(
  app: FastifyInstance,
  authenticate: Authenticate,
  authenticateSigned: AuthenticateSigned = async () => null,
  resourceOf: (request: FastifyRequest) => string = () => '',
): void {
  const declaredRoutes: DeclaredRoute[] = []
  app.decorate('declaredRoutes', declaredRoutes)
  app.decorateRequest('principal', null)
  app.addHook('onRoute', ({ method, url, config, schema }) => {
    const access = config?.access
    if (access === undefined) throw new Error(`${String(method)} ${url} declares no access`)
    for (const verb of [method].flat()) {
      declaredRoutes.push({ method: verb, url, access, scope: neededScope(verb, { ...config, access }), schema })
    }
  })
  /** Caller of a public route; none when they can't be identified. */
  const knownCaller = async (request: FastifyRequest, token: string, traits: Parameters<Authenticate>[1]) => {
    try {
      const principal = await authenticate(token, traits)
      return principal?.audience === undefined ? principal : null
    } catch (error) {
      request.log.debug({ err: error }, 'a caller of a public route could not be identified')
      return null
    }
  }
  app.addHook('onRequest', async (request) => {
    if (request.is404) return
    const { access, scope, sessionOnly, signed, opensToPrograms, identifiesCaller } = request.routeOptions.config
    if (access === undefined) throw new ForbiddenError('This route is closed.')
    const token = bearerToken(request)
    const traits = readTraits(request.headers)
    if (access === 'public') {
      if (identifiesCaller === true && token !== null) request.principal = await knownCaller(request, token, traits)
      return
    }
    const find = async (isUnderWay: boolean) => {
      if (token !== null) return authenticate(token, traits)
      return signed === true ? authenticateSigned(request.url, traits, isUnderWay) : null
    }
    request.principal = await find(false)
    const audience = request.principal?.audience
    // a token for something else is no token here
    if (audience !== undefined && (opensToPrograms !== true || audience !== resourceOf(request)))
      request.principal = null
    if (request.principal === null && token === null) throw new UnauthorizedError('Sign in to go on.')
    if (request.principal === null) throw token?.startsWith(JWT_START) ? sessionEnded() : unknownToken()
    if (!can(request.principal.user, access)) {
      throw new ForbiddenError('Your account does not have permission to do this.')
    }
    request.isStillAllowed = async () => can((await find(true))?.user ?? null, access)
    request.letInAt = performance.now()
    // a signed address that was made for a token can do no more than the token
    if (request.principal.scopes !== null) {
      requireScope(request.principal, { sessionOnly, needed: scopeOf({ access, method: request.method, scope }) })
    }
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.routeOptions.config.respondsWithContent !== true || mayReadStored(request)) return payload
    if (reply.statusCode >= 300) return payload
    reply.code(204).removeHeader('content-type').removeHeader('content-length')
    return ''
  })
  // a body takes as long as its sender likes, who may be signed out meanwhile
  app.addHook('preValidation', requireStillAllowed)
  // after the body was read, whose events would lose the context
  app.addHook('preValidation', (request, _reply, done) => {
    const { scopes = null, credentialId = '' } = request.principal ?? {}
    runAsToken(scopes === null ? null : credentialId, done)
  })
}

/**
 * Checks again who sent a body that was long under way; for routes that read it themselves, before any of it becomes theirs.
 * @throws UnauthorizedError
 */
export async function requireStillAllowed({
  isStillAllowed,
  letInAt = 0,
}: Pick<FastifyRequest, 'isStillAllowed' | 'letInAt'>): Promise<void> {
  if (isStillAllowed === undefined || performance.now() - letInAt < PROMPT_MS) return
  if (!(await isStillAllowed())) throw sessionEnded()
}

/** Scope that a personal API token needs for a route; null when tokens aren't allowed or nobody has to sign in. */
export function neededScope(
  method: string,
  { access, sessionOnly, scope }: Pick<FastifyContextConfig, 'sessionOnly' | 'scope'> & { access: Access },
): TokenScope | null {
  return access === 'public' || sessionOnly === true ? null : scopeOf({ access, method, scope })
}

/** @throws ForbiddenError when a personal API token was not made for what it is used for. */
function requireScope({ scopes }: Principal, route: { sessionOnly: boolean | undefined; needed: TokenScope }): void {
  if (route.sessionOnly === true) {
    throw new ForbiddenError('A personal API token cannot do this. Sign in with your username and password.', {
      code: 'token_not_allowed',
    })
  }
  if (scopes?.includes(route.needed)) return
  throw missingScope(route.needed)
}

/** @throws ForbiddenError when the request came with an API token that lacks a scope. */
export function requireTokenScope({ principal }: FastifyRequest, needed: TokenScope): void {
  if (principal !== null && principal.scopes !== null) requireScope(principal, { sessionOnly: false, needed })
}

/** False for an API token that may not read what is stored. */
export function mayReadStored({ principal }: Pick<FastifyRequest, 'principal'>): boolean {
  return principal?.scopes?.includes('read') ?? true
}

/** True for a call of an administrator, by a session or an API token made for administration. */
export function isAdminCall({ principal }: Pick<FastifyRequest, 'principal'>): boolean {
  return principal?.user.role === 'admin' && (principal.scopes === null || principal.scopes.includes('admin'))
}

/** The principal of a route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new UnauthorizedError('Sign in to go on.')
  return request.principal
}

/** True when the person asked for their activity to stay out of analytics. */
export function isAnalyticsOff(request: FastifyRequest): boolean {
  return request.headers['x-analytics'] === 'off'
}

/**
 * The token of an `Authorization: Bearer …` header: the one place where credentials are read. Under /v1 also without the
 * scheme, and from the headers in which programs for Azure and Anthropic send their key. Null without one.
 */
function bearerToken({ headers, url }: FastifyRequest): string | null {
  const { authorization = '', 'api-key': azureKey, 'x-api-key': anthropicKey } = headers
  const match = url.startsWith('/v1')
    ? /^(?:Bearer +)?([\w.~+/=-]+)$/i.exec(authorization || String(azureKey ?? anthropicKey ?? ''))
    : /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)
  return match?.[1] ?? null
}
