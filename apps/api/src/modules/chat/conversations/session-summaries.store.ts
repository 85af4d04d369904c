import { randomUUID } from 'node:crypto'
import type { ChatMessage } from '../../../engines/chat-engine.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { MESSAGE_BEFORE } from './branch-steps.ts'

/** A model's summary of the beginning of a branch. */
interface Summary {
  /** Last summarised message. */
  untilMessageId: string
  content: string
}

/** Part of a branch that no longer fits the model's context. */
export interface Unsummarised {
  sessionId: string
  /** Summary of everything before this part; null when there is none. */
  previous: Summary | null
  /** Unsummarised messages, oldest first. */
  messages: ChatMessage[]
  /** Id of the last unsummarised message. */
  untilMessageId: string
}

interface NewSummary extends Summary {
  sessionId: string
  /** Model that wrote the summary; null when unknown. */
  model: string | null
}

export type SessionSummariesStore = ReturnType<typeof createSessionSummariesStore>

/** Maximum messages to go back in search of a summary. */
const MAX_MESSAGES_BACK = 2_000

const isSummarised = 'EXISTS (SELECT FROM chat_summaries s WHERE s.until_message_id = m.id)'

/** Stores summaries of the parts of conversations that no longer fit the models' context. */
export function createSessionSummariesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Latest summary along the branch that ends with a message; null when there is none. */
    async findUpTo(messageId: string): Promise<Summary | null> {
      const { rows } = await pool.query<Summary>(
        prepared(sql`
  WITH RECURSIVE branch AS (
    SELECT m.id, m.parent_id, 1 AS depth, ${raw(isSummarised)} AS is_summarised FROM chat_messages m
    WHERE m.id = ${messageId} AND EXISTS (SELECT FROM chat_summaries s WHERE s.session_id = m.session_id)
    UNION ALL
    SELECT m.id, m.parent_id, b.depth + 1, ${raw(isSummarised)} FROM ${MESSAGE_BEFORE}
    WHERE NOT b.is_summarised AND b.depth < ${raw(MAX_MESSAGES_BACK)}
  )
  SELECT s.until_message_id AS "untilMessageId", s.content
  FROM branch b JOIN chat_summaries s ON s.until_message_id = b.id
  WHERE b.is_summarised ORDER BY s.created_at DESC LIMIT 1`),
      )
      return rows[0] ?? null
    },

    /** Stores a summary unless its conversation was deleted. */
    async add({ sessionId, untilMessageId, content, model }: NewSummary): Promise<void> {
      await pool.query(
        sql`INSERT INTO chat_summaries (id, session_id, until_message_id, content, model)
         SELECT ${randomUUID()}, session_id, id, ${content}, ${model} FROM chat_messages WHERE id = ${untilMessageId}
           AND session_id = ${sessionId}`,
      )
    },
  }
}
