import { AsyncLocalStorage } from 'node:async_hooks'
import { type Access, asLanguage, can, type Language, scopeOf, type TokenScope, type User } from '@mira/shared'
import type { RoutePolicy } from '@mira/shared/contract/route'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import {
  ForbiddenError,
  missingScopeError,
  sessionEndedError,
  UnauthorizedError,
  unknownTokenError,
} from '../../errors.ts'

/** Time zone and language of a request. */
export interface RequestTraits {
  /** IANA time zone; undefined when missing or unknown. */
  timeZone: string | undefined
  /** The preferred supported language; undefined when the request states none. */
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

/** Cache of valid zones, because creating the formatter that validates them is slow. */
const knownZones = new Set(['UTC'])
const MAX_KNOWN_ZONES = 1000

function readTimeZone(zone: string): string | undefined {
  if (knownZones.has(zone)) return zone
  // offsets such as +01:00 are rejected: PostgreSQL reads them with the opposite sign
  if (!/^[A-Za-z][\w+-]*(\/[\w+-]+)*$/.test(zone)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    return undefined
  }
  if (knownZones.size < MAX_KNOWN_ZONES) knownZones.add(zone)
  return zone
}

/** The supported language that the header prefers. */
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

/** Prefix of session tokens, which are JWTs. */
const JWT_START = 'eyJ'
/** Access isn't checked again for a request whose body arrived faster. */
const PROMPT_MS = 1000
const currentToken = new AsyncLocalStorage<string | null>()

/** Runs `work`, including its async continuations, as a request authenticated by this API token; null for other callers. */
export function runAsToken<Result>(tokenId: string | null, work: () => Result): Result {
  return currentToken.run(tokenId, work)
}

/** Id of the API token that authenticated the current request; null for a session, and when there is no request. */
export function currentTokenId(): string | null {
  return currentToken.getStore() ?? null
}

/** The authenticated caller, loaded for this request. */
export interface Principal {
  user: User
  /** Credential: a login's session, or one with fewer rights: an API token or a signed URL. */
  via: 'session' | 'token' | 'signed'
  /** Id of the session or token; for a signed URL, of the token it was made for, or ''. */
  credentialId: string
  /** Scopes of the API token that was sent or that the signed URL was made for; null otherwise. */
  scopes: readonly TokenScope[] | null
  /** The only URL for which an OAuth client's token is valid; undefined for other credentials. */
  audience?: string | undefined
  /** IANA time zone and language (en, es, fr, de) of this request, or of the user's last one. */
  timeZone: string
  language: string
}

/** A route and its access rules. */
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
    /** Accepts tokens of OAuth clients. */
    acceptsOauthClients?: boolean
  }
  interface FastifyInstance {
    /** All routes with their declared access. */
    declaredRoutes: DeclaredRoute[]
  }
  interface FastifyRequest {
    /** The authenticated caller. Null on public routes, unless the route has `identifiesCaller` and the token is valid. */
    principal: Principal | null
    /** True while the credential is still valid for the route; checked while a response is streamed. */
    isStillAllowed?: () => Promise<boolean>
    /** `performance.now()` of the authentication. */
    authenticatedAt?: number
  }
}

/**
 * Finds the holder of a bearer token (a JWT or a personal API token).
 * Null when it is unknown, expired or revoked, or its account is disabled.
 */
export type Authenticate = (token: string, traits: RequestTraits) => Promise<Principal | null>

/**
 * Finds the user whom the URL of a request was signed for. Null when the signature is invalid or expired, or the account or
 * API token can't be used any more.
 * @param isUnderWay accepts an expired signature, for a download that began in time.
 */
export type AuthenticateSigned = (url: string, traits: RequestTraits, isUnderWay: boolean) => Promise<Principal | null>

/**
 * Denies by default: every route must declare its access, which is checked before a request's body is read.
 * @throws Error at startup, when a route declares none.
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
  /** Caller of a public route; null when they can't be identified. */
  const findCaller = async (request: FastifyRequest, token: string, traits: Parameters<Authenticate>[1]) => {
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
    const { access, scope, sessionOnly, signed, acceptsOauthClients, identifiesCaller } = request.routeOptions.config
    if (access === undefined) throw new ForbiddenError('This route is closed.')
    const token = bearerToken(request)
    const traits = readTraits(request.headers)
    if (access === 'public') {
      if (identifiesCaller === true && token !== null) request.principal = await findCaller(request, token, traits)
      return
    }
    const find = async (isUnderWay: boolean) => {
      if (token !== null) return authenticate(token, traits)
      return signed === true ? authenticateSigned(request.url, traits, isUnderWay) : null
    }
    request.principal = await find(false)
    const audience = request.principal?.audience
    // a token for another URL isn't valid here
    if (audience !== undefined && (acceptsOauthClients !== true || audience !== resourceOf(request)))
      request.principal = null
    if (request.principal === null && token === null) throw new UnauthorizedError('Sign in to continue.')
    if (request.principal === null) throw token?.startsWith(JWT_START) ? sessionEndedError() : unknownTokenError()
    if (!can(request.principal.user, access)) {
      throw new ForbiddenError('Your account does not have permission to do this.')
    }
    request.isStillAllowed = async () => can((await find(true))?.user ?? null, access)
    request.authenticatedAt = performance.now()
    // a signed URL that was made for a token has only that token's rights
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
  // the sender may have been signed out while the body was received
  app.addHook('preValidation', requireStillAllowed)
  // only now that the body has been read, because the context would be lost in its events
  app.addHook('preValidation', (request, _reply, done) => {
    const { scopes = null, credentialId = '' } = request.principal ?? {}
    runAsToken(scopes === null ? null : credentialId, done)
  })
}

/**
 * Checks access again after a slow body. Routes that read the body themselves call it before they use any of it.
 * @throws UnauthorizedError
 */
export async function requireStillAllowed({
  isStillAllowed,
  authenticatedAt = 0,
}: Pick<FastifyRequest, 'isStillAllowed' | 'authenticatedAt'>): Promise<void> {
  if (isStillAllowed === undefined || performance.now() - authenticatedAt < PROMPT_MS) return
  if (!(await isStillAllowed())) throw sessionEndedError()
}

/** Scope that a personal API token needs for a route; null when tokens aren't allowed or nobody has to sign in. */
export function neededScope(
  method: string,
  { access, sessionOnly, scope }: Pick<FastifyContextConfig, 'sessionOnly' | 'scope'> & { access: Access },
): TokenScope | null {
  return access === 'public' || sessionOnly === true ? null : scopeOf({ access, method, scope })
}

/** @throws ForbiddenError when an API token lacks the needed scope, or the route accepts only sessions. */
function requireScope({ scopes }: Principal, route: { sessionOnly: boolean | undefined; needed: TokenScope }): void {
  if (route.sessionOnly === true) {
    throw new ForbiddenError('A personal API token cannot do this. Sign in with your username and password.', {
      code: 'token_not_allowed',
    })
  }
  if (scopes?.includes(route.needed)) return
  throw missingScopeError(route.needed)
}

/** @throws ForbiddenError when the request came with an API token that lacks a scope. */
export function requireTokenScope({ principal }: FastifyRequest, needed: TokenScope): void {
  if (principal !== null && principal.scopes !== null) requireScope(principal, { sessionOnly: false, needed })
}

/** False for an API token without the `read` scope. */
export function mayReadStored({ principal }: Pick<FastifyRequest, 'principal'>): boolean {
  return principal?.scopes?.includes('read') ?? true
}

/** True for an administrator with a session or an API token with the `admin` scope. */
export function isAdminCall({ principal }: Pick<FastifyRequest, 'principal'>): boolean {
  return principal?.user.role === 'admin' && (principal.scopes === null || principal.scopes.includes('admin'))
}

/** The caller of a non-public route. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new UnauthorizedError('Sign in to continue.')
  return request.principal
}

/** True when the user opted this request out of analytics. */
export function isAnalyticsOff(request: FastifyRequest): boolean {
  return request.headers['x-analytics'] === 'off'
}

/**
 * The token of an `Authorization: Bearer …` header; credentials are read only here. Under /v1 the scheme may be missing, and
 * the headers of Azure's and Anthropic's clients are accepted. Null without a token.
 */
function bearerToken({ headers, url }: FastifyRequest): string | null {
  const { authorization = '', 'api-key': azureKey, 'x-api-key': anthropicKey } = headers
  const match = url.startsWith('/v1')
    ? /^(?:Bearer +)?([\w.~+/=-]+)$/i.exec(authorization || String(azureKey ?? anthropicKey ?? ''))
    : /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)
  return match?.[1] ?? null
}
