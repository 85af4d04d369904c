import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { ApiTokenView, AuthSessionView } from '@mira/shared'
import {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  StartupError,
  TooManyRequestsError,
  UnauthorizedError,
  ValidationError,
} from '../../errors.ts'
import type { Log } from '../../log.ts'
import { addressGroup } from './address-group.ts'
import type { AuthStore, FailureKey } from './auth.store.ts'
import { type Page, type PageQuery, readPage } from './page.ts'
import { type PasswordHasher, requireStrongPassword } from './password.ts'
import type { Account, Transaction, UsersStore } from './users.store.ts'

/** How long a sign-in lasts; it can be ended earlier by deleting its row. */
export const SESSION_LIFETIME_SECONDS = 30 * 24 * 60 * 60

const FAILURE_WINDOW_MS = 15 * 60 * 1000
const FAILURES_PER_ACCOUNT = 10
const FAILURES_PER_ADDRESS = 100
/** What failures from nobody knows where are stored with. */
const UNKNOWN_ADDRESS = 'unknown'
const MAX_TOKENS_PER_USER = 50
const TOKEN_PATTERN = /^mira_([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})_([\w-]{43})$/

/** Who acts, and by which session. */
export interface Actor {
  userId: string
  sessionId: string
}

export type AuthService = ReturnType<typeof createAuthService>

/** Signing in and out, sessions, and personal API tokens. */
export function createAuthService(deps: {
  store: AuthStore
  users: UsersStore
  passwords: PasswordHasher
  assistantName: () => string
  log: Log
}) {
  const { store, users, passwords, assistantName, log } = deps

  const windowStart = () => new Date(Date.now() - FAILURE_WINDOW_MS)

  const forgetSecret = async (): Promise<void> => {
    await store.removeAllSessions()
    await store.removeSecretFingerprint()
  }

  const requireFewFailures = async (key: FailureKey, tx?: Transaction) => {
    const limit = 'username' in key ? FAILURES_PER_ACCOUNT : FAILURES_PER_ADDRESS
    const failures = await store.listFailures(key, { since: windowStart(), limit }, tx)
    const oldest = failures[limit - 1]
    if (oldest === undefined) return
    const waitSeconds = Math.max(1, Math.ceil((oldest.getTime() + FAILURE_WINDOW_MS - Date.now()) / 1000))
    const waitMinutes = Math.ceil(waitSeconds / 60)
    throw new TooManyRequestsError(
      `Too many failed attempts. Try again in ${waitMinutes} ${waitMinutes === 1 ? 'minute' : 'minutes'}.`,
      { code: 'too_many_attempts', retryAfterSeconds: waitSeconds },
    )
  }

  /**
   * Compares a password, counts a failure, and does the rest in the same transaction when it was right. What came of
   * it is only told while the account has failures left, so that guesses sent at the same time gain nothing.
   */
  const checkPassword = async <T>(
    attempt: { username: string; address: string | null; password: string; account: Account | null },
    onSuccess: (account: Account, tx: Transaction) => Promise<T>,
  ): Promise<T | null> => {
    const { password, account } = attempt
    const username = (account?.user.username ?? attempt.username).toLowerCase()
    const address = attempt.address === null ? UNKNOWN_ADDRESS : addressGroup(attempt.address)
    await requireFewFailures({ username })
    if (attempt.address !== null) await requireFewFailures({ address })
    const isEqual = await passwords.matches(password, account?.passwordHash ?? null)
    return users.transaction(async (tx) => {
      await store.lockFailures(username, tx)
      await requireFewFailures({ username }, tx)
      // the account may have been changed while its password was compared
      if (!isEqual || account === null || !(await users.isUsable(account, tx))) {
        await store.insertFailure({ username, address }, tx)
        return null
      }
      await store.removeFailures(username, tx)
      return onSuccess(account, tx)
    })
  }

  return {
    /**
     * Signs in with a password: makes the row behind a new token.
     * @throws UnauthorizedError with the same words, in the same time, when the name is unknown, the password is wrong
     *   or the account is disabled; TooManyRequestsError after too many failures.
     */
    async login(attempt: {
      username: string
      password: string
      /** Null when it cannot be known; only the account is counted then. */
      address: string | null
      userAgent: string
      inAnalytics: boolean
    }): Promise<{ sessionId: string; userId: string }> {
      const { userAgent, inAnalytics } = attempt
      const account = await users.findByUsername(attempt.username)
      const session = await checkPassword({ ...attempt, account }, async ({ user: { id: userId } }, tx) => {
        const expiresAt = new Date(Date.now() + SESSION_LIFETIME_SECONDS * 1000)
        const sessionId = await store.insertSession({ userId, userAgent: userAgent.slice(0, 500), expiresAt }, tx)
        await users.recordActivity(tx, { userId, kind: 'account', detail: { action: 'signed_in' }, inAnalytics })
        return { sessionId, userId }
      })
      if (session === null) {
        throw new UnauthorizedError('Incorrect username or password', { code: 'invalid_credentials' })
      }
      return session
    },

    /**
     * Makes sure that every server of a database signs with the same secret.
     * @param isOnlyServer no other server uses the database: another secret then means that the old one is gone, and
     *   everybody signs in again.
     * @throws StartupError when other servers may use another secret.
     */
    async acceptSecret({ fingerprint, isOnlyServer }: { fingerprint: string; isOnlyServer: boolean }): Promise<void> {
      if ((await store.keepSecretFingerprint(fingerprint)) === fingerprint) return
      if (!isOnlyServer) {
        throw new StartupError(
          'JWT_SECRET is not the one that this database was used with: all servers on it must share JWT_SECRET. If you ' +
            'changed it on purpose, stop all servers and run `npm run admin:reset-password -- --new-secret` once.',
        )
      }
      await forgetSecret()
      await store.keepSecretFingerprint(fingerprint)
      log.warn({}, 'the secret that signs tokens is a new one: everybody signs in again')
    },

    /** Ends every session and lets the next server bring another secret. */
    forgetSecret,

    /** Whose session a token of ours names; null when it has ended or its account is disabled. */
    async findSession(sessionId: string, userId: string) {
      return store.findSessionHolder(sessionId, userId)
    },

    /** Whose personal API token this is; null when it is none, has ended, or its account is disabled. */
    async findToken(token: string) {
      const [, id, secret] = TOKEN_PATTERN.exec(token) ?? []
      if (id === undefined || secret === undefined) return null
      const found = await store.findTokenHolder(id)
      if (found === null) return null
      const { secretHash, ...holder } = found
      return timingSafeEqual(hashOf(secret), Buffer.from(secretHash, 'hex')) ? { id, ...holder } : null
    },

    /** Remembers that an account was used now, by what, and where and in which language. */
    async touch(used: {
      userId: string
      via: 'session' | 'token'
      credentialId: string
      timeZone: string
      language: string
    }): Promise<void> {
      const { userId, via, credentialId, timeZone, language } = used
      await store.touchUser(userId, { timeZone, language })
      await (via === 'session' ? store.touchSession(credentialId) : store.touchToken(credentialId))
    },

    async logout({ userId, sessionId }: Actor): Promise<void> {
      await store.removeSession(userId, sessionId)
    },

    /**
     * Sets a new password and ends every other session and every personal API token.
     * @throws ForbiddenError when the current one is wrong; ValidationError when the new one can be guessed;
     *   UnauthorizedError when the session has ended meanwhile.
     */
    async changePassword(
      { userId, sessionId }: Actor,
      change: { currentPassword: string; newPassword: string; address: string | null; inAnalytics: boolean },
    ): Promise<void> {
      const { currentPassword, newPassword, address, inAnalytics } = change
      const account = await users.findAccount(userId)
      if (account === null) throw new NotFoundError('This account is not there any more.')
      const { username, email } = account.user
      const wasRight = await checkPassword({ username, address, password: currentPassword, account }, async () => true)
      if (!wasRight) throw new ForbiddenError('The current password is wrong.', { code: 'wrong_password' })
      if (newPassword === currentPassword) throw sameAsBefore()
      await requireStrongPassword(newPassword, { username, email, assistantName: assistantName() }, 'new_password')
      const passwordHash = await passwords.hash(newPassword)
      await users.transaction(async (tx) => {
        // an administrator may have set another one since the current one was compared
        const isHeld = await store.holdSession(userId, sessionId, tx)
        if (!isHeld || !(await users.isUsable(account, tx))) throw hasEnded()
        await users.update(userId, { passwordHash }, tx)
        await store.removeSessions(userId, tx, sessionId)
        await store.removeTokens(userId, tx)
        await users.recordActivity(tx, { userId, kind: 'account', detail: { action: 'password_changed' }, inAnalytics })
      })
    },

    /**
     * Makes sure that it is the person who asks for what cannot be undone.
     * @throws ForbiddenError when the password is wrong; TooManyRequestsError after too many wrong ones.
     */
    async confirmPassword(userId: string, given: { password: string; address: string | null }): Promise<void> {
      const account = await users.findAccount(userId)
      if (account === null) throw new NotFoundError('This account is not there any more.')
      const wasRight = await checkPassword({ ...given, username: account.user.username, account }, async () => true)
      if (!wasRight) throw new ForbiddenError('The password is wrong.', { code: 'wrong_password' })
    },

    async listSessions({ userId, sessionId }: Actor, query: PageQuery): Promise<Page<AuthSessionView>> {
      const page = await readPage(query, (limits) => store.listSessions(userId, limits))
      return { ...page, items: page.items.map((session) => ({ ...session, current: session.id === sessionId })) }
    },

    /** @throws NotFoundError when the user has no such session. */
    async endSession(userId: string, id: string): Promise<void> {
      if (!(await store.removeSession(userId, id))) throw new NotFoundError('There is no such session.')
    },

    listTokens: (userId: string, query: PageQuery): Promise<Page<ApiTokenView>> =>
      readPage(query, (limits) => store.listTokens(userId, limits)),

    /** Makes a token; only this answer holds it. @throws UnauthorizedError when the session has ended meanwhile. */
    async createToken(
      { userId, sessionId }: Actor,
      { name, expiresAt, inAnalytics }: { name: string; expiresAt: Date | null; inAnalytics: boolean },
    ): Promise<ApiTokenView> {
      if (expiresAt !== null && expiresAt.getTime() <= Date.now()) throw expiresInThePast()
      const secret = randomBytes(32).toString('base64url')
      return users.transaction(async (tx) => {
        if (!(await store.holdSession(userId, sessionId, tx))) throw hasEnded()
        if ((await store.countTokens(userId, tx)) >= MAX_TOKENS_PER_USER) {
          throw new ConflictError(`You have ${MAX_TOKENS_PER_USER} API tokens. Delete one that you no longer use.`, {
            code: 'too_many_tokens',
          })
        }
        const secretHash = hashOf(secret).toString('hex')
        const view = await store.insertToken({ userId, name, secretHash, expiresAt }, tx)
        const detail = { action: 'token_created' }
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: view.id, detail, inAnalytics })
        return { ...view, token: `mira_${view.id}_${secret}` }
      })
    },

    /** @throws NotFoundError when the user has no such token. */
    async deleteToken(userId: string, id: string, { inAnalytics }: { inAnalytics: boolean }): Promise<void> {
      await users.transaction(async (tx) => {
        if (!(await store.removeToken(userId, id, tx))) throw new NotFoundError('There is no such API token.')
        const detail = { action: 'token_deleted' }
        await users.recordActivity(tx, { userId, kind: 'account', subjectId: id, detail, inAnalytics })
      })
    },
  }
}

function hasEnded(): UnauthorizedError {
  return new UnauthorizedError('Your session has ended. Sign in again.')
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

function sameAsBefore(): ValidationError {
  const message = 'The new password is the current one. Choose another.'
  return new ValidationError(message, { code: 'same_password', errors: [{ path: 'new_password', message }] })
}

function expiresInThePast(): ValidationError {
  const message = 'Choose an expiry in the future.'
  return new ValidationError(message, { errors: [{ path: 'expires_at', message }] })
}
