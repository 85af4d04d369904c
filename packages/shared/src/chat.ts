import { z } from 'zod'
import { idSchema, timestampSchema } from './timestamp.ts'
import { agentNames } from './words/agents.ts'
import {
  HISTORY_MAX_MESSAGES,
  HISTORY_MESSAGE_MAX_CHARACTERS,
  MESSAGE_MAX_CHARACTERS,
  MESSAGE_MAX_IMAGES,
  MESSAGE_MAX_MEDIA,
  MESSAGE_MAX_MENTIONS,
  MODEL_NAME_MAX_CHARACTERS,
  MOST_SESSIONS_AT_ONCE,
  PERSONA_TOOL_NAME_MAX_CHARACTERS,
  SESSION_MOST_TAGS,
  SESSION_NAME_MAX_CHARACTERS,
  SESSION_QUERY_MAX_CHARACTERS,
  TAG_MAX_CHARACTERS,
} from './words/limits.ts'
import { reasoningEfforts } from './words/models.ts'
import { pageKinds } from './words/papers.ts'

export const sentimentSchema = z.enum(['positive', 'neutral', 'negative'])
export const chatSessionStatusSchema = z.enum(['active', 'completed'])

/** A conversation, with figures measured from its messages. */
export const chatSessionSchema = z.object({
  id: z.uuid(),
  session_name: z.string(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  message_count: z.number().int(),
  /** Names of agents that answered in it, joined by ", "; null when none did. */
  agent_used: z.string().nullable(),
  status: chatSessionStatusSchema,
  tokens_used: z.number().int(),
  /** Seconds from question to the end of the answer, averaged; null when there is none yet. */
  avg_response_time: z.number().nullable(),
  sentiment: sentimentSchema,
  /** Kept above the others. */
  pinned: z.boolean(),
  /** Kept out of the list until it is written in again or taken back. */
  archived: z.boolean(),
  tags: z.array(z.string()),
  /** The project that it belongs to. */
  project_id: z.uuid().nullable(),
  /** The persona that answers in it. */
  persona_id: z.uuid().nullable(),
  /** For a search: the part of a message that was found, its words between \u0002 and \u0003; null when only the name was. */
  snippet: z.string().nullable(),
  /** The message that the snippet is of; null when there is none. */
  snippet_message_id: z.uuid().nullable().optional(),
})
export type ChatSessionView = z.output<typeof chatSessionSchema>
export type ChatSessionJson = z.input<typeof chatSessionSchema>

/** A piece of memory that an answer rests on. */
export const sourceSchema = z.object({
  /** The answer cites it as [n]; the numbers of an answer may have gaps. */
  n: z.number().int(),
  media_id: z.uuid().nullable(),
  media_type: z.string(),
  /** Of something that was said (media_type chat): in which conversation, and the message itself. */
  session_id: z.uuid().optional(),
  message_id: z.uuid().optional(),
  title: z.string(),
  snippet: z.string(),
  timestamp_seconds: z.number().optional(),
  page: z.number().int().optional(),
  /** What that is where it is no page: a sheet, a slide, a chapter or a mail. */
  page_kind: z.enum(pageKinds).optional(),
  /** What it is called, if it is. */
  page_title: z.string().optional(),
  frame_number: z.number().int().optional(),
  thumbnail: z.string().nullable(),
  /** Where a click leads: a path of the web app; of a page of the web (`media_type` "web") its address. */
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
  /** What it was asked: an object, or the text of one that could not be read. */
  arguments: z.unknown().optional(),
  /** One line for a person: what it found, or why it failed. */
  summary: z.string().optional(),
  duration_ms: z.number().int().optional(),
  /** How many places were found, of a search in the memory (`search_memory`). */
  found: z.number().int().optional(),
  /** Whether what it found holds words of others, such as those of web pages. */
  quotes_others: z.boolean().optional(),
})
export type AgentCall = z.infer<typeof agentCallSchema>

/** POST /chat/sessions/{id}/calls/{call_id}: whether a waiting call may be made. */
export const answerCallSchema = z.object({ allow: z.boolean() })
export const callParamsSchema = z.object({ id: idSchema, call_id: idSchema })

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

/** What a message names beside its words: an agent, a tool, a project or a tag of items, by the name that it had then. */
export const mentionSchema = z.object({
  kind: z.enum(['agent', 'tool', 'project', 'tag']),
  /** Of a project; null for the others. */
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

export const chatMessageSchema = z.object({
  id: z.uuid(),
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
  /** What the person named beside these. */
  mentions: z.array(mentionSchema),
  model_used: z.string().nullable(),
  engine: z.string().nullable(),
  /** True while the answer is being made: follow it at /chat/sessions/{id}/stream. */
  streaming: z.boolean(),
  interrupted: z.boolean(),
  /** What went wrong, for a person; null when nothing did. */
  error: z.string().nullable(),
  /** One of chatErrorCodes beside `error`. */
  error_code: z.string().nullable(),
  /** What a reasoning model thought before it answered; null when it told nothing of it. */
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
export type AnswerVersions = z.output<typeof answerVersionsSchema>
export type AnswerVersionsJson = z.input<typeof answerVersionsSchema>

export type ChatMessageView = z.output<typeof chatMessageSchema>
export type ChatMessageJson = z.input<typeof chatMessageSchema>

/** How a model is asked to answer; what is left out is left to its server. */
export const chatParametersSchema = z.strictObject({
  /** 0 keeps to the likeliest words, 2 to hardly any. */
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.number().int().min(1).max(1_000_000).optional(),
  /** For models that think first. */
  reasoning_effort: z.enum(reasoningEfforts).optional(),
  /** Whether the answer may search the web and read pages, where the administrator allows that. */
  use_web: z.boolean().optional(),
})
export type ChatParameters = z.infer<typeof chatParametersSchema>

/** A model of GET /models by its id, which stays for the conversation; null for the one that chats here anyway. */
const pickedModelSchema = z.string().min(1).max(MODEL_NAME_MAX_CHARACTERS).nullish()

/** GET /chat/sessions/{id}: the newest messages of the branch that is shown, oldest first. */
export const chatSessionDetailSchema = chatSessionSchema.extend({
  /** The model that was picked for it; null for the one that chats here anyway. */
  model: z.string().nullable(),
  parameters: chatParametersSchema.nullable(),
  messages: z.array(chatMessageSchema),
  previous_cursor: z.string().nullable(),
})
export type ChatSessionDetail = z.output<typeof chatSessionDetailSchema>
export type ChatSessionDetailJson = z.input<typeof chatSessionDetailSchema>

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
  /** What was said before a temporary message, oldest first. */
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
  /** The model asked for tools again and again instead of answering, or for too much at once. */
  'too_many_tool_calls',
  /** It grew beyond what one message may hold, or took longer than an answer may. */
  'answer_too_long',
  'internal_error',
] as const
export type ChatErrorCode = (typeof chatErrorCodes)[number]

/**
 * What a stream of an answer carries; a client ignores types that it does not know. `session` begins the answer: a
 * client that sees it clears what it shows of this message. `complete` or `error` is the last one.
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
  }),
  z.object({ type: z.literal('error'), content: z.string(), code: z.string() }),
])
export type ChatEvent = z.infer<typeof chatEventSchema>

/** GET /chat/sessions/{id}/stream: which answer to follow; the newest one without it. */
export const chatStreamQuerySchema = z.object({ message_id: idSchema.optional() })
/** `last-event-id` is the id of the last event that arrived, of the same message. */
export const chatStreamHeadersSchema = z.object({
  'last-event-id': z.coerce.number().int().min(0).max(2_147_483_647).optional(),
})

/** A tag without needless spaces. */
const sessionTagSchema = z
  .string()
  .transform((tag) => tag.replace(/\s+/g, ' ').trim())
  .pipe(z.string().min(1).max(TAG_MAX_CHARACTERS))
const sessionTagsSchema = z
  .array(sessionTagSchema)
  .max(SESSION_MOST_TAGS, { error: `A conversation has at most ${SESSION_MOST_TAGS} tags.` })
  .transform((tags) => [...new Set(tags)])

export const listChatSessionsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
  /** Words in the name or in the messages. */
  query: z.string().trim().max(SESSION_QUERY_MAX_CHARACTERS).optional(),
  status: chatSessionStatusSchema.optional(),
  agent: z.string().max(100).optional(),
  /** `false` leaves out those that are archived, `true` lists these alone. */
  archived: z.enum(['true', 'false', 'any']).default('false'),
  tag: sessionTagSchema.optional(),
  project_id: idSchema.optional(),
  sort: z.enum(['updated', 'name', 'messages', 'tokens', 'response_time']).default('updated'),
  order: z.enum(['asc', 'desc']).default('desc'),
})
export type ListChatSessionsQuery = z.output<typeof listChatSessionsQuerySchema>

/** GET /chat/sessions/{id}: `before` is a `previous_cursor`. */
export const chatSessionQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: idSchema.optional(),
})
export type ChatSessionQuery = z.output<typeof chatSessionQuerySchema>

export const updateChatSessionSchema = z.object({
  session_name: z
    .string()
    .trim()
    .min(1, { error: 'Give the conversation a name.' })
    .max(SESSION_NAME_MAX_CHARACTERS, { error: `Use at most ${SESSION_NAME_MAX_CHARACTERS} characters.` })
    .optional(),
  status: chatSessionStatusSchema.optional(),
  /** The branch of this message is shown, down to the newest message below it. */
  current_message_id: idSchema.optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  /** All of them, in the place of those before. */
  tags: sessionTagsSchema.optional(),
  /** Null takes it out of its project. */
  project_id: idSchema.nullish(),
  persona_id: idSchema.nullish(),
  model: pickedModelSchema,
  parameters: chatParametersSchema.nullish(),
})
export type UpdateChatSession = z.output<typeof updateChatSessionSchema>

export const deleteChatSessionsSchema = z.object({ ids: z.array(idSchema).min(1).max(MOST_SESSIONS_AT_ONCE) })
export const deletedSchema = z.object({ deleted: z.number().int() })

/** POST /chat/sessions/change: what is done to several; what is left out stays. */
export const changeChatSessionsSchema = z.object({
  ids: z.array(idSchema).min(1).max(MOST_SESSIONS_AT_ONCE),
  archived: z.boolean().optional(),
  add_tags: sessionTagsSchema.default([]),
  remove_tags: sessionTagsSchema.default([]),
  /** The project that they belong to from now on; null takes them out of theirs. */
  project_id: idSchema.nullish(),
})
export type ChangeChatSessions = z.output<typeof changeChatSessionsSchema>
export type ChangeChatSessionsJson = z.input<typeof changeChatSessionsSchema>
export const changedSchema = z.object({ changed: z.number().int() })

/** GET /chat/tags: those of the caller's conversations, the most used first. */
export const chatTagsSchema = z.object({ tags: z.array(z.object({ tag: z.string(), count: z.number().int() })) })
export type ChatTags = z.infer<typeof chatTagsSchema>

/** GET /chat/stats: the four cards of Chat Management, over all of the caller's sessions. */
export const chatStatsSchema = z.object({
  total_sessions: z.number().int(),
  active_sessions: z.number().int(),
  /** Agent calls in these sessions. */
  agent_usage: z.number().int(),
  /** Seconds; null when no answer was made yet. */
  avg_response_time: z.number().nullable(),
})
export type ChatStats = z.infer<typeof chatStatsSchema>
