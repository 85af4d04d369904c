import { z } from 'zod'
import { timestampSchema } from './timestamp.ts'

export const analyticsPeriods = ['day', 'week', 'month', 'quarter'] as const
export const analyticsPeriodSchema = z.enum(analyticsPeriods)
export type AnalyticsPeriod = z.infer<typeof analyticsPeriodSchema>

/** GET /analytics: `user_id` is one person instead of everybody (administrators). */
export const analyticsQuerySchema = z.object({
  period: analyticsPeriodSchema.default('week'),
  user_id: z.uuid().optional(),
})

const countSchema = z.number().int()
/** Percent more (or less) than in the period before; null when that is not known, or was nothing. */
const changeSchema = z.number().nullable()

const overviewFigures = {
  total_users: countSchema,
  /** People who chatted, uploaded, searched, called an agent or made an effect. */
  active_users: countSchema,
  /** Conversations with an answer in the period. */
  total_sessions: countSchema,
  /** Existing sessions that aren't completed. */
  active_sessions: countSchema,
  /** Seconds from the first question to the last answer of a conversation, within each hour; null when there was none. */
  avg_session_time: z.number().nullable(),
  /** Questions that were asked. */
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
  /** Seconds that half and 95 % of the answers took at most; the change is that of p50. */
  insight(
    'performance',
    z.object({ p50: z.number(), p95: z.number(), error_rate: z.number().nullable(), change: changeSchema }),
  ),
  /** The most used feature with its percentage, and uses per active user. */
  insight(
    'user_behavior',
    z.object({ feature: featureSchema, share: z.number(), active_users: countSchema, uses_per_user: z.number() }),
  ),
])
export type AnalyticsInsight = z.infer<typeof analyticsInsightSchema>

const shareSchema = z.number().min(0).max(1)

export const analyticsSchema = z.object({
  period: analyticsPeriodSchema,
  /** Whose figures these are; null for everybody's. */
  user_id: z.uuid().nullable(),
  time_zone: z.string(),
  from: timestampSchema,
  until: timestampSchema,
  /** Changes since then are not added up yet; null when the figures are complete. */
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
      /** A day (2026-11-20), or for the period `day` an hour with its offset (2026-11-20T15:00:00+01:00), in the time zone. */
      date: z.string(),
      chat: countSchema,
      upload: countSchema,
      agents: countSchema,
      search: countSchema,
    }),
  ),
  hourly: z.array(
    z.object({
      /** 0 to 23, in the time zone. */
      hour: countSchema,
      /** People who were active in that hour, on the average of the period's days. */
      users: z.number(),
      count: countSchema,
      /** Against the busiest hour. */
      intensity: shareSchema,
    }),
  ),
  features: z.array(
    z.object({
      name: featureSchema,
      count: countSchema,
      /** Percent of the four together; null when there was nothing. */
      value: z.number().nullable(),
      /** A colour of the palette for data. */
      color: z.enum(['data-1', 'data-2', 'data-3', 'data-4']),
    }),
  ),
  performance: z.array(
    z.object({
      metric: z.enum(['response_time_p50', 'response_time_p95', 'time_to_first_token', 'error_rate', 'ingestion_time']),
      /** Null when there was nothing to measure. Times are at most 5 % away from the exact ones. */
      value: z.number().nullable(),
      unit: z.enum(['seconds', 'percent']),
      trend: z.enum(['up', 'down', 'stable']).nullable(),
      /** Percent against the period before (percentage points for error_rate). */
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
  /** One of each kind, with the numbers that a sentence of it names; null when there is too little to say. */
  insights: z.array(analyticsInsightSchema),
})
export type Analytics = z.output<typeof analyticsSchema>
export type AnalyticsJson = z.input<typeof analyticsSchema>
