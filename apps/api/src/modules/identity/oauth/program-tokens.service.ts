import { z } from 'zod'
import { BadRequestError } from '../../../errors.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import { type Audience, isResource } from './authorizing.service.ts'
import type { HeldGrant, OAuthStore } from './oauth.store.ts'
import { isSecret, isVerifier, newSecret, readShown, shownOf } from './oauth-secrets.ts'

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
export interface ProgramTokens {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  scope: string
}

export type ProgramTokensService = ReturnType<typeof createProgramTokensService>

/** Changes codes and refresh tokens of programs for tokens, and ends them. */
export function createProgramTokensService(deps: {
  store: OAuthStore
  users: Pick<UsersStore, 'transaction' | 'recordAudit'>
  auth: Pick<AuthStore, 'findProgramHolder'>
}) {
  const { store, users, auth } = deps

  const give = async (grant: HeldGrant, tx: PrismaTransaction): Promise<ProgramTokens> => {
    const insert = async (kind: 'access' | 'refresh', lifetimeMs: number) => {
      const { secret, secretHash } = newSecret()
      const expiresAt = new Date(Date.now() + lifetimeMs)
      return shownOf(kind, await store.insertToken({ grantId: grant.id, kind, secretHash, expiresAt }, tx), secret)
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
  const endStolen = async (grant: HeldGrant, tx: PrismaTransaction): Promise<null> => {
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

  /** Null when what was shown opens nothing. */
  const changeCode = (request: TokenRequest, audience: Audience): Promise<ProgramTokens | null> => {
    const shown = readShown('code', request.code ?? '')
    const verifier = request.code_verifier ?? ''
    return users.transaction(async (tx) => {
      const grant = shown && (await store.findGrant(shown.id, tx))
      if (grant === null || !isSecret(shown?.secret ?? '', grant.codeHash)) return null
      if (grant.begunAt !== null) return endStolen(grant, tx)
      const isSame =
        grant.clientId === request.client_id &&
        grant.resource === audience.resource &&
        (request.redirect_uri === undefined || request.redirect_uri === grant.redirectUri)
      const isVerified = /^[\w.~-]{43,128}$/.test(verifier) && isVerifier(verifier, grant.codeChallenge)
      if (grant.codeExpiresAt.getTime() <= Date.now() || !isSame || !isVerified) return null
      await store.beginGrant(grant.id, tx)
      return give(grant, tx)
    })
  }

  const changeRefreshToken = (request: TokenRequest, audience: Audience): Promise<ProgramTokens | null> => {
    const shown = readShown('refresh', request.refresh_token ?? '')
    return users.transaction(async (tx) => {
      const token = shown && (await store.findToken(shown.id, tx))
      if (token === null || token.kind !== 'refresh' || !isSecret(shown?.secret ?? '', token.secretHash)) return null
      const { grant } = token
      if (token.usedAt !== null) return endStolen(grant, tx)
      const isOver = token.expiresAt.getTime() <= Date.now()
      if (isOver || grant.clientId !== request.client_id || grant.resource !== audience.resource) return null
      await store.markUsed(token.id, tx)
      return give(grant, tx)
    })
  }

  return {
    /** The token endpoint. @throws BadRequestError with the codes of the protocol. */
    async change(body: unknown, audience: Audience): Promise<ProgramTokens> {
      const given = tokenRequestSchema.safeParse(body)
      if (!given.success) throw new BadRequestError('grant_type is missing.', { code: 'invalid_request' })
      const request = given.data
      if (!isResource(request.resource, audience)) {
        throw new BadRequestError('This server is not that resource.', { code: 'invalid_target' })
      }
      const changes = { authorization_code: changeCode, refresh_token: changeRefreshToken }
      const change = changes[request.grant_type as keyof typeof changes] as typeof changeCode | undefined
      if (change === undefined || !Object.hasOwn(changes, request.grant_type)) {
        throw new BadRequestError('Only authorization_code and refresh_token are known here.', {
          code: 'unsupported_grant_type',
        })
      }
      const tokens = await change(request, audience)
      if (tokens !== null) return tokens
      throw new BadRequestError('This opens nothing any more. Ask the person again.', { code: 'invalid_grant' })
    },

    /** Ends a token (RFC 7009), with a refresh token all that was granted; what is unknown has ended already. */
    async revoke(body: unknown): Promise<void> {
      const given = revocationSchema.safeParse(body)
      if (!given.success) throw new BadRequestError('token is missing.', { code: 'invalid_request' })
      const { token: text, client_id: clientId } = given.data
      const shown = readShown('refresh', text) ?? readShown('access', text)
      if (shown === null) return
      await users.transaction(async (tx) => {
        const token = await store.findToken(shown.id, tx)
        if (token === null || !isSecret(shown.secret, token.secretHash) || token.grant.clientId !== clientId) return
        if (token.kind === 'access') return store.removeToken(token.id, tx)
        await store.removeGrant(token.grant.id, tx)
      })
    },

    /** Whose access token this is, and what it is for; null when it is none, has ended, or its account is disabled. */
    async find(token: string) {
      const shown = readShown('access', token)
      const found = shown && (await auth.findProgramHolder(shown.id))
      if (shown === null || found === null) return null
      const { secretHash, ...holder } = found
      return isSecret(shown.secret, secretHash) ? holder : null
    },
  }
}
