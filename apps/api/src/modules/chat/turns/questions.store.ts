import { MAX_COMPARED_ANSWERS, type Mention } from '@mira/shared'
import type { QueryConfig } from 'pg'
import { retryOnConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { deterministicId, newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { attachmentCtes, ownsAttached } from '../attachments/attachments.store.ts'
import { messageWithId } from '../conversations/branch-steps.ts'
import { type AcceptedPicture, pictureCtes } from '../pictures/pictures.store.ts'
import type { ModelChoice } from './choose-engine.ts'
import { type HistoryRow, historyOf } from './recall.store.ts'

/** Ids reserved for a question and its answer. */
export interface QuestionIds {
  sessionId: string
  questionId: string
  messageId: string
}

/** Derives the id of a new conversation from `clientId`, so that a message sent twice at the same time starts only one. */
function idsFor({ userId, sessionId, clientId }: Pick<NewQuestion, 'userId' | 'sessionId' | 'clientId'>) {
  const idOfSession = sessionId ?? (clientId === null ? newId() : deterministicId('chat', userId, clientId))
  return { sessionId: idOfSession, questionId: newId(), messageId: newId() } satisfies QuestionIds
}

/** A user's message, with the initial values of its answer's row. */
export interface NewQuestion {
  userId: string
  /** API token that sent it, if it lacks `read`: it may only continue conversations that it alone wrote in. Null otherwise. */
  chatTokenId: string | null
  /** Null starts a conversation, named `sessionName`. */
  sessionId: string | null
  sessionName: string
  /** Undefined continues the shown branch; null begins a new one beside the first message. */
  parentId: string | null | undefined
  clientId: string | null
  content: string
  /** True when its words aren't the user's, because it edits an imported message. */
  isForeign: boolean
  pictures: AcceptedPicture[]
  /** Ids of the user's attached items. */
  mediaIds: string[]
  /** Mentions apart from these items. */
  mentions: Mention[]
  /** Text search configuration of the content: english, …, simple. */
  searchConfiguration: string
  engine: string
  model: string | null
  /** Model and parameters from now on; undefined leaves them unchanged. */
  choice?: ModelChoice | null
  /** Characters to read of the messages before it; 0 for none. */
  maxHistoryCharacters: number
  /** Ids reserved in advance. */
  ids?: QuestionIds
  /** Project and persona of a new conversation. */
  projectId?: string | null
  personaId?: string | null
  serverId: string
}

/** A request for another answer to a stored question. */
interface AlternativeAnswer {
  userId: string
  sessionId: string
  questionId: string
  /** True to generate it beside another answer, which may still be running and remains the shown one. */
  isComparison: boolean
  engine: string
  model: string | null
  serverId: string
}

/** An answer with stored rows, ready to be generated. */
export interface StartedAnswer {
  userId: string
  sessionId: string
  sessionName: string
  questionId: string
  messageId: string
  /** The message before the question; null at the beginning. */
  parentId: string | null
  /** The messages before the question, if they were read while storing it. */
  history?: HistoryRow[] | undefined
}

/** Outcome of a question: an answer to generate, the existing answer to the same message, or the reason for none. */
export type BeginOutcome =
  | { kind: 'started'; answer: StartedAnswer }
  | { kind: 'repeated'; sessionId: string; messageId: string }
  | { kind: 'busy' | 'no-session' | 'no-parent' | 'no-media' }

export type QuestionsStore = ReturnType<typeof createQuestionsStore>

type PlacedQuestion = NewQuestion & QuestionIds

/** CTE `session` of a new conversation. */
function newSession(question: PlacedQuestion): SqlText {
  const { sessionId, userId, messageId, sessionName, choice, projectId, personaId } = question
  const beginning = JSON.stringify({ model: null, parameters: null, ...choice, projectId, personaId })
  return sql`session AS (
    INSERT INTO chat_sessions (id, user_id, session_name, current_message_id, model, parameters, chat_token_id,
      project_id, persona_id)
    SELECT ${sessionId}::uuid, ${userId}::uuid, ${sessionName}::text, ${messageId}::uuid, ${beginning}::jsonb->>'model',
      nullif(${beginning}::jsonb->'parameters', 'null'), ${question.chatTokenId}::uuid,
      (SELECT id FROM projects WHERE id = (${beginning}::jsonb->>'projectId')::uuid AND user_id = ${userId}::uuid),
      (SELECT id FROM personas
        WHERE id = (${beginning}::jsonb->>'personaId')::uuid AND (user_id = ${userId}::uuid OR shared_at IS NOT NULL))
    WHERE ${ownsAttached(question)} ON CONFLICT (id) DO NOTHING
    RETURNING id, session_name, NULL::uuid AS parent_id
  )`
}

/** CTE `session` of an existing conversation, which it locks. */
const lockedSession = ({ sessionId, userId, parentId, chatTokenId }: PlacedQuestion) => sql`session AS (
    SELECT id, session_name,
      CASE WHEN ${parentId === null}::boolean THEN NULL ELSE coalesce(${parentId ?? null}::uuid, current_message_id) END
        AS parent_id
    FROM chat_sessions WHERE id = ${sessionId} AND user_id = ${userId}
      AND (${chatTokenId}::uuid IS NULL OR chat_token_id = ${chatTokenId}::uuid) FOR NO KEY UPDATE
  )`

/**
 * Stores a question, its answer's row and the head of the answer's log atomically, before the model is called. The answer is
 * marked as having read text by others until its end is stored, so that the mark stays if its server dies.
 */
function insertQuestion(question: PlacedQuestion): SqlText {
  const { userId, questionId, messageId } = question
  const parentId = question.parentId ?? null
  const choice = question.choice ? JSON.stringify(question.choice) : null
  const message = sql`SELECT ${questionId}::uuid FROM question`
  return sql`question AS (
    INSERT INTO chat_messages (id, session_id, parent_id, role, content, client_id, lang, mentions, read_outside)
    SELECT ${questionId}::uuid, id, parent_id, 'user', ${question.content}, ${question.clientId},
      ${question.searchConfiguration}::text::regconfig, ${JSON.stringify(question.mentions)}::text::jsonb,
      ${question.isForeign}::boolean FROM session
    WHERE (${parentId}::uuid IS NULL OR EXISTS (
        SELECT FROM ${messageWithId(sql`${parentId}::uuid`)} WHERE m.session_id = session.id AND m.role = 'assistant'))
      AND ${ownsAttached(question)}
    ON CONFLICT (client_id, session_id) WHERE client_id IS NOT NULL DO NOTHING
    RETURNING session_id
  ), answer AS (
    INSERT INTO chat_messages (id, session_id, parent_id, role, state, engine, model_used, read_outside, created_at)
    SELECT ${messageId}::uuid, session_id, ${questionId}::uuid, 'assistant', 'streaming', ${question.engine},
      ${question.model}, true, now() + interval '1 millisecond' FROM question
  ), head AS (
    INSERT INTO chat_answers (message_id, session_id, user_id, server_id)
    SELECT ${messageId}::uuid, session_id, ${userId}::uuid, ${question.serverId}::uuid FROM question
  ), touched AS (
    UPDATE chat_sessions SET current_message_id = ${messageId}, updated_at = now(), completed_at = NULL,
      archived_at = NULL, chat_token_id = ${question.chatTokenId}::uuid,
      model = CASE WHEN ${choice}::jsonb IS NULL THEN model ELSE ${choice}::jsonb->>'model' END,
      parameters = CASE WHEN ${choice}::jsonb IS NULL THEN parameters
        ELSE nullif(${choice}::jsonb->'parameters', 'null') END
    WHERE id IN (SELECT session_id FROM question)
  ), ${pictureCtes(message, question.pictures)}, ${attachmentCtes(message, question)}
  SELECT session_name, parent_id, EXISTS (SELECT FROM question) AS is_begun`
}

/** Stores a question and reads its history in one statement, since a second statement would delay the model by a round trip. */
function beginQuestion(question: PlacedQuestion, isNew: boolean): QueryConfig {
  if (isNew) return prepared(sql`WITH ${newSession(question)}, ${insertQuestion(question)} FROM session`)
  const session = lockedSession(question)
  if (question.maxHistoryCharacters === 0) {
    return prepared(sql`WITH ${session}, ${insertQuestion(question)} FROM session`)
  }
  const history = historyOf(sql`(SELECT parent_id FROM session)`, question.maxHistoryCharacters)
  return prepared(sql`WITH RECURSIVE ${session}, ${history.branch}, ${insertQuestion(question)},
    (SELECT coalesce(json_agg(told), '[]') FROM (${history.select}) told) AS history FROM session`)
}

/** Stores the rows of another answer to an existing question, in the same way. */
const insertAlternativeAnswer = ({ messageId, ...answer }: AlternativeAnswer & { messageId: string }) => sql`
  WITH session AS (
    SELECT id, session_name FROM chat_sessions WHERE id = ${answer.sessionId} AND user_id = ${answer.userId}
    FOR NO KEY UPDATE
  ), question AS (
    SELECT m.id, m.parent_id, m.session_id FROM session s, ${messageWithId(sql`${answer.questionId}`)}
    WHERE m.session_id = s.id AND m.role = 'user' AND NOT (${answer.isComparison}::boolean AND (
      SELECT count(*) >= ${raw(MAX_COMPARED_ANSWERS)} FROM chat_answers a
      WHERE a.session_id = s.id AND a.is_beside AND a.finished_at IS NULL
    ))
  ), answer AS (
    INSERT INTO chat_messages (id, session_id, parent_id, role, state, engine, model_used, read_outside)
    SELECT ${messageId}::uuid, session_id, id, 'assistant', 'streaming', ${answer.engine}, ${answer.model}, true
    FROM question
  ), head AS (
    INSERT INTO chat_answers (message_id, session_id, user_id, server_id, is_beside)
    SELECT ${messageId}::uuid, session_id, ${answer.userId}::uuid, ${answer.serverId}::uuid, ${answer.isComparison}::boolean
    FROM question
  ), touched AS (
    UPDATE chat_sessions SET updated_at = now(), completed_at = NULL, archived_at = NULL,
      current_message_id = CASE WHEN ${answer.isComparison}::boolean THEN current_message_id ELSE ${messageId}::uuid END
    WHERE id IN (SELECT session_id FROM question)
  )
  SELECT s.session_name, q.parent_id, q.id IS NOT NULL AS is_begun
  FROM session s LEFT JOIN question q ON q.session_id = s.id`

/** Stores questions with rows for their answers, before generation starts. */
export function createQuestionsStore({ pool }: Pick<Database, 'pool'>) {
  const findRepeated = async (question: NewQuestion): Promise<BeginOutcome | null> => {
    if (question.clientId === null) return null
    const { rows } = await pool.query<{ session_id: string; message_id: string }>(
      sql`SELECT q.session_id, a.id AS message_id
       FROM chat_messages q
       JOIN chat_sessions s ON s.id = q.session_id AND s.user_id = ${question.userId}
       JOIN chat_messages a ON a.parent_id = q.id AND a.role = 'assistant'
       WHERE q.client_id = ${question.clientId}
         AND (${question.sessionId}::uuid IS NULL OR q.session_id = ${question.sessionId}::uuid)
       ORDER BY a.created_at DESC LIMIT 1`,
    )
    const [row] = rows
    return row ? { kind: 'repeated', sessionId: row.session_id, messageId: row.message_id } : null
  }

  const ownsAll = async (userId: string, mediaIds: string[]): Promise<boolean> => {
    if (mediaIds.length === 0) return true
    const { rows } = await pool.query<{ owns: boolean }>(sql`SELECT ${ownsAttached({ userId, mediaIds })} AS owns`)
    return rows[0]?.owns === true
  }

  return {
    /** Ids for a question to be stored. */
    idsFor,

    /** Stores a question, with an empty row for its answer. */
    async begin(question: NewQuestion): Promise<BeginOutcome> {
      const { userId } = question
      const { sessionId, questionId, messageId } = question.ids ?? idsFor(question)
      const isNew = question.sessionId === null
      const parentId = isNew ? null : question.parentId
      const statement = beginQuestion({ ...question, sessionId, questionId, messageId, parentId }, isNew)
      try {
        const { rows } = await retryOnConflict(() =>
          pool.query<{ session_name: string; parent_id: string | null; is_begun: boolean; history?: HistoryRow[] }>(
            statement,
          ),
        )
        const [row] = rows
        if (row?.is_begun) {
          const { session_name: sessionName, parent_id } = row
          const place = { userId, sessionId, sessionName, questionId, messageId, parentId: parent_id }
          // A statement doesn't see a message that another statement stored at the same time; the history is then read later.
          const hasHistory = (row.history?.length ?? 0) > 0
          return { kind: 'started', answer: hasHistory ? { ...place, history: row.history } : place }
        }
        const repeated = await findRepeated(question)
        if (repeated) return repeated
        if (!(await ownsAll(userId, question.mediaIds))) return { kind: 'no-media' }
        return { kind: row === undefined ? 'no-session' : 'no-parent' }
      } catch (error) {
        if (isBusy(error)) return { kind: 'busy' }
        // An item was deleted at the same moment.
        if (violates(error, 'chat_message_media_media_item_id_fkey')) return { kind: 'no-media' }
        throw error
      }
    },

    /** Stores another, empty answer to a question. */
    async beginAlternative(answer: AlternativeAnswer): Promise<BeginOutcome> {
      const { userId, sessionId, questionId } = answer
      const messageId = newId()
      try {
        const { rows } = await retryOnConflict(() =>
          pool.query<{ session_name: string; parent_id: string | null; is_begun: boolean }>(
            insertAlternativeAnswer({ ...answer, messageId }),
          ),
        )
        const [row] = rows
        if (row === undefined) return { kind: 'no-session' }
        // The caller has found the question before, so an answer beside others can only have been refused by their limit.
        if (!row.is_begun) return { kind: answer.isComparison ? 'busy' : 'no-session' }
        const { session_name: sessionName, parent_id: parentId } = row
        return { kind: 'started', answer: { userId, sessionId, sessionName, questionId, messageId, parentId } }
      } catch (error) {
        if (isBusy(error)) return { kind: 'busy' }
        throw error
      }
    },
  }
}

/** True when a statement was refused because an answer is being generated in the conversation. */
export function isBusy(error: unknown): boolean {
  return violates(error, 'chat_answers_running_key')
}

function violates(error: unknown, constraint: string): boolean {
  const { code, constraint: violated } = error as { code?: unknown; constraint?: unknown }
  return (code === '23505' || code === '23503') && violated === constraint
}
