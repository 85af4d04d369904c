import { z } from 'zod'
import { accessItemKinds } from './constants/access-items.ts'
import { PASSWORD_FIELD_MAX_CHARACTERS } from './constants/limits.ts'
import { idSchema, timestampSchema } from './timestamp.ts'

/** One thing that opens the caller's account, or sends data out of it. */
export const accessItemSchema = z.object({
  kind: z.enum(accessItemKinds),
  id: z.uuid(),
  /** A name, a browser, an issuer or a title, by the kind; may be empty. */
  name: z.string(),
  created_at: timestampSchema,
  last_used_at: timestampSchema.nullable(),
  /** Off since a restore, until the caller confirms it. */
  is_suspended: z.boolean(),
})
export type AccessItem = z.output<typeof accessItemSchema>
export type AccessItemJson = z.input<typeof accessItemSchema>

/** GET /auth/access: newest first; the caller's own session is not in it. */
export const accessItemsResponseSchema = z.object({
  items: z.array(accessItemSchema),
  next_cursor: z.string().nullable(),
})
export type AccessItemsResponse = z.output<typeof accessItemsResponseSchema>
export type AccessItemsResponseJson = z.input<typeof accessItemsResponseSchema>

export const accessItemRefsSchema = z.array(z.object({ kind: z.enum(accessItemKinds), id: idSchema })).max(1000)
export type AccessItemRef = z.output<typeof accessItemRefsSchema>[number]

/** POST /auth/access/end */
export const endAccessSchema = z.strictObject({ items: accessItemRefsSchema })
/** POST /auth/access/confirm */
export const confirmAccessSchema = z.strictObject({
  items: accessItemRefsSchema,
  current_password: z.string().min(1).max(PASSWORD_FIELD_MAX_CHARACTERS).optional(),
})
