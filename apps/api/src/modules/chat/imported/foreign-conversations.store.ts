import type { Database } from '../../../platform/database/client.ts'
import { inTransaction, type SqlTransaction } from '../../../platform/database/sql.ts'
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
  /** Text search configuration of the content's language; null for one that is made findable later. */
  lang: string | null
  pictures: AcceptedPicture[]
}

/** A conversation that is stored as it was elsewhere, with every branch. */
export interface TakenConversation {
  id: string
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

/** Further work in the same transaction; returns the ids of the conversations to store. */
export type Alongside = (sql: SqlTransaction, ids: string[]) => Promise<Set<string>>

/** A message that no index of words has yet. */
interface UnsearchedMessage {
  id: string
  /** By which its language is guessed. */
  beginning: string
}

export type ForeignConversationsStore = ReturnType<typeof createForeignConversationsStore>

/** Statements stay small: a conversation may be of many megabytes. */
const MESSAGES_AT_ONCE = 500
const CHARACTERS_AT_ONCE = 1_000_000
/** Bytes indexed by one statement: the embedded database is blocked for a fraction of a second. */
const INDEXED_BYTES = 150_000
const JUDGED_CHARACTERS = 2_000

const insertSessions = `INSERT INTO chat_sessions (id, user_id, session_name, session_name_by, sentiment, created_at, updated_at,
    tags, archived_at, project_id, persona_id)
  SELECT g.id, $1::uuid, g.name, 'user', g.sentiment, g."createdAt", g."updatedAt", g.tags,
    CASE WHEN g."isArchived" THEN now() END,
    (SELECT id FROM projects WHERE id = g."projectId" AND user_id = $1::uuid),
    (SELECT id FROM personas WHERE id = g."personaId" AND user_id = $1::uuid)
  FROM jsonb_to_recordset($2::jsonb) AS g (id uuid, name text, sentiment text, "createdAt" timestamptz,
    "updatedAt" timestamptz, tags text[], "isArchived" boolean, "projectId" uuid, "personaId" uuid)`
/** Inserts messages as text of others, which may ask for what the user doesn’t want. */
const insertMessages = `INSERT INTO chat_messages
    (id, session_id, parent_id, role, content, created_at, model_used, reasoning, lang, read_outside)
  SELECT g.id, g."sessionId", g."parentId", g.role, g.content, g."createdAt", g.model, g.reasoning, g.lang::regconfig, true
  FROM jsonb_to_recordset($1::jsonb) AS g (id uuid, "sessionId" uuid, "parentId" uuid, role text, content text,
    "createdAt" timestamptz, model text, reasoning text, lang text)`
const setCurrent = `UPDATE chat_sessions s SET current_message_id = g."currentId"
  FROM jsonb_to_recordset($1::jsonb) AS g (id uuid, "currentId" uuid) WHERE s.id = g.id`

/** Whole conversations as rows. */
export function createForeignConversationsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Stores conversations, each whole or not at all. @returns ids of those that are stored. */
    add: (userId: string, conversations: TakenConversation[], alongside: Alongside): Promise<Set<string>> =>
      inTransaction(pool, async (sql) => {
        const rows = conversations.map(({ messages: _messages, ...session }) => session)
        await sql.query({ text: insertSessions, values: [userId, JSON.stringify(rows)] })
        const ids = rows.map(({ id }) => id)
        const wantedIds = await alongside(sql, ids)
        const unwanted = ids.filter((id) => !wantedIds.has(id))
        if (unwanted.length > 0) {
          await sql.query({ text: 'DELETE FROM chat_sessions WHERE id = ANY ($1::uuid[])', values: [unwanted] })
        }
        const wantedConversations = conversations.filter(({ id }) => wantedIds.has(id))
        const messages = wantedConversations.flatMap((conversation) =>
          conversation.messages.map((message) => ({ ...message, sessionId: conversation.id })),
        )
        for (const some of portionsOf(messages)) {
          const rows = some.map(({ pictures: _pictures, ...message }) => message)
          await sql.query({ text: insertMessages, values: [JSON.stringify(rows)] })
        }
        for (const { id, pictures } of messages.filter((message) => message.pictures.length > 0)) {
          const steps = picturesSteps({ message: 'SELECT id FROM message', pictures: '$2' })
          await sql.query({
            text: `WITH message AS (SELECT $1::uuid AS id)${steps} SELECT count(*)::int FROM pictures`,
            values: [id, picturesParameter(pictures)],
          })
        }
        const currentMessages = wantedConversations.map(({ id, currentId }) => ({ id, currentId }))
        await sql.query({ text: setCurrent, values: [JSON.stringify(currentMessages)] })
        return wantedIds
      }),

    /** Some of the messages of these conversations that no index of words has yet: as many as are written in a moment. */
    async unsearched(sessionIds: string[]): Promise<UnsearchedMessage[]> {
      const { rows } = await pool.query<UnsearchedMessage>(
        `SELECT id, left(content, ${JUDGED_CHARACTERS}) AS beginning FROM (
           SELECT id, content, sum(octet_length(content)) OVER (ORDER BY session_id, id) - octet_length(content) AS before
           FROM chat_messages WHERE session_id = ANY ($1::uuid[]) AND lang IS NULL
         ) waiting WHERE before < ${INDEXED_BYTES} LIMIT ${MESSAGES_AT_ONCE}`,
        [sessionIds],
      )
      return rows
    },

    /** Has messages found by their words. */
    async makeSearched(messages: { id: string; lang: string }[]): Promise<void> {
      await pool.query(
        `UPDATE chat_messages m SET lang = g.lang::regconfig
         FROM jsonb_to_recordset($1::jsonb) AS g (id uuid, lang text) WHERE m.id = g.id AND m.lang IS NULL`,
        [JSON.stringify(messages)],
      )
    },
  }
}

/** The same messages, as many together as one statement takes. */
function* portionsOf<Message extends TakenMessage>(messages: Message[]): Generator<Message[]> {
  let some: Message[] = []
  let characters = 0
  for (const message of messages) {
    const length = message.content.length + (message.reasoning?.length ?? 0)
    if (some.length === MESSAGES_AT_ONCE || (some.length > 0 && characters + length > CHARACTERS_AT_ONCE)) {
      yield some
      some = []
      characters = 0
    }
    some.push(message)
    characters += length
  }
  if (some.length > 0) yield some
}
