import { z } from 'zod'
import { cursorSchema } from './ids-and-pages.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

/** An entry of the audit log. Names are as they were at the time. */
export const auditEntrySchema = z.object({
  id: z.uuid(),
  created_at: timestampSchema,
  /** User who acted; null for someone not signed in and for the server's command line. */
  actor_id: z.uuid().nullable(),
  actor_name: z.string().nullable(),
  /** IP address of the request; null for the command line. */
  address: z.string().nullable(),
  /** Kind of authentication. */
  via: z.enum(['session', 'token', 'signed', 'none', 'command']),
  /** One of `auditActions`, or the method and path of a route without an action. */
  action: z.string(),
  outcome: z.enum(['done', 'begun', 'failed']),
  subject_id: z.string().nullable(),
  subject_name: z.string().nullable(),
  /** Additional data, such as names of changed fields; never a secret. */
  detail: z.record(z.string(), z.unknown()),
})
export type AuditEntry = z.output<typeof auditEntrySchema>
export type AuditEntryJson = z.input<typeof auditEntrySchema>

/** Filters of the audit log, combined with AND. */
export const auditFiltersSchema = z.object({
  /** Text in names, addresses or actions. */
  query: z.string().trim().max(200).optional(),
  action: z.string().trim().max(100).optional(),
  outcome: auditEntrySchema.shape.outcome.optional(),
  from: timestampSchema.optional(),
  to: timestampSchema.optional(),
})
export type AuditFilters = z.output<typeof auditFiltersSchema>

/** GET /admin/audit: newest first. */
export const auditQuerySchema = auditFiltersSchema.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: cursorSchema,
})
export const auditResponseSchema = z.object({
  entries: z.array(auditEntrySchema),
  next_cursor: z.string().nullable(),
})
export type AuditResponse = z.output<typeof auditResponseSchema>
export type AuditResponseJson = z.input<typeof auditResponseSchema>

export const analyticsPeriods = ['day', 'week', 'month', 'quarter'] as const
export const analyticsPeriodSchema = z.enum(analyticsPeriods)
export type AnalyticsPeriod = z.infer<typeof analyticsPeriodSchema>

/** GET /analytics: with `user_id`, the figures of one user. Without it, administrators get those of all users. */
export const analyticsQuerySchema = z.object({
  period: analyticsPeriodSchema.default('week'),
  user_id: z.uuid().optional(),
})

const countSchema = z.number().int()
/** Change in percent since the period before; null when its value is unknown or 0. */
const changeSchema = z.number().nullable()

const overviewFigures = {
  total_users: countSchema,
  /** Users who chatted, uploaded, searched, called an agent or applied an effect. */
  active_users: countSchema,
  /** Conversations with an answer in the period. */
  total_sessions: countSchema,
  /** Existing sessions that aren't completed. */
  active_sessions: countSchema,
  /** Average seconds per conversation: the sum, over its hours, of the time from the first question to the last answer of the hour; null for none. */
  avg_session_time: z.number().nullable(),
  /** Number of questions. */
  chat_messages: countSchema,
  media_uploads: countSchema,
  agent_calls: countSchema,
  search_queries: countSchema,
}
export type AnalyticsFigure = keyof typeof overviewFigures

const featureSchema = z.enum(['Chat', 'Media Upload', 'Agents', 'Memory Search'])
export type AnalyticsFeature = z.infer<typeof featureSchema>

const insight = <Kind extends string, Numbers extends z.ZodType>(kind: Kind, numbers: Numbers) =>
  z.object({ kind: z.literal(kind), numbers: numbers.nullable() })

export const analyticsInsightSchema = z.discriminatedUnion('kind', [
  /** The busiest hour of the day, with its percentage of all use, and the busiest weekday (0 is Monday). */
  insight(
    'peak_usage',
    z.object({ hour: countSchema, count: countSchema, share: z.number(), day: countSchema, day_count: countSchema }),
  ),
  /** Use now and in the period before, and the change in percent. */
  insight('growth', z.object({ current: countSchema, previous: countSchema, change: z.number() })),
  /** Median and 95th percentile of answer times, in seconds; `change` is that of p50. */
  insight(
    'performance',
    z.object({ p50: z.number(), p95: z.number(), error_rate: z.number().nullable(), change: changeSchema }),
  ),
  /** The most used feature with its percentage of all use, and uses per active user. */
  insight(
    'user_behavior',
    z.object({ feature: featureSchema, share: z.number(), active_users: countSchema, uses_per_user: z.number() }),
  ),
])
export type AnalyticsInsight = z.infer<typeof analyticsInsightSchema>

const shareSchema = z.number().min(0).max(1)

export const analyticsSchema = z.object({
  period: analyticsPeriodSchema,
  /** User of the figures; null for those of all users. */
  user_id: z.uuid().nullable(),
  time_zone: z.string(),
  from: timestampSchema,
  until: timestampSchema,
  /** Time up to which changes are included; null when the figures are complete. */
  as_of: timestampSchema.nullable(),
  overview: z.object({
    ...overviewFigures,
    trends: z.object(
      Object.fromEntries(Object.keys(overviewFigures).map((key) => [key, changeSchema])) as Record<
        AnalyticsFigure,
        typeof changeSchema
      >,
    ),
  }),
  usage: z.array(
    z.object({
      /** A day (2026-11-20), or for the period `day` an hour with its offset (2026-11-20T15:00:00+01:00), in `time_zone`. */
      date: z.string(),
      chat: countSchema,
      upload: countSchema,
      agents: countSchema,
      search: countSchema,
    }),
  ),
  hourly: z.array(
    z.object({
      /** 0 to 23, in `time_zone`. */
      hour: countSchema,
      /** Average number of users active in that hour, over the days of the period. */
      users: z.number(),
      count: countSchema,
      /** Use relative to the busiest hour, 0 to 1. */
      intensity: shareSchema,
    }),
  ),
  features: z.array(
    z.object({
      name: featureSchema,
      count: countSchema,
      /** Percentage of the use of all four features; null when none was used. */
      value: z.number().nullable(),
      /** Colour of the chart palette. */
      color: z.enum(['data-1', 'data-2', 'data-3', 'data-4']),
    }),
  ),
  performance: z.array(
    z.object({
      metric: z.enum(['response_time_p50', 'response_time_p95', 'time_to_first_token', 'error_rate', 'ingestion_time']),
      /** Null when there was nothing to measure. Times are accurate to 5 %. */
      value: z.number().nullable(),
      unit: z.enum(['seconds', 'percent']),
      trend: z.enum(['up', 'down', 'stable']).nullable(),
      /** Change since the period before, in percent; in percentage points for error_rate. */
      change: changeSchema,
    }),
  ),
  heatmap: z.array(
    z.object({
      /** 0 is Monday, 6 is Sunday. */
      day: countSchema,
      hour: countSchema,
      value: countSchema,
      intensity: shareSchema,
    }),
  ),
  /** One insight of each kind, with the `numbers` for its sentence; these are null when there is too little data. */
  insights: z.array(analyticsInsightSchema),
})
export type Analytics = z.output<typeof analyticsSchema>
export type AnalyticsJson = z.input<typeof analyticsSchema>

/** Link target: a path of the web app; null when the source no longer exists. */
const linkSchema = z.string().nullable()

export const activityKinds = ['chat', 'upload', 'search', 'agent', 'effect', 'automation', 'account'] as const
export const activityKindSchema = z.enum(activityKinds)
export type ActivityKind = z.infer<typeof activityKindSchema>

/** GET /dashboard/overview: figures of the four cards. `change` compares the last 7 days with the 7 before; null when unknown. */
export const overviewSchema = z.object({
  chat_sessions: z.number().int(),
  media_items: z.number().int(),
  agent_calls: z.number().int(),
  /** Percentage of requests in the last 30 days that succeeded; null when there were none. */
  efficiency: z.number().nullable(),
  /** Differences: counts for the first three, percentage points for efficiency. */
  change: z.object({
    chat_sessions: z.number().nullable(),
    media_items: z.number().nullable(),
    agent_calls: z.number().nullable(),
    efficiency: z.number().nullable(),
  }),
})
export type Overview = z.infer<typeof overviewSchema>

export const activityEntrySchema = z.object({
  id: z.uuid(),
  type: activityKindSchema,
  outcome: z.enum(['completed', 'failed', 'interrupted']),
  /** Name of its subject (a conversation, an account, an API token); empty when deleted. */
  title: z.string(),
  /** Code (answered, stopped, failed, signed_in, …), worded by the client. */
  action: z.string(),
  /** Name of the called agent; otherwise empty. */
  detail: z.string(),
  created_at: timestampSchema,
  link: linkSchema,
})
export type ActivityEntry = z.output<typeof activityEntrySchema>
export type ActivityEntryJson = z.input<typeof activityEntrySchema>
export const activityResponseSchema = z.object({ activity: z.array(activityEntrySchema) })
export const activityQuerySchema = z.object({ limit: z.coerce.number().int().min(1).max(50).default(8) })

const problemSchema = z.object({ at: timestampSchema, reason: z.string(), told: z.array(codedSentenceSchema) })

export const systemStateSchema = z.enum(['online', 'warning', 'error'])
/** GET /dashboard/health: states of the System Health block. */
export const dashboardHealthSchema = z.object({
  ai_service: systemStateSchema,
  vector_store: systemStateSchema,
  media_processing: systemStateSchema,
  agents: systemStateSchema,
  /** Reasons for parts that aren't online, shown to the user. */
  reasons: z.partialRecord(z.enum(['ai_service', 'vector_store', 'media_processing', 'agents']), z.string()),
  /** The reasons as codes with parameters, for translation. */
  told: z.partialRecord(
    z.enum(['ai_service', 'vector_store', 'media_processing', 'agents']),
    z.array(codedSentenceSchema),
  ),
  /** Last contact with the model servers behind the AI service and the vectors; null where no server is used. */
  checked_at: z.iso.datetime().nullable(),
  /** Seconds since the server started. */
  uptime: z.number(),
  last_backup: timestampSchema.nullable(),
  /** For administrators: the last failed backup, until one succeeds. */
  failed_backup: problemSchema.nullable(),
  /** Time at which a trial restore of a backup last succeeded. */
  last_proven_restore: timestampSchema.nullable(),
  /** For administrators: problems that would prevent a complete restore, such as a failed backup or trial restore. */
  backup_warnings: z.array(problemSchema),
})
export type DashboardHealth = z.output<typeof dashboardHealthSchema>
export type DashboardHealthJson = z.input<typeof dashboardHealthSchema>
