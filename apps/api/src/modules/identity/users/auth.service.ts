import type { AccessItemRef, AuthSessionView, Me, Preferences, User } from '@mira/shared'
import { ForbiddenError, NotFoundError, StartupError, UnauthorizedError, ValidationError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { AccessItemsStore } from '../access-items/access-items.store.ts'
import type { NewSession, SessionStarter } from '../sign-in/session-starter.ts'
import type { SignInStore } from '../sign-in/sign-in.store.ts'
import type { Attempt, SignInLimits } from '../sign-in/sign-in-limits.ts'
import type { TotpService } from '../sign-in/totp.service.ts'
import type { AuthStore } from './auth.store.ts'
import { OWN_PASSWORD, type PasswordHasher, requireStrongPassword } from './password-hash.ts'
import type { Account, PrismaTransaction, UsersStore } from './users.store.ts'

/** A signed-in user with session and IP address. */
export interface Actor {
  userId: string
  sessionId: string
  address: string
}

/** Administrators' settings for signing in. */
export interface SignInRules {
  /** Minutes without any use after which a session ends; null: only by its age. */
  idleMinutes(): number | null
  /** True when users other than administrators may sign in with passwords. */
  allowsPasswords(): boolean
}

/** The password was right, and a code is asked for. */
export interface CodeWanted {
  challenge: string
  expires_in: number
}

export type AuthService = ReturnType<typeof createAuthService>

/** Signing in and out, sessions, and one's own password. */
export function createAuthService(deps: {
  store: AuthStore
  signIns: SignInStore
  accessItems: Pick<AccessItemsStore, 'end'>
  users: UsersStore
  passwords: PasswordHasher
  limits: SignInLimits
  sessionStarter: SessionStarter
  totp: Pick<TotpService, 'isOn' | 'challenge'>
  rules: SignInRules
  /** @throws NotFoundError when the person was deleted meanwhile. */
  preferencesOf(userId: string): Promise<Preferences>
  assistantName: () => string
  log: Log
}) {
  const {
    store,
    signIns,
    accessItems,
    users,
    passwords,
    limits,
    sessionStarter,
    totp,
    rules,
    preferencesOf,
    assistantName,
    log,
  } = deps
  const { recordAudit: audit } = users

  const forgetSecret = async (): Promise<void> => {
    await store.removeAllSessions()
    await store.removeSecretFingerprint()
  }

  /**
   * Compares a password, counts a failure, and does the rest in the same transaction when it was right. The result is
   * only revealed while the account has failures left, so that guesses sent at the same time gain nothing.
   * @param attempt.isPermitted false makes a right password count, and take as long, as a wrong one.
   */
  const checkPassword = async <T>(
    {
      password,
      account,
      isPermitted = true,
      ...given
    }: Omit<Attempt, 'hasAccount'> & { password: string; account: Account | null; isPermitted?: boolean },
    onSuccess: (account: Account, tx: PrismaTransaction) => Promise<T>,
  ): Promise<T | null> => {
    const attempt = { ...given, username: account?.user.username ?? given.username, hasAccount: account !== null }
    await limits.require(attempt)
    const isSuspect = await limits.isSuspect(attempt)
    const isEqual = await limits.atOnce(attempt, () =>
      passwords.matches(password, account?.passwordHash ?? null, { isSuspect }),
    )
    return users.transaction(async (tx) => {
      await limits.lock(attempt, tx)
      await limits.require(attempt, tx)
      // the account may have been changed while its password was compared
      if (!isEqual || !isPermitted || account === null || !(await users.isUsable(account, tx))) {
        await limits.count(attempt, tx)
        return null
      }
      await limits.forget(attempt, tx)
      return onSuccess(account, tx)
    })
  }

  return {
    /**
     * Signs in with a password: makes the row behind a new token, or asks for a code where the person wants that.
     * @throws UnauthorizedError with the same words, in the same time, when the name is unknown, the password is wrong
     *   or not enough here, or the account is disabled; TooManyRequestsError after too many failures.
     */
    async login(attempt: {
      username: string
      password: string
      address: string
      userAgent: string
      inAnalytics: boolean
    }): Promise<NewSession | CodeWanted> {
      const account = await users.findByUsername(attempt.username)
      // administrators keep theirs, for the day on which the provider is away
      const isPermitted = account?.user.role === 'admin' || rules.allowsPasswords()
      const given = { purpose: 'sign_in', ...attempt, account, isPermitted } as const
      const outcome = await checkPassword(given, async ({ user }, tx) => {
        if (await totp.isOn(user.id, tx)) return totp.challenge(user.id)
        return sessionStarter.begin(user.id, { ...attempt, method: 'password' }, tx)
      })
      if (outcome === null) {
        throw new UnauthorizedError('Incorrect username or password', { code: 'invalid_credentials' })
      }
      return outcome
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
      return store.findSessionHolder(sessionId, userId, rules.idleMinutes())
    },

    /** Whose a signed address may be; null when the account is disabled. */
    findLinkHolder: store.findLinkHolder,
    findTokenHolder: store.findTokenHolder,

    /** The user, and what their sign-in needs. */
    async describe(user: User): Promise<Me> {
      const facts = await signIns.findFacts(user.id)
      return {
        ...user,
        must_change_password: facts?.must_change_password ?? false,
        has_password: facts?.has_password ?? false,
        preferences: await preferencesOf(user.id),
      }
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

    /** Ends the session; with the last one, the signed addresses that its person was shown. */
    async logout(actor: Actor): Promise<void> {
      const { userId, sessionId } = actor
      await users.transaction(async (tx) => {
        await store.removeSession(userId, sessionId, tx)
        await audit(tx, { action: 'sign_out', ...byActor(actor), subjectId: userId })
        if ((await store.countSessions(userId, tx)) === 0) await store.renewLinks(userId, tx)
      })
    },

    /**
     * Sets a new password and ends every other session, every personal API token, and what else the user chose of the
     * things with access to the account.
     * @param change without a current password by who has none, soon after signing in.
     * @throws ForbiddenError when the current one is wrong; ValidationError when the new one can be guessed;
     *   UnauthorizedError when the session has ended meanwhile.
     */
    async changePassword(
      actor: Actor,
      change: {
        currentPassword: string | undefined
        newPassword: string
        end: readonly AccessItemRef[]
        inAnalytics: boolean
      },
    ): Promise<void> {
      const { userId, sessionId, address } = actor
      const { currentPassword, newPassword, end, inAnalytics } = change
      const account = await users.findAccount(userId)
      if (account === null) throw new NotFoundError('This account is not there any more.')
      const { username, email } = account.user
      if (account.passwordHash === null) await sessionStarter.requireFresh(actor, { password: undefined, address })
      else {
        if (currentPassword === undefined) throw lacksCurrent()
        const attempt = { purpose: 'confirmation', username, address, password: currentPassword, account } as const
        const wasRight = await checkPassword(attempt, async () => true)
        if (!wasRight) throw new ForbiddenError('The current password is wrong.', { code: 'wrong_password' })
        if (newPassword === currentPassword) throw sameAsBefore()
      }
      const owner = { username, email, assistantName: assistantName() }
      await requireStrongPassword(newPassword, owner, { ...OWN_PASSWORD, path: 'new_password' })
      const passwordHash = await passwords.hash(newPassword)
      await users.transaction(async (tx) => {
        // an administrator may have set another one since the current one was compared
        const isHeld = await store.holdSession(userId, sessionId, tx)
        if (!isHeld || !(await users.isUsable(account, tx))) throw sessionEnded()
        await users.update(userId, { passwordHash, mustChangePassword: false }, tx)
        await store.removeSessions(userId, tx, sessionId)
        await store.removeTokens(userId, tx)
        const others = end.filter(({ id }) => id !== sessionId)
        await accessItems.end(userId, others, tx)
        await users.recordActivity(tx, { userId, kind: 'account', detail: { action: 'password_changed' }, inAnalytics })
        await audit(tx, { action: 'password.changed', ...byActor(actor), subjectId: userId })
      })
    },

    /**
     * Makes sure that it is the person who asks for what cannot be undone.
     * @throws ForbiddenError when the password is wrong; TooManyRequestsError after too many wrong ones.
     */
    async confirmPassword(userId: string, given: { password: string; address: string }): Promise<void> {
      const account = await users.findAccount(userId)
      if (account === null) throw new NotFoundError('This account is not there any more.')
      const attempt = { purpose: 'confirmation', ...given, username: account.user.username, account } as const
      const wasRight = await checkPassword(attempt, async () => true)
      if (!wasRight) throw new ForbiddenError('The password is wrong.', { code: 'wrong_password' })
    },

    requireFresh: sessionStarter.requireFresh,

    async listSessions({ userId, sessionId }: Actor, query: PageQuery): Promise<Page<AuthSessionView>> {
      const idleMinutes = rules.idleMinutes()
      const usedSince = new Date(idleMinutes === null ? 0 : Date.now() - idleMinutes * 60_000)
      const page = await readPage(query, (limits) => store.listSessions(userId, { ...limits, usedSince }))
      return { ...page, items: page.items.map((session) => ({ ...session, current: session.id === sessionId })) }
    },

    /** Ends a session, and what its browser was shown by signed addresses. @throws NotFoundError */
    async endSession(actor: Actor, id: string): Promise<void> {
      const { userId } = actor
      await users.transaction(async (tx) => {
        if (!(await store.removeSession(userId, id, tx))) throw new NotFoundError('There is no such session.')
        await store.renewLinks(userId, tx)
        await audit(tx, { action: 'session.ended', ...byActor(actor), subjectId: id })
      })
    },
  }
}

/** Actor fields of an audit line caused by a signed-in user. */
export const byActor = ({ userId, address }: Actor) => ({ actorId: userId, via: 'session', address }) as const

/** Error for a session that ended during a change. */
export function sessionEnded(): UnauthorizedError {
  return new UnauthorizedError('Your session has ended. Sign in again.')
}

function sameAsBefore(): ValidationError {
  const message = 'The new password is the current one. Choose another.'
  return new ValidationError(message, { code: 'same_password', errors: [{ path: 'new_password', message }] })
}

function lacksCurrent(): ValidationError {
  const message = 'Enter your current password.'
  return new ValidationError(message, { errors: [{ path: 'current_password', message }] })
}
