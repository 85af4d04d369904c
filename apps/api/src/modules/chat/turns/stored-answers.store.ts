import type { AgentCall, AnswerStopReason, ChatEvent, CodedSentence, Source, Usage } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { searchConfigurationOf } from '../../../offline/language/language.ts'
import { type ActivityRecord, upsertActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { storable } from '../../../platform/lib/storable.ts'
import { type AnswerContent, collectAnswer } from './answer-content.ts'

/** An unfinished answer without recent heartbeats. */
export interface StaleAnswer {
  messageId: string
  sessionId: string
  userId: string
  heartbeatAt: Date
}

/** State of an answer, for its followers. */
export interface AnswerHead {
  sessionId: string
  sessionName: string
  questionId: string
  messageId: string
  /** True while the answer's events are stored. */
  hasEvents: boolean
  state: 'streaming' | 'complete' | 'interrupted' | 'failed'
  content: string
  error: string | null
  errorCode: string | null
  errorSentences: CodedSentence[]
  model: string
  engine: string
  usage: Usage | null
  durationMs: number | null
  firstTokenMs: number | null
  stopReason: AnswerStopReason | null
  sources: Source[]
  agentCalls: AgentCall[]
  reasoning: string | null
}

export type StoredAnswersStore = ReturnType<typeof createStoredAnswersStore>

/** Stale answers per page. */
export const STALE_PAGE_SIZE = 100
const ROWS_PER_READ = 200
/** A heartbeat further in the future isn't valid: it was written before the clock was set back. */
const MAX_CLOCK_SKEW = `interval '1 minute'`

/** Stored answers, for readers of other servers' answers and for ending abandoned ones. */
export function createStoredAnswersStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /**
     * Page of unfinished answers without a valid heartbeat for this long, by id.
     * @param exceptServerId server to leave out; null for none
     * @param afterId last answer of the previous page
     */
    async findStale(silentMs: number, exceptServerId: string | null, afterId?: string): Promise<StaleAnswer[]> {
      const { rows } = await pool.query<{
        message_id: string
        session_id: string
        user_id: string
        heartbeat_at: Date
      }>(
        sql`SELECT message_id, session_id, user_id, heartbeat_at FROM chat_answers
         WHERE finished_at IS NULL AND (${exceptServerId}::uuid IS NULL OR server_id <> ${exceptServerId}::uuid)
           AND (heartbeat_at <= (now() - ${silentMs} * interval '1 millisecond')::timestamptz(3)
             OR heartbeat_at > now() + ${raw(MAX_CLOCK_SKEW)})
           AND (${afterId ?? null}::uuid IS NULL OR message_id > ${afterId ?? null}::uuid)
         ORDER BY message_id LIMIT ${STALE_PAGE_SIZE}`,
      )
      return rows.map((row) => ({
        messageId: row.message_id,
        sessionId: row.session_id,
        userId: row.user_id,
        heartbeatAt: row.heartbeat_at,
      }))
    },

    /**
     * Ends an abandoned answer, with the content of its stored events.
     * @param maxCharacters stores only the beginning of the text
     * @returns false when its server is alive after all, or another server was faster
     */
    async interrupt(stale: StaleAnswer, maxCharacters?: number): Promise<boolean> {
      const { messageId, sessionId, userId } = stale
      return prisma.$transaction(async (tx) => {
        const updatedRows = await tx.$executeRaw`
          UPDATE chat_answers SET finished_at = now()
          WHERE message_id = ${messageId}::uuid AND finished_at IS NULL AND heartbeat_at = ${stale.heartbeatAt}`
        if (updatedRows === 0) return false
        const rows = await tx.$queryRaw<EventRow[]>`
          SELECT seq, event FROM chat_answer_events WHERE message_id = ${messageId}::uuid ORDER BY seq`
        const ordered = unbatched(rows, 0)
        const answer = collectAnswer(ordered.map(({ event }) => event))
        const { content, reasoning, sources, agentCalls } =
          maxCharacters === undefined ? answer : beginningOf(answer, maxCharacters)
        const [message] = await tx.$queryRaw<{ model_used: string | null; engine: string | null; age_ms: number }[]>`
          UPDATE chat_messages SET state = 'interrupted', content = ${content}, sources = ${JSON.stringify(sources)}::jsonb,
            lang = ${searchConfigurationOf(content)}::text::regconfig,
            agent_calls = ${JSON.stringify(agentCalls)}::jsonb, reasoning = ${reasoning}
          WHERE id = ${messageId}::uuid
          RETURNING model_used, engine,
            (extract(epoch FROM ${stale.heartbeatAt}::timestamptz - created_at) * 1000)::int AS age_ms`
        const end: ChatEvent = {
          type: 'complete',
          session_id: sessionId,
          message_id: messageId,
          model_used: message?.model_used ?? '',
          engine: message?.engine ?? '',
          usage: null,
          duration_ms: Math.max(0, message?.age_ms ?? 0),
          interrupted: true,
        }
        await tx.$executeRaw`
          INSERT INTO chat_answer_events (message_id, seq, event)
          VALUES (${messageId}::uuid, ${(ordered.at(-1)?.seq ?? 0) + 1}, ${JSON.stringify([end])}::jsonb)`
        const activity: ActivityRecord = {
          id: messageId,
          userId,
          kind: 'chat',
          outcome: 'interrupted',
          subjectId: sessionId,
          detailId: messageId,
          detail: { action: 'stopped' },
          // The user's choice was lost with the server.
          countsInAnalytics: false,
        }
        await tx.$executeRaw(upsertActivitySql(activity, sql`true`))
        return true
      })
    },

    /** Newest answer of the user's conversation, or the one with the id; null when there is none. */
    async findHead(userId: string, sessionId: string, messageId: string | null): Promise<AnswerHead | null> {
      const { rows } = await pool.query(
        sql`SELECT s.session_name, m.id, m.parent_id, m.state, m.content, m.error, m.error_code, m.error_told,
           m.model_used, m.engine,
           m.input_tokens, m.output_tokens, m.duration_ms, m.first_token_ms, m.stop_reason, m.sources, m.agent_calls, m.reasoning,
           a.message_id IS NOT NULL AS has_events
         FROM chat_sessions s
         JOIN chat_messages m ON m.session_id = s.id AND m.role = 'assistant'
         LEFT JOIN chat_answers a ON a.message_id = m.id
         WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND (${messageId}::uuid IS NULL OR m.id = ${messageId}::uuid)
         ORDER BY m.created_at DESC, m.id DESC LIMIT 1`,
      )
      const [row] = rows
      if (!row) return null
      return {
        sessionId,
        sessionName: row.session_name,
        questionId: row.parent_id,
        messageId: row.id,
        hasEvents: row.has_events,
        state: row.state,
        content: row.content,
        error: row.error,
        errorCode: row.error_code,
        errorSentences: row.error_told,
        model: row.model_used ?? '',
        engine: row.engine ?? '',
        usage: row.input_tokens === null ? null : { input_tokens: row.input_tokens, output_tokens: row.output_tokens },
        durationMs: row.duration_ms,
        firstTokenMs: row.first_token_ms,
        stopReason: row.stop_reason,
        sources: row.sources,
        agentCalls: row.agent_calls,
        reasoning: row.reasoning,
      }
    },

    /** Stored events after a sequence number, and whether they're the last; null when the log was deleted. */
    async readEvents(
      messageId: string,
      afterSeq: number,
    ): Promise<{ events: { seq: number; event: ChatEvent }[]; isEnd: boolean } | null> {
      const { rows } = await pool.query<{ is_finished: boolean } & (EventRow | { seq: null })>(
        sql`SELECT a.finished_at IS NOT NULL AS is_finished, e.seq, e.event
         FROM chat_answers a
         LEFT JOIN LATERAL (
           SELECT seq, event FROM chat_answer_events
           WHERE message_id = a.message_id AND seq > ${afterSeq} ORDER BY seq LIMIT ${raw(ROWS_PER_READ)}
         ) e ON true
         WHERE a.message_id = ${messageId} ORDER BY e.seq`,
      )
      const [first] = rows
      if (!first) return null
      const batches = rows.filter((row) => row.seq !== null)
      return { events: unbatched(batches, afterSeq), isEnd: first.is_finished && batches.length < ROWS_PER_READ }
    },

    /** Stored text so far of running answers. */
    async readPartialContents(messageIds: string[]): Promise<Map<string, string>> {
      const { rows } = await pool.query<EventRow & { message_id: string }>(
        sql`SELECT message_id, seq, event FROM chat_answer_events WHERE message_id = ANY(${messageIds}::uuid[]) ORDER BY seq`,
      )
      return new Map(
        [...Map.groupBy(rows, ({ message_id }) => message_id)].map(([id, batches]) => [
          id,
          contentOf(unbatched(batches, 0)),
        ]),
      )
    },
  }
}

/** Row of a log: consecutive events, under the sequence number of the last. */
interface EventRow {
  seq: number
  event: ChatEvent[]
}

interface NumberedEvent {
  seq: number
  event: ChatEvent
}

/** Events after a sequence number, without duplicates: rows overlap when a write with an unknown outcome was retried. */
function unbatched(rows: EventRow[], afterSeq: number): NumberedEvent[] {
  const events: NumberedEvent[] = []
  let reachedSeq = afterSeq
  for (const { seq: lastSeq, event: batch } of rows) {
    const firstSeq = lastSeq - batch.length + 1
    for (const [index, event] of batch.entries()) {
      if (firstSeq + index > reachedSeq) events.push({ seq: firstSeq + index, event })
    }
    reachedSeq = Math.max(reachedSeq, lastSeq)
  }
  return events
}

function beginningOf({ content }: AnswerContent, maxCharacters: number): AnswerContent {
  return { content: storable(cutText(content, maxCharacters)), reasoning: null, sources: [], agentCalls: [] }
}

function contentOf(events: NumberedEvent[]): string {
  return collectAnswer(events.map(({ event }) => event)).content
}
