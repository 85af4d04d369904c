import { z } from 'zod'
import { LOG_QUERY_MAX_CHARACTERS } from './constants/limits.ts'
import { logContentTypes, logRanges, logSentiments, logTypes } from './constants/memory-logs.ts'
import { idSchema, timestampSchema } from './timestamp.ts'

/** "all" means no filter, and so does leaving it out. */
const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum([...values, 'all']).default('all')

/** The filters of GET /memory/logs and /memory/logs/export; all combine. */
export const memoryLogFiltersSchema = z.object({
  /** In the content, the response or the name of an agent, in any case. */
  query: z.string().trim().max(LOG_QUERY_MAX_CHARACTERS).default(''),
  type: choice(logTypes),
  content_type: choice(logContentTypes),
  sentiment: choice(logSentiments),
  range: choice(logRanges),
  /** From this moment on. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** Before this moment. */
  to: z.iso.datetime({ offset: true }).optional(),
})
export type MemoryLogFilters = z.output<typeof memoryLogFiltersSchema>

export const memoryLogsQuerySchema = memoryLogFiltersSchema.extend({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: z.string().max(500).optional(),
})

/** A logged action. Values that weren't measured or were deleted with their source are null. */
export const memoryLogEntrySchema = z.object({
  id: idSchema,
  type: z.enum(logTypes),
  /** A machine word for what happened, as in GET /dashboard/activity. */
  action: z.string(),
  outcome: z.enum(['completed', 'failed', 'interrupted']),
  /** Text of the question, search or upload. */
  content: z.string().nullable(),
  response: z.string().nullable(),
  timestamp: timestampSchema,
  content_type: z.enum(logContentTypes).nullable(),
  /** Sentiment of the conversation that it belongs to. */
  sentiment: z.enum(logSentiments).nullable(),
  /** Read and written by a model. */
  tokens: z.number().int().nullable(),
  /** Seconds: of a file, from the first step of its processing to the last; else until the answer was there. */
  processing_time: z.number().nullable(),
  /** Names of agents, joined by commas. */
  agent_used: z.string().nullable(),
  session_id: z.uuid().nullable(),
  /** Pictures and items that came with a question. */
  media_count: z.number().int().nullable(),
  extracted_text: z.string().nullable(),
  captions: z.array(z.string()).nullable(),
  results_count: z.number().int().nullable(),
  search_terms: z.array(z.string()).nullable(),
  /** By how many words what was asked has: low up to 8, medium up to 30, then high. */
  complexity: z.enum(['low', 'medium', 'high']).nullable(),
  /** Seconds, of a film or recording. */
  duration: z.number().nullable(),
  transcription: z.string().nullable(),
  /** Number of stored frames of a film. */
  key_frames: z.number().int().nullable(),
  /** A path of the web app: the conversation, item or search; null when it is not there any more. */
  link: z.string().nullable(),
})
export type MemoryLogEntry = z.output<typeof memoryLogEntrySchema>
export type MemoryLogEntryJson = z.input<typeof memoryLogEntrySchema>

export const memoryLogsResponseSchema = z.object({
  entries: z.array(memoryLogEntrySchema),
  /** Number of entries that match the filters. */
  total: z.number().int(),
  next_cursor: z.string().nullable(),
  /** Over everything of the caller, whatever the filters say. */
  stats: z.object({
    total_interactions: z.number().int(),
    /** Seconds that answers, searches, agents and effects took that ended well; null when there was none. */
    avg_response_time: z.number().nullable(),
    /** Bytes of everything that is kept. */
    memory_size: z.number(),
    /** Percent of searches of which a result was opened; null when there was no search. */
    search_accuracy: z.number().nullable(),
  }),
})
export type MemoryLogsResponse = z.output<typeof memoryLogsResponseSchema>
export type MemoryLogsResponseJson = z.input<typeof memoryLogsResponseSchema>
