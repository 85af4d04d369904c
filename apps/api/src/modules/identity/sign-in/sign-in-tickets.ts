import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { UnauthorizedError } from '../../../errors.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { PrismaTransaction } from '../users/users.store.ts'
import type { SignInStore } from './sign-in.store.ts'

/** The steps of a sign-in that a client carries from one call to the next. */
export type TicketPurpose = 'passkey_registration' | 'passkey_sign_in' | 'totp' | 'oidc'

const contentSchema = z.object({ id: z.uuid(), purpose: z.string(), expires_at: z.number(), data: z.unknown() })

/** A ticket that was read and is still valid. */
export interface Ticket<Data> {
  id: string
  expiresAt: Date
  data: Data
}

export type Tickets = ReturnType<typeof createTickets>

/**
 * State of a sign-in between two calls, encrypted and kept by the client: starting a thousand sign-ins fills no table.
 * A ticket is for one kind of step, for a few minutes, once.
 */
export function createTickets({ seal, store }: { seal: Seal; store: SignInStore }) {
  return {
    issue(purpose: TicketPurpose, data: unknown, lifetimeSeconds: number): string {
      const expiresAt = Date.now() + lifetimeSeconds * 1000
      return seal.close(JSON.stringify({ id: randomUUID(), purpose, expires_at: expiresAt, data }))
    },

    /** @throws UnauthorizedError when it is not ours, was made for another step, or is over. */
    read<Data>(purpose: TicketPurpose, dataSchema: z.ZodType<Data>, text: string): Ticket<Data> {
      const content = contentSchema.safeParse(parseJson(seal.open(text))).data
      if (content?.purpose !== purpose || content.expires_at <= Date.now()) throw hasEnded()
      return { id: content.id, expiresAt: new Date(content.expires_at), data: dataSchema.parse(content.data) }
    },

    /** Takes it, for good. @throws UnauthorizedError when it was taken before. */
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
