import type { AgentCall, AnswerStopReason, ChatErrorCode, ChatEvent, CodedSentence, Source, Usage } from '@mira/shared'
import { type ActivityRecord, upsertActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { sql } from '../../../platform/database/sql.ts'

/** Consecutive events of an answer, stored as one row under the sequence number of the last. */
export interface EventBatch {
  messageId: string
  lastSeq: number
  events: ChatEvent[]
}

/** Outcome of an answer. Durations count from the question's arrival. */
export interface AnswerResult {
  messageId: string
  sessionId: string
  userId: string
  state: 'complete' | 'interrupted' | 'failed'
  content: string
  searchConfiguration: string
  error: { sentence: string; code: ChatErrorCode; sentences: CodedSentence[] } | null
  model: string | null
  usage: Usage | null
  durationMs: number | null
  firstTokenMs: number | null
  /** Set when the model was cut off. */
  stopReason: AnswerStopReason | null
  sources: Source[]
  agentCalls: AgentCall[]
  /** The model's reasoning before the answer; null when it sent none. */
  reasoning: string | null
  /** True when the model read text by others, such as files: the answer may repeat it without citing. */
  readsOutsideText: boolean
  /** Sentiment of the user's messages; null leaves the stored one unchanged. */
  sentiment: 'positive' | 'neutral' | 'negative' | null
  countsInAnalytics: boolean
  /** Events not stored yet, including the answer's last. */
  unstored: EventBatch
}

export type AnswersStore = ReturnType<typeof createAnswersStore>

const actions = { complete: 'answered', interrupted: 'stopped', failed: 'failed' } as const
const outcomes = { complete: 'completed', interrupted: 'interrupted', failed: 'failed' } as const

const storeEvents = (batches: EventBatch[]) => sql`
  INSERT INTO chat_answer_events (message_id, seq, event)
  SELECT message_id, seq, event::jsonb FROM unnest(
    ${batches.map(({ messageId }) => messageId)}::uuid[],
    ${batches.map(({ lastSeq }) => lastSeq)}::int[],
    ${batches.map(({ events }) => JSON.stringify(events))}::text[]
  ) AS batch (message_id, seq, event) JOIN alive USING (message_id)
  ON CONFLICT DO NOTHING`

/** Stores answers while they're generated. */
export function createAnswersStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Writes events and heartbeats of many answers in one statement.
     * @returns the answers of `running` that still exist and haven't ended, and whether they should stop
     */
    async flush(running: string[], batches: EventBatch[]): Promise<{ messageId: string; isStopRequested: boolean }[]> {
      const { rows } = await pool.query<{ message_id: string; stop_requested: boolean }>(
        prepared(sql`
          WITH alive AS (
            UPDATE chat_answers SET heartbeat_at = now()
            WHERE message_id = ANY(${running}::uuid[]) AND finished_at IS NULL
            RETURNING message_id, stop_requested
          ), added AS (${storeEvents(batches)})
          SELECT message_id, stop_requested FROM alive`),
      )
      return rows.map(({ message_id, stop_requested }) => ({ messageId: message_id, isStopRequested: stop_requested }))
    },

    /**
     * Stores the end of an answer, with its activity; false when it was deleted or already ended. One statement, since each
     * further statement would keep other requests waiting for the embedded database's only session.
     */
    async finish(result: AnswerResult): Promise<boolean> {
      const { rowCount } = await pool.query(
        prepared(sql`
          WITH alive AS (
            UPDATE chat_answers SET finished_at = now() WHERE message_id = ${result.messageId} AND finished_at IS NULL
            RETURNING message_id, session_id
          ), added AS (${storeEvents([result.unstored])}
          ), answer AS (
            UPDATE chat_messages SET state = ${result.state}, content = ${result.content},
              lang = ${result.searchConfiguration}::text::regconfig, error = ${result.error?.sentence},
              error_code = ${result.error?.code}, model_used = ${result.model},
              input_tokens = ${result.usage?.input_tokens}, output_tokens = ${result.usage?.output_tokens},
              duration_ms = ${result.durationMs}, first_token_ms = ${result.firstTokenMs},
              sources = ${JSON.stringify(result.sources)}::text::jsonb,
              agent_calls = ${JSON.stringify(result.agentCalls)}::text::jsonb, reasoning = ${result.reasoning},
              read_outside = ${result.readsOutsideText}::boolean,
              error_told = ${JSON.stringify(result.error?.sentences ?? [])}::text::jsonb, stop_reason = ${result.stopReason}
            WHERE id IN (SELECT message_id FROM alive)
          ), session AS (
            UPDATE chat_sessions SET updated_at = now(), sentiment = coalesce(${result.sentiment}, sentiment)
            WHERE id IN (SELECT session_id FROM alive)
          ), activity AS (${upsertActivitySql(activityOf(result), sql`EXISTS (SELECT FROM alive)`)})
          SELECT FROM alive`),
      )
      return rowCount === 1
    },

    /** Requests that the session's running answers stop; returns their ids. */
    async requestStop(sessionId: string): Promise<string[]> {
      const { rows } = await pool.query<{ message_id: string }>(
        sql`UPDATE chat_answers SET stop_requested = true WHERE session_id = ${sessionId} AND finished_at IS NULL
         RETURNING message_id`,
      )
      return rows.map(({ message_id }) => message_id)
    },

    /** True while any server is generating the answer. */
    async isRunning(messageId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`SELECT FROM chat_answers WHERE message_id = ${messageId} AND finished_at IS NULL`,
      )
      return rowCount === 1
    },
  }
}

function activityOf(result: AnswerResult): ActivityRecord {
  return {
    // A resumed answer keeps its single activity.
    id: result.messageId,
    userId: result.userId,
    kind: 'chat',
    outcome: outcomes[result.state],
    subjectId: result.sessionId,
    detailId: result.messageId,
    durationMs: result.durationMs ?? undefined,
    firstTokenMs: result.firstTokenMs ?? undefined,
    inputTokens: result.usage?.input_tokens,
    outputTokens: result.usage?.output_tokens,
    detail: { action: actions[result.state], ...(result.error ? { error_code: result.error.code } : {}) },
    countsInAnalytics: result.countsInAnalytics,
  }
}
