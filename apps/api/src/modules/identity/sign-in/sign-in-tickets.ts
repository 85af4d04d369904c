import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { UnauthorizedError } from '../../../errors.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { PrismaTransaction } from '../users/users.store.ts'
import type { SignInStore } from './sign-in.store.ts'

/** Steps of a sign-in whose state the client holds between two calls. */
type TicketPurpose = 'passkey_registration' | 'passkey_sign_in' | 'totp' | 'oidc' | 'oidc_link'

const contentSchema = z.object({ id: z.uuid(), purpose: z.string(), expires_at: z.number(), data: z.unknown() })

/** Contents of a valid ticket. */
interface Ticket<Data> {
  id: string
  expiresAt: Date
  data: Data
}

export type Tickets = ReturnType<typeof createTickets>

/**
 * Tickets with the state of a sign-in between two calls. The client holds them, encrypted, so that starting many sign-ins
 * fills no table. A ticket is valid for one kind of step, for a few minutes, and only once if `useUp` is called.
 */
export function createTickets({ seal, store }: { seal: Seal; store: SignInStore }) {
  /** Decrypts a ticket, even an expired one; null when it isn't from this instance or is for another step. */
  const decrypt = <Data>(purpose: TicketPurpose, dataSchema: z.ZodType<Data>, text: string): Ticket<Data> | null => {
    const content = contentSchema.safeParse(parseJson(seal.decrypt(text))).data
    if (content?.purpose !== purpose) return null
    // A server of another version may have issued the ticket.
    const { data } = dataSchema.safeParse(content.data)
    return data === undefined ? null : { id: content.id, expiresAt: new Date(content.expires_at), data }
  }

  return {
    decrypt,

    issue(purpose: TicketPurpose, data: unknown, lifetimeSeconds: number): string {
      const expiresAt = Date.now() + lifetimeSeconds * 1000
      return seal.encrypt(JSON.stringify({ id: randomUUID(), purpose, expires_at: expiresAt, data }))
    },

    /** Decrypts a ticket. @throws UnauthorizedError when it isn't from this instance, is for another step, or has expired. */
    read<Data>(purpose: TicketPurpose, dataSchema: z.ZodType<Data>, text: string): Ticket<Data> {
      const ticket = decrypt(purpose, dataSchema, text)
      if (ticket === null || ticket.expiresAt.getTime() <= Date.now()) throw signInExpired()
      return ticket
    },

    /** Uses up a ticket. @throws UnauthorizedError when it was used before. */
    async useUp({ id, expiresAt }: Ticket<unknown>, tx?: PrismaTransaction): Promise<void> {
      if (!(await store.insertUsedTicket(id, expiresAt, tx))) throw signInExpired()
    },
  }
}

function parseJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

export function signInExpired(): UnauthorizedError {
  return new UnauthorizedError('This sign-in took too long or was already used. Start again.', {
    code: 'sign_in_expired',
  })
}
