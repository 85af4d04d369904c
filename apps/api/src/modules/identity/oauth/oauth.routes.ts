import { authorizationQuerySchema, programScopes } from '@mira/shared'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../../../platform/http/access.ts'
import type { ClientAddressOf } from '../../../platform/http/client-address.ts'
import { asAppError } from '../../../platform/http/error-handler.ts'
import { createAddressRateLimit } from '../../../platform/http/rate-limits.ts'
import { allowOpener } from '../../../platform/http/security-headers.ts'
import { serve } from '../../../platform/http/serve.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { actorOf, type SignInRoutesOptions } from '../sign-in/sign-in.routes.ts'
import { TOO_MANY_SIGN_INS } from '../sign-in/sign-in-limits.ts'
import type { Audience, AuthorizingService } from './authorizing.service.ts'
import type { ClientsService } from './clients.service.ts'
import type { ProgramTokensService } from './program-tokens.service.ts'

/** Path of the endpoint for the Model Context Protocol. */
const RESOURCE_PATH = '/mcp'

/** This server as clients address it: PUBLIC_URL, or else the request's own host. */
export function audienceOf({ protocol, host }: FastifyRequest, publicUrl: string | null): Audience {
  const issuer = publicUrl ?? originOf(`${protocol}://${host}`)
  return { issuer, resource: issuer + RESOURCE_PATH }
}

/** URL of the resource's metadata: the well-known path, followed by the resource's path (RFC 9728, 3.1). */
export function resourceMetadataOf({ resource }: Audience): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}/.well-known/oauth-protected-resource${pathname}`
}

/** Origin of a URL, or of localhost when the client sent an invalid host. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'http://localhost'
}

interface ProgramsRoutesOptions extends Pick<SignInRoutesOptions, 'addressOf'> {
  authorizing: AuthorizingService
  publicUrl: string | null
}

/** Routes for consenting to a program's access, and for the list of programs with access. */
export async function programsRoutes(app: FastifyInstance, options: ProgramsRoutesOptions): Promise<void> {
  const { authorizing, publicUrl } = options

  serve(app, 'GET /oauth/consent', async (request) =>
    authorizing.question(principalOf(request).user.id, request.query, audienceOf(request, publicUrl)),
  )

  serve(app, 'POST /oauth/consent', async (request) => {
    const { agreed, scopes, ...query } = request.body
    const consent = { query, agreed, scopes }
    return { redirect_to: await authorizing.decide(actorOf(request, options), consent, audienceOf(request, publicUrl)) }
  })

  serve(app, 'GET /me/programs', async (request) => {
    const { items, nextCursor } = await authorizing.list(principalOf(request).user.id, request.query)
    return { programs: items, next_cursor: nextCursor }
  })

  serve(app, 'DELETE /me/programs/:id', async (request, reply) => {
    await authorizing.end(actorOf(request, options), request.params.id)
    return reply.code(204).send()
  })
}

interface OAuthRoutesOptions {
  clients: ClientsService
  authorizing: AuthorizingService
  programTokens: ProgramTokensService
  publicUrl: string | null
  addressOf: ClientAddressOf
  settings: SettingsReader
}

const BODY_LIMIT_BYTES = 64 * 1024
const REGISTRATIONS_PER_HOUR = 30
const HOUR_MS = 60 * 60 * 1000
const REQUESTS_PER_MINUTE = 300

/** Codes of RFC 6749, 7591 and 8707; other errors are mapped to one of them. */
const protocolCodes = new Set([
  ...['invalid_request', 'invalid_client', 'invalid_grant', 'unsupported_grant_type', 'invalid_target'],
  ...['unsupported_response_type', 'invalid_redirect_uri', 'invalid_client_metadata'],
])

/** OAuth for MCP programs: metadata, and the endpoints that need no signed-in user. */
export async function oauthRoutes(app: FastifyInstance, options: OAuthRoutesOptions): Promise<void> {
  const { clients, authorizing, programTokens, publicUrl, addressOf, settings } = options
  const limitRegistrations = createAddressRateLimit({
    maxCalls: REGISTRATIONS_PER_HOUR,
    windowMs: HOUR_MS,
    sentence: TOO_MANY_SIGN_INS,
  })
  const limitRequests = createAddressRateLimit({ maxCalls: REQUESTS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })
  const config = { access: 'public' } as const

  app.setErrorHandler((error, _request, reply) => {
    const appError = asAppError(error)
    const status = appError?.status ?? 500
    if (appError?.retryAfterSeconds !== undefined) reply.header('retry-after', String(appError.retryAfterSeconds))
    const code = appError !== null && protocolCodes.has(appError.code) ? appError.code : codeOf(status)
    // The protocol reports invalid input with 400.
    return reply
      .code(status === 422 || status === 413 || status === 415 ? 400 : status)
      .header('cache-control', 'no-store')
      .send({ error: code, error_description: asciiOf(appError?.message ?? 'Internal server error') })
  })

  const resourceDocument = async (request: FastifyRequest) => {
    const { issuer, resource } = audienceOf(request, publicUrl)
    return {
      resource,
      authorization_servers: [issuer],
      scopes_supported: programScopes,
      bearer_methods_supported: ['header'],
      resource_name: settings.current().assistant_name,
    }
  }
  const serverDocument = async (request: FastifyRequest) => {
    const { issuer } = audienceOf(request, publicUrl)
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      registration_endpoint: `${issuer}/oauth/register`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      scopes_supported: programScopes,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    }
  }
  const wellKnown = '/.well-known'
  const documents = {
    [`${wellKnown}/oauth-protected-resource`]: resourceDocument,
    [`${wellKnown}/oauth-protected-resource/mcp`]: resourceDocument,
    [`${wellKnown}/oauth-authorization-server`]: serverDocument,
  }
  for (const [url, document] of Object.entries(documents)) {
    app.get(url, { config }, async (request, reply) =>
      reply.header('cache-control', 'no-cache').send(await document(request)),
    )
  }

  app.post('/oauth/register', { config, bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    limitRegistrations(addressOf(request))
    const registered = await clients.register(request.body)
    return reply.code(201).header('cache-control', 'no-store').send(registered)
  })

  app.get('/oauth/authorize', { config }, async (request, reply) => {
    limitRequests(addressOf(request))
    const audience = audienceOf(request, publicUrl)
    const search = new URL(request.url, audience.issuer).search
    const page = `${audience.issuer}/connect${search}`
    reply.header('cache-control', 'no-store')
    allowOpener(reply)
    try {
      await authorizing.check(authorizationQuerySchema.parse(request.query), audience)
      return reply.redirect(page, 302)
    } catch (error) {
      // The web app's page shows the error, in the user's language.
      const isBrowser = request.headers.accept?.includes('text/html') ?? false
      if (!isBrowser || asAppError(error)?.status !== 400) throw error
      return reply.redirect(page, 302)
    }
  })

  app.post('/oauth/token', { config, bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    limitRequests(addressOf(request))
    const tokens = await programTokens.exchange(request.body ?? {}, audienceOf(request, publicUrl))
    return reply.header('cache-control', 'no-store').send(tokens)
  })

  app.post('/oauth/revoke', { config, bodyLimit: BODY_LIMIT_BYTES }, async (request, reply) => {
    limitRequests(addressOf(request))
    await programTokens.revoke(request.body ?? {})
    return reply.header('cache-control', 'no-store').send()
  })
}

/** A sentence in the characters that RFC 6749 allows in `error_description`. */
const asciiOf = (sentence: string): string =>
  sentence.replaceAll(/[‘’“”"]/g, "'").replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')

function codeOf(status: number): string {
  if (status >= 500) return 'server_error'
  return status === 429 ? 'temporarily_unavailable' : 'invalid_request'
}
