import type { Source } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { ShareModel } from '../../../platform/database/generated/models/Share.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { TimePosition } from '../../../platform/lib/page.ts'
import { MESSAGE_BEFORE } from '../conversations/branch-steps.ts'

/** A message of a shared branch. */
export interface SharedRow {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  createdAt: Date
  modelUsed: string | null
  sources: Source[]
}

export type SharesStore = ReturnType<typeof createSharesStore>

/** Maximum messages of a branch, to bound the cost of a request. */
const MAX_BRANCH_MESSAGES = 20_000
const branchTo = (messageId: string) => sql`WITH RECURSIVE branch AS (
    SELECT m.id, m.parent_id, 0 AS depth FROM chat_messages m WHERE m.id = ${messageId}::uuid
    UNION ALL
    SELECT m.id, m.parent_id, b.depth + 1 FROM ${MESSAGE_BEFORE} WHERE b.depth < ${raw(MAX_BRANCH_MESSAGES)}
  )`

/** Stores links to conversations. */
export function createSharesStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** Title and newest message of the shown branch; null when the conversation isn't the user's. */
    async findShown(
      userId: string,
      sessionId: string,
    ): Promise<{ title: string; messageId: string | null; state: string | null } | null> {
      const { rows } = await pool.query<{ title: string; messageId: string | null; state: string | null }>(
        sql`SELECT s.session_name AS title, m.id AS "messageId", m.state FROM chat_sessions s
         LEFT JOIN chat_messages m ON m.id = s.current_message_id WHERE s.id = ${sessionId} AND s.user_id = ${userId}`,
      )
      return rows[0] ?? null
    },

    /** @returns null when the user already has `max` links */
    async add(
      share: Pick<ShareModel, 'id' | 'userId' | 'sessionId' | 'title' | 'untilMessageId' | 'expiresAt'>,
      max: number,
    ): Promise<ShareModel | null> {
      const { id, userId, sessionId, title, untilMessageId, expiresAt } = share
      const { rowCount } = await pool.query(
        sql`INSERT INTO shares (id, user_id, kind, session_id, title, until_message_id, expires_at)
         SELECT ${id}, ${userId}, 'conversation', ${sessionId}, ${title}, ${untilMessageId}, ${expiresAt}
           WHERE (SELECT count(*) FROM shares WHERE user_id = ${userId}) < ${max}`,
      )
      return rowCount === 1 ? prisma.share.findUniqueOrThrow({ where: { id } }) : null
    },

    /** A user's links, newest first. */
    list(
      userId: string,
      { limit, after, sessionId }: { limit: number; after: TimePosition | null; sessionId: string | undefined },
    ): Promise<ShareModel[]> {
      const older =
        after === null
          ? {}
          : { OR: [{ createdAt: { lt: after.createdAt } }, { createdAt: after.createdAt, id: { lt: after.id } }] }
      // Leaves out links to conversations in the trash; they reappear when the conversation is restored.
      const where = { userId, session: { userId }, ...(sessionId === undefined ? {} : { sessionId }), ...older }
      return prisma.share.findMany({ where, orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], take: limit })
    },

    /** @returns false when there was no such link */
    async remove(userId: string, id: string): Promise<boolean> {
      return (await prisma.share.deleteMany({ where: { id, userId } })).count > 0
    },

    /**
     * A link that may be opened: not expired, of an active account, to a conversation outside the trash, and not suspended by a
     * restore. Null for any other.
     */
    async findOpen(id: string, now: Date): Promise<ShareModel | null> {
      const row = await prisma.share.findUnique({
        where: { id, suspendedAt: null, user: { isActive: true }, session: { userId: { not: null } } },
      })
      return row === null || (row.expiresAt !== null && row.expiresAt <= now) ? null : row
    },

    /** Messages of a branch, newest first. @param before only messages before this one; null for the newest */
    async messages(untilMessageId: string, limit: number, before: string | null): Promise<SharedRow[]> {
      const { rows } = await pool.query<SharedRow>(
        sql`${branchTo(untilMessageId)}
         SELECT m.id, m.parent_id AS "parentId", m.role, m.content, m.created_at AS "createdAt",
           m.model_used AS "modelUsed", m.sources
         FROM branch b JOIN chat_messages m ON m.id = b.id
         WHERE b.depth > coalesce((SELECT depth FROM branch WHERE id = ${before}::uuid), -1)
         ORDER BY b.depth LIMIT ${limit}`,
      )
      return rows
    },

    /** True when the message is part of the branch. */
    async isInBranch(untilMessageId: string, messageId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`${branchTo(untilMessageId)} SELECT FROM branch WHERE id = ${messageId}::uuid`,
      )
      return rowCount === 1
    },
  }
}
