import { z } from 'zod'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

/** Link target: a path of the web app; null when the source no longer exists. */
const linkSchema = z.string().nullable()

export const activityKinds = ['chat', 'upload', 'search', 'agent', 'effect', 'automation', 'account'] as const
export const activityKindSchema = z.enum(activityKinds)
export type ActivityKind = z.infer<typeof activityKindSchema>

/** GET /dashboard/overview: the four cards. A change compares the last 7 days with the 7 before; null when unknown. */
export const overviewSchema = z.object({
  chat_sessions: z.number().int(),
  media_items: z.number().int(),
  agent_calls: z.number().int(),
  /** Percent of requests that ended well in the last 30 days; null when there were none. */
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
  /** The name of what it was about (a conversation, an account, an API token); empty when that is gone. */
  title: z.string(),
  /** A machine word for what happened (answered, stopped, failed, signed_in, …), worded by the client. */
  action: z.string(),
  /** The agent that was called; empty for everything else. */
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
/** GET /dashboard/health: the System Health block, each part with the reason when it is not online. */
export const dashboardHealthSchema = z.object({
  ai_service: systemStateSchema,
  vector_store: systemStateSchema,
  media_processing: systemStateSchema,
  agents: systemStateSchema,
  /** Reasons for parts that aren't online, shown to the user. */
  reasons: z.partialRecord(z.enum(['ai_service', 'vector_store', 'media_processing', 'agents']), z.string()),
  /** The same in machine words. */
  told: z.partialRecord(
    z.enum(['ai_service', 'vector_store', 'media_processing', 'agents']),
    z.array(codedSentenceSchema),
  ),
  /** Last contact with the model servers behind the AI service and the vectors; null where no server is used. */
  checked_at: z.iso.datetime().nullable(),
  /** Seconds since the server started. */
  uptime: z.number(),
  last_backup: timestampSchema.nullable(),
  /** The backup that failed last, for administrators, until one succeeds again. */
  failed_backup: problemSchema.nullable(),
  /** Time at which a trial restore of a backup last succeeded. */
  last_proven_restore: timestampSchema.nullable(),
  /** For administrators: what keeps the instance from being restored whole, such as a backup or a trial restore that failed. */
  backup_warnings: z.array(problemSchema),
})
export type DashboardHealth = z.output<typeof dashboardHealthSchema>
export type DashboardHealthJson = z.input<typeof dashboardHealthSchema>
