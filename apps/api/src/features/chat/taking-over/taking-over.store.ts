import type { Database } from '../../../db/client.ts'
import { newId } from '../../../db/new-id.ts'
import { inTransaction, type SqlTransaction } from '../../../db/sql.ts'
import { type AcceptedPicture, picturesParameter, picturesSteps } from '../pictures/pictures.store.ts'

/** A message that is stored as it was said elsewhere. */
export interface TakenMessage {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  createdAt: Date
  model: string | null
  reasoning: string | null
  /** Text search configuration of the content's language. */
  lang: string
  pictures: AcceptedPicture[]
}

/** A conversation that is stored as it was elsewhere, with every branch. */
export interface TakenConversation {
  name: string
  sentiment: 'positive' | 'neutral' | 'negative'
  createdAt: Date
  updatedAt: Date
  currentId: string | null
  tags: string[]
  isArchived: boolean
  projectId: string | null
  personaId: string | null
  /** Parents before their children. */
  messages: TakenMessage[]
}

export type TakingOverStore = ReturnType<typeof createTakingOverStore>

/** Statements stay small: a conversation may be of many megabytes. */
const MESSAGES_AT_ONCE = 100

const insertMessages = `INSERT INTO chat_messages
    (id, session_id, parent_id, role, content, created_at, model_used, reasoning, lang)
  SELECT g.id, $1::uuid, g."parentId", g.role, g.content, g."createdAt", g.model, g.reasoning, g.lang::regconfig
  FROM jsonb_to_recordset($2::jsonb) AS g (id uuid, "parentId" uuid, role text, content text, "createdAt" timestamptz,
    model text, reasoning text, lang text)`

/** Whole conversations as rows. */
export function createTakingOverStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Stores a conversation, or nothing of it.
     * @param alongside what else is stored in the same transaction; false stores nothing.
     * @returns null when `alongside` did not want it.
     */
    add: (
      userId: string,
      { name, sentiment, createdAt, updatedAt, currentId, messages, ...place }: TakenConversation,
      alongside: (sql: SqlTransaction, sessionId: string) => Promise<boolean>,
    ): Promise<string | null> =>
      inTransaction(pool, async (sql) => {
        const sessionId = newId()
        await sql.query({
          text: `INSERT INTO chat_sessions (id, user_id, session_name, session_name_by, sentiment, created_at, updated_at,
              tags, archived_at, project_id, persona_id)
            VALUES ($1, $2, $3, 'user', $4, $5, $6, $7, CASE WHEN $8::boolean THEN now() END,
              (SELECT id FROM projects WHERE id = $9 AND user_id = $2), (SELECT id FROM personas WHERE id = $10 AND user_id = $2))`,
          values: [
            ...[sessionId, userId, name, sentiment, createdAt, updatedAt],
            ...[place.tags, place.isArchived, place.projectId, place.personaId],
          ],
        })
        if (!(await alongside(sql, sessionId))) {
          await sql.query({ text: 'DELETE FROM chat_sessions WHERE id = $1', values: [sessionId] })
          return null
        }
        for (let at = 0; at < messages.length; at += MESSAGES_AT_ONCE) {
          const some = messages.slice(at, at + MESSAGES_AT_ONCE)
          await sql.query({ text: insertMessages, values: [sessionId, JSON.stringify(some)] })
        }
        for (const { id, pictures } of messages.filter((message) => message.pictures.length > 0)) {
          const steps = picturesSteps({ message: 'SELECT id FROM message', pictures: '$2' })
          await sql.query({
            text: `WITH message AS (SELECT $1::uuid AS id)${steps} SELECT count(*)::int FROM pictures`,
            values: [id, picturesParameter(pictures)],
          })
        }
        await sql.query({
          text: 'UPDATE chat_sessions SET current_message_id = $2 WHERE id = $1',
          values: [sessionId, currentId],
        })
        return sessionId
      }),
  }
}
