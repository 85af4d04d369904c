import type { CodedSentence, LogContentType, LogSentiment, LogType, MemoryLogFilters } from '@mira/shared'
import { visibleRunColumns } from '../../../platform/database/agent-runs.ts'
import type { Database } from '../../../platform/database/client.ts'
import { join, nothing, raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'

/** Filters with dates resolved to instants. */
export interface LogScope extends Pick<MemoryLogFilters, 'query' | 'type' | 'content_type' | 'sentiment'> {
  userId: string
  from: Date | null
  /** Exclusive. */
  to: Date | null
}

/** An activity with data of its subject. */
export interface LogRow {
  id: string
  type: LogType
  action: string
  outcome: 'completed' | 'failed' | 'interrupted'
  content: string | null
  response: string | null
  /** Codes for translating the response, if it's an error; null otherwise. */
  told: CodedSentence[] | null
  createdAt: Date
  contentType: LogContentType | null
  sentiment: LogSentiment | null
  tokens: number | null
  processingMs: number | null
  agentUsed: string | null
  sessionId: string | null
  mediaCount: number | null
  extractedText: string | null
  captions: string[] | null
  resultsCount: number | null
  searchQuery: string | null
  durationSeconds: number | null
  transcription: string | null
  keyFrames: number | null
  itemId: string | null
  isEffect: boolean
}

/** Figures over a user's whole timeline. */
interface LogFigures {
  entries: number
  averageMs: number | null
  searches: number
  /** Number of searches with at least one opened result. */
  openedSearches: number
}

export type MemoryLogsStore = ReturnType<typeof createMemoryLogsStore>

/**
 * SQL condition for activities that are log entries. Left out are opened results, which belong to their search, and activities
 * of accounts and automation, which aren't part of the memory.
 */
const ENTRY_CONDITION = `a.kind IN ('chat', 'upload', 'search', 'agent', 'effect') AND a.detail->>'action' IS DISTINCT FROM 'opened'`

/** Activities with their subjects, joined by primary key, so that the planner drops joins that a query doesn't use. */
const SOURCES = raw(`activities a
  LEFT JOIN chat_sessions s ON s.id = a.subject_id AND s.user_id = a.user_id AND a.kind IN ('chat', 'agent')
  LEFT JOIN chat_messages answer ON answer.id = a.detail_id AND answer.session_id = s.id AND a.kind = 'chat'
  LEFT JOIN chat_messages question ON question.id = answer.parent_id AND question.session_id = s.id
  LEFT JOIN agent_runs r ON r.id = (CASE WHEN a.kind = 'agent' THEN a.detail->>'run_id' END)::uuid AND r.user_id = a.user_id
  LEFT JOIN media_items m ON m.id = a.subject_id AND m.user_id = a.user_id AND a.kind = 'upload'
  LEFT JOIN effect_images e ON e.id = a.subject_id AND e.user_id = a.user_id AND a.kind = 'effect'`)

const TYPE = `CASE a.kind WHEN 'search' THEN 'memory_search' WHEN 'upload' THEN 'media' WHEN 'effect' THEN 'media' ELSE a.kind END`

const CONTENT_TYPE = `CASE a.kind
  WHEN 'chat' THEN 'conversation'
  WHEN 'search' THEN 'search'
  WHEN 'effect' THEN 'image'
  WHEN 'agent' THEN CASE a.detail->>'agent' WHEN 'CalculatorAgent' THEN 'calculation' ELSE 'conversation' END
  ELSE m.media_type END`

const CONTENT = `CASE a.kind
  WHEN 'chat' THEN question.content
  WHEN 'agent' THEN r.input
  WHEN 'search' THEN a.detail->>'query'
  WHEN 'effect' THEN coalesce(e.source_filename, a.detail->>'title')
  ELSE m.original_filename END`

const RESPONSE = `CASE a.kind
  WHEN 'chat' THEN coalesce(nullif(answer.content, ''), answer.error)
  WHEN 'agent' THEN ${visibleRunColumns('r').output}
  WHEN 'effect' THEN replace(a.detail->>'effect', '_', ' ')
  WHEN 'upload' THEN coalesce(m.caption, m.error) END`

/** SQL for the codes of a response that's an error. */
const TOLD = `CASE
  WHEN a.kind = 'chat' AND coalesce(answer.content, '') = '' THEN answer.error_told
  WHEN a.kind = 'upload' AND m.caption IS NULL THEN m.error_told END`

const AGENT = `CASE a.kind
  WHEN 'agent' THEN a.detail->>'agent'
  WHEN 'chat' THEN (SELECT string_agg(DISTINCT call->>'name', ', ') FROM jsonb_array_elements(answer.agent_calls) call) END`

/**
 * SQL for the columns of a `LogRow`.
 * @param max characters of each text in a list; null for whole texts in an export, without those read from the item, which may
 * have megabytes each
 */
const columns = (max: number | null) => {
  const text = (value: string) => (max === null ? value : `left(${value}, ${max})`)
  const itemText = (value: string) => (max === null ? 'NULL' : value)
  return raw(`a.id, ${TYPE} AS type, coalesce(a.detail->>'action', '') AS action, a.outcome,
    ${text(`(${CONTENT})`)} AS content, ${text(`(${RESPONSE})`)} AS response, ${TOLD} AS told, a.created_at AS "createdAt",
    ${CONTENT_TYPE} AS "contentType", s.sentiment, a.input_tokens + a.output_tokens AS tokens,
    CASE WHEN a.kind <> 'upload' THEN a.duration_ms::float8 ELSE (
      SELECT extract(epoch FROM max(t.finished_at) - min(t.started_at))::float8 * 1000 FROM media_steps t
      WHERE t.media_item_id = m.id AND m.processing_status = 'completed') END AS "processingMs",
    ${AGENT} AS "agentUsed", s.id AS "sessionId",
    CASE WHEN question.id IS NOT NULL THEN (
      SELECT count(*)::int FROM (SELECT message_id FROM chat_message_images UNION ALL SELECT message_id FROM chat_message_media)
        AS with_it WHERE message_id = question.id) END AS "mediaCount",
    ${itemText(text('m.extracted_text'))} AS "extractedText",
    ${itemText(`(SELECT array_agg(${text('c.body')} ORDER BY c.position) FROM (
       SELECT body, position FROM moments WHERE media_item_id = m.id AND kind = 'caption' ORDER BY position LIMIT 5) c)`)} AS captions,
    CASE WHEN a.kind = 'search' THEN (a.detail->>'results')::int END AS "resultsCount",
    CASE WHEN a.kind = 'search' THEN a.detail->>'query' END AS "searchQuery",
    m.duration_seconds AS "durationSeconds", ${itemText(text('m.transcription'))} AS transcription,
    CASE WHEN m.media_type = 'video' THEN m.frames_count END AS "keyFrames",
    m.id AS "itemId", e.id IS NOT NULL AS "isEffect"`)
}

/** Timeline of a user: activities joined with their subjects where those still exist. */
export function createMemoryLogsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Entries after a position, newest first. @param page.max as `max` of `columns`. */
    async list(
      scope: LogScope,
      page: { limit: number; after: TimePosition | null; max: number | null },
    ): Promise<LogRow[]> {
      const { after } = page
      const afterCondition = after
        ? sql`AND (a.created_at, a.id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`
        : nothing
      const { rows } = await pool.query<LogRow>(
        sql`SELECT ${columns(page.max)} FROM ${SOURCES} WHERE ${conditionOf(scope)} ${afterCondition}
         ORDER BY a.created_at DESC, a.id DESC LIMIT ${page.limit}`,
      )
      return rows
    },

    async count(scope: LogScope): Promise<number> {
      const { rows } = await pool.query<{ total: number }>(
        sql`SELECT count(*)::int AS total FROM ${SOURCES} WHERE ${conditionOf(scope)}`,
      )
      return rows[0]?.total ?? 0
    },

    async figures(userId: string): Promise<LogFigures> {
      const { rows } = await pool.query<LogFigures>(
        sql`WITH opened AS (
           SELECT DISTINCT detail_id AS id FROM activities
           WHERE user_id = ${userId} AND kind = 'search' AND detail->>'action' = 'opened'
         )
         SELECT count(*)::int AS entries,
           (avg(a.duration_ms) FILTER (WHERE a.kind <> 'upload' AND a.outcome = 'completed'))::float8 AS "averageMs",
           (count(*) FILTER (WHERE a.kind = 'search'))::int AS searches,
           (count(opened.id) FILTER (WHERE a.kind = 'search'))::int AS "openedSearches"
         FROM activities a LEFT JOIN opened ON opened.id = a.id
         WHERE a.user_id = ${userId} AND ${raw(ENTRY_CONDITION)}`,
      )
      return rows[0] ?? { entries: 0, averageMs: null, searches: 0, openedSearches: 0 }
    },
  }
}

function conditionOf(scope: LogScope): SqlText {
  const conditions = [sql`a.user_id = ${scope.userId}`, raw(ENTRY_CONDITION)]
  if (scope.from) conditions.push(sql`a.created_at >= ${scope.from}`)
  if (scope.to) conditions.push(sql`a.created_at < ${scope.to}`)
  if (scope.type !== 'all') conditions.push(sql`${raw(TYPE)} = ${scope.type}`)
  if (scope.content_type !== 'all') conditions.push(sql`${raw(CONTENT_TYPE)} = ${scope.content_type}`)
  if (scope.sentiment !== 'all') conditions.push(sql`s.sentiment = ${scope.sentiment}`)
  if (scope.query !== '') {
    const pattern = `%${scope.query.replace(/[\\%_]/g, '\\$&')}%`
    const matches = [CONTENT, RESPONSE, AGENT].map((text) => sql`(${raw(text)}) ILIKE ${pattern}`)
    conditions.push(sql`(${join(matches, ' OR ')})`)
  }
  return join(conditions, ' AND ')
}
