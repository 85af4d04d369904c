import { z } from 'zod'
import { capabilities } from './constants/models.ts'
import { codedSentenceSchema } from './sentences.ts'
import { signInWaysSchema } from './sign-in.ts'
import { timestampSchema } from './timestamp.ts'

export const capabilitySchema = z.enum(capabilities)

/** State of a part of the server, its engine and, on failure, a reason that the user can act on. */
export const checkSchema = z.object({
  state: z.enum(['ok', 'off', 'error']),
  engine: z.string().optional(),
  model: z.string().optional(),
  reason: z.string().optional(),
  /** The reason as codes with parameters, for translation. */
  told: z.array(codedSentenceSchema).optional(),
  /** Time of the last contact with the server that does the work; omitted for local parts. */
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

/** GET /health. degraded: the database, the storage or the queue doesn't work; stopping: sent with status 503. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'degraded', 'stopping']),
  version: z.string(),
  /** `web` serves HTTP, `worker` runs jobs and schedules, `all` does both. */
  role: z.enum(['web', 'worker', 'all']),
  checks: z.object({
    database: checkSchema,
    storage: checkSchema,
    queue: checkSchema,
    /** Omitted during the trial. */
    parsers: parserCheckSchema.optional(),
    /** Only while a reverse proxy is seen that TRUST_PROXY doesn't allow for. */
    proxy: checkSchema.optional(),
    /** Only while entries of the audit log aren't as they were written. */
    audit: checkSchema.optional(),
    models: z.record(capabilitySchema, checkSchema),
  }),
})
export type Health = z.infer<typeof healthSchema>

/** GET /config: information for clients before sign-in. */
export const configSchema = z.object({
  assistant_name: z.string(),
  phase_badge: z.literal('Phase 5'),
  version: z.string(),
  limits: z.object({
    message_characters: z.number().int(),
    message_images: z.number().int(),
    /** Largest video or recording; files above `whole_upload_bytes` are uploaded in parts (/media/uploads). */
    upload_bytes: z.number().int(),
    /** Largest file of POST /media/upload. */
    whole_upload_bytes: z.number().int(),
    /** Largest picture or document. */
    still_upload_bytes: z.number().int(),
    effect_upload_bytes: z.number().int(),
  }),
  /** Days in the trash: `days` for items and conversations, 0 when the trash is off; `account_days` for accounts. */
  trash: z.object({ days: z.number().int(), account_days: z.number().int() }),
  sign_in: signInWaysSchema,
  /** Capabilities with an available engine. */
  capabilities: z.record(capabilitySchema, z.boolean()),
})
export type PublicConfig = z.infer<typeof configSchema>

const countSchema = z.number().int()

/** Measurements of one interval on all servers; null when no server measured it. */
export const systemPointSchema = z.object({
  /** Start of the interval. */
  at: timestampSchema,
  /** API requests. */
  requests: countSchema.nullable(),
  /** Number of requests that ended in a server error. */
  request_errors: countSchema.nullable(),
  /** Memory of the server that used the most. */
  memory_bytes: z.number().nullable(),
  /** CPU time of the busiest server, 0 to 1 per processor. */
  cpu_share: z.number().nullable(),
  /** 99th percentile of the event loop's delay in milliseconds, on the slowest server. */
  event_loop_delay_p99_ms: z.number().nullable(),
  database_bytes: z.number().nullable(),
  storage_bytes: z.number().nullable(),
})
export type SystemPoint = z.output<typeof systemPointSchema>
export type SystemPointJson = z.input<typeof systemPointSchema>

/** Number of trial searches, and of those with the expected item among the first five hits. */
const searchTrialShape = { asked: countSchema, found: countSchema }

/** GET /admin/system: measurements; null for values that couldn't be measured. */
export const systemOverviewSchema = z.object({
  measured_at: timestampSchema,
  sessions: z.object({
    /** Conversations of all users. */
    chat: countSchema,
    /** Active sign-in sessions. */
    signed_in: countSchema,
  }),
  /** Seconds since this server started. */
  uptime: z.number(),
  /** Memory of this server's process, and the total of its machine or container. */
  memory: z.object({ used_bytes: z.number(), total_bytes: z.number() }),
  /** Disk of the data folder; null when it can't be read. */
  disk: z.object({ used_bytes: z.number(), total_bytes: z.number() }).nullable(),
  /** API requests in the last 24 hours, on all servers. */
  api_calls: countSchema,
  /** Percentage of these requests that ended in a server error; null when there were none. */
  error_rate: z.number().nullable(),
  database_bytes: z.number(),
  storage_bytes: z.number(),
  /** Delay of this server's event loop since its last sample, in milliseconds. */
  event_loop_delay_ms: z.object({ mean: z.number(), p99: z.number() }),
  queues: z.array(
    z.object({
      name: z.string(),
      waiting: countSchema,
      active: countSchema,
      /** Number of jobs that failed in the last six hours. */
      failed: countSchema,
    }),
  ),
  checks: z.object({
    database: checkSchema,
    storage: checkSchema,
    queue: checkSchema,
    parsers: parserCheckSchema.optional(),
    /** Only while a reverse proxy is seen that TRUST_PROXY doesn't allow for. */
    proxy: checkSchema.optional(),
    /** Only while entries of the audit log aren't as they were written. */
    audit: checkSchema.optional(),
  }),
  engines: z.record(capabilitySchema, checkSchema),
  versions: z.object({
    mira: z.string(),
    node: z.string(),
    postgresql: z.string(),
    pgvector: z.string().nullable(),
    platform: z.string(),
  }),
  /** Servers with a sample in the last 24 hours, newest sample first. */
  servers: z.array(
    z.object({
      server_id: z.uuid(),
      is_this: z.boolean(),
      last_sample_at: timestampSchema,
      requests: countSchema,
      request_errors: countSchema,
      memory_bytes: z.number(),
      cpu_share: z.number(),
      event_loop_delay_p99_ms: z.number(),
    }),
  ),
  /**
   * Result of the nightly trial of the search, which searches for stored items by some of their own words. Null before the
   * first trial.
   */
  known_items: z
    .object({
      measured_at: timestampSchema,
      ...searchTrialShape,
      /** Result of searching by words only. */
      words: z.object(searchTrialShape),
      /** Result of searching by meaning and looks only; null when no engine responded. */
      meaning: z.object(searchTrialShape).nullable(),
    })
    .nullable(),
  /** The last 24 hours in steps of five minutes, oldest first, without gaps. */
  series: z.array(systemPointSchema),
})
export type SystemOverview = z.output<typeof systemOverviewSchema>
export type SystemOverviewJson = z.input<typeof systemOverviewSchema>
