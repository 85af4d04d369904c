import type { AgentCall } from '@mira/shared'
import type { Database } from '../../../db/client.ts'

/** A call that waited for its person. */
export interface WaitingCall {
  messageId: string
  call: AgentCall
}

export type CallsStore = ReturnType<typeof createCallsStore>

/** A message's calls with what `change` holds added to the one of an id; both are parameters, such as `$3`. */
const callsWith = (id: string, change: string) => `(
  SELECT jsonb_agg(CASE WHEN one->>'call_id' = ${id} THEN one || ${change}::jsonb ELSE one END ORDER BY place)
  FROM jsonb_array_elements(m.agent_calls) WITH ORDINALITY AS calls (one, place))`

/** Calls of agents that are stored with the answers in which they were asked for. */
export function createCallsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** What a call of a person's conversation is a call of; null when it is not there. */
    async nameOf(userId: string, sessionId: string, callId: string): Promise<string | null> {
      const { rows } = await pool.query<{ name: string }>(
        `SELECT one->>'name' AS name
         FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id, jsonb_array_elements(m.agent_calls) one
         WHERE s.user_id = $1 AND s.id = $2 AND one->>'call_id' = $3 LIMIT 1`,
        [userId, sessionId, callId],
      )
      return rows[0]?.name ?? null
    },

    /**
     * Takes a waiting call of a person's conversation, once: in the same statement it becomes what is given. Null when it
     * does not wait, or its answer is still being made.
     */
    async take(
      userId: string,
      sessionId: string,
      callId: string,
      become: Partial<AgentCall>,
    ): Promise<WaitingCall | null> {
      const { rows } = await pool.query<WaitingCall>(
        `UPDATE chat_messages m SET agent_calls = ${callsWith('$3', '$4')}
         FROM chat_sessions s
         WHERE s.id = m.session_id AND s.user_id = $1 AND s.id = $2 AND m.state <> 'streaming'
           AND m.agent_calls @> jsonb_build_array(jsonb_build_object('call_id', $3::text, 'state', 'waiting'))
         RETURNING m.id AS "messageId",
           (SELECT one FROM jsonb_array_elements(m.agent_calls) one WHERE one->>'call_id' = $3) AS call`,
        [userId, sessionId, callId, JSON.stringify(become)],
      )
      return rows[0] ?? null
    },

    /** Adds what came of a call that was taken. */
    async settle(messageId: string, callId: string, outcome: Partial<AgentCall>): Promise<void> {
      await pool.query(
        `UPDATE chat_messages m SET agent_calls = ${callsWith('$2', '$3')}
         WHERE m.id = $1 AND m.agent_calls @> jsonb_build_array(jsonb_build_object('call_id', $2::text))`,
        [messageId, callId, JSON.stringify(outcome)],
      )
    },
  }
}
