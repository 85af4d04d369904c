import { z } from 'zod'
import { agentRunOrigins } from './constants/agents.ts'
import { AGENT_INPUT_MAX_CHARACTERS } from './constants/limits.ts'
import { pageKinds } from './constants/media.ts'
import { pageQuerySchema } from './ids-and-pages.ts'
import { mediaTypeSchema } from './media.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

/** GET /agents/available: an agent and its availability. */
export const agentSchema = z.object({
  /** Such as CalculatorAgent. */
  name: z.string(),
  description: z.string(),
  capabilities: z.array(z.string()),
  /** Example commands that the agent understands. */
  intents: z.array(z.string()),
  available: z.boolean(),
  /** Reason why the agent isn't available, shown to the user. */
  unavailable_reason: z.string().optional(),
  /** Reason as codes with parameters, for translation. */
  unavailable_told: z.array(codedSentenceSchema).optional(),
})
export type AgentView = z.output<typeof agentSchema>

/** GET /agents/status: totals over everyone's calls. */
export const agentsStatusSchema = z.object({
  total_agents: z.number().int(),
  /** Names of the agents that can be called now. */
  active_agents: z.array(z.string()),
  /** Calls of agents so far. */
  total_requests: z.number().int(),
  /** Percentage of calls that succeeded, not counting stopped ones; null when there were none. */
  success_rate: z.number().nullable(),
})
export type AgentsStatus = z.output<typeof agentsStatusSchema>

/** ISO 8601 time in `data`. It's text on the server, too, because results are stored as they were sent. */
const timeText = z.iso.datetime()
const webAddress = z.url({ protocol: /^https?$/ })

/** Result of the CalculatorAgent. */
export const calculationDataSchema = z.object({
  kind: z.literal('calculation'),
  form: z.enum(['value', 'roots', 'statistics', 'date', 'days']),
  /** The expression or equation as the agent understood it; empty for dates and statistics. */
  question: z.string(),
  /** Result with the words and number format of the user's language. */
  result: z.string(),
  is_exact: z.boolean(),
  /** Steps to the result, one per line. */
  steps: z.array(z.string()),
  /** Statistics of a list of numbers, or the roots of an equation; numbers have a decimal point. */
  figures: z.array(z.object({ name: z.string(), value: z.string() })),
})

/** Result of the WeatherAgent; temperatures in °C, wind in km/h, precipitation in mm, WMO codes (table 4677). */
export const weatherDataSchema = z.object({
  kind: z.literal('weather'),
  place: z.string(),
  /** Part of the country, such as a state; null for a place without one. */
  region: z.string().nullable(),
  country: z.string().nullable(),
  /** IANA name of the place's time zone, in which days begin and end. */
  time_zone: z.string(),
  /** Requested day; null for the current weather and the next days. */
  asked_day: z.iso.date().nullable(),
  current: z.object({
    temperature_c: z.number(),
    apparent_c: z.number().nullable(),
    wind_kmh: z.number().nullable(),
    humidity_percent: z.number().nullable(),
    precipitation_mm: z.number().nullable(),
    code: z.number().int(),
    /** Meaning of the weather code, in the user's language. */
    description: z.string(),
    observed_at: timeText,
  }),
  /** Today first. */
  days: z.array(
    z.object({
      date: z.iso.date(),
      code: z.number().int(),
      description: z.string(),
      min_c: z.number(),
      max_c: z.number(),
      precipitation_mm: z.number().nullable(),
      precipitation_percent: z.number().nullable(),
      wind_kmh: z.number().nullable(),
    }),
  ),
  fetched_at: timeText,
  /** True when this is an older result, shown because the source can't be reached. */
  is_stale: z.boolean(),
})

/** Result of the NewsAgent; all texts are plain text by third parties. */
export const newsDataSchema = z.object({
  kind: z.literal('news'),
  /** Topic of the items; null when these are the newest items of any topic. */
  topic: z.string().nullable(),
  /** Newest first. */
  items: z.array(
    z.object({
      title: z.string(),
      summary: z.string().nullable(),
      url: webAddress.nullable(),
      /** Title of the feed. */
      source: z.string(),
      published_at: timeText.nullable(),
    }),
  ),
  /** Feeds that could not be read, with the reason shown to the user. */
  failed_feeds: z.array(z.object({ source: z.string(), reason: z.string() })),
  /** Fetch time of the oldest feed. */
  fetched_at: timeText,
  /** True when some feeds are older results, shown because their source can't be reached. */
  is_stale: z.boolean(),
})

/** Result of the ReminderAgent, with the reminders concerned. */
export const remindersDataSchema = z.object({
  kind: z.literal('reminders'),
  action: z.enum(['created', 'listed', 'snoozed', 'completed', 'deleted', 'changed']),
  reminders: z.array(
    z.object({
      id: z.uuid(),
      text: z.string(),
      due_at: timeText,
      /** IANA zone of the reminder; missing in results stored by earlier versions. */
      time_zone: z.string().optional(),
      /** Recurrence in the user's language; null when it doesn't recur. */
      recurrence: z.string().nullable(),
      state: z.enum(['active', 'completed']),
    }),
  ),
})

/** Result of the FileAgent: items of the user's library. */
export const filesDataSchema = z.object({
  kind: z.literal('files'),
  action: z.enum(['listed', 'found', 'counted']),
  items: z.array(
    z.object({
      id: z.uuid(),
      media_type: mediaTypeSchema,
      title: z.string(),
      created_at: timeText,
      /** Local time at the place where the item was taken; omitted when unknown. */
      taken_local: z.string().optional(),
      size_bytes: z.number().int().nullable(),
      /** Matching text; null when the whole item matches. */
      snippet: z.string().nullable(),
      page: z.number().int().optional(),
      page_kind: z.enum(pageKinds).optional(),
      page_title: z.string().optional(),
      frame_number: z.number().int().optional(),
      timestamp_seconds: z.number().optional(),
      /** A signed path, valid for a limited time. */
      thumbnail: z.string().nullable(),
      /** Path of the web app that opens the item at this position. */
      url: z.string(),
    }),
  ),
  totals: z
    .array(z.object({ media_type: mediaTypeSchema.nullable(), count: z.number().int(), size_bytes: z.number().int() }))
    .optional(),
})

/** Result of an agent, rendered by kind. */
export const agentDataSchema = z.discriminatedUnion('kind', [
  calculationDataSchema,
  weatherDataSchema,
  newsDataSchema,
  remindersDataSchema,
  filesDataSchema,
])
export type AgentData = z.output<typeof agentDataSchema>
export type CalculationData = z.output<typeof calculationDataSchema>
export type WeatherData = z.output<typeof weatherDataSchema>
export type NewsData = z.output<typeof newsDataSchema>
export type RemindersData = z.output<typeof remindersDataSchema>
export type FilesData = z.output<typeof filesDataSchema>

/** POST /agents/{name}/run and /agents/ask: a sentence or an expression. */
export const agentInputSchema = z.strictObject({
  input: z
    .string()
    .trim()
    .min(1, { error: 'Write what the agent should do.' })
    .max(AGENT_INPUT_MAX_CHARACTERS, { error: `Write at most ${AGENT_INPUT_MAX_CHARACTERS} characters.` }),
})
export const agentNameParamsSchema = z.object({ name: z.string().min(1).max(60) })

/** Result of an agent call. */
export const agentResponseSchema = z.object({
  /** Markdown for the user, in the language of the request. */
  output: z.string(),
  data: agentDataSchema,
  duration_ms: z.number().int(),
})
export type AgentResponse = z.output<typeof agentResponseSchema>

/** An intent candidate with its probability. */
export const agentCandidateSchema = z.object({
  name: z.string(),
  /** 0 to 1. */
  confidence: z.number(),
  /** A command that this agent understands. */
  example: z.string(),
})
export type AgentCandidate = z.output<typeof agentCandidateSchema>

/** POST /agents/ask: result of the agent that fits, or candidates when none clearly fits. */
export const agentAskResponseSchema = z.object({
  /** Name of the called agent. Null when no agent clearly fits; none was called then, and `output` says so. */
  agent: z.string().nullable(),
  /** Probability that the agent fits, 0 to 1; that of the best candidate when no agent was called. */
  confidence: z.number(),
  output: z.string(),
  data: agentDataSchema.nullable(),
  duration_ms: z.number().int(),
  /** Most likely first. */
  candidates: z.array(agentCandidateSchema),
})
export type AgentAskResponse = z.output<typeof agentAskResponseSchema>

/** An agent call as server-sent events: `started`, any number of `progress`, one of the other events, then [DONE]. */
export const agentEventSchema = z.discriminatedUnion('type', [
  /** The agent was called. `confidence` is sent only by /agents/ask. */
  z.object({ type: z.literal('started'), agent: z.string(), confidence: z.number().optional() }),
  /** Current activity, in the language of the request. */
  z.object({ type: z.literal('progress'), text: z.string() }),
  z.object({ type: z.literal('finished'), ...agentResponseSchema.shape }),
  z.object({ type: z.literal('failed'), detail: z.string(), code: z.string() }),
  /** Sent only by /agents/ask, instead of `started`: no agent clearly fits, so none was called. */
  z.object({ type: z.literal('unsure'), output: z.string(), candidates: z.array(agentCandidateSchema) }),
])
export type AgentEvent = z.output<typeof agentEventSchema>

/** A stored agent call. */
export const agentRunSchema = z.object({
  id: z.uuid(),
  agent: z.string(),
  input: z.string(),
  /** Text for the user; the reason if the call failed, empty if it was stopped. */
  output: z.string(),
  /** Result of the call; null unless it succeeded. */
  data: agentDataSchema.nullable(),
  outcome: z.enum(['completed', 'failed', 'interrupted']),
  duration_ms: z.number().int(),
  created_at: timestampSchema,
  origin: z.enum(agentRunOrigins),
})
export type AgentRun = z.output<typeof agentRunSchema>
export type AgentRunJson = z.input<typeof agentRunSchema>

/** GET /agents/{name}/runs: the caller's own calls, newest first. */
export const agentRunsQuerySchema = pageQuerySchema
export const agentRunsResponseSchema = z.object({ runs: z.array(agentRunSchema), next_cursor: z.string().nullable() })
export type AgentRunsResponse = z.output<typeof agentRunsResponseSchema>

/** DELETE /agents/{name}/runs. */
export const agentRunsDeletedSchema = z.object({ deleted: z.number().int() })

/** GET /agents/analytics: most called agent first; everyone's calls for administrators. */
export const agentAnalyticsSchema = z.object({
  /** Totals over all agents. */
  totals: z.object({
    calls: z.number().int(),
    success_rate: z.number().nullable(),
    avg_response_time: z.number().nullable(),
  }),
  agents: z.array(
    z.object({
      name: z.string(),
      calls: z.number().int(),
      /** Percentage of calls that succeeded, not counting stopped ones; null when there were none. */
      success_rate: z.number().nullable(),
      /** Average milliseconds of successful calls; null when there were none. */
      avg_response_time: z.number().nullable(),
      /**
       * From the last 20 ended calls: active when at least 80 % succeeded (and when there were none),
       * warning from 50 %, otherwise error; also error when the agent can't be called now.
       */
      status: z.enum(['active', 'warning', 'error']),
      last_used: timestampSchema.nullable(),
    }),
  ),
})
export type AgentAnalytics = z.output<typeof agentAnalyticsSchema>
export type AgentAnalyticsJson = z.input<typeof agentAnalyticsSchema>
