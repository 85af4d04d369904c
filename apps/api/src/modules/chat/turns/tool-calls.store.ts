import type { AgentCall, AnswerStopReason, ChatEvent } from '@mira/shared'
import { retryOnConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'
import { isBusy } from './questions.store.ts'

/** Changes to store when an answer resumes. */
interface ResumeInput {
  userId: string
  sessionId: string
  messageId: string
  /** Calls as they were read; if they have changed, another request was faster. */
  calls: AgentCall[]
  /** Calls after the decision. */
  decided: AgentCall[]
  /** All earlier events, for readers. */
  events: ChatEvent[]
  stopReason: AnswerStopReason | null
  serverId: string
}

/** A call that waited for the user's decision. */
interface WaitingCall {
  messageId: string
  call: AgentCall
}

export type ToolCallsStore = ReturnType<typeof createToolCallsStore>

/** SQL: the calls of a message `m`, with a change to one of them. */
const callsWith = (id: string, change: Partial<AgentCall>) => sql`(
  SELECT jsonb_agg(CASE WHEN one->>'call_id' = ${id} THEN one || ${JSON.stringify(change)}::jsonb ELSE one END ORDER BY place)
  FROM jsonb_array_elements(m.agent_calls) WITH ORDINALITY AS calls (one, place))`

/**
 * Stores the answer's running state, its earlier events and the decision on a call in one statement, so that nothing is lost
 * when the server dies right afterwards.
 */
const resumption = ({ userId, sessionId, messageId, calls, decided, events, stopReason, serverId }: ResumeInput) => sql`
  WITH session AS (
    SELECT id, session_name FROM chat_sessions WHERE id = ${sessionId} AND user_id = ${userId} FOR NO KEY UPDATE
  ), answer AS (
    UPDATE chat_messages m SET state = 'streaming', agent_calls = ${JSON.stringify(decided)}::jsonb, read_outside = true,
      error = NULL, error_code = NULL, error_told = '[]', stop_reason = NULL
    FROM session s
    WHERE m.id = ${messageId} AND m.session_id = s.id AND m.state <> 'streaming'
      AND m.agent_calls = ${JSON.stringify(calls)}::jsonb AND m.stop_reason IS NOT DISTINCT FROM ${stopReason}::text
    RETURNING m.id, m.session_id, m.parent_id
  ), head AS (
    INSERT INTO chat_answers (message_id, session_id, user_id, server_id)
    SELECT id, session_id, ${userId}::uuid, ${serverId}::uuid FROM answer
    ON CONFLICT (message_id) DO UPDATE
    SET server_id = excluded.server_id, heartbeat_at = now(), stop_requested = false, finished_at = NULL
  ), deleted AS (
    DELETE FROM chat_answer_events WHERE message_id IN (SELECT id FROM answer) AND seq <> ${events.length}::int
  ), replayed AS (
    INSERT INTO chat_answer_events (message_id, seq, event)
    SELECT id, ${events.length}::int, ${JSON.stringify(events)}::jsonb FROM answer
    ON CONFLICT (message_id, seq) DO UPDATE SET event = excluded.event
  ), touched AS (
    UPDATE chat_sessions SET updated_at = now(), completed_at = NULL WHERE id IN (SELECT session_id FROM answer)
  )
  SELECT s.session_name AS "sessionName", q.id AS "questionId", q.parent_id AS "parentId"
  FROM session s, answer a JOIN chat_messages q ON q.id = a.parent_id`

/** Tool calls, which are stored with their answers. */
export function createToolCallsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A call in the user's conversation, with its message's id; null when missing. */
    async find(userId: string, sessionId: string, callId: string): Promise<WaitingCall | null> {
      const { rows } = await pool.query<WaitingCall>(
        sql`SELECT m.id AS "messageId", one AS call
         FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id, jsonb_array_elements(m.agent_calls) one
         WHERE s.user_id = ${userId} AND s.id = ${sessionId} AND one->>'call_id' = ${callId} LIMIT 1`,
      )
      return rows[0] ?? null
    },

    /**
     * Claims a waiting call of a user's conversation by changing its state, so that only one request acts on it. Null when it
     * isn't waiting, or its answer is still running.
     */
    async take(
      userId: string,
      sessionId: string,
      callId: string,
      change: Partial<AgentCall>,
    ): Promise<WaitingCall | null> {
      const { rows } = await pool.query<WaitingCall>(
        sql`UPDATE chat_messages m SET agent_calls = ${callsWith(callId, change)}
         FROM chat_sessions s
         WHERE s.id = m.session_id AND s.user_id = ${userId} AND s.id = ${sessionId} AND m.state <> 'streaming'
           AND m.agent_calls @> jsonb_build_array(jsonb_build_object('call_id', ${callId}::text, 'state', 'waiting'))
         RETURNING m.id AS "messageId",
           (SELECT one FROM jsonb_array_elements(m.agent_calls) one WHERE one->>'call_id' = ${callId}) AS call`,
      )
      return rows[0] ?? null
    },

    /** Resumes an answer; null when it has changed meanwhile, or another one is running in the conversation. */
    async resume(
      input: ResumeInput,
    ): Promise<{ sessionName: string; questionId: string; parentId: string | null } | null> {
      try {
        const { rows } = await retryOnConflict(() => pool.query(resumption(input)))
        return rows[0] ?? null
      } catch (error) {
        if (isBusy(error)) return null
        throw error
      }
    },

    /** Stores the result of a taken call. */
    async settle(messageId: string, callId: string, outcome: Partial<AgentCall>): Promise<void> {
      await pool.query(
        sql`UPDATE chat_messages m SET agent_calls = ${callsWith(callId, outcome)}
         WHERE m.id = ${messageId} AND m.agent_calls @> jsonb_build_array(jsonb_build_object('call_id', ${callId}::text))`,
      )
    },
  }
}
