import { MAKE_PICTURE } from '@mira/shared'
import { recordActivity } from '../../../platform/database/activity.ts'
import type { Database, Queryable } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { type SqlText, sql } from '../../../platform/database/sql.ts'

/** An accepted picture whose file is stored, without a message yet. */
export interface AcceptedPicture {
  name: string
  path: string
  sha256: string
  contentType: string
  sizeBytes: number
  /** In pixels, upright. */
  width: number
  height: number
  /** Protects its file from deletion until the message is stored. */
  reservationId: string
}

export interface PictureRow extends Omit<AcceptedPicture, 'reservationId'> {
  id: string
  messageId: string
  position: number
}

const columns = sql`i.id, i.message_id AS "messageId", i.position, i.name, i.path, i.sha256,
  i.content_type AS "contentType", i.size_bytes AS "sizeBytes", i.width, i.height`
const ofUser = (userId: string) => sql`FROM chat_message_images i
  JOIN chat_messages m ON m.id = i.message_id
  JOIN chat_sessions s ON s.id = m.session_id AND s.user_id = ${userId}::uuid`

/**
 * CTEs that attach pictures to a message: `input AS (…), pictures AS (…), released AS (…)`.
 * @param message query for the message's id; without rows, nothing is stored
 * @param first position of the first picture
 */
export function pictureCtes(message: SqlText, pictures: AcceptedPicture[], first = 0): SqlText {
  const rows = pictures.map((picture, index) => ({ id: newId(), position: first + index, ...picture }))
  return sql`input AS (
    SELECT owner.id AS message_id, p.* FROM (${message}) AS owner (id),
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS p ("id" uuid, "position" int, "name" text, "path" text,
        "sha256" text, "contentType" text, "sizeBytes" int, "width" int, "height" int, "reservationId" uuid)
  ), pictures AS (
    INSERT INTO chat_message_images
      (id, message_id, position, name, path, sha256, content_type, size_bytes, width, height)
    SELECT p.id, p.message_id, p.position, p.name, p.path, p.sha256, p."contentType", p."sizeBytes", p.width, p.height
    FROM input p RETURNING id
  ), released AS (DELETE FROM loose_files WHERE id IN (SELECT "reservationId" FROM input))`
}

/** Attaches pictures to an existing message. */
export function addPictures(messageId: string, pictures: AcceptedPicture[], first = 0): SqlText {
  return sql`WITH ${pictureCtes(sql`SELECT ${messageId}::uuid`, pictures, first)} SELECT count(*)::int FROM pictures`
}

export type PicturesStore = ReturnType<typeof createPicturesStore>

/** Stores pictures of messages. */
export function createPicturesStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** Attaches accepted pictures to a message without pictures. */
    async attach(tx: Queryable, messageId: string, pictures: AcceptedPicture[]): Promise<void> {
      await tx.$queryRaw(addPictures(messageId, pictures))
    },

    /** Adds an accepted picture after the message's other pictures. Not safe for concurrent calls on the same message. */
    async add(messageId: string, picture: AcceptedPicture): Promise<void> {
      const { rows } = await pool.query<{ next: number }>(
        sql`SELECT coalesce(max(position) + 1, 0)::int AS next FROM chat_message_images WHERE message_id = ${messageId}`,
      )
      await pool.query(addPictures(messageId, [picture], rows[0]?.next))
    },

    /** Prompt of a picture drawn by the message's calls, by position; null for other pictures. */
    async promptOf(messageId: string, position: number): Promise<string | null> {
      const { rows } = await pool.query<{ prompt: string | null }>(
        sql`SELECT call->'arguments'->>'prompt' AS prompt
         FROM chat_messages m, jsonb_array_elements(m.agent_calls) WITH ORDINALITY AS calls (call, n)
         WHERE m.id = ${messageId} AND call->>'name' = ${MAKE_PICTURE} AND call->>'state' = 'finished'
           ORDER BY n OFFSET ${position} LIMIT 1`,
      )
      return rows[0]?.prompt ?? null
    },

    /** Pictures of a user's messages, ordered by message and position. */
    async listOf(userId: string, messageIds: string[]): Promise<PictureRow[]> {
      if (messageIds.length === 0) return []
      const { rows } = await pool.query<PictureRow>(
        sql`SELECT ${columns} ${ofUser(userId)}
         WHERE i.message_id = ANY(${messageIds}::uuid[]) ORDER BY i.message_id, i.position`,
      )
      return rows
    },

    async find(userId: string, messageId: string, position: number): Promise<PictureRow | null> {
      const { rows } = await pool.query<PictureRow>(
        sql`SELECT ${columns} ${ofUser(userId)} WHERE i.message_id = ${messageId} AND i.position = ${position}`,
      )
      return rows[0] ?? null
    },

    /** Runs work in a transaction that keeps the picture from being deleted; null when it no longer exists. */
    async withLock<T>(
      userId: string,
      picture: PictureRow,
      work: (tx: Prisma.TransactionClient) => Promise<T>,
    ): Promise<T | null> {
      return prisma.$transaction(async (tx) => {
        const rows = await tx.$queryRaw<unknown[]>`
          SELECT i.id ${ofUser(userId)} WHERE i.id = ${picture.id}::uuid FOR SHARE OF i`
        return rows.length === 0 ? null : work(tx)
      })
    },

    recordActivity,
  }
}
