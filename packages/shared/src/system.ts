import { z } from 'zod'
import { capabilities } from './constants/capabilities.ts'
import { codedSentenceSchema } from './sentences.ts'
import { signInWaysSchema } from './sign-in.ts'

export const capabilitySchema = z.enum(capabilities)

/** State of a part, its engine and, on failure, a reason that the user can act on. */
export const checkSchema = z.object({
  state: z.enum(['ok', 'off', 'error']),
  engine: z.string().optional(),
  model: z.string().optional(),
  reason: z.string().optional(),
  /** The reason in machine words. */
  told: z.array(codedSentenceSchema).optional(),
  /** Last contact with the server behind it; left out for local parts. */
  checked_at: z.iso.datetime().optional(),
})
export type Check = z.infer<typeof checkSchema>

/**
 * Sandbox of the processes that parse untrusted files: bubblewrap, namespaces, service (another container) or none.
 * `reaches` lists the resources that a trial escape could access; null when no trial was possible.
 */
export const parserCheckSchema = checkSchema.extend({
  reaches: z.object({ network: z.boolean(), secrets: z.boolean(), files: z.boolean() }).nullable(),
})
export type ParserCheck = z.infer<typeof parserCheckSchema>

/** GET /health. Degraded: the database, the storage or the queue does not work. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  checks: z.object({
    database: checkSchema,
    storage: checkSchema,
    queue: checkSchema,
    /** Left out while it is being tried. */
    parsers: parserCheckSchema.optional(),
    /** Only while a reverse proxy is seen that TRUST_PROXY doesn't allow for. */
    proxy: checkSchema.optional(),
    /** Only while entries of the audit log aren't as they were written. */
    audit: checkSchema.optional(),
    models: z.record(capabilitySchema, checkSchema),
  }),
})
export type Health = z.infer<typeof healthSchema>

/** GET /config: what a client needs before anybody signs in. */
export const configSchema = z.object({
  assistant_name: z.string(),
  phase_badge: z.literal('Phase 5'),
  version: z.string(),
  limits: z.object({
    message_characters: z.number().int(),
    message_images: z.number().int(),
    /** The largest film or recording; what is larger than `whole_upload_bytes` comes in parts (/media/uploads). */
    upload_bytes: z.number().int(),
    /** The largest file of POST /media/upload. */
    whole_upload_bytes: z.number().int(),
    /** The largest picture or document. */
    still_upload_bytes: z.number().int(),
    effect_upload_bytes: z.number().int(),
  }),
  /** For how many days what was deleted can come back; 0: there is no trash for items and conversations. */
  trash: z.object({ days: z.number().int(), account_days: z.number().int() }),
  sign_in: signInWaysSchema,
  /** Capabilities with an available engine. */
  capabilities: z.record(capabilitySchema, z.boolean()),
})
export type PublicConfig = z.infer<typeof configSchema>
