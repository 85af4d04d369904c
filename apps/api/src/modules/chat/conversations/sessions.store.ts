import { MAKE_PICTURE, READ_PAGE, SEARCH_MEMORY, SEARCH_WEB } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { Prisma } from '../../../platform/database/generated/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { join, nothing, raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { type Attachment, attachedInBranch } from '../attachments/attachments.store.ts'
import type { ModelChoice } from '../turns/choose-engine.ts'
import { MESSAGE_BEFORE, messageWithId } from './branch-steps.ts'
import { MESSAGE_COLUMNS, type MessageRow, SIBLINGS } from './message-rows.ts'
import { hasFewMessages, messagesOf } from './own-messages.ts'
import { anyWordSql, markWords, newestMatchSql, shownWords } from './snippet.ts'

/** A conversation with the figures of its messages. */
export interface SessionRow {
  id: string
  session_name: string
  created_at: Date
  updated_at: Date
  message_count: number
  agent_used: string | null
  is_completed: boolean
  tokens_used: number
  avg_response_ms: number | null
  sentiment: 'positive' | 'neutral' | 'negative'
  is_pinned: boolean
  is_archived: boolean
  tags: string[]
  project_id: string | null
  persona_id: string | null
  /** Excerpt around the match; null without a search or when only the name matched. */
  snippet?: string | null
  snippet_message_id?: string | null
  /** Time of the move to the trash; undefined outside the trash. */
  trashed_at?: Date | null
}

export type SessionSort = 'updated' | 'name' | 'messages' | 'tokens' | 'response_time'

/** Start of a page: after the session with this value of the sorted column. */
export interface SessionPosition {
  value: string | number
  id: string
  /** Pinned sessions come first. */
  isPinned: boolean
}

interface SessionFilter {
  userId: string
  /** Searched in names and texts. */
  query?: string | undefined
  status?: 'active' | 'completed' | undefined
  agent?: string | undefined
  archived: 'true' | 'false' | 'any'
  tag?: string | undefined
  project_id?: string | undefined
  in?: 'library' | 'trash' | undefined
  sort: SessionSort
  order: 'asc' | 'desc'
  after?: SessionPosition | undefined
  limit: number
}

interface OpenedSessionRow extends SessionRow, ModelChoice {}

/** A conversation being continued: its model and parameters, project and persona. */
export interface StoredConversationState extends ModelChoice {
  projectId: string | null
  personaId: string | null
  sessionName: string
  /** Newest message of the shown branch. */
  currentMessageId: string | null
  /** Id of an API token without the scope `read` that wrote all of the user's messages here; null when anyone else wrote some. */
  chatTokenId: string | null
}

/** Place of a new message in a conversation. */
interface MessagePlace {
  userId: string
  sessionId: string
  /** Message before it; undefined for the last one of the shown branch, null for none. */
  parentId: string | null | undefined
  /** True to read the items attached in the branch that it continues. */
  hasAttachments: boolean
}

/** A conversation that a new message continues. */
interface StateForMessage extends StoredConversationState {
  /** Items attached in the branch that it continues, those of the newest message first. */
  attached: Attachment[]
  /** True when the message is another version of one that was imported: it may repeat words that aren't the user's. */
  isBesideForeign: boolean
}

const stateColumns = `model, parameters, project_id AS "projectId", persona_id AS "personaId",
  session_name AS "sessionName", current_message_id AS "currentMessageId", chat_token_id AS "chatTokenId"`

/** SQL: true when a message imported into conversation `s` has this place; each half uses its own index. */
function isBesideForeign(parentId: MessagePlace['parentId']): SqlText {
  const parent = sql`CASE WHEN NOT ${parentId === null}::boolean THEN coalesce(${parentId ?? null}::uuid, s.current_message_id) END`
  const isForeign = raw(`o.role = 'user' AND o.read_outside`)
  return sql`(EXISTS (
      SELECT FROM (SELECT * FROM chat_messages WHERE parent_id = ${parent} OFFSET 0) o WHERE o.session_id = s.id AND ${isForeign}
    ) OR (${parent} IS NULL AND EXISTS (
      SELECT FROM chat_messages o WHERE o.session_id = s.id AND o.parent_id IS NULL AND ${isForeign}
    )))`
}

interface SessionChanges {
  sessionName?: string | undefined
  isCompleted?: boolean | undefined
  currentMessageId?: string | undefined
  isPinned?: boolean | undefined
  isArchived?: boolean | undefined
  tags?: string[] | undefined
  projectId?: string | null | undefined
  personaId?: string | null | undefined
  model?: string | null | undefined
  parameters?: ModelChoice['parameters'] | undefined
  chatTokenId?: null
}

export type SessionsStore = ReturnType<typeof createSessionsStore>

const SESSION_COLUMNS = `s.id, s.session_name, s.created_at, s.updated_at, s.sentiment, s.tags, s.project_id, s.persona_id,
  s.trashed_at, s.pinned_at IS NOT NULL AS is_pinned, s.archived_at IS NOT NULL AS is_archived`
/** Conversations without changes for a day count as completed. */
const IS_COMPLETED = `(s.completed_at IS NOT NULL OR s.updated_at < now() - interval '24 hours')`
/** SQL: mean duration of completed answers; stopped answers say nothing about response times. */
const MEAN_RESPONSE_MS = '(f.response_ms::numeric / nullif(f.timed_answers, 0))::float8'
const FIGURE_COLUMNS = `f.message_count, f.tokens_used::float8, ${MEAN_RESPONSE_MS} AS avg_response_ms`
/** Joined by both columns, so that a list sorted by a figure can use its index. */
const WITH_FIGURES = 'chat_sessions s JOIN chat_session_figures f ON f.session_id = s.id AND f.user_id = s.user_id'
const TRASHED_WITH_FIGURES = 'chat_sessions s JOIN chat_session_figures f ON f.session_id = s.id'
/** Sort expression of each order, with the type of its values in the cursor. */
const sortKeys: Record<SessionSort, { key: string; type: string }> = {
  updated: { key: 's.updated_at', type: 'timestamptz' },
  name: { key: 'lower(s.session_name)', type: 'text' },
  messages: { key: 'f.message_count', type: 'int' },
  tokens: { key: 'f.tokens_used', type: 'bigint' },
  // Conversations without an answer come first in ascending order.
  response_time: { key: `coalesce(${MEAN_RESPONSE_MS}, -1)`, type: 'float8' },
}
/** Tools that aren't agents; the database's function `agent_calls_in` has the same list. */
export const nonAgentToolNames = [SEARCH_MEMORY, SEARCH_WEB, READ_PAGE, MAKE_PICTURE]
const NON_AGENT_TOOLS = nonAgentToolNames.map((name) => `'${name}'`).join(', ')
/** SQL: names of a conversation's agents. Reads the messages only when there are calls. */
const agentsWhere = (agentCalls: string) => `CASE WHEN ${agentCalls} > 0 THEN (
  SELECT string_agg(DISTINCT call->>'name', ', ' ORDER BY call->>'name')
  FROM chat_messages m, jsonb_array_elements(m.agent_calls) call
  WHERE m.session_id = s.id AND m.agent_calls <> '[]' AND call->>'name' NOT IN (${NON_AGENT_TOOLS})) END`

/** Languages to stem a query in, as each message is stemmed in its own language. One index lookup covers all of them. */
const SEARCHED_LANGUAGES = ['simple', 'english', 'spanish', 'french', 'german']

/** Share of all messages below which a user's own are all read in a search; low, since the index is faster for rare words. */
const MINORITY_SHARE = 0.02

const likePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** Stores users' conversations and reads their messages. */
export function createSessionsStore(database: Pick<Database, 'prisma' | 'pool' | 'engine'>) {
  const { prisma, pool } = database
  /**
   * A page of conversations with their figures, in one statement; each row has its position for the next page. Pinned ones come
   * first when sorted by latest change.
   */
  const listSessions = async (filter: SessionFilter): Promise<(SessionRow & { position: SessionPosition })[]> => {
    const { key, type } = sortKeys[filter.sort]
    const direction = filter.order === 'asc' ? 'ASC' : 'DESC'
    const isPinnedFirst = filter.sort === 'updated' && filter.order === 'desc'
    const isTrash = filter.in === 'trash'
    const conditions = [isTrash ? sql`s.trashed_from = ${filter.userId}` : sql`s.user_id = ${filter.userId}`]
    if (filter.status) conditions.push(raw(filter.status === 'completed' ? IS_COMPLETED : `NOT ${IS_COMPLETED}`))
    if (filter.archived !== 'any' && !isTrash)
      conditions.push(filter.archived === 'true' ? sql`s.archived_at IS NOT NULL` : sql`s.archived_at IS NULL`)
    if (filter.tag !== undefined) conditions.push(sql`${filter.tag} = ANY(s.tags)`)
    if (filter.project_id !== undefined) conditions.push(sql`s.project_id = ${filter.project_id}::uuid`)
    if (filter.agent) {
      const callsJson = JSON.stringify([{ name: filter.agent }])
      conditions.push(
        sql`EXISTS (SELECT FROM chat_messages m WHERE m.session_id = s.id AND m.agent_calls @> ${callsJson}::jsonb)`,
      )
    }
    let queryCte = nothing
    let snippetSql = sql`(SELECT NULL AS snippet, NULL::uuid AS message_id)`
    if (filter.query && isTrash) conditions.push(sql`s.session_name ILIKE ${likePattern(filter.query)}`)
    else if (filter.query) {
      const words = filter.query
      const pattern = likePattern(words)
      const inAnyLanguage = join(
        SEARCHED_LANGUAGES.map((language) => sql`websearch_to_tsquery(${raw(`'${language}'`)}, ${words})`),
        ' || ',
      )
      // The same condition as in the trigram index; imported messages are indexed a little later.
      const isFound = sql`(m.lang IS NOT NULL AND (m.content ILIKE ${pattern} OR m.tsv @@ (${inAnyLanguage})))`
      const hasMatch = (await hasFewMessages(database, filter.userId, MINORITY_SHARE))
        ? sql`EXISTS (SELECT FROM ${messagesOf(sql`s.id`)} WHERE ${isFound})`
        : sql`s.id IN (SELECT m.session_id FROM chat_messages m WHERE ${isFound})`
      conditions.push(sql`(s.session_name ILIKE ${pattern} OR ${hasMatch})`)
      queryCte = sql`query AS MATERIALIZED (${anyWordSql(shownWords(words), SEARCHED_LANGUAGES)}), `
      snippetSql = newestMatchSql({ words, pattern, isMatch: isFound })
    }
    const idColumn = key.includes('f.') ? 'f.session_id' : 's.id'
    const sortColumns = isPinnedFirst ? ['(s.pinned_at IS NOT NULL)', key, idColumn] : [key, idColumn]
    if (filter.after) {
      const { isPinned, value, id } = filter.after
      const position = [
        ...(isPinnedFirst ? [sql`${isPinned}::boolean`] : []),
        sql`${value}::text::${raw(type)}`,
        sql`${id}::uuid`,
      ]
      const comparison = raw(filter.order === 'asc' ? '>' : '<')
      conditions.push(sql`(${raw(sortColumns.join(', '))}) ${comparison} (${join(position)})`)
    }
    const sorted = (columns: string[]) => raw(columns.map((column) => `${column} ${direction}`).join(', '))

    const { rows } = await pool.query(
      sql`WITH ${queryCte}page AS (
         SELECT ${raw(SESSION_COLUMNS)}, ${raw(IS_COMPLETED)} AS is_completed, ${raw(FIGURE_COLUMNS)}, f.agent_calls,
           ${raw(key)} AS sort_value
         FROM ${raw(isTrash ? TRASHED_WITH_FIGURES : WITH_FIGURES)}
         WHERE ${join(conditions, ' AND ')} ORDER BY ${sorted(sortColumns)} LIMIT ${filter.limit}
       )
       SELECT s.*, ${raw(agentsWhere('s.agent_calls'))} AS agent_used, match.snippet,
         match.message_id AS snippet_message_id
       FROM page s LEFT JOIN LATERAL ${snippetSql} match ON true
       ORDER BY ${sorted(isPinnedFirst ? ['s.is_pinned', 's.sort_value', 's.id'] : ['s.sort_value', 's.id'])}`,
    )
    return rows.map(({ sort_value: value, ...row }) => ({
      ...row,
      snippet: markWords(row.snippet, filter.query),
      position: { value: value instanceof Date ? value.toISOString() : value, id: row.id, isPinned: row.is_pinned },
    }))
  }

  return {
    listSessions,

    async findSession(userId: string, id: string): Promise<OpenedSessionRow | null> {
      const { rows } = await pool.query<OpenedSessionRow>(
        sql`SELECT ${raw(SESSION_COLUMNS)}, s.model, s.parameters, ${raw(IS_COMPLETED)} AS is_completed,
           ${raw(FIGURE_COLUMNS)}, ${raw(agentsWhere('f.agent_calls'))} AS agent_used
         FROM ${raw(WITH_FIGURES)} WHERE s.id = ${id} AND s.user_id = ${userId}`,
      )
      return rows[0] ?? null
    },

    /** Settings, name and newest shown message of a conversation; null when it isn't the user's. */
    async readState(userId: string, id: string): Promise<StoredConversationState | null> {
      const { rows } = await pool.query<StoredConversationState>(
        prepared(sql`SELECT ${raw(stateColumns)} FROM chat_sessions WHERE id = ${id} AND user_id = ${userId}`),
      )
      return rows[0] ?? null
    },

    /** Like `readState`, with what a new message in it needs; null when it isn't the user's. */
    async readStateForMessage({ userId, sessionId, parentId, hasAttachments }: MessagePlace) {
      const attached = hasAttachments
        ? sql`(SELECT coalesce(json_agg(attached), '[]') FROM (${attachedInBranch({ userId, sessionId, last: parentId ?? null, question: null })}) attached)`
        : sql`'[]'::json`
      const { rows } = await pool.query<StateForMessage>(
        prepared(sql`
          SELECT ${raw(stateColumns)}, ${attached} AS attached, ${isBesideForeign(parentId)} AS "isBesideForeign"
          FROM chat_sessions s WHERE id = ${sessionId} AND user_id = ${userId}`),
      )
      return rows[0] ?? null
    },

    /**
     * Messages of the shown branch, newest first. Callers must check that the conversation is the user's.
     * @param before only messages before this one; null for the newest
     */
    async listMessages(sessionId: string, limit: number, before: string | null): Promise<MessageRow[]> {
      const newest =
        before === null
          ? sql`s.current_message_id`
          : sql`(SELECT m.parent_id FROM ${messageWithId(sql`${before}`)} WHERE m.session_id = s.id)`
      const { rows } = await pool.query<MessageRow>(
        sql`WITH RECURSIVE branch AS (
           SELECT m.*, 1 AS depth FROM chat_sessions s, ${messageWithId(newest)}
           WHERE s.id = ${sessionId} AND m.session_id = s.id
           UNION ALL
           SELECT m.*, b.depth + 1 FROM ${MESSAGE_BEFORE} WHERE b.depth < ${limit}
         )
         SELECT ${raw(MESSAGE_COLUMNS)} FROM branch b, LATERAL (${raw(SIBLINGS)}) siblings ORDER BY b.depth`,
      )
      return rows
    },

    /** True when the message is part of this conversation and both are the user's. */
    async hasMessage(userId: string, sessionId: string, messageId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`SELECT FROM chat_sessions s, ${messageWithId(sql`${messageId}`)}
         WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND m.session_id = s.id`,
      )
      return rowCount === 1
    },

    /** False when the conversation isn't the user's. */
    async updateSession(userId: string, id: string, changes: SessionChanges): Promise<boolean> {
      const data: Prisma.ChatSessionUncheckedUpdateManyInput = {}
      if (changes.sessionName !== undefined)
        Object.assign(data, { sessionName: changes.sessionName, sessionNameBy: 'user' })
      if (changes.currentMessageId !== undefined) data.currentMessageId = changes.currentMessageId
      if (changes.isPinned !== undefined) data.pinnedAt = changes.isPinned ? new Date() : null
      if (changes.isArchived !== undefined) data.archivedAt = changes.isArchived ? new Date() : null
      if (changes.tags !== undefined) data.tags = changes.tags
      if (changes.projectId !== undefined) data.projectId = changes.projectId
      if (changes.personaId !== undefined) data.personaId = changes.personaId
      if (changes.chatTokenId !== undefined) data.chatTokenId = changes.chatTokenId
      if (changes.model !== undefined) data.model = changes.model
      if (changes.parameters !== undefined) data.parameters = changes.parameters ?? Prisma.DbNull
      if (changes.isCompleted === true) data.completedAt = new Date()
      // A conversation without changes for a day counts as completed, so one that becomes active counts as changed now.
      if (changes.isCompleted === false) Object.assign(data, { completedAt: null, updatedAt: new Date() })
      const { count } = await prisma.chatSession.updateMany({ where: { id, userId }, data })
      return count === 1
    },

    /** Names a conversation unless the user has named it. */
    async nameSession(id: string, sessionName: string): Promise<boolean> {
      const { count } = await prisma.chatSession.updateMany({
        where: { id, sessionNameBy: 'auto' },
        data: { sessionName },
      })
      return count === 1
    },

    async isOwned(userId: string, id: string): Promise<boolean> {
      const { rowCount } = await pool.query(sql`SELECT FROM chat_sessions WHERE user_id = ${userId} AND id = ${id}`)
      return rowCount === 1
    },

    /** Totals over all conversations of a user. */
    async stats(
      userId: string,
    ): Promise<{ total: number; active: number; agentCalls: number; avgResponseMs: number | null }> {
      const { rows } = await pool.query(
        sql`SELECT coalesce((SELECT count FROM person_counts WHERE user_id = ${userId}::uuid
          AND subject = 'conversation'), 0)::int AS total,
           (SELECT count(*)::int FROM chat_sessions s WHERE s.user_id = ${userId}::uuid AND NOT ${raw(IS_COMPLETED)}) AS active,
           coalesce(f.agent_calls, 0)::int AS "agentCalls", ${raw(MEAN_RESPONSE_MS)} AS "avgResponseMs"
         FROM (SELECT ${userId}::uuid AS user_id) person LEFT JOIN chat_person_figures f USING (user_id)`,
      )
      return rows[0]
    },
  }
}
