import { type Mention, mentionSchema, type Rating } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { messageWithId } from './branch-steps.ts'
import { MESSAGE_COLUMNS, type MessageRow, SIBLINGS } from './message-rows.ts'

/** Conversation of a message, and the question that it answers. */
export interface FoundMessage {
  sessionId: string
  /** Question of an answer; null for a user's message. `isForeign`: it was imported or edits an imported one. */
  question: { id: string; content: string; mentions: Mention[]; isForeign: boolean } | null
}

export type BranchesStore = ReturnType<typeof createBranchesStore>

/** Reads single messages of conversations, and the branches below them. */
export function createBranchesStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** A message's conversation and, for an answer, its question; null when it isn't in the user's conversations. */
    async findMessage(userId: string, messageId: string): Promise<FoundMessage | null> {
      const message = await prisma.chatMessage.findFirst({
        where: { id: messageId, session: { userId } },
        select: {
          sessionId: true,
          role: true,
          parent: { select: { id: true, content: true, mentions: true, usedExternalContent: true } },
        },
      })
      if (message === null) return null
      const { sessionId, role, parent } = message
      if (role !== 'assistant' || parent === null) return { sessionId, question: null }
      const { id, content, mentions, usedExternalContent: isForeign } = parent
      return { sessionId, question: { id, content, isForeign, mentions: mentionSchema.array().parse(mentions) } }
    },

    /** A message with its position among the versions. Callers must check that it's the user's. */
    async readMessage(messageId: string): Promise<MessageRow | null> {
      const { rows } = await pool.query<MessageRow>(
        sql`SELECT ${raw(MESSAGE_COLUMNS)} FROM chat_messages b, LATERAL (${raw(SIBLINGS)}) siblings WHERE b.id = ${messageId}`,
      )
      return rows[0] ?? null
    },

    /** Newest answers to the same question, oldest first, including this one. Callers must check that it's the user's. */
    async readVersions(messageId: string, max: number): Promise<MessageRow[]> {
      const { rows } = await pool.query<MessageRow>(
        sql`WITH versions AS (
           SELECT o.* FROM chat_messages m JOIN chat_messages o ON o.parent_id = m.parent_id AND o.role = m.role
           WHERE m.id = ${messageId} ORDER BY (o.id = m.id) DESC, o.created_at DESC, o.id DESC LIMIT ${max}
         )
         SELECT ${raw(MESSAGE_COLUMNS)} FROM versions b, LATERAL (${raw(SIBLINGS)}) siblings ORDER BY b.created_at, b.id`,
      )
      return rows
    },

    /** Stores the rating of an answer. Callers must check that it's an answer to the user. */
    async rate(messageId: string, rating: Rating): Promise<void> {
      await prisma.chatMessage.updateMany({ where: { id: messageId }, data: { rating } })
    },

    /**
     * Newest message among the given one and all that follow it in any branch: the end of the branch that was continued last.
     * Null when the message isn't part of the user's conversation.
     */
    async newestBelow(userId: string, sessionId: string, messageId: string): Promise<string | null> {
      // The subquery keeps the planner from joining the whole table at every step.
      const { rows } = await pool.query<{ id: string }>(
        sql`WITH RECURSIVE below AS (
           SELECT m.id, m.created_at FROM chat_sessions s, ${messageWithId(sql`${messageId}`)}
           WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND m.session_id = s.id
           UNION ALL
           SELECT m.id, m.created_at
           FROM below, LATERAL (SELECT id, created_at FROM chat_messages WHERE parent_id = below.id OFFSET 0) m
         )
         SELECT id FROM below ORDER BY created_at DESC, id DESC LIMIT 1`,
      )
      return rows[0]?.id ?? null
    },
  }
}
