import type { User } from '@mira/shared'
import { ForbiddenError, UnauthorizedError } from '../../../errors.ts'
import type { AuditRecord } from '../../../platform/database/audit.ts'
import type { Actor } from '../users/auth.service.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import type { SignInStore } from './sign-in.store.ts'

/** By what somebody signed in. */
export type SignInMethod = 'password' | 'code' | 'passkey' | 'oidc' | 'invitation'

/** From where and with what somebody comes in. */
export interface Visitor {
  address: string
  userAgent: string
  inAnalytics: boolean
}

/** The row behind a new token. */
export interface NewSession {
  sessionId: string
  userId: string
}

/** Lifetime of a session; deleting its row ends it earlier. */
export const SESSION_LIFETIME_SECONDS = 30 * 24 * 60 * 60
/** Time after signing in during which sign-in methods can be changed without entering the password again. */
const FRESH_MS = 10 * 60 * 1000

/** The line of the audit log for an account that its own first sign-in makes. */
export function madeBySignIn(
  { id, username, role }: Pick<User, 'id' | 'username' | 'role'>,
  method: SignInMethod,
  { address }: Pick<Visitor, 'address'>,
): AuditRecord {
  const by = { actorId: id, address, via: 'session' } as const
  return { action: 'account.created', ...by, subjectId: id, subjectName: username, detail: { role, method } }
}

export type SessionStarter = ReturnType<typeof createSessionStarter>

/** The one place where sessions begin, whatever proved who somebody is. */
export function createSessionStarter(deps: {
  auth: AuthStore
  users: UsersStore
  signIns: SignInStore
  /** @throws ForbiddenError when it is not the person's; TooManyRequestsError after too many wrong ones. */
  confirmPassword: (userId: string, given: { password: string; address: string }) => Promise<void>
}) {
  const { auth, users, signIns, confirmPassword } = deps
  return {
    /** Begins a session. @throws UnauthorizedError when the account is not active any more. */
    async begin(
      userId: string,
      { method, address, userAgent, inAnalytics }: Visitor & { method: SignInMethod },
      tx: PrismaTransaction,
    ): Promise<NewSession> {
      if (!(await users.isActive(userId, tx))) throw cannotSignIn()
      const expiresAt = new Date(Date.now() + SESSION_LIFETIME_SECONDS * 1000)
      const session = { userId, userAgent: userAgent.slice(0, 500), method, address, expiresAt }
      const sessionId = await auth.insertSession(session, tx)
      const detail = { action: 'signed_in', method }
      await users.recordActivity(tx, { userId, kind: 'account', detail, inAnalytics })
      const line = { actorId: userId, via: 'session', address, subjectId: userId, detail: { method } } as const
      await users.recordAudit(tx, { action: 'sign_in', ...line })
      return { sessionId, userId }
    },

    /**
     * Makes sure that it is the person who changes how they sign in, and not somebody at a page they left open: their
     * sign-in is minutes old, or they give their password.
     * @throws ForbiddenError when neither is so.
     */
    async requireFresh({ userId, sessionId }: Actor, given: { password: string | undefined; address: string }) {
      const beganAt = await signIns.findSessionStart(userId, sessionId)
      if (beganAt !== null && Date.now() - beganAt.getTime() < FRESH_MS) return
      if (given.password !== undefined) {
        return confirmPassword(userId, { password: given.password, address: given.address })
      }
      const facts = await signIns.findFacts(userId)
      throw new ForbiddenError(
        facts?.has_password === false
          ? 'Sign out and in again first: your sign-in is more than ten minutes old.'
          : 'Give your password as well: your sign-in is more than ten minutes old.',
        { code: facts?.has_password === false ? 'sign_in_again' : 'confirmation_required' },
      )
    },
  }
}

/** The same words whatever was wrong. */
export function cannotSignIn(): UnauthorizedError {
  return new UnauthorizedError('You could not be signed in with this. Try another way, or ask an administrator.', {
    code: 'cannot_sign_in',
  })
}
