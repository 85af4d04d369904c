import { z } from 'zod'

/** The vectors that one model has made of everybody's texts or pictures; only those of one model can be compared. */
export const embeddingProfileSchema = z.object({
  id: z.number().int(),
  kind: z.enum(['text', 'image']),
  engine: z.string(),
  model: z.string(),
  dimensions: z.number().int(),
  /** filling: being made for the chosen model, while others are searched; active: searched; old: kept until dropped. */
  state: z.enum(['filling', 'active', 'old']),
  /** True when the chosen engine makes these vectors. */
  is_chosen: z.boolean(),
  /** Texts or pictures that have one, of all. */
  filled: z.number().int(),
  total: z.number().int(),
  /** While they are being made; null as long as it is not known. */
  per_minute: z.number().nullable(),
  seconds_left: z.number().int().nullable(),
  /** Items that could not be prepared. */
  failed_items: z.number().int(),
  /** Reason why filling stopped, shown to the user; it's retried automatically. */
  error: z.string().nullable(),
})
export type EmbeddingProfile = z.infer<typeof embeddingProfileSchema>

/** GET /admin/embeddings. */
export const embeddingProfilesResponseSchema = z.object({ profiles: z.array(embeddingProfileSchema) })
export type EmbeddingProfilesResponse = z.infer<typeof embeddingProfilesResponseSchema>

export const embeddingProfileParamsSchema = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) })
