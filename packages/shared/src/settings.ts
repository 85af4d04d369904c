import { z } from 'zod'
import { timeZoneSchema } from './account.ts'
import { baseUrlSchema, connectionParamsSchema, keySchema } from './connections.ts'
import { webSearchProviders } from './constants/agents.ts'
import { languages } from './constants/languages.ts'
import {
  ASSISTANT_NAME_MAX_CHARACTERS,
  FEED_TITLE_MAX_CHARACTERS,
  FEED_URL_MAX_CHARACTERS,
  LARGE_UPLOAD_MAX_BYTES,
  MAX_NEWS_FEEDS,
  MODEL_NAME_MAX_CHARACTERS,
  OFFSITE_ADDRESS_MAX_CHARACTERS,
  retentionBounds,
  UPLOAD_LIMIT_MIN_BYTES,
} from './constants/limits.ts'
import { codedSentenceSchema } from './sentences.ts'
import { capabilitySchema, checkSchema } from './system.ts'
import { timestampSchema } from './timestamp.ts'
import { storageLimitSchema } from './users.ts'

/** GET /admin/web: permission to use the web, and the search provider. */
export const webSettingsSchema = z.object({
  /** Let users enable the web in their conversations; it's off in each conversation by default. */
  allowed: z.boolean(),
  /** Search provider. Without one (null), answers only read pages whose URL is given. */
  provider: z.enum(webSearchProviders).nullable(),
  base_url: z.string().nullable(),
  has_key: z.boolean(),
  /** Result of the last search check; off without a search provider. */
  check: checkSchema,
})
export type WebSettings = z.infer<typeof webSettingsSchema>

/**
 * PUT /admin/web. `base_url` defaults to the provider's own address. The key is never returned. If it's omitted, the
 * stored key is kept as long as the provider and the origin of the address stay the same. An empty key or null removes it.
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

/** GET /web: web features that a conversation can enable. */
export const webStateSchema = z.object({ allowed: z.boolean(), search: z.boolean() })
export type WebState = z.infer<typeof webStateSchema>

/** Engine of one capability; null values follow the environment. */
export const engineChoiceSchema = z.strictObject({
  /** auto: the first available of remote, local and built-in. */
  engine: z.enum(['auto', 'remote', 'local', 'off']),
  model: z.string().trim().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullable(),
  /** Preferred connection, as long as it responds. If omitted, the first connection with a suitable model is used. */
  connection: connectionParamsSchema.shape.id.optional(),
})
export type EngineChoice = z.infer<typeof engineChoiceSchema>

/** A feed that the NewsAgent reads. */
export const newsFeedSchema = z.strictObject({
  title: z.string().trim().min(1).max(FEED_TITLE_MAX_CHARACTERS),
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address that begins with http:// or https://' })
    .max(FEED_URL_MAX_CHARACTERS),
  /** ISO 639-1 code. */
  language: z.enum(languages),
})
export type NewsFeed = z.infer<typeof newsFeedSchema>

/** `s3://bucket/prefix`, or a folder of the server. */
export const offsiteAddressSchema = z
  .string()
  .trim()
  .max(OFFSITE_ADDRESS_MAX_CHARACTERS)
  .regex(/^(s3:\/\/[a-z0-9][a-z0-9.-]{1,62}(\/[\w./-]*)?$|\/)/, {
    error: 'must be s3://bucket/folder, or a folder of the server that begins with /',
  })

/** Schedule of automatic backups. */
export const backupScheduleSchema = z.strictObject({
  every: z.enum(['never', 'day', 'week']),
  /** Day of the week, 1 for Monday; only used with `week`. */
  weekday: z.number().int().min(1).max(7),
  /** Time of day, `HH:MM`. */
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time such as 03:30' }),
  time_zone: timeZoneSchema,
  /** Address of encrypted copies: `s3://bucket/prefix`, or a folder of the server; empty for none. */
  offsite: z.union([z.literal(''), offsiteAddressSchema]).optional(),
})
export type BackupSchedule = z.infer<typeof backupScheduleSchema>

const boundedNumber = (name: keyof typeof retentionBounds) =>
  z.number().int().min(retentionBounds[name].min).max(retentionBounds[name].max)

/** Administrators' settings, which override the environment. Capabilities without a choice resolve automatically. */
export const adminSettingsSchema = z.strictObject({
  assistant_name: z.string().trim().min(1).max(ASSISTANT_NAME_MAX_CHARACTERS),
  engines: z.partialRecord(capabilitySchema, engineChoiceSchema),
  /** Limits in bytes; null for no limit but the disk. */
  limits: z.strictObject({
    /** Largest video or recording; single-request uploads, pictures and documents have lower limits. */
    upload_bytes: z.number().int().min(UPLOAD_LIMIT_MIN_BYTES).max(LARGE_UPLOAD_MAX_BYTES),
    /** Default for users without their own limit. */
    storage_bytes_per_user: storageLimitSchema,
  }),
  sign_in: z.strictObject({
    /** Minutes of inactivity after which a session ends; null for the maximum of thirty days. */
    idle_minutes: z.number().int().min(5).max(43_200).nullable(),
    /** Allow password sign-in for users other than administrators. */
    passwords: z.boolean(),
    /** Create accounts for new users from the sign-in provider. */
    oidc_creates_accounts: z.boolean(),
  }),
  /** Days after which entries are removed; null keeps them. */
  retention: z.strictObject({
    activity_days: boundedNumber('activity_days').nullable(),
    agent_run_days: boundedNumber('agent_run_days').nullable(),
    notification_days: boundedNumber('notification_days'),
    automation_run_days: boundedNumber('automation_run_days'),
    audit_days: boundedNumber('audit_days'),
    /** Days that deleted items and conversations stay in the trash; 0 turns the trash off. */
    trash_days: boundedNumber('trash_days'),
    backups_kept: boundedNumber('backups_kept'),
  }),
  backups: backupScheduleSchema,
  news_feeds: z.array(newsFeedSchema).max(MAX_NEWS_FEEDS),
  /** Allow training data to be sent to the remote server's fine-tuning API. */
  allows_remote_fine_tuning: z.boolean(),
  /** Allow users with access to agents to connect their own MCP servers, at public addresses. */
  allows_own_mcp_servers: z.boolean(),
})
export type AdminSettings = z.infer<typeof adminSettingsSchema>

/** GET /me/storage and GET /admin/users/{id}/storage. */
export const storageUseSchema = z.object({
  /** Bytes of the originals, without derived files such as thumbnails. */
  used_bytes: z.number().int(),
  /** Limit that applies; null for no limit but the disk. */
  limit_bytes: z.number().int().nullable(),
  /** Limit of this account; null for the default. */
  own_limit_bytes: z.number().int().nullable(),
  /** Limit of accounts without their own. */
  default_limit_bytes: z.number().int().nullable(),
})
export type StorageUse = z.infer<typeof storageUseSchema>

/** Available engines of a capability and the active one. */
export const engineStateSchema = z.object({
  check: checkSchema,
  /** Choices for the capability; `local` only if this version has a local engine for it. */
  choices: z.array(engineChoiceSchema.shape.engine),
  /** Suitable models listed by the connected server; any other name may be entered, too. */
  remote_models: z.array(z.string()),
  /** Environment variable that configures the model, and its value; null where there is none. */
  environment: z.object({ variable: z.string(), model: z.string().nullable() }).nullable(),
})
export type EngineState = z.infer<typeof engineStateSchema>

/** GET and PUT /admin/settings. */
export const adminSettingsResponseSchema = z.object({
  /** Effective settings. */
  settings: adminSettingsSchema,
  /** Settings that would apply without the administrators' changes: from the environment, otherwise Mira's defaults. */
  defaults: adminSettingsSchema,
  /** Names of settings that administrators have changed, such as `assistant_name`, `limits.upload_bytes` or `engines.chat`. */
  decided: z.array(z.string()),
  engines: z.record(capabilitySchema, engineStateSchema),
  /** Time of the last change; null when nothing was ever changed. */
  updated_at: timestampSchema.nullable(),
})
export type AdminSettingsResponse = z.output<typeof adminSettingsResponseSchema>
export type AdminSettingsResponseJson = z.input<typeof adminSettingsResponseSchema>

/** POST /admin/engines/test: runs the engine in use once. */
export const engineTestSchema = z.strictObject({ capability: capabilitySchema })
export const engineTestResponseSchema = z.object({
  ok: z.boolean(),
  /** Request and response, or the reason for the failure; in English, shown to the user. */
  detail: z.string(),
  /** The detail as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema),
  engine: z.string().nullable(),
  model: z.string().nullable(),
  duration_ms: z.number().int(),
})
export type EngineTestResponse = z.infer<typeof engineTestResponseSchema>
