import { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import {
  type Audience,
  isResource,
  isSecret,
  isVerifier,
  newSecret,
  readToken,
  tokenOf,
} from './authorizing.service.ts'
import { notRegistered } from './clients.service.ts'
import type { Grant, OAuthStore } from './oauth.store.ts'

const ACCESS_LIFETIME_SECONDS = 60 * 60
/** Lifetime of an unused refresh token; each use renews it. */
const REFRESH_LIFETIME_MS = 90 * 24 * 60 * 60 * 1000

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
  const endStolen = async (grant: Grant, tx: PrismaTransaction): Promise<null> => {
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

  /** Null for an invalid code. */
  const exchangeCode = (request: TokenRequest, audience: Audience): Promise<ProgramTokens | null> => {
    const code = readToken('code', request.code ?? '')
    const verifier = request.code_verifier ?? ''
    return users.transaction(async (tx) => {
      const grant = code && (await store.lockGrant(code.id, tx))
      if (grant === null || !isSecret(code?.secret ?? '', grant.codeHash)) return null
      if (grant.begunAt !== null) return endStolen(grant, tx)
      const isSame =
        grant.clientId === request.client_id &&
        grant.resource === audience.resource &&
        (request.redirect_uri === undefined || request.redirect_uri === grant.redirectUri)
      const isVerified = /^[\w.~-]{43,128}$/.test(verifier) && isVerifier(verifier, grant.codeChallenge)
      if (grant.codeExpiresAt.getTime() <= Date.now() || !isSame || !isVerified) return null
      await store.markCodeUsed(grant.id, tx)
      return issueTokens(grant, tx)
    })
  }

  /** Null for an invalid token. */
  const exchangeRefreshToken = (request: TokenRequest, audience: Audience): Promise<ProgramTokens | null> => {
    const refreshToken = readToken('refresh', request.refresh_token ?? '')
    return users.transaction(async (tx) => {
      const token = refreshToken && (await store.lockToken(refreshToken.id, tx))
      if (token === null || token.kind !== 'refresh' || !isSecret(refreshToken?.secret ?? '', token.secretHash))
        return null
      const { grant } = token
      if (token.usedAt !== null) return endStolen(grant, tx)
      const isOver = token.expiresAt.getTime() <= Date.now()
      if (isOver || grant.clientId !== request.client_id || grant.resource !== audience.resource) return null
      await store.markUsed(token.id, tx)
      return issueTokens(grant, tx)
    })
  }

  /** Without a secret, a program says who it is by its id; one that learns that it's unknown registers again. */
  const requireClient = async (clientId: string | undefined) => {
    if (clientId === undefined) throw new BadRequestError('client_id is missing.', { code: 'invalid_request' })
    if ((await store.findClient(clientId)) === null) throw notRegistered()
  }

  const exchanges = new Map([
    ['authorization_code', exchangeCode],
    ['refresh_token', exchangeRefreshToken],
  ])

  return {
    /** The token endpoint. @throws BadRequestError with the codes of the protocol. */
    async exchange(body: unknown, audience: Audience): Promise<ProgramTokens> {
      const parsed = tokenRequestSchema.safeParse(body)
      if (!parsed.success) throw new BadRequestError('grant_type is missing.', { code: 'invalid_request' })
      const request = parsed.data
      if (!isResource(request.resource, audience)) {
        throw new BadRequestError('This server is not that resource.', { code: 'invalid_target' })
      }
      const exchange = exchanges.get(request.grant_type)
      if (exchange === undefined) {
        throw new BadRequestError('Only authorization_code and refresh_token are known here.', {
          code: 'unsupported_grant_type',
        })
      }
      await requireClient(request.client_id)
      const tokens = await exchange(request, audience)
      if (tokens !== null) return tokens
      throw new BadRequestError('This opens nothing any more. Ask the person again.', { code: 'invalid_grant' })
    },

    /** Ends a token (RFC 7009), and with a refresh token the whole grant; unknown ones are ignored. */
    async revoke(body: unknown): Promise<void> {
      const parsed = revocationSchema.safeParse(body)
      if (!parsed.success) throw new BadRequestError('token is missing.', { code: 'invalid_request' })
      const { token: text, client_id: clientId } = parsed.data
      const named = readToken('refresh', text) ?? readToken('access', text)
      if (named === null) return
      await users.transaction(async (tx) => {
        const token = await store.lockToken(named.id, tx)
        if (token === null || !isSecret(named.secret, token.secretHash) || token.grant.clientId !== clientId) return
        if (token.kind === 'access') return store.removeToken(token.id, tx)
        await store.removeGrant(token.grant.id, tx)
      })
    },

    /** Holder of an access token; null when it isn't one, has expired, or the account is disabled. */
    async find(token: string) {
      const named = readToken('access', token)
      const stored = named && (await auth.findProgramHolder(named.id))
      if (named === null || stored === null) return null
      const { secretHash, ...holder } = stored
      return isSecret(named.secret, secretHash) ? holder : null
    },
  }
}
