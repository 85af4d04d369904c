import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { MESSAGE_BEFORE, messageWithId } from '../conversations/branch-steps.ts'

export type MentionsStore = ReturnType<typeof createMentionsStore>

const MAX_TAGGED_ITEMS = 5000

/** Reads mentioned items of the library. */
export function createMentionsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Ids of the items with a tag, newest first. */
    async itemsWithTag(userId: string, tag: string): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id FROM media_items WHERE user_id = ${userId} AND tags @> ARRAY[${tag.normalize('NFC')}]::text[]
         ORDER BY created_at DESC LIMIT ${raw(MAX_TAGGED_ITEMS)}`,
      )
      return rows.map(({ id }) => id)
    },
  }
}

/** An existing item that a user attached to a message. */
export interface Attachment {
  mediaId: string
  mediaType: string
  /** True when attached to the last message, the question, rather than to an earlier one. */
  isInLastMessage: boolean
}

/** Maximum messages to go back for attachments; nobody expects older ones to be used. */
const MAX_MESSAGES = 400

interface UserItems {
  userId: string
  mediaIds: string[]
}

/** SQL condition that all of the items are the user's. */
export function ownsAttached({ userId, mediaIds }: UserItems): SqlText {
  return sql`(SELECT count(*) FROM media_items WHERE user_id = ${userId}::uuid AND id = ANY(${mediaIds}::uuid[]))
      = cardinality(${mediaIds}::uuid[])`
}

/**
 * CTE that attaches items to a message: `attached AS (…)`.
 * @param message query for the message's id; without rows, nothing is stored
 */
export function attachmentCtes(message: SqlText, { userId, mediaIds }: UserItems): SqlText {
  return sql`attached AS (
    INSERT INTO chat_message_media (message_id, position, media_item_id, title, media_type)
    SELECT owner.id, listed.place - 1, i.id, i.original_filename, i.media_type
    FROM (${message}) AS owner (id), unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS listed (id, place)
      JOIN media_items i ON i.id = listed.id AND i.user_id = ${userId}::uuid
  )`
}

interface AttachedQuery {
  userId: string
  sessionId: string
  /** Last message of the branch; null for the shown branch. */
  last: string | null
  /** Message whose items are marked `isInLastMessage`; null for none. */
  question: string | null
}

/** Query for the items attached to the messages of a branch, newest message first. */
export function attachedInBranch({ userId, sessionId, last, question }: AttachedQuery): SqlText {
  return sql`WITH RECURSIVE branch AS (
      SELECT m.id, m.parent_id, 1 AS depth
      FROM chat_sessions s, ${messageWithId(sql`coalesce(${last}::uuid, s.current_message_id)`)}
      WHERE s.id = ${sessionId} AND s.user_id = ${userId} AND m.session_id = s.id
      UNION ALL
      SELECT m.id, m.parent_id, b.depth + 1 FROM ${MESSAGE_BEFORE}
      WHERE b.depth < ${raw(MAX_MESSAGES)}
    )
    SELECT i.id AS "mediaId", i.media_type AS "mediaType", b.id IS NOT DISTINCT FROM ${question}::uuid AS "isInLastMessage"
    FROM branch b JOIN chat_message_media a ON a.message_id = b.id
      JOIN media_items i ON i.id = a.media_item_id AND i.user_id = ${userId}
    ORDER BY b.depth, a.position`
}

export type AttachmentsStore = ReturnType<typeof createAttachmentsStore>

/** Reads items attached to messages. */
export function createAttachmentsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The user's items among the ids, in the given order. */
    async find(userId: string, mediaIds: string[]): Promise<Attachment[]> {
      const { rows } = await pool.query<Attachment>(
        sql`SELECT i.id AS "mediaId", i.media_type AS "mediaType", true AS "isInLastMessage"
         FROM unnest(${mediaIds}::uuid[]) WITH ORDINALITY AS listed (id, place) JOIN media_items i ON i.id = listed.id
         WHERE i.user_id = ${userId} ORDER BY listed.place`,
      )
      return rows
    },

    /** Items attached to a stored question and to the messages before it, newest message first. */
    async findForQuestion(userId: string, sessionId: string, questionId: string): Promise<Attachment[]> {
      const { rows } = await pool.query<Attachment>(
        prepared(attachedInBranch({ userId, sessionId, last: questionId, question: questionId })),
      )
      return rows
    },
  }
}
