import { type Access, can, type User } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ForbiddenError, UnauthorizedError } from '../errors.ts'
import { isDirectLoopback } from './loopback.ts'

/** Who makes a request, looked up in the database for this very request. */
export interface Principal {
  user: User
  /** How they signed in: a login's session, or a personal API token. */
  via: 'session' | 'token'
  /** Id of that session or token. */
  credentialId: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route. A route without it stops the server at start. */
    access?: Access
    /** A program on the same machine that calls directly needs no token. */
    openToLoopback?: boolean
  }
  interface FastifyRequest {
    /** Null on public routes without a token. */
    principal: Principal | null
  }
}

/** What the hook knows of a request besides its token. */
export interface RequestTraits {
  timeZone: string | undefined
  language: string | undefined
}

/**
 * Finds the holder of a bearer token (a JWT or a personal API token).
 * Null when it is unknown, expired or revoked, or its account is disabled.
 */
export type Authenticate = (token: string, traits: RequestTraits) => Promise<Principal | null>

/**
 * Denies by default: every route declares its access, and every request is held against it before its body is read.
 * @throws Error while the server is being built, when a route declares none.
 */
export function requireAccess(app: FastifyInstance, authenticate: Authenticate): void {
  app.decorateRequest('principal', null)
  app.addHook('onRoute', (route) => {
    if (route.config?.access === undefined) {
      throw new Error(`${String(route.method)} ${route.url} declares no access`)
    }
  })
  app.addHook('onRequest', async (request) => {
    if (request.is404) return
    const access = request.routeOptions.config.access
    if (access === undefined) throw new ForbiddenError('This route is closed.')
    if (access === 'public') return
    if (request.routeOptions.config.openToLoopback === true && isDirectLoopback(request)) return
    const token = bearerToken(request)
    if (token === null) throw new UnauthorizedError('Sign in to go on.')
    request.principal = await authenticate(token, {
      timeZone: header(request, 'x-time-zone'),
      language: header(request, 'accept-language'),
    })
    if (request.principal === null) throw new UnauthorizedError('Your session has ended. Sign in again.')
    if (!can(request.principal.user, access)) {
      throw new ForbiddenError('Your account does not have permission to do this.')
    }
  })
}

/** The principal of a route that is not public. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new UnauthorizedError('Sign in to go on.')
  return request.principal
}

/** True when the person asked for their activity to stay out of analytics. */
export function isAnalyticsOff(request: FastifyRequest): boolean {
  return header(request, 'x-analytics') === 'off'
}

/** The token of an `Authorization: Bearer …` header, or null: the one place where credentials are read. */
function bearerToken(request: FastifyRequest): string | null {
  const match = /^Bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1] ?? null
}

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' && value.length <= 200 ? value : undefined
}
