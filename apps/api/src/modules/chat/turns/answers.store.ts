import type { AgentCall, AnswerStopReason, ChatErrorCode, ChatEvent, CodedSentence, Source, Usage } from '@mira/shared'
import { type ActivityRecord, activityJson, putActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'

/** Events of an answer that follow each other: they are stored as one row under the place of the last of them. */
export interface EventBatch {
  messageId: string
  lastSeq: number
  events: ChatEvent[]
}

/** Outcome of an answer. Durations in milliseconds, counted from the question's arrival. */
export interface AnswerResult {
  messageId: string
  sessionId: string
  userId: string
  state: 'complete' | 'interrupted' | 'failed'
  content: string
  searchConfiguration: string
  error: { sentence: string; code: ChatErrorCode; told: CodedSentence[] } | null
  model: string | null
  usage: Usage | null
  durationMs: number | null
  firstTokenMs: number | null
  /** Set where the model was ended before its end. */
  stopReason: AnswerStopReason | null
  sources: Source[]
  agentCalls: AgentCall[]
  /** The model's thoughts before it answered; null when it sent none. */
  reasoning: string | null
  /** True when the model read other people's text, such as that of files: the answer may repeat it without citing. */
  readsOutsideText: boolean
  /** Sentiment of the user's messages; null leaves the stored one unchanged. */
  sentiment: 'positive' | 'neutral' | 'negative' | null
  inAnalytics: boolean
  /** Events that are not stored yet, the last one of the answer among them. */
  unstored: EventBatch
}

export type AnswersStore = ReturnType<typeof createAnswersStore>

const actions = { complete: 'answered', interrupted: 'stopped', failed: 'failed' } as const
const outcomes = { complete: 'completed', interrupted: 'interrupted', failed: 'failed' } as const

const storeEvents = `
  INSERT INTO chat_answer_events (message_id, seq, event)
  SELECT message_id, seq, event::jsonb FROM unnest($1::uuid[], $2::int[], $3::text[]) AS given (message_id, seq, event)
    JOIN alive USING (message_id)
  ON CONFLICT DO NOTHING`
const flushAnswers = prepared(`
  WITH alive AS (
    UPDATE chat_answers SET heartbeat_at = now() WHERE message_id = ANY($4::uuid[]) AND finished_at IS NULL
    RETURNING message_id, stop_requested
  ), added AS (${storeEvents})
  SELECT message_id, stop_requested FROM alive`)
/** One statement, too: the embedded database has one session, and each further turn would keep all others waiting. */
const finishAnswer = prepared(`
  WITH alive AS (
    UPDATE chat_answers SET finished_at = now() WHERE message_id = $4 AND finished_at IS NULL
    RETURNING message_id, session_id
  ), added AS (${storeEvents}
  ), answer AS (
    UPDATE chat_messages SET state = $5, content = $6, lang = $7::text::regconfig, error = $8, error_code = $9,
      model_used = $10, input_tokens = $11, output_tokens = $12, duration_ms = $13,
      first_token_ms = $14, sources = $15::text::jsonb, agent_calls = $16::text::jsonb, reasoning = $19,
      read_outside = $20::boolean, error_told = $21::text::jsonb, stop_reason = $22
    WHERE id IN (SELECT message_id FROM alive)
  ), session AS (
    UPDATE chat_sessions SET updated_at = now(), sentiment = coalesce($17, sentiment)
    WHERE id IN (SELECT session_id FROM alive)
  ), activity AS (${putActivitySql('$18::text', 'EXISTS (SELECT FROM alive)')})
  SELECT FROM alive`)

/** Answers while they are made, as rows. */
export function createAnswersStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Writes events of many answers in one statement, and that they are being made.
     * @returns those of `running` that are still wanted, and whether somebody asked to stop them.
     */
    async flush(running: string[], batches: EventBatch[]): Promise<{ messageId: string; isStopRequested: boolean }[]> {
      const { rows } = await pool.query<{ message_id: string; stop_requested: boolean }>(
        flushAnswers([...eventColumns(batches), running]),
      )
      return rows.map(({ message_id, stop_requested }) => ({ messageId: message_id, isStopRequested: stop_requested }))
    },

    /** Stores how an answer ended, with its activity; false when it is wanted no more (deleted, or given up on). */
    async finish(result: AnswerResult): Promise<boolean> {
      const { rowCount } = await pool.query(
        finishAnswer([
          ...eventColumns([result.unstored]),
          result.messageId,
          result.state,
          result.content,
          result.searchConfiguration,
          result.error?.sentence,
          result.error?.code,
          result.model,
          result.usage?.input_tokens,
          result.usage?.output_tokens,
          result.durationMs,
          result.firstTokenMs,
          JSON.stringify(result.sources),
          JSON.stringify(result.agentCalls),
          result.sentiment,
          activityJson(activityOf(result)),
          result.reasoning,
          result.readsOutsideText,
          JSON.stringify(result.error?.told ?? []),
          result.stopReason,
        ]),
      )
      return rowCount === 1
    },

    /** Requests that the session's running answers stop; returns their ids. */
    async requestStop(sessionId: string): Promise<string[]> {
      const { rows } = await pool.query<{ message_id: string }>(
        `UPDATE chat_answers SET stop_requested = true WHERE session_id = $1 AND finished_at IS NULL
         RETURNING message_id`,
        [sessionId],
      )
      return rows.map(({ message_id }) => message_id)
    },

    /** True while any server is generating it. */
    async isRunning(messageId: string): Promise<boolean> {
      const { rowCount } = await pool.query('SELECT FROM chat_answers WHERE message_id = $1 AND finished_at IS NULL', [
        messageId,
      ])
      return rowCount === 1
    },
  }
}

function activityOf(result: AnswerResult): ActivityRecord {
  return {
    // a resumed answer still has one activity
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
    inAnalytics: result.inAnalytics,
  }
}

/** Batches as the columns of one statement. */
function eventColumns(batches: EventBatch[]): [string[], number[], string[]] {
  return [
    batches.map(({ messageId }) => messageId),
    batches.map(({ lastSeq }) => lastSeq),
    batches.map(({ events }) => JSON.stringify(events)),
  ]
}
