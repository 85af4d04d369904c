import { MAX_PARTIAL_UPLOADS } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { PartialUploadModel } from '../../../platform/database/generated/models/PartialUpload.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { raw, sql } from '../../../platform/database/sql.ts'

/** A stored partial upload. */
export type PartialUploadRow = Omit<PartialUploadModel, 'sizeBytes' | 'lockToken' | 'lockedUntil'> & {
  sizeBytes: number
}

/** Data of an upload before its first byte. */
type NewPartialUpload = Omit<PartialUploadRow, 'mediaItemId' | 'importId' | 'createdAt'>

interface OpenUpload extends Pick<PartialUploadRow, 'id' | 'userId' | 'sizeBytes'> {
  isOld: boolean
}

export type PartialUploadsStore = ReturnType<typeof createPartialUploadsStore>

const omit = { lockToken: true, lockedUntil: true } as const

/** Access to partial uploads, each of which belongs to one user. */
export function createPartialUploadsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const notExpired = () => ({ expiresAt: { gt: new Date() } })
  const unfinished = () => ({ mediaItemId: null, importId: null, ...notExpired() })
  return {
    /** Adds an upload; false when the user has too many unfinished ones. */
    async add(upload: NewPartialUpload): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`INSERT INTO partial_uploads (id, user_id, original_filename, size_bytes, wants_caption, wants_text, keeps_place,
           fingerprint, expires_at, import_source, is_import_preview)
         SELECT ${upload.id}, ${upload.userId}, ${upload.originalFilename}, ${upload.sizeBytes}, ${upload.wantsCaption},
           ${upload.wantsText}, ${upload.keepsLocation}, ${upload.fingerprint}, ${upload.expiresAt}, ${upload.importSource},
           ${upload.isImportPreview}
         WHERE (SELECT count(*) FROM partial_uploads
           WHERE user_id = ${upload.userId} AND media_item_id IS NULL AND import_id IS NULL
             AND expires_at > now()) < ${raw(MAX_PARTIAL_UPLOADS)}`,
      )
      return rowCount === 1
    },

    async find(userId: string, id: string): Promise<PartialUploadRow | null> {
      const { rows } = await pool.query<PartialUploadRow>(
        prepared(sql`SELECT id, user_id AS "userId", original_filename AS "originalFilename", size_bytes::float8 AS "sizeBytes",
     wants_caption AS "wantsCaption", wants_text AS "wantsText", keeps_place AS "keepsLocation", fingerprint,
     media_item_id AS "mediaItemId", import_source AS "importSource", is_import_preview AS "isImportPreview",
     import_id AS "importId", created_at AS "createdAt", expires_at AS "expiresAt"
   FROM partial_uploads WHERE user_id = ${userId} AND id = ${id} AND expires_at > now()`),
      )
      return rows[0] ?? null
    },

    /** The user's unfinished uploads, newest first. */
    async listOpen(userId: string): Promise<PartialUploadRow[]> {
      const rows = await prisma.partialUpload.findMany({
        where: { userId, ...unfinished() },
        omit,
        orderBy: { createdAt: 'desc' },
      })
      return rows.map(toRow)
    },

    /** Total size of the user's unfinished uploads, in bytes. */
    async openBytes(userId: string): Promise<number> {
      const where = { userId, ...unfinished() }
      const { _sum } = await prisma.partialUpload.aggregate({ where, _sum: { sizeBytes: true } })
      return Number(_sum.sizeBytes ?? 0)
    },

    /** All users' unfinished uploads; `isOld` for those that started long ago and aren't receiving bytes right now. */
    async listAllOpen(oldSeconds: number): Promise<OpenUpload[]> {
      const { rows } = await pool.query<OpenUpload>(
        sql`SELECT id, user_id AS "userId", size_bytes::float8 AS "sizeBytes",
           created_at < now() - make_interval(secs => ${oldSeconds}) AND (locked_until IS NULL OR locked_until < now()) AS "isOld"
         FROM partial_uploads WHERE media_item_id IS NULL AND import_id IS NULL AND expires_at > now()`,
      )
      return rows
    },

    /** Extends an upload's lifetime, up to a maximum since its start. */
    async extendLifetime(
      userId: string,
      id: string,
      { hours, maxDays }: { hours: number; maxDays: number },
    ): Promise<void> {
      await pool.query(
        sql`UPDATE partial_uploads SET expires_at =
           LEAST(now() + make_interval(hours => ${hours}), created_at + make_interval(days => ${maxDays}))
         WHERE id = ${id} AND user_id = ${userId}`,
      )
    },

    async setMediaItem(userId: string, id: string, mediaItemId: string): Promise<void> {
      await prisma.partialUpload.updateMany({ where: { id, userId }, data: { mediaItemId } })
    },

    async remove(userId: string, id: string): Promise<void> {
      await prisma.partialUpload.deleteMany({ where: { id, userId } })
    },

    async removeExpired(): Promise<Pick<PartialUploadRow, 'id' | 'userId'>[]> {
      const { rows } = await pool.query<{ id: string; userId: string }>(
        `DELETE FROM partial_uploads WHERE expires_at <= now() RETURNING id, user_id AS "userId"`,
      )
      return rows
    },

    /** The given ids that have a row. */
    async existingIds(ids: string[]): Promise<Set<string>> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT id::text FROM partial_uploads WHERE id::text = ANY(${ids}::text[])`,
      )
      return new Set(rows.map(({ id }) => id))
    },

    /** Locks an upload that's free or whose lease has expired, or renews the lease of the same token. */
    async lock(userId: string, id: string, token: string, seconds: number): Promise<'taken' | 'held' | 'gone'> {
      const { rows } = await pool.query<{ taken: boolean }>(
        sql`WITH taken AS (
           UPDATE partial_uploads SET lock_token = ${token}, locked_until = now() + make_interval(secs => ${seconds})
           WHERE id = ${id} AND user_id = ${userId} AND (lock_token IS NULL OR lock_token = ${token} OR locked_until < now())
           RETURNING id
         )
         SELECT EXISTS (SELECT FROM taken) AS taken FROM partial_uploads WHERE id = ${id} AND user_id = ${userId}`,
      )
      const [row] = rows
      if (row === undefined) return 'gone'
      return row.taken ? 'taken' : 'held'
    },

    async unlock(userId: string, id: string, token: string): Promise<void> {
      await pool.query(
        sql`UPDATE partial_uploads SET lock_token = NULL, locked_until = NULL
         WHERE id = ${id} AND user_id = ${userId} AND lock_token = ${token}`,
      )
    },
  }
}

function toRow(model: Omit<PartialUploadModel, 'lockToken' | 'lockedUntil'>): PartialUploadRow {
  return { ...model, sizeBytes: Number(model.sizeBytes) }
}
