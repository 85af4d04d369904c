import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  type AuthorizationQuery,
  type ConsentQuestion,
  type Program,
  type ProgramScope,
  programScopes,
} from '@mira/shared'
import { BadRequestError, ConflictError, NotFoundError, sessionEndedError } from '../../../errors.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import { type Actor, byActor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { UsersStore } from '../users/users.store.ts'
import { type ClientsService, isRegisteredRedirectUri } from './clients.service.ts'
import type { OAuthClient, OAuthStore } from './oauth.store.ts'

/** Kinds of secrets: a code, used once; an access token, valid for an hour; a refresh token, used once to get the next pair of tokens. */
type SecretKind = 'code' | 'access' | 'refresh'

const prefixes: Record<SecretKind, string> = { code: 'mira_oc', access: 'mira_oa', refresh: 'mira_or' }
const TOKEN_PATTERN = /^(mira_o[car])_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_([\w-]{43})$/

/** A new secret and its hash to store. */
export function newSecret(): { secret: string; secretHash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, secretHash: hashOf(secret).toString('hex') }
}

/** Token text for a program. */
export function tokenOf(kind: SecretKind, id: string, secret: string): string {
  return `${prefixes[kind]}_${id}_${secret}`
}

/** Reads the row id and the secret from a token; null for a token of another kind, or a text that isn't a token. */
export function readToken(kind: SecretKind, token: string): { id: string; secret: string } | null {
  const [, prefix, id, secret] = TOKEN_PATTERN.exec(token) ?? []
  return prefix === prefixes[kind] && id !== undefined && secret !== undefined ? { id, secret } : null
}

/** Compares a secret with the stored hash in constant time. */
export function matchesHash(secret: string, secretHash: string): boolean {
  return timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'hex'))
}

/** True when a verifier matches its S256 challenge (RFC 7636). */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  const expected = Buffer.from(challenge, 'base64url')
  const actual = hashOf(verifier)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

const CODE_LIFETIME_MS = 60_000
const MAX_GRANTS_PER_USER = 50

/** Identity of this server: the `issuer` of tokens, and the `resource` they give access to. */
export interface Audience {
  issuer: string
  resource: string
}

/** A validated request for authorisation. */
interface AuthorizationRequest {
  client: OAuthClient
  redirectUri: string
  state: string | undefined
  codeChallenge: string
  scopes: ProgramScope[]
}

export type AuthorizingService = ReturnType<typeof createAuthorizingService>

/** Programs' requests for access, and the users' grants. */
export function createAuthorizingService(deps: {
  store: OAuthStore
  clients: ClientsService
  users: UsersStore
  auth: AuthStore
}) {
  const { store, clients, users, auth } = deps

  /**
   * Validates a request. Errors are shown to the user here and never sent to the redirect URI. Since anybody can register a
   * client, that would make this server an open redirector.
   * @throws BadRequestError
   */
  const validate = (client: OAuthClient, query: AuthorizationQuery, audience: Audience): AuthorizationRequest => {
    const { redirect_uri: redirectUri, state, scope, code_challenge: codeChallenge = '' } = query
    if (redirectUri === undefined || !isRegisteredRedirectUri(redirectUri, client.redirectUris)) {
      throw new BadRequestError('The address the program wants to send you back to isn’t one of its own.', {
        code: 'invalid_redirect_uri',
      })
    }
    const refuse = (code: string, description: string): never => {
      throw new BadRequestError(description, { code })
    }
    if (query.response_type !== 'code')
      return refuse('unsupported_response_type', 'Only response_type=code is supported.')
    if (query.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(codeChallenge)) {
      return refuse('invalid_request', 'PKCE with code_challenge_method=S256 is required.')
    }
    if (!isResource(query.resource, audience)) return refuse('invalid_target', 'The resource isn’t this server.')
    const requestedScopes = (scope ?? '').split(' ')
    // Every scope includes reading.
    const scopes = programScopes.filter((name) => name === 'read' || requestedScopes.includes(name))
    return { client, redirectUri, state, codeChallenge, scopes }
  }

  const requireClientId = ({ client_id: clientId }: AuthorizationQuery): string => {
    if (clientId !== undefined) return clientId
    throw new BadRequestError('client_id is missing.', { code: 'invalid_client' })
  }

  /** @throws BadRequestError */
  const requireRequest = async (
    query: AuthorizationQuery,
    audience: Audience,
    userId: string,
  ): Promise<AuthorizationRequest> => {
    return validate(await clients.find(requireClientId(query), { userId }), query, audience)
  }

  return {
    /** Validates a request before the user signs in, without fetching anything. @throws BadRequestError */
    async check(query: AuthorizationQuery, audience: Audience): Promise<void> {
      const client = await clients.findRegistered(requireClientId(query))
      // A client that didn't register is validated after the user has signed in, since its metadata must be fetched.
      if (client !== null) validate(client, query, audience)
    },

    /** Program and scopes to show for consent. @throws BadRequestError */
    async question(userId: string, query: AuthorizationQuery, audience: Audience): Promise<ConsentQuestion> {
      const { client, redirectUri, scopes } = await requireRequest(query, audience, userId)
      const host = client.metadataFetchedAt === null ? null : new URL(client.clientId).host
      return { client_name: client.name, client_host: host, redirect_uri: redirectUri, scopes }
    },

    /**
     * Stores the user's decision.
     * @returns the client's redirect URI for the browser, with a code or the refusal.
     * @throws BadRequestError for an invalid request; ConflictError when too many programs have access.
     */
    async decide(
      actor: Actor,
      { query, agreed, scopes }: { query: AuthorizationQuery; agreed: boolean; scopes: readonly ProgramScope[] },
      audience: Audience,
    ): Promise<string> {
      const { userId, sessionId } = actor
      const request = await requireRequest(query, audience, userId)
      if (!agreed) return redirectUrlOf(request, audience, { error: 'access_denied' })
      const { secret, secretHash } = newSecret()
      const granted = request.scopes.filter((scope) => scope === 'read' || scopes.includes(scope))
      const id = await users.transaction(async (tx) => {
        if (!(await auth.lockSession(userId, sessionId, tx))) throw sessionEndedError()
        if ((await store.countActiveGrants(userId, tx)) >= MAX_GRANTS_PER_USER) {
          throw new ConflictError(`${MAX_GRANTS_PER_USER} programs have access. End one that you no longer use.`, {
            code: 'too_many_programs',
          })
        }
        const grantId = await store.insertGrant(
          {
            userId,
            clientId: request.client.id,
            scopes: granted,
            resource: audience.resource,
            redirectUri: request.redirectUri,
            codeHash: secretHash,
            codeChallenge: request.codeChallenge,
            codeExpiresAt: new Date(Date.now() + CODE_LIFETIME_MS),
            codeSessionId: sessionId,
          },
          tx,
        )
        await users.recordAudit(tx, {
          action: 'program.allowed',
          ...byActor(actor),
          subjectId: grantId,
          subjectName: request.client.name,
          detail: { scopes: granted },
        })
        return grantId
      })
      return redirectUrlOf(request, audience, { code: tokenOf('code', id, secret) })
    },

    list: (userId: string, query: PageQuery): Promise<Page<Program>> =>
      readPage(query, (limits) => store.listPrograms(userId, limits)),

    /** Ends the access of a program. @throws NotFoundError */
    async end(actor: Actor, id: string): Promise<void> {
      await users.transaction(async (tx) => {
        if (!(await store.removeGrant(id, tx, actor.userId))) throw new NotFoundError('There is no such program.')
        await users.recordAudit(tx, { action: 'program.ended', ...byActor(actor), subjectId: id })
      })
    },
  }
}

/** True when the requested resource is this server, or missing, as in older versions of the protocol. */
export function isResource(requested: string | undefined, { resource }: Audience): boolean {
  if (requested === undefined) return true
  return (
    URL.canParse(requested) && new URL(requested).href.replace(/\/$/, '') === new URL(resource).href.replace(/\/$/, '')
  )
}

/** The client's redirect URI with parameters, including the issuer (RFC 9207). */
function redirectUrlOf(
  { redirectUri, state }: { redirectUri: string; state: string | undefined },
  { issuer }: Audience,
  result: Record<string, string>,
): string {
  const url = new URL(redirectUri)
  const parameters = { ...result, ...(state === undefined ? {} : { state }), iss: issuer }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
