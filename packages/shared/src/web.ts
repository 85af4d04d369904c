import { z } from 'zod'
import { baseUrlSchema, keySchema } from './connections.ts'
import { webSearchProviders } from './constants/web.ts'
import { checkSchema } from './system.ts'

/** GET /admin/web: whether people may let the assistant look things up on the web, and what searches it. */
export const webSettingsSchema = z.object({
  /** Let users enable it in their conversations; it's off in each by default. */
  allowed: z.boolean(),
  /** Null where nothing searches: then pages are read by their addresses alone. */
  provider: z.enum(webSearchProviders).nullable(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  /** Result of the last search check; off without a search provider. */
  check: checkSchema,
})
export type WebSettings = z.infer<typeof webSettingsSchema>

/**
 * PUT /admin/web. Without `base_url`, the provider's own address. The key is written, never read: left out it stays, as long
 * as the search is at the same place; an empty one and null remove it.
 */
export const updateWebSettingsSchema = z
  .strictObject({
    allowed: z.boolean(),
    provider: z.enum(webSearchProviders).nullable(),
    base_url: baseUrlSchema.nullish(),
    api_key: keySchema.nullish(),
  })
  .refine(({ provider, base_url }) => provider !== 'searxng' || Boolean(base_url), {
    path: ['base_url'],
    error: 'Enter the address of your SearXNG.',
  })
export type UpdateWebSettings = z.output<typeof updateWebSettingsSchema>

/** GET /web: what a conversation may be allowed to do on the web. */
export const webStateSchema = z.object({ allowed: z.boolean(), search: z.boolean() })
export type WebState = z.infer<typeof webStateSchema>
