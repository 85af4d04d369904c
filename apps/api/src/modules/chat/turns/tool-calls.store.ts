import type { AgentCall, AnswerStopReason, ChatEvent } from '@mira/shared'
import { againAfterConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'
import { isBusy } from './questions.store.ts'

/** Changes to store when an answer resumes. */
interface ResumeInput {
  userId: string
  sessionId: string
  messageId: string
  /** As they were read: others mean that somebody else was faster. */
  calls: AgentCall[]
  /** As they are from now on. */
  decided: AgentCall[]
  /** All events up to here, as readers get them. */
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

/** A message's calls with a change to the one of an id. */
const callsWith = (id: string, change: Partial<AgentCall>) => sql`(
  SELECT jsonb_agg(CASE WHEN one->>'call_id' = ${id} THEN one || ${JSON.stringify(change)}::jsonb ELSE one END ORDER BY place)
  FROM jsonb_array_elements(m.agent_calls) WITH ORDINALITY AS calls (one, place))`

/**
 * In one statement: the answer is being made again, its log begins with the earlier events, and a call is decided. A server
 * that dies right after leaves what there was.
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
  ), forgotten AS (
    DELETE FROM chat_answer_events WHERE message_id IN (SELECT id FROM answer) AND seq <> ${events.length}::int
  ), told AS (
    INSERT INTO chat_answer_events (message_id, seq, event)
    SELECT id, ${events.length}::int, ${JSON.stringify(events)}::jsonb FROM answer
    ON CONFLICT (message_id, seq) DO UPDATE SET event = excluded.event
  ), touched AS (
    UPDATE chat_sessions SET updated_at = now(), completed_at = NULL WHERE id IN (SELECT session_id FROM answer)
  )
  SELECT s.session_name AS "sessionName", q.id AS "questionId", q.parent_id AS "parentId"
  FROM session s, answer a JOIN chat_messages q ON q.id = a.parent_id`

/** Calls of agents that are stored with the answers in which they were asked for. */
export function createToolCallsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A call in the user's conversation with its message; null when missing. */
    async find(userId: string, sessionId: string, callId: string): Promise<WaitingCall | null> {
      const { rows } = await pool.query<WaitingCall>(
        sql`SELECT m.id AS "messageId", one AS call
         FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id, jsonb_array_elements(m.agent_calls) one
         WHERE s.user_id = ${userId} AND s.id = ${sessionId} AND one->>'call_id' = ${callId} LIMIT 1`,
      )
      return rows[0] ?? null
    },

    /**
     * Takes a waiting call of a user's conversation, once: the same statement stores its new state. Null when it
     * does not wait, or its answer is still being made.
     */
    async take(
      userId: string,
      sessionId: string,
      callId: string,
      become: Partial<AgentCall>,
    ): Promise<WaitingCall | null> {
      const { rows } = await pool.query<WaitingCall>(
        sql`UPDATE chat_messages m SET agent_calls = ${callsWith(callId, become)}
         FROM chat_sessions s
         WHERE s.id = m.session_id AND s.user_id = ${userId} AND s.id = ${sessionId} AND m.state <> 'streaming'
           AND m.agent_calls @> jsonb_build_array(jsonb_build_object('call_id', ${callId}::text, 'state', 'waiting'))
         RETURNING m.id AS "messageId",
           (SELECT one FROM jsonb_array_elements(m.agent_calls) one WHERE one->>'call_id' = ${callId}) AS call`,
      )
      return rows[0] ?? null
    },

    /** Begins the rest of an answer; null when it isn't as it was read, or another one is made in the conversation. */
    async resume(
      input: ResumeInput,
    ): Promise<{ sessionName: string; questionId: string; parentId: string | null } | null> {
      try {
        const { rows } = await againAfterConflict(() => pool.query(resumption(input)))
        return rows[0] ?? null
      } catch (error) {
        if (isBusy(error)) return null
        throw error
      }
    },

    /** Adds the result of a taken call. */
    async settle(messageId: string, callId: string, outcome: Partial<AgentCall>): Promise<void> {
      await pool.query(
        sql`UPDATE chat_messages m SET agent_calls = ${callsWith(callId, outcome)}
         WHERE m.id = ${messageId} AND m.agent_calls @> jsonb_build_array(jsonb_build_object('call_id', ${callId}::text))`,
      )
    },
  }
}
