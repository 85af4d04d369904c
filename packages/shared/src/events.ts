import { z } from 'zod'

/** GET /events: what happens to the caller's things, as it happens. A client ignores types that it does not know. */
export const userEventSchema = z.discriminatedUnion('type', [
  /** A conversation was made, renamed, answered or deleted; `answering` tells that an answer is being made. */
  z.object({
    type: z.literal('chat.updated'),
    session_id: z.uuid(),
    deleted: z.boolean().default(false),
    answering: z.boolean().default(false),
  }),
  /** The caller's account changed: fetch /auth/me again. */
  z.object({ type: z.literal('account.updated') }),
])
export type UserEvent = z.output<typeof userEventSchema>
export type UserEventJson = z.input<typeof userEventSchema>
