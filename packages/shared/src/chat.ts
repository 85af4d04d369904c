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
import { codedSentenceSchema } from './sentences.ts'
import { idSchema, timestampSchema } from './timestamp.ts'

/** A piece of memory that an answer rests on. */
export const sourceSchema = z.object({
  /** The answer cites it as [n]; the numbers of an answer may have gaps. */
  n: z.number().int(),
  media_id: z.uuid().nullable(),
  media_type: z.string(),
  /** For a chat message (media_type chat): its conversation and its id. */
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
  /** Link target: a path of the web app, or the address of a web page (`media_type` "web"). */
  url: z.string(),
})
export type Source = z.infer<typeof sourceSchema>

/** A call of an agent, or a search in the memory, while an answer was made. */
export const agentCallSchema = z.object({
  /** Unique within one answer. */
  call_id: z.string(),
  /** The agent's, such as CalculatorAgent; search_memory for a search in the person's memory. */
  name: z.string(),
  /** waiting: it would change something, and the person is asked first; refused: they said no. */
  state: z.enum(['started', 'finished', 'failed', 'waiting', 'refused']),
  /** Arguments as an object, or as text when they couldn't be parsed. */
  arguments: z.unknown().optional(),
  /** One line for a person: what it found, or why it failed. */
  summary: z.string().optional(),
  duration_ms: z.number().int().optional(),
  /** Number of hits of a memory search (`search_memory`). */
  found: z.number().int().optional(),
  /** True when the result quotes third-party text, such as web pages. */
  quotes_others: z.boolean().optional(),
  /** Set on a waiting call that changes nothing but sends words to an outside service. */
  sends_out: z.boolean().optional(),
  /** The user allowed it with a click. A tool that sends words out isn't asked about again in this conversation. */
  allowed: z.boolean().optional(),
})
export type AgentCall = z.infer<typeof agentCallSchema>

/** POST /chat/sessions/{id}/calls/{call_id}: whether a waiting call may be made. */
export const answerCallSchema = z.object({ allow: z.boolean() })
export const callParamsSchema = z.object({ id: idSchema, call_id: idSchema })
/** POST /chat/sessions/{id}/messages/{message_id}/continue */
export const continueParamsSchema = z.object({ id: idSchema, message_id: idSchema })

/** An item of the library that was attached to a message; of one that was deleted since, its title and type are left. */
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

/** The same of a new message. */
export const mentionRequestSchema = z.discriminatedUnion('kind', [
  /** Answers with its tool, and no other. */
  z.strictObject({ kind: z.literal('agent'), name: z.enum(agentNames) }),
  /** One of a connected server, as GET /personas/tools names it, or `search_web`: the answer uses it. */
  z.strictObject({ kind: z.literal('tool'), name: z.string().trim().min(1).max(PERSONA_TOOL_NAME_MAX_CHARACTERS) }),
  /** Its instructions and what it knows are used for this answer; the conversation stays where it is. */
  z.strictObject({ kind: z.literal('project'), id: idSchema }),
  /** The answer looks at items with this tag alone. */
  z.strictObject({ kind: z.literal('tag'), name: z.string().trim().min(1).max(TAG_MAX_CHARACTERS) }),
])
export type MentionRequest = z.infer<typeof mentionRequestSchema>

export const usageSchema = z.object({ input_tokens: z.number().int(), output_tokens: z.number().int() })
export type Usage = z.infer<typeof usageSchema>

/** Reasons for a model to end before its answer does: a limit of length, or a filter of its provider. */
export const answerStopReasons = ['length', 'content_filter'] as const
export type AnswerStopReason = (typeof answerStopReasons)[number]

export const chatMessageSchema = z.object({
  id: z.uuid(),
  /** The one that a user's message was sent with; left out where it had none. */
  client_id: z.string().optional(),
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: timestampSchema,
  /** `url` and `thumbnail` are signed paths; width and height are pixels, upright. */
  images: z.array(
    z.object({
      url: z.string(),
      name: z.string(),
      thumbnail: z.string(),
      width: z.number().int(),
      height: z.number().int(),
    }),
  ),
  /** Items of the library that the person attached, in their order. */
  media: z.array(attachedMediaSchema),
  /** Agents, tools, projects and tags that the user mentioned. */
  mentions: z.array(mentionSchema),
  model_used: z.string().nullable(),
  engine: z.string().nullable(),
  /** True while the answer is being made: follow it at /chat/sessions/{id}/stream. */
  streaming: z.boolean(),
  interrupted: z.boolean(),
  /** Left out where the answer came to its end. One that was cut at its length goes on by POST …/messages/{id}/continue. */
  stop_reason: z.enum(answerStopReasons).optional(),
  /** Error shown to the user; null on success. */
  error: z.string().nullable(),
  /** One of chatErrorCodes beside `error`. */
  error_code: z.string().nullable(),
  /** `error` as codes with parameters, for translation; left out where it has none of ours. */
  error_told: z.array(codedSentenceSchema).optional(),
  /** Reasoning before the answer; null when the model reports none. */
  reasoning: z.string().nullable(),
  sources: z.array(sourceSchema),
  agent_calls: z.array(agentCallSchema),
  usage: usageSchema.nullable(),
  duration_ms: z.number().int().nullable(),
  parent_id: z.uuid().nullable(),
  /** The place among those with the same parent, counted from 0, and its neighbours there. */
  siblings: z.object({
    index: z.number().int(),
    count: z.number().int(),
    previous_id: z.uuid().nullable(),
    next_id: z.uuid().nullable(),
  }),
  rating: z.enum(['up', 'down']).nullable(),
})
/** GET /chat/messages/{id}/versions: all answers to a question, in the order in which they began. */
export const answerVersionsSchema = z.object({ messages: z.array(chatMessageSchema) })
export type AnswerVersionsJson = z.input<typeof answerVersionsSchema>

export type ChatMessageView = z.output<typeof chatMessageSchema>
export type ChatMessageJson = z.input<typeof chatMessageSchema>

/** Sampling parameters; the server's defaults apply to missing ones. */
export const chatParametersSchema = z.strictObject({
  /** 0 keeps to the likeliest words, 2 to hardly any. */
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.number().int().min(1).max(1_000_000).optional(),
  /** For models that think first. */
  reasoning_effort: z.enum(reasoningEfforts).optional(),
  /** Allow web search and page reading, where the administrator permits it. */
  use_web: z.boolean().optional(),
})
export type ChatParameters = z.infer<typeof chatParametersSchema>

/** A model of GET /models by its id, which stays for the conversation; null for the one that chats here anyway. */
export const pickedModelSchema = z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullish()

/** POST /chat/message. */
export const chatRequestSchema = z.object({
  content: z
    .string()
    .max(MESSAGE_MAX_CHARACTERS, { error: `A message holds at most ${MESSAGE_MAX_CHARACTERS} characters.` }),
  session_id: idSchema.nullish(),
  has_images: z.boolean().default(false),
  images: z
    .array(z.string())
    .max(MESSAGE_MAX_IMAGES, { error: `A message holds at most ${MESSAGE_MAX_IMAGES} images.` })
    .default([]),
  /** Items of the library that the message is about; needs the right to upload as well. */
  media_ids: z
    .array(idSchema)
    .max(MESSAGE_MAX_MEDIA, { error: `A message holds at most ${MESSAGE_MAX_MEDIA} items of the library.` })
    .default([]),
  /**
   * Agents that answer the message, and projects and tags that it is answered from: what is named takes the place of what the
   * conversation is answered from otherwise. Another answer to the same message has them as well.
   */
  mentions: z.array(mentionRequestSchema).max(MESSAGE_MAX_MENTIONS).default([]),
  /**
   * The answer that the message follows. Without it, the message continues the branch that is shown; null with a
   * session_id puts it beside the first message, which is how that one is edited.
   */
  parent_id: idSchema.nullish(),
  client_id: z.string().min(1).max(100).nullish(),
  model: pickedModelSchema,
  /** The project that the conversation belongs to from now on; null takes it out of its project. */
  project_id: idSchema.nullish(),
  /** The persona that answers in the conversation from now on; null for none. */
  persona_id: idSchema.nullish(),
  /** They stay for the conversation; null takes them back. */
  parameters: chatParametersSchema.nullish(),
  /** Nothing of the message and its answer is stored: its client sends what was said before. */
  temporary: z.boolean().optional(),
  /** Messages before a temporary one, oldest first. */
  history: z
    .array(z.object({ role: z.enum(['user', 'assistant']), content: z.string().max(HISTORY_MESSAGE_MAX_CHARACTERS) }))
    .max(HISTORY_MAX_MESSAGES, { error: `At most ${HISTORY_MAX_MESSAGES} earlier messages are sent along.` })
    .optional(),
})
export type ChatRequest = z.output<typeof chatRequestSchema>
export type ChatRequestJson = z.input<typeof chatRequestSchema>

/** POST /chat/sessions/{id}/regenerate: which answer another one is made beside. */
export const regenerateSchema = z.object({
  message_id: idSchema,
  /** A model of GET /models for this answer alone; without it, the one of the conversation. */
  model: pickedModelSchema,
  /**
   * Made to be compared, also while the other one is being made: the conversation goes on showing that one until another is
   * chosen by `current_message_id`.
   */
  beside: z.boolean().optional(),
})
export type Regenerate = z.output<typeof regenerateSchema>

/** POST /chat/messages/{id}/feedback; null takes it back. */
export const feedbackSchema = z.object({ rating: z.enum(['up', 'down']).nullable() })
export type Rating = z.output<typeof feedbackSchema>['rating']

/** The words that `code` of an `error` event may be. */
export const chatErrorCodes = [
  /** Nobody answers at the model server's address. */
  'model_unreachable',
  /** The model server refuses the key. */
  'model_key_refused',
  /** The model server does not have the model, or no model to choose from. */
  'model_not_found',
  'model_rate_limited',
  /** No model sees pictures, or the one that was asked cannot. */
  'vision_unavailable',
  /** The conversation does not fit the model, even when only its newest part is sent. */
  'context_too_long',
  /** The model server broke off in the middle. */
  'answer_cut_off',
  /** The model server kept silent for too long. */
  'model_timeout',
  'model_error',
  'empty_answer',
  /** The model came to its limit of length while it was thinking. */
  'only_thoughts',
  /** The model asked for tools again and again instead of answering, or for too much at once. */
  'too_many_tool_calls',
  /** It grew beyond what one message may hold, or took longer than an answer may. */
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
    /** The answer that this stream makes. */
    message_id: z.uuid(),
    session_name: z.string(),
  }),
  agentCallSchema.extend({ type: z.literal('agent') }),
  /** All that is cited so far; it comes again when another is, and replaces those before. */
  z.object({ type: z.literal('sources'), sources: z.array(sourceSchema) }),
  z.object({ type: z.literal('chunk'), content: z.string() }),
  /** Thoughts of a reasoning model: no part of the answer. */
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
    /** Left out where the answer came to its end. */
    stop_reason: z.enum(answerStopReasons).optional(),
  }),
  z.object({
    type: z.literal('error'),
    content: z.string(),
    code: z.string(),
    /** `content` as codes with parameters, for translation; left out where it has none of ours. */
    told: z.array(codedSentenceSchema).optional(),
  }),
])
export type ChatEvent = z.infer<typeof chatEventSchema>

/** GET /chat/sessions/{id}/stream: which answer to follow; the newest one without it. */
export const chatStreamQuerySchema = z.object({ message_id: idSchema.optional() })
/** `last-event-id` is the id of the last event that arrived, of the same message. */
export const chatStreamHeadersSchema = z.object({
  'last-event-id': z.coerce.number().int().min(0).max(2_147_483_647).optional(),
})
