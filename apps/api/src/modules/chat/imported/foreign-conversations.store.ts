import type { Database } from '../../../platform/database/client.ts'
import { inTransaction, raw, type SqlTransaction, sql } from '../../../platform/database/sql.ts'
import { type AcceptedPicture, addPictures } from '../pictures/pictures.store.ts'

/** An imported message, as it's stored. */
export interface ImportedMessage {
  id: string
  parentId: string | null
  role: 'user' | 'assistant'
  content: string
  createdAt: Date
  model: string | null
  reasoning: string | null
  /** Text search configuration of the content's language; null when its words are indexed later. */
  lang: string | null
  pictures: AcceptedPicture[]
}

/** An imported conversation with all its branches, as it's stored. */
export interface ImportedConversation {
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
  messages: ImportedMessage[]
}

/** Further work in the same transaction; returns the ids of the conversations to store. */
export type TransactionWork = (tx: SqlTransaction, ids: string[]) => Promise<Set<string>>

/** A message whose words aren't indexed yet. */
interface UnsearchedMessage {
  id: string
  /** Beginning of its text, from which its language is detected. */
  beginning: string
}

export type ForeignConversationsStore = ReturnType<typeof createForeignConversationsStore>

/** Bounds on one statement, since a conversation may have many megabytes. */
const MAX_BATCH_MESSAGES = 500
const MAX_BATCH_CHARACTERS = 1_000_000
/** Bytes to index in one statement, so that it blocks the embedded database only for a fraction of a second. */
const INDEXED_BYTES = 150_000
const BEGINNING_CHARACTERS = 2_000

const insertSessions = (
  userId: string,
  sessions: unknown[],
) => sql`INSERT INTO chat_sessions (id, user_id, session_name, session_name_by, sentiment, created_at, updated_at,
    tags, archived_at, project_id, persona_id)
  SELECT g.id, ${userId}::uuid, g.name, 'user', g.sentiment, g."createdAt", g."updatedAt", g.tags,
    CASE WHEN g."isArchived" THEN now() END,
    (SELECT id FROM projects WHERE id = g."projectId" AND user_id = ${userId}::uuid),
    (SELECT id FROM personas WHERE id = g."personaId" AND user_id = ${userId}::uuid)
  FROM jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb) AS g (id uuid, name text, sentiment text, "createdAt" timestamptz,
    "updatedAt" timestamptz, tags text[], "isArchived" boolean, "projectId" uuid, "personaId" uuid)`
/** Inserts messages, marked as third-party text, since they may contain instructions that aren't the user's. */
const insertMessages = (messages: unknown[]) => sql`INSERT INTO chat_messages
    (id, session_id, parent_id, role, content, created_at, model_used, reasoning, lang, read_outside)
  SELECT g.id, g."sessionId", g."parentId", g.role, g.content, g."createdAt", g.model, g.reasoning, g.lang::regconfig, true
  FROM jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) AS g (id uuid, "sessionId" uuid, "parentId" uuid, role text,
    content text,
    "createdAt" timestamptz, model text, reasoning text, lang text)`
const setCurrent = (
  sessions: { id: string; currentId: string | null }[],
) => sql`UPDATE chat_sessions s SET current_message_id = g."currentId"
  FROM jsonb_to_recordset(${JSON.stringify(sessions)}::jsonb) AS g (id uuid, "currentId" uuid) WHERE s.id = g.id`

/** Stores imported conversations, and indexes their words later. */
export function createForeignConversationsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Stores conversations in one transaction, except those that `alongside` leaves out. @returns ids of the stored ones. */
    add: (userId: string, conversations: ImportedConversation[], alongside: TransactionWork): Promise<Set<string>> =>
      inTransaction(pool, async (tx) => {
        const rows = conversations.map(({ messages: _messages, ...session }) => session)
        await tx.query(insertSessions(userId, rows))
        const ids = rows.map(({ id }) => id)
        const wantedIds = await alongside(tx, ids)
        const unwanted = ids.filter((id) => !wantedIds.has(id))
        if (unwanted.length > 0) {
          await tx.query(sql`DELETE FROM chat_sessions WHERE id = ANY (${unwanted}::uuid[])`)
        }
        const wantedConversations = conversations.filter(({ id }) => wantedIds.has(id))
        const messages = wantedConversations.flatMap((conversation) =>
          conversation.messages.map((message) => ({ ...message, sessionId: conversation.id })),
        )
        for (const batch of batchesOf(messages)) {
          const rows = batch.map(({ pictures: _pictures, ...message }) => message)
          await tx.query(insertMessages(rows))
        }
        for (const { id, pictures } of messages.filter((message) => message.pictures.length > 0)) {
          await tx.query(addPictures(id, pictures))
        }
        const currentMessages = wantedConversations.map(({ id, currentId }) => ({ id, currentId }))
        await tx.query(setCurrent(currentMessages))
        return wantedIds
      }),

    /** Messages of these conversations whose words aren't indexed yet, as many as one statement can index quickly. */
    async findUnindexed(sessionIds: string[]): Promise<UnsearchedMessage[]> {
      const { rows } = await pool.query<UnsearchedMessage>(
        sql`SELECT id, left(content, ${raw(BEGINNING_CHARACTERS)}) AS beginning FROM (
           SELECT id, content, sum(octet_length(content)) OVER (ORDER BY session_id, id) - octet_length(content) AS before
           FROM chat_messages WHERE session_id = ANY (${sessionIds}::uuid[]) AND lang IS NULL
         ) waiting WHERE before < ${raw(INDEXED_BYTES)} LIMIT ${raw(MAX_BATCH_MESSAGES)}`,
      )
      return rows
    },

    /** Indexes the words of messages. */
    async indexWords(messages: { id: string; lang: string }[]): Promise<void> {
      await pool.query(
        sql`UPDATE chat_messages m SET lang = g.lang::regconfig
         FROM jsonb_to_recordset(${JSON.stringify(messages)}::jsonb) AS g (id uuid, lang text) WHERE m.id = g.id
           AND m.lang IS NULL`,
      )
    },
  }
}

/** Groups messages into batches, each small enough for one statement. */
function* batchesOf<Message extends ImportedMessage>(messages: Message[]): Generator<Message[]> {
  let batch: Message[] = []
  let characters = 0
  for (const message of messages) {
    const length = message.content.length + (message.reasoning?.length ?? 0)
    if (batch.length === MAX_BATCH_MESSAGES || (batch.length > 0 && characters + length > MAX_BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(message)
    characters += length
  }
  if (batch.length > 0) yield batch
}
