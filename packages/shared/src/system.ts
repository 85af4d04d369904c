import { z } from 'zod'
import { toldSchema } from './told.ts'

/** Largest file of POST /media/upload, and of the effects (spec §5). */
export const UPLOAD_MAX_BYTES = 100 * 1024 * 1024
export const EFFECT_UPLOAD_MAX_BYTES = 50 * 1024 * 1024

/** What an engine can do; each has an engine of its own, or none. */
export const capabilities = [
  'chat',
  'vision',
  'caption',
  'embedding',
  'image_embedding',
  'ocr',
  'transcription',
  'speech',
  'image_edit',
] as const
export const capabilitySchema = z.enum(capabilities)
export type Capability = z.infer<typeof capabilitySchema>

/** Whether a part works, by what engine, and if not, a reason that a person can act on. */
export const checkSchema = z.object({
  state: z.enum(['ok', 'off', 'error']),
  engine: z.string().optional(),
  model: z.string().optional(),
  reason: z.string().optional(),
  /** The reason in machine words. */
  told: z.array(toldSchema).optional(),
})
export type Check = z.infer<typeof checkSchema>

/** GET /health. Degraded: the database, the storage or the queue does not work. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  checks: z.object({
    database: checkSchema,
    storage: checkSchema,
    queue: checkSchema,
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
    upload_bytes: z.number().int(),
    effect_upload_bytes: z.number().int(),
  }),
  /** Which capabilities have an engine now. */
  capabilities: z.record(capabilitySchema, z.boolean()),
})
export type PublicConfig = z.infer<typeof configSchema>
