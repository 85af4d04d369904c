import { randomUUID } from 'node:crypto'
import type { User } from '@mira/shared'
import { z } from 'zod'
import { UnauthorizedError } from '../../../errors.ts'
import type { AuditRecord } from '../../../platform/database/audit.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import { byActor, type Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import type { SignInStore } from './sign-in.store.ts'

/** Steps of a sign-in whose state the client holds between two calls. */
type TicketPurpose = 'passkey_registration' | 'passkey_sign_in' | 'totp' | 'oidc'

const contentSchema = z.object({ id: z.uuid(), purpose: z.string(), expires_at: z.number(), data: z.unknown() })

/** Contents of a valid ticket. */
interface Ticket<Data> {
  id: string
  expiresAt: Date
  data: Data
}

export type Tickets = ReturnType<typeof createTickets>

/**
 * State of a sign-in between two calls, encrypted and held by the client, so that starting sign-ins fills no table.
 * A ticket is valid for one kind of step, for a few minutes, once.
 */
export function createTickets({ seal, store }: { seal: Seal; store: SignInStore }) {
  return {
    issue(purpose: TicketPurpose, data: unknown, lifetimeSeconds: number): string {
      const expiresAt = Date.now() + lifetimeSeconds * 1000
      return seal.close(JSON.stringify({ id: randomUUID(), purpose, expires_at: expiresAt, data }))
    },

    /** @throws UnauthorizedError when it's not ours, for another step, or expired. */
    read<Data>(purpose: TicketPurpose, dataSchema: z.ZodType<Data>, text: string): Ticket<Data> {
      const content = contentSchema.safeParse(parseJson(seal.open(text))).data
      if (content?.purpose !== purpose || content.expires_at <= Date.now()) throw hasEnded()
      return { id: content.id, expiresAt: new Date(content.expires_at), data: dataSchema.parse(content.data) }
    },

    /** Uses it up. @throws UnauthorizedError when it was used before. */
    async take({ id, expiresAt }: Ticket<unknown>, tx?: PrismaTransaction): Promise<void> {
      if (!(await store.insertUsedTicket(id, expiresAt, tx))) throw hasEnded()
    },
  }
}

function parseJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

function hasEnded(): UnauthorizedError {
  return new UnauthorizedError('This sign-in took too long or was used already. Begin again.', {
    code: 'sign_in_expired',
  })
}

/** Proofs of identity that begin a session. */
export type SignInMethod = 'password' | 'code' | 'passkey' | 'oidc' | 'invitation'

/** The row behind a new token. */
export interface NewSession {
  sessionId: string
  userId: string
}

/** Lifetime of a session; deleting its row ends it earlier. */
export const SESSION_LIFETIME_SECONDS = 30 * 24 * 60 * 60

/** Begins a session, whatever the proof of identity. @throws UnauthorizedError when the account is no longer active. */
export async function beginSession(
  { auth, users }: { auth: AuthStore; users: UsersStore },
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
  const subject = { subjectId: userId, detail: { method } }
  await users.recordAudit(tx, { action: 'sign_in', ...byActor({ userId, address }), ...subject })
  return { sessionId, userId }
}

/** Audit line of an account that its own first sign-in creates. */
export function createdBySignIn(
  { id, username, role }: Pick<User, 'id' | 'username' | 'role'>,
  method: SignInMethod,
  { address }: Pick<Visitor, 'address'>,
): AuditRecord {
  const subject = { subjectId: id, subjectName: username, detail: { role, method } }
  return { action: 'account.created', ...byActor({ userId: id, address }), ...subject }
}

/** Error that doesn't reveal what was wrong. */
export function cannotSignIn(): UnauthorizedError {
  return new UnauthorizedError('You could not be signed in with this. Try another way, or ask an administrator.', {
    code: 'cannot_sign_in',
  })
}
