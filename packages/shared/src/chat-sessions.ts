import { z } from 'zod'
import { attachedMediaSchema, chatMessageSchema, chatParametersSchema, pickedModelSchema } from './chat.ts'
import {
  LIST_MAX,
  MAX_SESSIONS_AT_ONCE,
  SESSION_MAX_TAGS,
  SESSION_NAME_MAX_CHARACTERS,
  SESSION_QUERY_MAX_CHARACTERS,
  TAG_MAX_CHARACTERS,
} from './constants/limits.ts'
import { cursorSchema, idSchema, pageQuerySchema } from './ids-and-pages.ts'
import { timestampSchema } from './timestamp.ts'

/** A link that lets anyone read a conversation. */
export const shareSchema = z.object({
  id: idSchema,
  kind: z.enum(['conversation']),
  /** Id of the conversation. */
  subject_id: idSchema,
  /** Title at the time of sharing. */
  title: z.string(),
  token: z.string(),
  /** Path of the page that shows the shared conversation. */
  url: z.string(),
  created_at: timestampSchema,
  /** Time when the link stops working; null when it works until it's revoked. */
  expires_at: timestampSchema.nullable(),
})
export type Share = z.output<typeof shareSchema>
export type ShareJson = z.input<typeof shareSchema>

/** POST /shares: shares the shown branch as it is now. */
export const createShareSchema = z.strictObject({
  kind: z.enum(['conversation']),
  id: idSchema,
  expires_at: timestampSchema.nullish(),
})

/** GET /shares: newest first. */
export const sharesQuerySchema = pageQuerySchema.extend({ subject_id: idSchema.optional() })
export const sharesResponseSchema = z.object({ shares: z.array(shareSchema), next_cursor: z.string().nullable() })
export type SharesResponse = z.output<typeof sharesResponseSchema>
export type SharesResponseJson = z.input<typeof sharesResponseSchema>

export const shareTokenParamsSchema = z.object({ token: z.string().min(1).max(200) })
export const sharePictureParamsSchema = shareTokenParamsSchema.extend({
  id: idSchema,
  n: z.coerce.number().int().min(0).max(10_000),
})
export const sharePictureQuerySchema = z.object({
  size: z.enum(['original', 'preview', 'thumbnail']).default('preview'),
})

/** A message as shown to anyone with the link, without anything about the user. */
export const sharedMessageSchema = z.object({
  id: idSchema,
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  created_at: timestampSchema,
  model_used: z.string().nullable(),
  images: z.array(
    z.object({ url: z.string(), thumbnail: z.string(), name: z.string(), width: z.number(), height: z.number() }),
  ),
  /** Cited sources, by title only. */
  sources: z.array(z.object({ n: z.number().int(), title: z.string() })),
})

/** GET /public/shares/{token}: the newest messages of the branch, oldest first. */
export const publicShareQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(200).default(100),
  before: idSchema.optional(),
})
export const publicShareSchema = z.object({
  kind: z.enum(['conversation']),
  title: z.string(),
  assistant_name: z.string(),
  created_at: timestampSchema,
  expires_at: timestampSchema.nullable(),
  messages: z.array(sharedMessageSchema),
  /** Value of `before` for earlier messages; null at the beginning. */
  previous_cursor: idSchema.nullable(),
})
export type PublicShare = z.output<typeof publicShareSchema>
export type PublicShareJson = z.input<typeof publicShareSchema>

/** POST /public/shares/{token}/continue: the caller's own conversation that continues the shared one. */
export const continuedShareSchema = z.object({ session_id: idSchema })

export const sentimentSchema = z.enum(['positive', 'neutral', 'negative'])
export const chatSessionStatusSchema = z.enum(['active', 'completed'])

/** A conversation, with figures measured from its messages. */
export const chatSessionSchema = z.object({
  id: z.uuid(),
  session_name: z.string(),
  created_at: timestampSchema,
  updated_at: timestampSchema,
  message_count: z.number().int(),
  /** Names of the agents that answered in the conversation, joined by ", "; null for none. */
  agent_used: z.string().nullable(),
  status: chatSessionStatusSchema,
  tokens_used: z.number().int(),
  /** Average seconds from the question to the end of the answer; null without an answer. */
  avg_response_time: z.number().nullable(),
  sentiment: sentimentSchema,
  pinned: z.boolean(),
  /** Hidden from the list until it gets a new message or is unarchived. */
  archived: z.boolean(),
  tags: z.array(z.string()),
  project_id: z.uuid().nullable(),
  persona_id: z.uuid().nullable(),
  /** Time it was trashed and time of permanent deletion; omitted outside the trash. */
  trash: z.object({ since: timestampSchema, until: timestampSchema }).optional(),
  /** For a search: the matching part of a message; null when only the name matched. */
  snippet: z.string().nullable(),
  /** Ranges of the matching words in the snippet: start and exclusive end, in UTF-16 units. */
  snippet_highlights: z.array(z.tuple([z.number().int(), z.number().int()])).optional(),
  /** Id of the message that the snippet is from; null without a snippet. */
  snippet_message_id: z.uuid().nullable().optional(),
})
export type ChatSessionView = z.output<typeof chatSessionSchema>
export type ChatSessionJson = z.input<typeof chatSessionSchema>

/** GET /chat/sessions/{id}: the newest messages of the shown branch, oldest first. */
export const chatSessionDetailSchema = chatSessionSchema.extend({
  /** Model picked for the conversation; null for the instance's default. */
  model: z.string().nullable(),
  parameters: chatParametersSchema.nullable(),
  messages: z.array(chatMessageSchema),
  previous_cursor: z.string().nullable(),
})
export type ChatSessionDetail = z.output<typeof chatSessionDetailSchema>
export type ChatSessionDetailJson = z.input<typeof chatSessionDetailSchema>

/** A tag with whitespace collapsed. */
const sessionTagSchema = z
  .string()
  .transform((tag) => tag.replace(/\s+/g, ' ').trim())
  .pipe(z.string().min(1).max(TAG_MAX_CHARACTERS))
const sessionTagsSchema = z
  .array(sessionTagSchema)
  .max(SESSION_MAX_TAGS, { error: `A conversation has at most ${SESSION_MAX_TAGS} tags.` })
  .transform((tags) => [...new Set(tags)])

/** GET /chat/sessions. The response has `X-Next-Cursor` when there are more conversations. */
export const listChatSessionsQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(LIST_MAX),
  cursor: cursorSchema,
  /** Words in the name or in the messages. */
  query: z.string().trim().max(SESSION_QUERY_MAX_CHARACTERS).optional(),
  status: chatSessionStatusSchema.optional(),
  agent: z.string().max(100).optional(),
  /** `false` leaves out archived conversations, `true` lists only archived ones. */
  archived: z.enum(['true', 'false', 'any']).default('false'),
  tag: sessionTagSchema.optional(),
  project_id: idSchema.optional(),
  /** `trash` lists only trashed conversations, archived or not; in the trash, `query` searches names only. */
  in: z.enum(['library', 'trash']).optional(),
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
  /** Shows the branch of this message, down to the newest message below it. */
  current_message_id: idSchema.optional(),
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  /** Replaces all tags. */
  tags: sessionTagsSchema.optional(),
  /** Moves the conversation to this project; null removes it from its project. */
  project_id: idSchema.nullish(),
  persona_id: idSchema.nullish(),
  model: pickedModelSchema,
  parameters: chatParametersSchema.nullish(),
})
export type UpdateChatSession = z.output<typeof updateChatSessionSchema>

export const chatSessionIdsSchema = z.object({ ids: z.array(idSchema).min(1).max(MAX_SESSIONS_AT_ONCE) })
/** POST /chat/sessions/delete: with `in`, conversations that were restored meanwhile stay. */
export const deleteChatSessionsSchema = chatSessionIdsSchema.extend({ in: z.literal('trash').optional() })
export const deletedSchema = z.object({ deleted: z.number().int() })

/** POST /chat/sessions/change: changes several conversations; omitted fields stay. */
export const changeChatSessionsSchema = z.object({
  ids: z.array(idSchema).min(1).max(MAX_SESSIONS_AT_ONCE),
  archived: z.boolean().optional(),
  add_tags: sessionTagsSchema.default([]),
  remove_tags: sessionTagsSchema.default([]),
  /** Moves the conversations to this project; null removes them from their projects. */
  project_id: idSchema.nullish(),
})
export type ChangeChatSessions = z.output<typeof changeChatSessionsSchema>
export const changedSchema = z.object({ changed: z.number().int() })

/** GET /chat/tags: most used first. */
export const chatTagsSchema = z.object({ tags: z.array(z.object({ tag: z.string(), count: z.number().int() })) })
export type ChatTags = z.infer<typeof chatTagsSchema>

/** GET /chat/stats: figures of the four cards of Chat Management, over all of the caller's conversations. */
export const chatStatsSchema = z.object({
  total_sessions: z.number().int(),
  active_sessions: z.number().int(),
  /** Number of agent calls in these conversations. */
  agent_usage: z.number().int(),
  /** Average seconds until the end of an answer; null without an answer. */
  avg_response_time: z.number().nullable(),
})
export type ChatStats = z.infer<typeof chatStatsSchema>

/** GET /chat/sessions/{id}/export */
export const chatExportQuerySchema = z.object({ format: z.enum(['markdown', 'json']).default('markdown') })
export type ChatExportFormat = z.output<typeof chatExportQuerySchema>['format']

/** An exported message, without URLs that only its owner can open. */
export const exportedMessageSchema = chatMessageSchema
  .omit({ client_id: true, images: true, media: true, siblings: true, streaming: true })
  .extend({
    state: z.enum(['streaming', 'complete', 'interrupted', 'failed']),
    images: z.array(
      z.object({ name: z.string(), content_type: z.string(), width: z.number().int(), height: z.number().int() }),
    ),
    media: z.array(attachedMediaSchema.pick({ media_id: true, title: true, media_type: true })),
  })
export type ExportedMessage = z.output<typeof exportedMessageSchema>
export type ExportedMessageJson = z.input<typeof exportedMessageSchema>

/** JSON export of a conversation: every message of every branch, oldest first. */
export const chatExportSchema = z.object({
  format: z.literal('mira.chat'),
  version: z.literal(1),
  exported_at: chatSessionSchema.shape.created_at,
  session: chatSessionSchema.omit({ snippet: true }),
  /** Newest message of the shown branch. */
  current_message_id: z.uuid().nullable(),
  messages: z.array(exportedMessageSchema),
})
export type ChatExportJson = z.input<typeof chatExportSchema>
