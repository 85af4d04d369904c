import { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import {
  type Audience,
  isResource,
  matchesChallenge,
  matchesHash,
  newSecret,
  readToken,
  tokenOf,
} from './authorizing.service.ts'
import { notRegistered } from './clients.service.ts'
import type { Grant, OAuthStore } from './oauth.store.ts'

const ACCESS_LIFETIME_SECONDS = 60 * 60
/** Lifetime of an unused refresh token; each use replaces the token with a new one. */
const REFRESH_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000
/**
 * Time after the use of a refresh token in which its program may repeat the request: two windows of a program refresh at
 * once, and responses get lost.
 */
const RETRY_MS = 30_000

const fieldSchema = z.string().max(4000)
const tokenRequestSchema = z.object({
  grant_type: fieldSchema,
  client_id: fieldSchema.optional(),
  code: fieldSchema.optional(),
  redirect_uri: fieldSchema.optional(),
  code_verifier: fieldSchema.optional(),
  refresh_token: fieldSchema.optional(),
  resource: fieldSchema.optional(),
  scope: fieldSchema.optional(),
})
type TokenRequest = z.output<typeof tokenRequestSchema>
const revocationSchema = z.object({ token: fieldSchema, client_id: fieldSchema.optional() })

/** Token response for a program. */
interface ProgramTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

export type ProgramTokensService = ReturnType<typeof createProgramTokensService>

/** Exchange of codes and refresh tokens for tokens, and their revocation. */
export function createProgramTokensService(deps: { store: OAuthStore; users: UsersStore; auth: AuthStore }) {
  const { store, users, auth } = deps

  const issueTokens = async (grant: Grant, tx: PrismaTransaction): Promise<ProgramTokens> => {
    const insert = async (kind: 'access' | 'refresh', lifetimeMs: number) => {
      const { secret, secretHash } = newSecret()
      const expiresAt = new Date(Date.now() + lifetimeMs)
      return tokenOf(kind, await store.insertToken({ grantId: grant.id, kind, secretHash, expiresAt }, tx), secret)
    }
    return {
      access_token: await insert('access', ACCESS_LIFETIME_SECONDS * 1000),
      token_type: 'Bearer',
      expires_in: ACCESS_LIFETIME_SECONDS,
      refresh_token: await insert('refresh', REFRESH_LIFETIME_MS),
      scope: grant.scopes.join(' '),
    }
  }

  /** Ends a grant whose secret was presented a second time, since someone must have stolen it. */
  const endStolenGrant = async (grant: Grant, tx: PrismaTransaction): Promise<null> => {
    await store.removeGrant(grant.id, tx)
    await users.recordAudit(tx, {
      action: 'program.token_reused',
      actorId: null,
      address: null,
      via: 'token',
      subjectId: grant.id,
      subjectName: grant.clientName,
      detail: { user_id: grant.userId },
    })
    return null
  }

  /** Issues tokens for a code; null for an invalid code. Using a code a second time ends its grant. */
  const exchangeCode = (request: TokenRequest, audience: Audience): Promise<ProgramTokens | null> => {
    const code = readToken('code', request.code ?? '')
    const verifier = request.code_verifier ?? ''
    return users.transaction(async (tx) => {
      const grant = code && (await store.lockGrant(code.id, tx))
      if (grant === null || !matchesHash(code?.secret ?? '', grant.codeHash)) return null
      if (grant.codeExchangedAt !== null) return endStolenGrant(grant, tx)
      const matchesGrant =
        grant.clientId === request.client_id &&
        grant.resource === audience.resource &&
        (request.redirect_uri === undefined || request.redirect_uri === grant.redirectUri)
      const isVerified = /^[\w.~-]{43,128}$/.test(verifier) && matchesChallenge(verifier, grant.codeChallenge)
      if (grant.codeExpiresAt.getTime() <= Date.now() || !matchesGrant || !isVerified) return null
      await store.markCodeUsed(grant.id, tx)
      return issueTokens(grant, tx)
    })
  }

  /**
   * Issues new tokens for a refresh token; null for an invalid one. Using a token a second time ends its grant, unless the
   * same program repeats its request at once.
   */
  const exchangeRefreshToken = (request: TokenRequest, audience: Audience): Promise<ProgramTokens | null> => {
    const refreshToken = readToken('refresh', request.refresh_token ?? '')
    return users.transaction(async (tx) => {
      const token = refreshToken && (await store.lockToken(refreshToken.id, tx))
      if (token === null || token.kind !== 'refresh' || !matchesHash(refreshToken?.secret ?? '', token.secretHash))
        return null
      const { grant } = token
      const matchesGrant = grant.clientId === request.client_id && grant.resource === audience.resource
      // Both ways, because another server's clock may be ahead.
      const isRetry = matchesGrant && Math.abs(Date.now() - (token.usedAt?.getTime() ?? 0)) < RETRY_MS
      if (token.usedAt !== null && !isRetry) return endStolenGrant(grant, tx)
      if (token.expiresAt.getTime() <= Date.now() || !matchesGrant) return null
      // A retry doesn't prolong the time for further ones.
      if (token.usedAt === null) await store.markUsed(token.id, tx)
      return issueTokens(grant, tx)
    })
  }

  /** Programs have no secret, so `client_id` alone identifies them. A program that's rejected as unknown registers again. */
  const requireClient = async (clientId: string | undefined) => {
    if (clientId === undefined) throw new BadRequestError('client_id is missing.', { code: 'invalid_request' })
    if ((await store.findClient(clientId)) === null) throw notRegistered()
  }

  const exchanges = new Map([
    ['authorization_code', exchangeCode],
    ['refresh_token', exchangeRefreshToken],
  ])

  return {
    /** Handles a request to the token endpoint. @throws BadRequestError with an OAuth error code. */
    async exchange(body: unknown, audience: Audience): Promise<ProgramTokens> {
      const parsed = tokenRequestSchema.safeParse(body)
      if (!parsed.success) throw new BadRequestError('grant_type is missing.', { code: 'invalid_request' })
      const request = parsed.data
      if (!isResource(request.resource, audience)) {
        throw new BadRequestError('The resource isn’t this server.', { code: 'invalid_target' })
      }
      const exchange = exchanges.get(request.grant_type)
      if (exchange === undefined) {
        throw new BadRequestError('Only authorization_code and refresh_token are supported.', {
          code: 'unsupported_grant_type',
        })
      }
      await requireClient(request.client_id)
      const tokens = await exchange(request, audience)
      if (tokens !== null) return tokens
      throw new BadRequestError(
        'The code or token is invalid, expired or revoked. Ask the user to connect the program again.',
        { code: 'invalid_grant' },
      )
    },

    /** Revokes an access token, or the whole grant of a refresh token (RFC 7009). Ignores unknown tokens. */
    async revoke(body: unknown): Promise<void> {
      const parsed = revocationSchema.safeParse(body)
      if (!parsed.success) throw new BadRequestError('token is missing.', { code: 'invalid_request' })
      const { token: text, client_id: clientId } = parsed.data
      const parts = readToken('refresh', text) ?? readToken('access', text)
      if (parts === null) return
      await users.transaction(async (tx) => {
        const token = await store.lockToken(parts.id, tx)
        if (token === null || !matchesHash(parts.secret, token.secretHash) || token.grant.clientId !== clientId) return
        if (token.kind === 'access') return store.removeToken(token.id, tx)
        await store.removeGrant(token.grant.id, tx)
      })
    },

    /** Holder of an access token; null when the text isn't such a token, it has expired, or the account is disabled. */
    async find(token: string) {
      const parts = readToken('access', token)
      const stored = parts && (await auth.findClientTokenHolder(parts.id))
      if (parts === null || stored === null) return null
      const { secretHash, ...holder } = stored
      return matchesHash(parts.secret, secretHash) ? holder : null
    },
  }
}
