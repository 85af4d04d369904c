import { z } from 'zod'
import { capabilitySchema, checkSchema, UPLOAD_MAX_BYTES } from './system.ts'
import { timestampSchema } from './timestamp.ts'
import { toldSchema } from './told.ts'

/** Which engine does what for one capability; what is null follows the environment. */
export const engineChoiceSchema = z.strictObject({
  /** auto: remote, then local, then built-in, whichever is there first. */
  engine: z.enum(['auto', 'remote', 'local', 'off']),
  model: z.string().trim().min(1).max(200).nullable(),
})
export type EngineChoice = z.infer<typeof engineChoiceSchema>

/** A feed that the NewsAgent reads. */
export const newsFeedSchema = z.strictObject({
  title: z.string().trim().min(1).max(100),
  url: z.url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' }).max(500),
  /** ISO 639-1 code. */
  language: z.enum(['en', 'es', 'fr', 'de']),
})
export type NewsFeed = z.infer<typeof newsFeedSchema>

/** What an administrator decides; it wins over the environment. A capability without a choice is left to resolve by itself. */
export const adminSettingsSchema = z.strictObject({
  assistant_name: z.string().trim().min(1).max(40),
  engines: z.partialRecord(capabilitySchema, engineChoiceSchema),
  /** Bytes; null means as much as fits. */
  limits: z.strictObject({
    upload_bytes: z
      .number()
      .int()
      .min(1024 * 1024)
      .max(UPLOAD_MAX_BYTES),
    storage_bytes_per_user: z
      .number()
      .int()
      .min(1024 * 1024)
      .max(Number.MAX_SAFE_INTEGER)
      .nullable(),
  }),
  /** Days after which things are removed; null keeps them. */
  retention: z.strictObject({
    activity_days: z.number().int().min(7).max(3650).nullable(),
    agent_run_days: z.number().int().min(1).max(3650).nullable(),
    notification_days: z.number().int().min(1).max(365),
    automation_run_days: z.number().int().min(7).max(3650),
    backups_kept: z.number().int().min(1).max(100),
  }),
  news_feeds: z.array(newsFeedSchema).max(50),
  /** Whether training data may be sent to the remote server's fine-tuning API. */
  allows_remote_fine_tuning: z.boolean(),
})
export type AdminSettings = z.infer<typeof adminSettingsSchema>

/** What can do a capability here, and what does it now. */
export const engineStateSchema = z.object({
  check: checkSchema,
  /** What may be chosen: local only where this version has a local engine for it. */
  choices: z.array(engineChoiceSchema.shape.engine),
  /** Names of the models that the connected server lists and that seem able to do it; any other name may be typed. */
  remote_models: z.array(z.string()),
  /** The variable of the environment that names the model, where there is one, and what it says. */
  environment: z.object({ variable: z.string(), model: z.string().nullable() }).nullable(),
})
export type EngineState = z.infer<typeof engineStateSchema>

/** GET and PUT /admin/settings. */
export const adminSettingsAnswerSchema = z.object({
  /** As they hold now. */
  settings: adminSettingsSchema,
  /** As they would be if nothing were decided here: from the environment, or as the product comes. */
  defaults: adminSettingsSchema,
  /** Names of those that are decided here, such as `assistant_name`, `limits.upload_bytes` or `engines.chat`. */
  decided: z.array(z.string()),
  engines: z.record(capabilitySchema, engineStateSchema),
  /** When something was decided last; null when nothing ever was. */
  updated_at: timestampSchema.nullable(),
})
export type AdminSettingsAnswer = z.output<typeof adminSettingsAnswerSchema>
export type AdminSettingsAnswerJson = z.input<typeof adminSettingsAnswerSchema>

/** POST /admin/engines/test: really does it once with the engine that is in use. */
export const engineTestSchema = z.strictObject({ capability: capabilitySchema })
export const engineTestAnswerSchema = z.object({
  ok: z.boolean(),
  /** What was asked and what came back, or why nothing did: for a person, in English. */
  detail: z.string(),
  /** The detail in machine words. */
  told: z.array(toldSchema),
  engine: z.string().nullable(),
  model: z.string().nullable(),
  duration_ms: z.number().int(),
})
export type EngineTestAnswer = z.infer<typeof engineTestAnswerSchema>
