import { z } from 'zod'
import { logContentTypes, logRanges, logSentiments, logTypes } from './constants/activity.ts'
import { LOG_QUERY_MAX_CHARACTERS, SEARCH_DEFAULT_LIMIT } from './constants/limits.ts'
import { pageKinds } from './constants/media.ts'
import { cursorSchema, idSchema } from './ids-and-pages.ts'
import { boxSchema, mediaTypeSchema } from './media.ts'
import { timestampSchema } from './timestamp.ts'

/** Schema of a filter with one of these values; the default "all" doesn't filter. */
const choice = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum([...values, 'all']).default('all')

/** Filters of GET /memory/logs and /memory/logs/export, combined with AND. */
export const memoryLogFiltersSchema = z.object({
  /** Text in the content, the response or an agent's name, ignoring case. */
  query: z.string().trim().max(LOG_QUERY_MAX_CHARACTERS).default(''),
  type: choice(logTypes),
  content_type: choice(logContentTypes),
  sentiment: choice(logSentiments),
  range: choice(logRanges),
  /** Start of the range, inclusive. */
  from: z.iso.datetime({ offset: true }).optional(),
  /** End of the range, exclusive. */
  to: z.iso.datetime({ offset: true }).optional(),
})
export type MemoryLogFilters = z.output<typeof memoryLogFiltersSchema>

export const memoryLogsQuerySchema = memoryLogFiltersSchema.extend({
  limit: z.coerce.number().int().min(1).max(100).default(25),
  cursor: cursorSchema,
})

/** A logged action. Values that weren't measured or were deleted with their source are null. */
export const memoryLogEntrySchema = z.object({
  id: idSchema,
  type: z.enum(logTypes),
  /** Code of the action, as in GET /dashboard/activity. */
  action: z.string(),
  outcome: z.enum(['completed', 'failed', 'interrupted']),
  /** Text of the question, search or upload. */
  content: z.string().nullable(),
  response: z.string().nullable(),
  timestamp: timestampSchema,
  content_type: z.enum(logContentTypes).nullable(),
  /** Sentiment of the conversation that the entry belongs to. */
  sentiment: z.enum(logSentiments).nullable(),
  /** Input and output tokens of a model. */
  tokens: z.number().int().nullable(),
  /** Seconds: for a file, from the start of its first processing step to the end of the last; otherwise until the answer was complete. */
  processing_time: z.number().nullable(),
  /** Names of agents, joined by commas. */
  agent_used: z.string().nullable(),
  session_id: z.uuid().nullable(),
  /** Number of pictures and items attached to a question. */
  media_count: z.number().int().nullable(),
  extracted_text: z.string().nullable(),
  captions: z.array(z.string()).nullable(),
  results_count: z.number().int().nullable(),
  search_terms: z.array(z.string()).nullable(),
  /** Complexity of the question by its number of words: low up to 8, medium up to 30, high above that. */
  complexity: z.enum(['low', 'medium', 'high']).nullable(),
  /** Seconds, for a video or recording. */
  duration: z.number().nullable(),
  transcription: z.string().nullable(),
  /** Number of stored frames of a video. */
  key_frames: z.number().int().nullable(),
  /** Path of the web app to the conversation, item or search; null when it no longer exists. */
  link: z.string().nullable(),
})
export type MemoryLogEntry = z.output<typeof memoryLogEntrySchema>
export type MemoryLogEntryJson = z.input<typeof memoryLogEntrySchema>

export const memoryLogsResponseSchema = z.object({
  entries: z.array(memoryLogEntrySchema),
  /** Number of entries that match the filters. */
  total: z.number().int(),
  next_cursor: z.string().nullable(),
  /** Figures over all of the caller's entries, regardless of filters. */
  stats: z.object({
    total_interactions: z.number().int(),
    /** Average seconds of successful answers, searches, agent calls and effects; null when there were none. */
    avg_response_time: z.number().nullable(),
    /** Bytes of everything stored. */
    memory_size: z.number(),
    /** Percentage of searches of which a result was opened; null when there were none. */
    search_accuracy: z.number().nullable(),
  }),
})
export type MemoryLogsResponse = z.output<typeof memoryLogsResponseSchema>
export type MemoryLogsResponseJson = z.input<typeof memoryLogsResponseSchema>

const SEARCH_MAX_LIMIT = 100
const QUERY_MAX_CHARACTERS = 1000
const MAX_LITERAL_PHRASES = 10

/** A query parameter that may be repeated. */
const oneOrMore = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((input) => (input === undefined || Array.isArray(input) ? input : [input]), z.array(item).optional())

/** GET /media/search. The query may contain filters: type:video before:2026-05 after:2026-01-31 tag:home "exact words". */
export const searchQuerySchema = z.object({
  query: z
    .string()
    .trim()
    .min(1, { error: 'Enter what you’re looking for.' })
    .max(QUERY_MAX_CHARACTERS, { error: `A search can have at most ${QUERY_MAX_CHARACTERS} characters.` }),
  limit: z.coerce.number().int().min(1).max(SEARCH_MAX_LIMIT).default(SEARCH_DEFAULT_LIMIT),
  include_frames: z.stringbool().default(true),
  media_types: oneOrMore(mediaTypeSchema),
  from: z.iso.datetime({ offset: true }).optional(),
  to: z.iso.datetime({ offset: true }).optional(),
  /** Search for the typed words in all their forms, without correcting the spelling. */
  exact: z.stringbool().optional(),
  /** Phrases of the query to search as words, even if they look like a time or media type. */
  literal: oneOrMore(z.string().trim().min(1).max(QUERY_MAX_CHARACTERS)).refine(
    (phrases) => phrases === undefined || phrases.length <= MAX_LITERAL_PHRASES,
    { error: `At most ${MAX_LITERAL_PHRASES} phrases can be searched as words.` },
  ),
})
export type SearchQuery = z.output<typeof searchQuerySchema>

/** A hit within an item and the reason for it. */
export const searchResultSchema = z.object({
  /** Id of the moment, or of the part for a visual match. */
  id: z.uuid(),
  media_id: z.uuid(),
  media_type: mediaTypeSchema,
  /** 0 to 1. */
  similarity_score: z.number(),
  /** words: contains the words; meaning: similar text; looks: similar picture. */
  matched: z.enum(['words', 'meaning', 'looks']),
  /** Kind of the matching text: caption, written text, speech or file name; `picture` for a visual match. */
  found_in: z.enum(['caption', 'text', 'speech', 'name', 'picture']),
  thumbnail: z.string().nullable(),
  caption: z.string().nullable(),
  /** Text of the frame, page or picture; cut to 500 characters. */
  extracted_text: z.string().nullable(),
  /** Sentences with most of the searched words; the beginning of the text when only the file name matches. */
  content: z.string(),
  /** Ranges of the matching words in `content`: start and exclusive end, in UTF-16 units. */
  highlights: z.array(z.tuple([z.number().int(), z.number().int()])),
  /** True when the file name or a detail such as the title contains searched words. */
  is_named: z.boolean().optional(),
  /** True when these words are in the title, artist, camera or other details, not in the file name itself. */
  is_in_details: z.boolean().optional(),
  /** True when only similarly spelled words match. */
  is_guess: z.boolean().optional(),
  /** Capture time; upload time if that is unknown. */
  timestamp: timestampSchema,
  /** Local time where it was taken, such as 2024-07-14T09:28:00; null when unknown. */
  taken_local: z.string().nullable(),
  /** Seconds, of the whole item. */
  duration: z.number().nullable(),
  is_video_frame: z.boolean(),
  frame_number: z.number().int().nullable(),
  timestamp_seconds: z.number().nullable(),
  page: z.number().int().nullable(),
  /** Kind of part when it isn't a page: a sheet, a slide, a chapter or a message. */
  page_kind: z.enum(pageKinds).optional(),
  /** Title of the part, if it has one. */
  page_title: z.string().optional(),
  box: boxSchema.nullable(),
  original_filename: z.string(),
  /** Path of the web app that opens the item at this position. */
  url: z.string(),
  /** perhaps: a near match, shown below the others. */
  certainty: z.enum(['found', 'perhaps']).optional(),
})
export type SearchResult = z.output<typeof searchResultSchema>
export type SearchResultJson = z.input<typeof searchResultSchema>

/** A phrase of the query that restricts time or media type. */
export const understoodPhraseSchema = z.object({
  /** As written in the query. */
  text: z.string(),
  kind: z.enum(['time', 'type']),
  media_types: z.array(mediaTypeSchema).optional(),
  /** `from` is inclusive, `to` exclusive. */
  from: timestampSchema.optional(),
  to: timestampSchema.optional(),
})
export type UnderstoodPhraseJson = z.input<typeof understoodPhraseSchema>

/** A parsed query. Its words are searched for; matching its phrases ranks results higher. */
export const understoodQuerySchema = z.object({
  words: z.string(),
  media_types: z.array(mediaTypeSchema).optional(),
  from: timestampSchema.optional(),
  to: timestampSchema.optional(),
  phrases: z.array(understoodPhraseSchema),
  /** Words that no text contains, with the spelling that was searched for instead; none with `exact`. */
  corrections: z.array(z.object({ from: z.string(), to: z.string() })).optional(),
})
export type UnderstoodQuery = z.output<typeof understoodQuerySchema>

export const searchResponseSchema = z.object({
  /** Id of this search, for POST /memory/opened. */
  search_id: z.uuid(),
  results: z.array(searchResultSchema),
  took_ms: z.number(),
  mode: z.enum(['semantic', 'words']),
  /** Reason for searching by words only, shown to the user in English; the code is for translation. */
  mode_reason: z.string().optional(),
  mode_reason_code: z
    .enum(['no_embedding_engine', 'embedding_engine_failed', 'embedding_model_changed', 'nothing_embedded'])
    .optional(),
  understood: understoodQuerySchema.optional(),
  /** True for a query of filters only: the newest matching items, unranked. */
  is_listing: z.boolean().optional(),
})
export type SearchResponse = z.output<typeof searchResponseSchema>
export type SearchResponseJson = z.input<typeof searchResponseSchema>

/** POST /memory/opened: records that a search result was opened. */
export const resultOpenedSchema = z.strictObject({ search_id: idSchema, result_id: idSchema })
