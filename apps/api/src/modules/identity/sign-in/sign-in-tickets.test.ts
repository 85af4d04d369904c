import { expect, test } from 'vitest'
import { z } from 'zod'
import { createTickets } from './sign-in-tickets.ts'

test('a ticket with the data of another version counts as expired', () => {
  const plain = { encrypt: (text: string) => text, decrypt: (text: string) => text }
  const tickets = createTickets({ seal: plain, store: {} } as unknown as Parameters<typeof createTickets>[0])
  const ticket = tickets.issue('totp', { user_id: 'anna' }, 60)
  expect(tickets.read('totp', z.object({ user_id: z.string() }), ticket).data).toEqual({ user_id: 'anna' })
  const later = z.object({ user_id: z.string(), password: z.string() })
  expect(() => tickets.read('totp', later, ticket)).toThrow(expect.objectContaining({ code: 'sign_in_expired' }))
})
