import { z } from 'zod'
import { idSchema, pageQuerySchema, timestampSchema } from './timestamp.ts'

/** A link by which anybody reads something of a person. */
export const shareSchema = z.object({
  id: idSchema,
  kind: z.enum(['conversation']),
  /** Id of the conversation. */
  subject_id: idSchema,
  /** Title at the time of sharing. */
  title: z.string(),
  token: z.string(),
  /** The path of its page. */
  url: z.string(),
  created_at: timestampSchema,
  /** Null when it holds until it is revoked. */
  expires_at: timestampSchema.nullable(),
})
export type Share = z.output<typeof shareSchema>
export type ShareJson = z.input<typeof shareSchema>

/** POST /shares: the branch that is shown, as it is now. */
export const createShareSchema = z.strictObject({
  kind: z.enum(['conversation']),
  id: idSchema,
  expires_at: timestampSchema.nullish(),
})
export type CreateShareJson = z.input<typeof createShareSchema>

/** GET /shares: newest first. */
export const sharesQuerySchema = pageQuerySchema.extend({ subject_id: idSchema.optional() })
export const sharesResponseSchema = z.object({ shares: z.array(shareSchema), next_cursor: z.string().nullable() })
export type SharesResponse = z.output<typeof sharesResponseSchema>
export type SharesResponseJson = z.input<typeof sharesResponseSchema>

export const shareTokenParamsSchema = z.object({ token: z.string().min(1).max(200) })
export const sharePictureParamsSchema = shareTokenParamsSchema.extend({
  id: idSchema,
  n: z.coerce.number().int().min(0).max(10_000),
})
export const sharePictureQuerySchema = z.object({
  size: z.enum(['original', 'preview', 'thumbnail']).default('preview'),
})

/** A message as everybody with the link reads it: what was said, and nothing of whom it was said to. */
export const sharedMessageSchema = z.object({
  id: idSchema,
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: timestampSchema,
  model_used: z.string().nullable(),
  images: z.array(
    z.object({ url: z.string(), thumbnail: z.string(), name: z.string(), width: z.number(), height: z.number() }),
  ),
  /** Cited sources, by title only. */
  sources: z.array(z.object({ n: z.number().int(), title: z.string() })),
})

/** GET /public/shares/{token}: the newest messages of the branch, oldest first. */
export const publicShareQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  before: idSchema.optional(),
})
export const publicShareSchema = z.object({
  kind: z.enum(['conversation']),
  title: z.string(),
  assistant_name: z.string(),
  created_at: timestampSchema,
  expires_at: timestampSchema.nullable(),
  messages: z.array(sharedMessageSchema),
  /** Value of `before` for earlier messages; null at the beginning. */
  previous_cursor: idSchema.nullable(),
})
export type PublicShare = z.output<typeof publicShareSchema>
export type PublicShareJson = z.input<typeof publicShareSchema>

/** POST /public/shares/{token}/continue: the caller's own conversation that goes on from there. */
export const continuedShareSchema = z.object({ session_id: idSchema })
export type ContinuedShareJson = z.input<typeof continuedShareSchema>
