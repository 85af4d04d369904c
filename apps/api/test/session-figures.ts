import { expect } from 'vitest'
import { nonAgentToolNames } from '../src/modules/chat/conversations/sessions.store.ts'
import type { Database } from '../src/platform/database/client.ts'
import { newId } from '../src/platform/database/new-id.ts'

type Pool = Pick<Database, 'pool'>

interface Message {
  session: string
  parent?: string | null
  state?: string
  tokens?: number | null
  durationMs?: number | null
  calls?: string[]
}

/** Adds conversations in one statement. @returns their ids. */
export async function insertSessions({ pool }: Pool, owner: string, count: number): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO chat_sessions (id, user_id, session_name)
     SELECT gen_random_uuid(), $1, 'A conversation ' || n FROM generate_series(1, $2::int) n RETURNING id`,
    [owner, count],
  )
  return rows.map(({ id }) => id)
}

/** Adds messages in one statement. @returns their ids in the same order. */
export async function insertSessionMessages({ pool }: Pool, messages: Message[]): Promise<string[]> {
  const rows = messages.map(({ calls, ...message }) => ({
    id: newId(),
    ...message,
    calls: (calls ?? []).map((name) => ({ name })),
  }))
  await pool.query(
    `INSERT INTO chat_messages (id, session_id, parent_id, role, content, state, input_tokens, duration_ms, agent_calls)
     SELECT id, session, parent, 'assistant', 'Said', coalesce(state, 'complete'), tokens, "durationMs", calls
     FROM jsonb_to_recordset($1::jsonb) AS g (id uuid, session uuid, parent uuid, state text, tokens int, "durationMs" int,
       calls jsonb)`,
    [JSON.stringify(rows)],
  )
  return rows.map(({ id }) => id)
}

/** Stored figures of all users, and the same counted from all messages. */
async function figures({ pool }: Pool) {
  const sessionFigures = await pool.query(
    `SELECT session_id, user_id, message_count, tokens_used::int, timed_answers, response_ms::int, agent_calls
     FROM chat_session_figures ORDER BY session_id`,
  )
  const countedSessions = await pool.query(
    `SELECT s.id AS session_id, s.user_id, count(m.id)::int AS message_count,
       coalesce(sum(coalesce(m.input_tokens, 0) + coalesce(m.output_tokens, 0)), 0)::int AS tokens_used,
       count(m.duration_ms) FILTER (WHERE m.state = 'complete')::int AS timed_answers,
       coalesce(sum(m.duration_ms) FILTER (WHERE m.state = 'complete'), 0)::int AS response_ms,
       (SELECT count(*)::int FROM chat_messages c, jsonb_array_elements(c.agent_calls) call
         WHERE c.session_id = s.id AND call->>'name' <> ALL ($1)) AS agent_calls
     FROM chat_sessions s LEFT JOIN chat_messages m ON m.session_id = s.id GROUP BY s.id ORDER BY s.id`,
    [nonAgentToolNames],
  )
  const figuresOfUsers = await pool.query(
    `SELECT user_id, timed_answers, response_ms::int, agent_calls FROM chat_person_figures
     WHERE (timed_answers, response_ms, agent_calls) <> (0, 0, 0) ORDER BY user_id`,
  )
  const byUser = Map.groupBy(countedSessions.rows, ({ user_id }) => user_id)
  const sum = (rows: Record<string, number>[], key: string) => rows.reduce((total, row) => total + (row[key] ?? 0), 0)
  const countedOfUsers = [...byUser]
    .map(([user_id, rows]) => ({
      user_id,
      timed_answers: sum(rows, 'timed_answers'),
      response_ms: sum(rows, 'response_ms'),
      agent_calls: sum(rows, 'agent_calls'),
    }))
    .filter(({ timed_answers, response_ms, agent_calls }) => timed_answers + response_ms + agent_calls > 0)
    .toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))
  return {
    kept: { sessions: sessionFigures.rows, users: figuresOfUsers.rows },
    counted: { sessions: countedSessions.rows, users: countedOfUsers },
  }
}

/** Fails unless the stored figures are those counted from all messages. @returns them. */
export async function expectMatchingStatistics(pool: Pool) {
  const { kept, counted } = await figures(pool)
  expect(kept).toEqual(counted)
  return kept
}
