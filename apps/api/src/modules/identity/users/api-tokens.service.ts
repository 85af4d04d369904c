import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ApiTokenView, type TokenScope, tokenScopes } from '@mira/shared'
import { ConflictError, NotFoundError, ValidationError } from '../../../errors.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import { type Actor, byActor, sessionEnded } from './auth.service.ts'
import type { AuthStore } from './auth.store.ts'
import type { UsersStore } from './users.store.ts'

const MAX_TOKENS_PER_USER = 50
/** Default lifetime of an API token. */
const TOKEN_LIFETIME_MS = 365 * 24 * 60 * 60 * 1000
const TOKEN_PATTERN = /^mira_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_([\w-]{43})$/

export type ApiTokensService = ReturnType<typeof createApiTokensService>

/** Personal API tokens: what a person's own programs sign in with. */
export function createApiTokensService({ store, users }: { store: AuthStore; users: UsersStore }) {
  return {
    /** Whose personal API token this is; null when it is none, has ended, or its account is disabled. */
    async find(token: string) {
      const [, id, secret] = TOKEN_PATTERN.exec(token) ?? []
      if (id === undefined || secret === undefined) return null
      const found = await store.findTokenHolder(id)
      if (found === null) return null
      const { secretHash, ...holder } = found
      return timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'hex')) ? { id, ...holder } : null
    },

    list: (userId: string, query: PageQuery): Promise<Page<ApiTokenView>> =>
      readPage(query, (limits) => store.listTokens(userId, limits)),

    /** Makes a token; only this answer holds it. @throws UnauthorizedError when the session has ended meanwhile. */
    async create(
      actor: Actor,
      token: { name: string; scopes: TokenScope[]; expiresAt?: Date | null | undefined; inAnalytics: boolean },
    ): Promise<ApiTokenView> {
      const { userId, sessionId } = actor
      const { name, inAnalytics, expiresAt = new Date(Date.now() + TOKEN_LIFETIME_MS) } = token
      const scopes = tokenScopes.filter((scope) => token.scopes.includes(scope))
      if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw expiresInThePast()
      const secret = randomBytes(32).toString('base64url')
      return users.transaction(async (tx) => {
        if (!(await store.holdSession(userId, sessionId, tx))) throw sessionEnded()
        if ((await store.countTokens(userId, tx)) >= MAX_TOKENS_PER_USER) {
          throw new ConflictError(`You have ${MAX_TOKENS_PER_USER} API tokens. Delete one that you no longer use.`, {
            code: 'too_many_tokens',
          })
        }
        const secretHash = hashOf(secret).toString('hex')
        const view = await store.insertToken({ userId, name, scopes, secretHash, expiresAt }, tx)
        const detail = { action: 'token_created' }
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: view.id, detail, inAnalytics })
        const made = { subjectId: view.id, subjectName: name, detail: { scopes } }
        await users.recordAudit(tx, { action: 'token.created', ...byActor(actor), ...made })
        return { ...view, token: `mira_${view.id}_${secret}` }
      })
    },

    /** @throws NotFoundError when the user has no such token. */
    async remove(actor: Actor, id: string, { inAnalytics }: { inAnalytics: boolean }): Promise<void> {
      const { userId } = actor
      await users.transaction(async (tx) => {
        const subjectName = await store.removeToken(userId, id, tx)
        if (subjectName === null) throw new NotFoundError('There is no such API token.')
        await users.recordAudit(tx, { action: 'token.deleted', ...byActor(actor), subjectId: id, subjectName })
        const detail = { action: 'token_deleted' }
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: id, detail, inAnalytics })
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
