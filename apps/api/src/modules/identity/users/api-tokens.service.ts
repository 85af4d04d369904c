import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ApiTokenView, type TokenScope, tokenScopes } from '@mira/shared'
import { ConflictError, NotFoundError, sessionEndedError, ValidationError } from '../../../errors.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import { type Actor, byActor } from '../actor.ts'
import type { AuthStore } from './auth.store.ts'
import type { UsersStore } from './users.store.ts'

const MAX_TOKENS_PER_USER = 50
/** Default lifetime of an API token. */
const TOKEN_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000
const TOKEN_PATTERN = /^mira_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_([\w-]{43})$/

export type ApiTokensService = ReturnType<typeof createApiTokensService>

/** Personal API tokens for a user's own programs. */
export function createApiTokensService({ auth: store, users }: { auth: AuthStore; users: UsersStore }) {
  return {
    /** User of an API token; null when the token is invalid or has expired, or the account is disabled. */
    async find(token: string) {
      const [, id, secret] = TOKEN_PATTERN.exec(token) ?? []
      if (id === undefined || secret === undefined) return null
      const stored = await store.findTokenHolder(id)
      if (stored === null) return null
      const { secretHash, ...holder } = stored
      return timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'hex')) ? { id, ...holder } : null
    },

    list: (userId: string, query: PageQuery): Promise<Page<ApiTokenView>> =>
      readPage(query, (limits) => store.listTokens(userId, limits)),

    /** Creates a token. @returns the token, which isn't shown again. @throws UnauthorizedError when the session has ended meanwhile. */
    async create(
      actor: Actor,
      token: { name: string; scopes: TokenScope[]; expiresAt?: Date | null | undefined },
    ): Promise<ApiTokenView> {
      const { userId, sessionId, countsInAnalytics } = actor
      const { name, expiresAt = new Date(Date.now() + TOKEN_LIFETIME_MS) } = token
      const scopes = tokenScopes.filter((scope) => token.scopes.includes(scope))
      if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw expiresInThePast()
      const secret = randomBytes(32).toString('base64url')
      return users.transaction(async (tx) => {
        if (!(await store.lockSession(userId, sessionId, tx))) throw sessionEndedError()
        if ((await store.countTokens(userId, tx)) >= MAX_TOKENS_PER_USER) {
          throw new ConflictError(`You have ${MAX_TOKENS_PER_USER} API tokens. Delete one that you no longer use.`, {
            code: 'too_many_tokens',
          })
        }
        const secretHash = hashOf(secret).toString('hex')
        const view = await store.insertToken({ userId, name, scopes, secretHash, expiresAt }, tx)
        const detail = { action: 'token_created' }
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: view.id, detail, countsInAnalytics })
        const subject = { subjectId: view.id, subjectName: name, detail: { scopes } }
        await users.recordAudit(tx, { action: 'token.created', ...byActor(actor), ...subject })
        return { ...view, token: `mira_${view.id}_${secret}` }
      })
    },

    /** @throws NotFoundError when the user has no such token. */
    async remove(actor: Actor, id: string): Promise<void> {
      const { userId, countsInAnalytics } = actor
      await users.transaction(async (tx) => {
        const subjectName = await store.removeToken(userId, id, tx)
        if (subjectName === null) throw new NotFoundError('There is no such API token.')
        await users.recordAudit(tx, { action: 'token.deleted', ...byActor(actor), subjectId: id, subjectName })
        const detail = { action: 'token_deleted' }
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: id, detail, countsInAnalytics })
      })
    },
  }
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function expiresInThePast(): ValidationError {
  const message = 'Choose an expiry in the future.'
  return new ValidationError(message, { errors: [{ path: 'expires_at', message }] })
}
