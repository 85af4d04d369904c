import type { AccessItemRef, AuthSessionView, Me, User } from '@mira/shared'
import {
  ForbiddenError,
  NotFoundError,
  StartupError,
  sessionEndedError,
  UnauthorizedError,
  ValidationError,
} from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import { type Page, type PageQuery, readPage } from '../../../platform/lib/page.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { notifyAccessChanged } from '../access-items/access-items.service.ts'
import { endAccessItems } from '../access-items/access-items.store.ts'
import type { PreferencesService } from '../account/preferences.service.ts'
import { type Actor, byActor, type Visitor } from '../actor.ts'
import { beginSession, type NewSession } from '../sign-in/begin-session.ts'
import type { Confirmation } from '../sign-in/confirmation.ts'
import type { SignInStore } from '../sign-in/sign-in.store.ts'
import type { TotpService } from '../sign-in/totp.service.ts'
import type { AuthStore } from './auth.store.ts'
import { OWN_PASSWORD, type PasswordHasher, requireStrongPassword } from './password-hash.ts'
import type { UsersStore } from './users.store.ts'

export type AuthService = ReturnType<typeof createAuthService>

/** Sign-in and sign-out, sessions, and the user's own password. */
export function createAuthService(deps: {
  auth: AuthStore
  signIns: SignInStore
  users: UsersStore
  passwords: PasswordHasher
  confirmation: Confirmation
  totp: TotpService
  preferences: PreferencesService
  settings: SettingsReader
  database: Pick<Database, 'notify'>
  log: Log
}) {
  const { auth: store, signIns, users, passwords, confirmation, totp, preferences, settings, log } = deps
  const { recordAudit: audit } = users

  const forgetSecret = async (): Promise<void> => {
    await store.removeAllSessions()
    await store.removeSecretFingerprint()
  }

  /** Minutes without use after which a session ends; null when sessions don't end that way. */
  const idleMinutes = () => settings.current().sign_in.idle_minutes
  /** Time since which a session must have been used; sessions last used earlier have ended. */
  const usedSince = () => {
    const minutes = idleMinutes()
    return new Date(minutes === null ? 0 : Date.now() - minutes * 60_000)
  }

  return {
    /**
     * Begins a session, or returns a challenge when the user has turned on codes of an authenticator app.
     * @throws UnauthorizedError with the same message, after the same time, when the username is unknown, the password is
     *   wrong or not accepted here, or the account is disabled; TooManyRequestsError after too many failures.
     */
    async login({
      username,
      password,
      ...visitor
    }: Visitor & { username: string; password: string }): Promise<NewSession | ReturnType<TotpService['challenge']>> {
      const account = await users.findByUsername(username)
      // Administrators can always use their password, in case the sign-in provider is down.
      const isPermitted = account?.user.role === 'admin' || settings.current().sign_in.passwords
      const { address } = visitor
      const attempt = { purpose: 'sign_in', username, password, address, account, isPermitted } as const
      const outcome = await confirmation.checkPassword(attempt, async (signedIn, tx) => {
        const { id } = signedIn.user
        if (await totp.isOn(id, tx)) return totp.challenge(signedIn)
        return beginSession(deps, id, { ...visitor, method: 'password' }, tx)
      })
      if (outcome === null) {
        throw new UnauthorizedError('Incorrect username or password', { code: 'invalid_credentials' })
      }
      return outcome
    },

    /**
     * Makes sure that all servers on a database sign with the same secret.
     * @param isOnlyServer true when no other server uses the database: a different secret then means that the old one is
     *   lost, and all sessions end.
     * @throws StartupError when other servers may use another secret.
     */
    async acceptSecret({ fingerprint, isOnlyServer }: { fingerprint: string; isOnlyServer: boolean }): Promise<void> {
      if ((await store.storeSecretFingerprint(fingerprint)) === fingerprint) return
      if (!isOnlyServer) {
        throw new StartupError(
          'JWT_SECRET differs from the one used with this database: all servers on it must share JWT_SECRET. If you ' +
            'changed it on purpose, stop all servers and run `npm run admin:reset-password -- --new-secret` once.',
        )
      }
      await forgetSecret()
      await store.storeSecretFingerprint(fingerprint)
      log.warn({}, 'the secret that signs tokens has changed, so all sessions have ended')
    },

    /**
     * Ends every session and forgets the secret's fingerprint, so that the next server that starts determines the new
     * secret.
     */
    forgetSecret,

    /** User of a session; null when the session has ended or the account is disabled. */
    findSession: (sessionId: string, userId: string) => store.findSessionHolder(sessionId, userId, idleMinutes()),

    findSignedUrlHolder: store.findSignedUrlHolder,
    findTokenHolder: store.findTokenHolder,

    async describe(user: User): Promise<Me> {
      const methods = await signIns.findSignInMethods(user.id)
      return {
        ...user,
        must_change_password: methods?.must_change_password ?? false,
        has_password: methods?.has_password ?? false,
        preferences: await preferences.read(user.id),
      }
    },

    /** Stores the last use of an account and its credential, with the user's time zone and language. */
    async touch({
      userId,
      via,
      credentialId,
      timeZone,
      language,
    }: {
      userId: string
      via: 'session' | 'token'
      credentialId: string
      timeZone: string
      language: string
    }): Promise<void> {
      await store.touchUser(userId, { timeZone, language })
      await (via === 'session' ? store.touchSession(credentialId) : store.touchToken(credentialId))
    },

    /** Ends the session; when it was the user's last one, also invalidates the user's signed URLs. */
    async logout(actor: Actor): Promise<void> {
      const { userId, sessionId } = actor
      await users.transaction(async (tx) => {
        await store.removeSession(userId, sessionId, tx)
        await audit(tx, { action: 'sign_out', ...byActor(actor), subjectId: userId })
        if ((await store.countSessions(userId, usedSince(), tx)) === 0) await store.invalidateSignedUrls(userId, tx)
      })
    },

    /**
     * Sets a new password, and ends every other session, API tokens, programs' access, and the access items in `change.end`.
     * @param change.currentPassword undefined for an account without a password; its sign-in must then be recent.
     * @throws ForbiddenError when the current password is wrong; ValidationError when the new one is easy to guess;
     *   UnauthorizedError when the session has ended meanwhile.
     */
    async changePassword(
      actor: Actor,
      change: { currentPassword: string | undefined; newPassword: string; end: readonly AccessItemRef[] },
    ): Promise<void> {
      const { userId, sessionId, address, countsInAnalytics } = actor
      const { currentPassword, newPassword, end } = change
      const account = await users.findAccount(userId)
      if (account === null) throw new NotFoundError('This account no longer exists.')
      const { username, email } = account.user
      if (account.passwordHash === null) await confirmation.requireFresh(actor, undefined)
      else {
        if (currentPassword === undefined) throw missingCurrentPasswordError()
        const attempt = { purpose: 'confirmation', username, address, password: currentPassword, account } as const
        const isCorrect = await confirmation.checkPassword(attempt, async () => true)
        if (!isCorrect) throw new ForbiddenError('The current password is wrong.', { code: 'wrong_password' })
        if (newPassword === currentPassword) throw samePasswordError()
      }
      const owner = { username, email, assistantName: settings.current().assistant_name }
      await requireStrongPassword(newPassword, owner, { ...OWN_PASSWORD, path: 'new_password' })
      const passwordHash = await passwords.hash(newPassword)
      await users.transaction(async (tx) => {
        // An administrator may have set another password since the current one was compared.
        const isSignedIn = await store.lockSession(userId, sessionId, tx)
        if (!isSignedIn || !(await users.isUsable(account, tx))) throw sessionEndedError()
        await users.update(userId, { passwordHash, mustChangePassword: false }, tx)
        await store.removeSessions(userId, tx, sessionId)
        await store.removeTokens(userId, tx)
        const otherItems = end.filter(({ id }) => id !== sessionId)
        await endAccessItems(userId, otherItems, tx)
        await users.recordActivity(tx, {
          userId,
          kind: 'account',
          detail: { action: 'password_changed' },
          countsInAnalytics,
        })
        await audit(tx, { action: 'password.changed', ...byActor(actor), subjectId: userId })
      })
      notifyAccessChanged(deps)
    },

    async listSessions({ userId, sessionId }: Actor, query: PageQuery): Promise<Page<AuthSessionView>> {
      const page = await readPage(query, (limits) => store.listSessions(userId, { ...limits, usedSince: usedSince() }))
      return { ...page, items: page.items.map((session) => ({ ...session, current: session.id === sessionId })) }
    },

    /** Ends a session and invalidates the user's signed URLs. @throws NotFoundError */
    async endSession(actor: Actor, id: string): Promise<void> {
      const { userId } = actor
      await users.transaction(async (tx) => {
        if (!(await store.removeSession(userId, id, tx))) throw new NotFoundError('There is no such session.')
        await store.invalidateSignedUrls(userId, tx)
        await audit(tx, { action: 'session.ended', ...byActor(actor), subjectId: id })
      })
    },
  }
}

function samePasswordError(): ValidationError {
  const message = 'The new password is the same as the current one. Choose another.'
  return new ValidationError(message, { code: 'same_password', errors: [{ path: 'new_password', message }] })
}

function missingCurrentPasswordError(): ValidationError {
  const message = 'Enter your current password.'
  return new ValidationError(message, { errors: [{ path: 'current_password', message }] })
}
