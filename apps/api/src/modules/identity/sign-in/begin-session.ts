import type { User } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { UnauthorizedError } from '../../../errors.ts'
import type { AuditRecord } from '../../../platform/database/audit.ts'
import { byActor, type Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'

/** Ways to prove one's identity that begin a session. */
type SignInMethod = 'password' | 'code' | 'passkey' | 'oidc' | 'invitation'

/** A session that has just begun, and its user; a token is signed for it. */
export interface NewSession {
  sessionId: string
  userId: string
}

/** Lifetime of a session; deleting its row ends it earlier. */
export const SESSION_LIFETIME_SECONDS = 30 * 24 * 60 * 60

/** Begins a session and records the sign-in. @throws UnauthorizedError when the account is no longer active. */
export async function beginSession(
  { auth, users }: { auth: AuthStore; users: UsersStore },
  userId: string,
  { method, address, userAgent, countsInAnalytics }: Visitor & { method: SignInMethod },
  tx: PrismaTransaction,
): Promise<NewSession> {
  if (!(await users.isActive(userId, tx))) throw cannotSignIn()
  const expiresAt = new Date(Date.now() + SESSION_LIFETIME_SECONDS * 1000)
  const session = { userId, userAgent: cutText(userAgent, 500), method, address, expiresAt }
  const sessionId = await auth.insertSession(session, tx)
  const detail = { action: 'signed_in', method }
  await users.recordActivity(tx, { userId, kind: 'account', detail, countsInAnalytics })
  const subject = { subjectId: userId, detail: { method } }
  await users.recordAudit(tx, { action: 'sign_in', ...byActor({ userId, address }), ...subject })
  return { sessionId, userId }
}

/** Audit entry for an account created by its first sign-in. */
export function createdBySignIn(
  { id, username, role }: Pick<User, 'id' | 'username' | 'role'>,
  method: SignInMethod,
  { address }: Pick<Visitor, 'address'>,
): AuditRecord {
  const subject = { subjectId: id, subjectName: username, detail: { role, method } }
  return { action: 'account.created', ...byActor({ userId: id, address }), ...subject }
}

/** Error for a failed sign-in that doesn't reveal the cause. */
export function cannotSignIn(): UnauthorizedError {
  return new UnauthorizedError('Couldn’t sign you in with this. Try another way, or ask an administrator.', {
    code: 'cannot_sign_in',
  })
}
