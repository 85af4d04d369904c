import { MAX_PARTIAL_UPLOADS } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import type { PartialUploadModel } from '../../../platform/database/generated/models/PartialUpload.ts'
import { prepared } from '../../../platform/database/prepared.ts'

/** A partial upload as a row. */
export type PartialUploadRow = Omit<PartialUploadModel, 'sizeBytes' | 'lockToken' | 'lockedUntil'> & {
  sizeBytes: number
}

/** Data of an upload before its first byte. */
export type NewPartialUpload = Omit<PartialUploadRow, 'mediaItemId' | 'importId' | 'createdAt'>

export type PartialUploadsStore = ReturnType<typeof createPartialUploadsStore>

const omit = { lockToken: true, lockedUntil: true } as const

/** Run several times for each part. */
const findUpload = prepared(
  `SELECT id, user_id AS "userId", original_filename AS "originalFilename", size_bytes::float8 AS "sizeBytes",
     wants_caption AS "wantsCaption", wants_text AS "wantsText", keeps_place AS "keepsPlace", fingerprint,
     media_item_id AS "mediaItemId", import_source AS "importSource", is_import_preview AS "isImportPreview",
     import_id AS "importId", created_at AS "createdAt", expires_at AS "expiresAt"
   FROM partial_uploads WHERE user_id = $1 AND id = $2 AND expires_at > now()`,
)

/** Access to uploads in parts, as rows of one user each. */
export function createPartialUploadsStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const alive = () => ({ expiresAt: { gt: new Date() } })
  const open = () => ({ mediaItemId: null, importId: null, ...alive() })
  return {
    /** False when the user has too many unfinished uploads. */
    async add(upload: NewPartialUpload): Promise<boolean> {
      const { rowCount } = await pool.query(
        `INSERT INTO partial_uploads (id, user_id, original_filename, size_bytes, wants_caption, wants_text, keeps_place,
           fingerprint, expires_at, import_source, is_import_preview)
         SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11
         WHERE (SELECT count(*) FROM partial_uploads
           WHERE user_id = $2 AND media_item_id IS NULL AND import_id IS NULL AND expires_at > now()) < ${MAX_PARTIAL_UPLOADS}`,
        [
          upload.id,
          upload.userId,
          upload.originalFilename,
          upload.sizeBytes,
          upload.wantsCaption,
          upload.wantsText,
          upload.keepsPlace,
          upload.fingerprint,
          upload.expiresAt,
          upload.importSource,
          upload.isImportPreview,
        ],
      )
      return rowCount === 1
    },

    async find(userId: string, id: string): Promise<PartialUploadRow | null> {
      const { rows } = await pool.query<PartialUploadRow>(findUpload([userId, id]))
      return rows[0] ?? null
    },

    /** Unfinished uploads, newest first. */
    async listOpen(userId: string): Promise<PartialUploadRow[]> {
      const rows = await prisma.partialUpload.findMany({
        where: { userId, ...open() },
        omit,
        orderBy: { createdAt: 'desc' },
      })
      return rows.map(toRow)
    },

    /** Total size of the user's unfinished uploads, in bytes. */
    async openBytes(userId: string): Promise<number> {
      const where = { userId, ...open() }
      const { _sum } = await prisma.partialUpload.aggregate({ where, _sum: { sizeBytes: true } })
      return Number(_sum.sizeBytes ?? 0)
    },

    /** Total size of all users' unfinished uploads, in bytes. */
    async openBytesOfAll(): Promise<number> {
      const { _sum } = await prisma.partialUpload.aggregate({
        where: open(),
        _sum: { sizeBytes: true },
      })
      return Number(_sum.sizeBytes ?? 0)
    },

    /** Extends the lifetime, up to a maximum since its start. */
    async keepOn(userId: string, id: string, { hours, maxDays }: { hours: number; maxDays: number }): Promise<void> {
      await pool.query(
        `UPDATE partial_uploads SET expires_at =
           LEAST(now() + make_interval(hours => $3), created_at + make_interval(days => $4))
         WHERE id = $2 AND user_id = $1`,
        [userId, id, hours, maxDays],
      )
    },

    async setMediaItem(userId: string, id: string, mediaItemId: string): Promise<void> {
      await prisma.partialUpload.updateMany({ where: { id, userId }, data: { mediaItemId } })
    },

    async setImport(userId: string, id: string, importId: string): Promise<void> {
      await prisma.partialUpload.updateMany({ where: { id, userId }, data: { importId } })
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

    /** Ids that have a row. */
    async known(ids: string[]): Promise<Set<string>> {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT id::text FROM partial_uploads WHERE id::text = ANY($1::text[])',
        [ids],
      )
      return new Set(rows.map(({ id }) => id))
    },

    /** Takes the lock of an upload that is free or whose lease has expired. */
    async lock(userId: string, id: string, token: string, seconds: number): Promise<'taken' | 'held' | 'gone'> {
      const { rows } = await pool.query<{ taken: boolean }>(
        `WITH taken AS (
           UPDATE partial_uploads SET lock_token = $3, locked_until = now() + make_interval(secs => $4)
           WHERE id = $2 AND user_id = $1 AND (lock_token IS NULL OR lock_token = $3 OR locked_until < now())
           RETURNING id
         )
         SELECT EXISTS (SELECT FROM taken) AS taken FROM partial_uploads WHERE id = $2 AND user_id = $1`,
        [userId, id, token, seconds],
      )
      const [row] = rows
      if (row === undefined) return 'gone'
      return row.taken ? 'taken' : 'held'
    },

    async unlock(userId: string, id: string, token: string): Promise<void> {
      await pool.query(
        `UPDATE partial_uploads SET lock_token = NULL, locked_until = NULL
         WHERE id = $2 AND user_id = $1 AND lock_token = $3`,
        [userId, id, token],
      )
    },
  }
}

function toRow(model: Omit<PartialUploadModel, 'lockToken' | 'lockedUntil'>): PartialUploadRow {
  return { ...model, sizeBytes: Number(model.sizeBytes) }
}
