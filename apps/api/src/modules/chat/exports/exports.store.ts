import type { ExportedMessageJson } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import { MESSAGE_BEFORE } from '../conversations/branch-steps.ts'
import { MESSAGE_COLUMNS, type MessageRow, SIBLINGS } from '../conversations/message-rows.ts'

/** A message with its pictures. */
export type ExportedRow = MessageRow & { images: ExportedMessageJson['images'] }

const MESSAGES_PER_READ = 200
const COLUMNS = `${MESSAGE_COLUMNS}, coalesce((
    SELECT jsonb_agg(
      jsonb_build_object('name', i.name, 'content_type', i.content_type, 'width', i.width, 'height', i.height)
      ORDER BY i.position
    ) FROM chat_message_images i WHERE i.message_id = b.id
  ), '[]') AS images`

/** Newest message of the shown branch. Callers must check that the conversation is the user's. */
export async function findCurrentMessageId({ prisma }: Database, sessionId: string): Promise<string | null> {
  const session = await prisma.chatSession.findUnique({
    where: { id: sessionId },
    select: { currentMessageId: true },
  })
  return session?.currentMessageId ?? null
}

/** Branch that ends with a message, oldest first. Callers must check that it's the user's. */
export async function* readBranch({ pool }: Database, lastMessageId: string): AsyncGenerator<ExportedRow[]> {
  // Even the ids of the longest conversation take less memory than a picture.
  const { rows: ids } = await pool.query<{ id: string }>(
    sql`WITH RECURSIVE branch AS (
           SELECT id, parent_id, 1 AS depth FROM chat_messages WHERE id = ${lastMessageId}
           UNION ALL
           SELECT m.id, m.parent_id, b.depth + 1 FROM ${MESSAGE_BEFORE}
         )
         SELECT id FROM branch ORDER BY depth DESC`,
  )
  for (let index = 0; index < ids.length; index += MESSAGES_PER_READ) {
    const { rows } = await pool.query<ExportedRow>(
      sql`SELECT ${raw(COLUMNS)}
           FROM unnest(${ids.slice(index, index + MESSAGES_PER_READ).map(({ id }) => id)}::uuid[])
             WITH ORDINALITY AS listed (id, place) JOIN chat_messages b ON b.id = listed.id,
             LATERAL (${raw(SIBLINGS)}) siblings
           ORDER BY listed.place`,
    )
    yield rows
  }
}

/** All messages of all branches, oldest first. Callers must check that the conversation is the user's. */
export async function* readAllMessages({ pool }: Database, sessionId: string): AsyncGenerator<ExportedRow[]> {
  let last: ExportedRow | undefined
  do {
    const { rows } = await pool.query<ExportedRow>(
      sql`SELECT ${raw(COLUMNS)}
           FROM (
             SELECT * FROM chat_messages
             WHERE session_id = ${sessionId}
               AND (${last?.created_at ?? null}::timestamptz IS NULL
                 OR (created_at, id) > (${last?.created_at ?? null}::timestamptz, ${last?.id ?? null}::uuid))
             ORDER BY created_at, id LIMIT ${raw(MESSAGES_PER_READ)}
           ) b, LATERAL (${raw(SIBLINGS)}) siblings
           ORDER BY b.created_at, b.id`,
    )
    yield rows
    last = rows.length === MESSAGES_PER_READ ? rows.at(-1) : undefined
  } while (last)
}
