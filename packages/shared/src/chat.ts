import { z } from 'zod'
import { agentNames } from './constants/agents.ts'
import {
  HISTORY_MAX_MESSAGES,
  HISTORY_MESSAGE_MAX_CHARACTERS,
  MESSAGE_MAX_CHARACTERS,
  MESSAGE_MAX_IMAGES,
  MESSAGE_MAX_MEDIA,
  MESSAGE_MAX_MENTIONS,
  MODEL_NAME_MAX_CHARACTERS,
  PERSONA_TOOL_NAME_MAX_CHARACTERS,
  TAG_MAX_CHARACTERS,
} from './constants/limits.ts'
import { pageKinds } from './constants/media.ts'
import { reasoningEfforts } from './constants/models.ts'
import { idSchema } from './ids-and-pages.ts'
import { codedSentenceSchema } from './sentences.ts'
import { timestampSchema } from './timestamp.ts'

/** A passage that an answer is based on. */
export const sourceSchema = z.object({
  /** Number by which the answer cites the source, as [n]. The numbers of an answer may have gaps. */
  n: z.number().int(),
  media_id: z.uuid().nullable(),
  media_type: z.string(),
  /** Conversation and message, for a source that is a chat message (media_type chat). */
  session_id: z.uuid().optional(),
  message_id: z.uuid().optional(),
  title: z.string(),
  snippet: z.string(),
  timestamp_seconds: z.number().optional(),
  page: z.number().int().optional(),
  /** Kind of part when it isn't a page: a sheet, a slide, a chapter or a message. */
  page_kind: z.enum(pageKinds).optional(),
  /** Title of the part, if it has one. */
  page_title: z.string().optional(),
  frame_number: z.number().int().optional(),
  thumbnail: z.string().nullable(),
  /** Path of the web app; for a web page (`media_type` "web"), its URL. */
  url: z.string(),
})
export type Source = z.infer<typeof sourceSchema>

/** A tool call within an answer: an agent, or a search of the memory. */
export const agentCallSchema = z.object({
  /** Unique within one answer. */
  call_id: z.string(),
  /** An agent such as CalculatorAgent, or search_memory for a search of the user's memory. */
  name: z.string(),
  /** State of the call. waiting: needs the user's approval, since it would change something; refused: the user said no. */
  state: z.enum(['started', 'finished', 'failed', 'waiting', 'refused']),
  /** Arguments as an object, or as text when they couldn't be parsed. */
  arguments: z.unknown().optional(),
  /** Result or reason for the failure, in one line shown to the user. */
  summary: z.string().optional(),
  duration_ms: z.number().int().optional(),
  /** Number of hits of a memory search (`search_memory`). */
  found: z.number().int().optional(),
  /** True when the result quotes third-party text, such as web pages. */
  quotes_others: z.boolean().optional(),
  /** True for a waiting call that changes nothing but sends text to an external service. */
  sends_out: z.boolean().optional(),
  /** True when the user allowed the call with a click. For a tool that only sends text out, that holds for the conversation. */
  allowed: z.boolean().optional(),
})
export type AgentCall = z.infer<typeof agentCallSchema>

/** POST /chat/sessions/{id}/calls/{call_id}: allows or refuses a waiting call. */
export const answerCallSchema = z.object({ allow: z.boolean() })
export const callParamsSchema = z.object({ id: idSchema, call_id: idSchema })
/** POST /chat/sessions/{id}/messages/{message_id}/continue */
export const continueParamsSchema = z.object({ id: idSchema, message_id: idSchema })

/** An item attached to a message. If the item was deleted since, only its title and type remain. */
export const attachedMediaSchema = z.object({
  media_id: z.uuid().nullable(),
  title: z.string(),
  media_type: z.string(),
  /** A signed path. */
  thumbnail: z.string().nullable(),
  /** A path of the web app; null when the item was deleted. */
  url: z.string().nullable(),
})
export type AttachedMedia = z.infer<typeof attachedMediaSchema>

/** An agent, tool, project or tag mentioned in a message, by its name at the time. */
export const mentionSchema = z.object({
  kind: z.enum(['agent', 'tool', 'project', 'tag']),
  /** Id of a project; null for other kinds. */
  id: z.uuid().nullable(),
  name: z.string(),
})
export type Mention = z.infer<typeof mentionSchema>

/** A mention in a new message. */
export const mentionRequestSchema = z.discriminatedUnion('kind', [
  /** The answer uses this agent's tool and no other. */
  z.strictObject({ kind: z.literal('agent'), name: z.enum(agentNames) }),
  /** The answer uses this tool: `search_web`, or one of a connected server by its name in GET /personas/tools. */
  z.strictObject({ kind: z.literal('tool'), name: z.string().trim().min(1).max(PERSONA_TOOL_NAME_MAX_CHARACTERS) }),
  /** The answer uses the project's instructions and items; the conversation isn't moved to the project. */
  z.strictObject({ kind: z.literal('project'), id: idSchema }),
  /** The answer uses only items with this tag. */
  z.strictObject({ kind: z.literal('tag'), name: z.string().trim().min(1).max(TAG_MAX_CHARACTERS) }),
])
export type MentionRequest = z.infer<typeof mentionRequestSchema>

export const usageSchema = z.object({ input_tokens: z.number().int(), output_tokens: z.number().int() })
export type Usage = z.infer<typeof usageSchema>

/** Reasons why a model ended early: its length limit, or its provider's content filter. */
export const answerStopReasons = ['length', 'content_filter'] as const
export type AnswerStopReason = (typeof answerStopReasons)[number]

export const chatMessageSchema = z.object({
  id: z.uuid(),
  /** Id that the client sent with the user's message; omitted if it sent none. */
  client_id: z.string().optional(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: timestampSchema,
  /** `url` and `thumbnail` are signed paths; width and height are pixels of the upright picture. */
  images: z.array(
    z.object({
      url: z.string(),
      name: z.string(),
      thumbnail: z.string(),
      width: z.number().int(),
      height: z.number().int(),
    }),
  ),
  /** Items that the user attached, in their order. */
  media: z.array(attachedMediaSchema),
  /** Agents, tools, projects and tags that the user mentioned. */
  mentions: z.array(mentionSchema),
  model_used: z.string().nullable(),
  engine: z.string().nullable(),
  /** True while the answer is being generated: follow it at /chat/sessions/{id}/stream. */
  streaming: z.boolean(),
  interrupted: z.boolean(),
  /** Reason why the answer ended early; omitted otherwise. After `length`, POST …/messages/{id}/continue continues it. */
  stop_reason: z.enum(answerStopReasons).optional(),
  /** Error shown to the user; null on success. */
  error: z.string().nullable(),
  /** Code of the error: one of chatErrorCodes, or null on success. */
  error_code: z.string().nullable(),
  /** `error` as codes with parameters, for translation; omitted for text without codes. */
  error_told: z.array(codedSentenceSchema).optional(),
  /** Reasoning before the answer; null when the model reports none. */
  reasoning: z.string().nullable(),
  sources: z.array(sourceSchema),
  agent_calls: z.array(agentCallSchema),
  usage: usageSchema.nullable(),
  duration_ms: z.number().int().nullable(),
  parent_id: z.uuid().nullable(),
  /** Position among the messages with the same parent, from 0, and the ids of its neighbours. */
  siblings: z.object({
    index: z.number().int(),
    count: z.number().int(),
    previous_id: z.uuid().nullable(),
    next_id: z.uuid().nullable(),
  }),
  rating: z.enum(['up', 'down']).nullable(),
})
/** GET /chat/messages/{id}/versions: answers to one question, in the order in which they began. */
export const answerVersionsSchema = z.object({ messages: z.array(chatMessageSchema) })
export type AnswerVersionsJson = z.input<typeof answerVersionsSchema>

export type ChatMessageView = z.output<typeof chatMessageSchema>
export type ChatMessageJson = z.input<typeof chatMessageSchema>

/** Parameters of answers; omitted ones have the server's defaults. */
export const chatParametersSchema = z.strictObject({
  /** Randomness of the words, from 0 (the likeliest ones) to 2. */
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.number().int().min(1).max(1_000_000).optional(),
  /** Effort of reasoning; only used by reasoning models. */
  reasoning_effort: z.enum(reasoningEfforts).optional(),
  /** Allow web search and page reading, where the administrator permits it. */
  use_web: z.boolean().optional(),
})
export type ChatParameters = z.infer<typeof chatParametersSchema>

/** Id of a model of GET /models, kept for the conversation; null for the instance's default. */
export const pickedModelSchema = z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullish()

/** POST /chat/message. */
export const chatRequestSchema = z.object({
  content: z
    .string()
    .max(MESSAGE_MAX_CHARACTERS, { error: `A message can have at most ${MESSAGE_MAX_CHARACTERS} characters.` }),
  session_id: idSchema.nullish(),
  has_images: z.boolean().default(false),
  images: z
    .array(z.string())
    .max(MESSAGE_MAX_IMAGES, { error: `A message can have at most ${MESSAGE_MAX_IMAGES} images.` })
    .default([]),
  /** Items of the library attached to the message; also needs the permission to upload. */
  media_ids: z
    .array(idSchema)
    .max(MESSAGE_MAX_MEDIA, { error: `A message can have at most ${MESSAGE_MAX_MEDIA} items of the library.` })
    .default([]),
  /**
   * Agents, tools, projects and tags to use for the answer, instead of those that the conversation uses otherwise. They also
   * apply to further answers to the same message.
   */
  mentions: z.array(mentionRequestSchema).max(MESSAGE_MAX_MENTIONS).default([]),
  /**
   * Answer that the message follows. Omitted, the message continues the shown branch; null with a session_id makes it an
   * alternative to the first message, which is how the first message is edited.
   */
  parent_id: idSchema.nullish(),
  client_id: z.string().min(1).max(100).nullish(),
  model: pickedModelSchema,
  /** Moves the conversation to this project; null removes it from its project. */
  project_id: idSchema.nullish(),
  /** Persona that answers in the conversation from now on; null for none. */
  persona_id: idSchema.nullish(),
  /** Parameters to keep for the conversation; null restores the defaults. */
  parameters: chatParametersSchema.nullish(),
  /** True to store neither message nor answer; the client then sends the earlier messages as `history`. */
  temporary: z.boolean().optional(),
  /** Messages before a temporary one, oldest first. */
  history: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(HISTORY_MESSAGE_MAX_CHARACTERS) }))
    .max(HISTORY_MAX_MESSAGES, { error: `At most ${HISTORY_MAX_MESSAGES} earlier messages can be sent along.` })
    .optional(),
})
export type ChatRequest = z.output<typeof chatRequestSchema>
export type ChatRequestJson = z.input<typeof chatRequestSchema>

/** POST /chat/sessions/{id}/regenerate: generates an alternative to an answer. */
export const regenerateSchema = z.object({
  message_id: idSchema,
  /** Model of GET /models for this answer only; by default, the model of the conversation. */
  model: pickedModelSchema,
  /**
   * True to generate the alternative for comparison, even while the other answer is being generated. The conversation shows the
   * other answer until `current_message_id` is changed.
   */
  beside: z.boolean().optional(),
})
export type Regenerate = z.output<typeof regenerateSchema>

/** POST /chat/messages/{id}/feedback; null removes the rating. */
export const feedbackSchema = z.object({ rating: z.enum(['up', 'down']).nullable() })
export type Rating = z.output<typeof feedbackSchema>['rating']

/** Values of `code` in an `error` event. */
export const chatErrorCodes = [
  /** The model server doesn't respond, or has no model service at its address. */
  'model_unreachable',
  /** The model server refuses the key. */
  'model_key_refused',
  /** The model server doesn't have the model, or has no models at all. */
  'model_not_found',
  'model_rate_limited',
  /** No model accepts pictures, or the requested one doesn't. */
  'vision_unavailable',
  /** Even the newest part of the conversation doesn't fit the model's context. */
  'context_too_long',
  /** The model server ended the response in the middle. */
  'answer_cut_off',
  /** The model server sent nothing for too long. */
  'model_timeout',
  'model_error',
  'empty_answer',
  /** The model reached its length limit while reasoning. */
  'only_thoughts',
  /** The model kept calling tools instead of answering, or requested too many calls, or too long ones, at once. */
  'too_many_tool_calls',
  /** The answer exceeded the size limit of a message or its time limit. */
  'answer_too_long',
  'internal_error',
] as const
export type ChatErrorCode = (typeof chatErrorCodes)[number]

/**
 * Events of an answer's stream; clients ignore unknown types. `session` starts the answer: a client that sees it
 * clears its rendering of this message. `complete` or `error` comes last.
 */
export const chatEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session'),
    /** Null in a temporary conversation, whose messages are not stored. */
    session_id: z.uuid().nullable(),
    user_message_id: z.uuid(),
    /** Id of the streamed answer. */
    message_id: z.uuid(),
    session_name: z.string(),
  }),
  agentCallSchema.extend({ type: z.literal('agent') }),
  /** All sources cited so far; each event replaces the one before. */
  z.object({ type: z.literal('sources'), sources: z.array(sourceSchema) }),
  z.object({ type: z.literal('chunk'), content: z.string() }),
  /** Reasoning of the model; not part of the answer. */
  z.object({ type: z.literal('reasoning'), content: z.string() }),
  z.object({
    type: z.literal('complete'),
    session_id: z.uuid().nullable(),
    message_id: z.uuid(),
    model_used: z.string(),
    engine: z.string(),
    usage: usageSchema.nullable(),
    duration_ms: z.number().int(),
    /** True when the answer was stopped before its end. */
    interrupted: z.boolean(),
    /** Omitted for a complete answer. */
    stop_reason: z.enum(answerStopReasons).optional(),
  }),
  z.object({
    type: z.literal('error'),
    content: z.string(),
    code: z.string(),
    /** `content` as codes with parameters, for translation; omitted for text without codes. */
    told: z.array(codedSentenceSchema).optional(),
  }),
])
export type ChatEvent = z.infer<typeof chatEventSchema>

/** GET /chat/sessions/{id}/stream: the answer whose events to receive; the newest by default. */
export const chatStreamQuerySchema = z.object({ message_id: idSchema.optional() })
/** `last-event-id` is the id of the last event received for the same message. */
export const chatStreamHeadersSchema = z.object({
  'last-event-id': z.coerce.number().int().min(0).max(2_147_483_647).optional(),
})
