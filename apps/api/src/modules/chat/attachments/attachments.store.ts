import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { MESSAGE_BEFORE } from '../conversations/branch-steps.ts'

/** An item that a user attached to a message, as long as it is there. */
export interface Attachment {
  mediaId: string
  mediaType: string
  /** True when attached to the question itself rather than to an earlier message. */
  isOfQuestion: boolean
}

/** Further up in a branch, nobody expects an item to be meant. */
const MAX_MESSAGES = 400

interface Parameters {
  /** The parameter that holds the user's id, such as `$2`. */
  user: string
  /** The parameter that holds the ids of the items. */
  items: string
}

/** A condition of a longer statement: all of the items are the user's. */
export function ownsAttached({ user, items }: Parameters): string {
  return `(SELECT count(*) FROM media_items WHERE user_id = ${user}::uuid AND id = ANY(${items}::uuid[]))
      = cardinality(${items}::uuid[])`
}

/**
 * A step of a longer statement that attaches items to a message: `, attached AS (…)`.
 * @param message a query of one column, the message's id; without rows nothing is stored.
 */
export function attachmentsStep({ message, user, items }: Parameters & { message: string }): string {
  return `, attached AS (
    INSERT INTO chat_message_media (message_id, position, media_item_id, title, media_type)
    SELECT owner.id, given.place - 1, i.id, i.original_filename, i.media_type
    FROM (${message}) AS owner (id), unnest(${items}::uuid[]) WITH ORDINALITY AS given (id, place)
      JOIN media_items i ON i.id = given.id AND i.user_id = ${user}::uuid
  )`
}

/**
 * Query of the items attached to a branch, newest message first; each parameter is a placeholder such as `$2`.
 * @param last last message of the branch; NULL for the one that is shown.
 * @param question message whose items are marked as the question's.
 */
export function attachedInBranch({
  user,
  session,
  last,
  question,
}: Record<'user' | 'session' | 'last' | 'question', string>) {
  return `WITH RECURSIVE branch AS (
      SELECT m.id, m.parent_id, 1 AS depth FROM chat_messages m JOIN chat_sessions s ON s.id = m.session_id
      WHERE s.id = ${session} AND s.user_id = ${user} AND m.id = coalesce(${last}::uuid, s.current_message_id)
      UNION ALL
      SELECT m.id, m.parent_id, b.depth + 1 FROM ${MESSAGE_BEFORE}
      WHERE b.depth < ${MAX_MESSAGES}
    )
    SELECT i.id AS "mediaId", i.media_type AS "mediaType", b.id IS NOT DISTINCT FROM ${question}::uuid AS "isOfQuestion"
    FROM branch b JOIN chat_message_media a ON a.message_id = b.id
      JOIN media_items i ON i.id = a.media_item_id AND i.user_id = ${user}
    ORDER BY b.depth, a.position`
}

export type AttachmentsStore = ReturnType<typeof createAttachmentsStore>

const selectAttached = prepared(attachedInBranch({ user: '$1', session: '$2', last: '$3', question: '$4' }))

/** Items of the library that messages are about, of one user each. */
export function createAttachmentsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** The user's items among the ids, in their order. */
    async find(userId: string, mediaIds: string[]): Promise<Attachment[]> {
      const { rows } = await pool.query<Attachment>(
        `SELECT i.id AS "mediaId", i.media_type AS "mediaType", true AS "isOfQuestion"
         FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, place) JOIN media_items i ON i.id = given.id
         WHERE i.user_id = $1 ORDER BY given.place`,
        [userId, mediaIds],
      )
      return rows
    },

    /** Items attached to a stored question and to the messages before it, newest message first. */
    async ofQuestion(userId: string, sessionId: string, questionId: string): Promise<Attachment[]> {
      const { rows } = await pool.query<Attachment>(selectAttached([userId, sessionId, questionId, questionId]))
      return rows
    },
  }
}
