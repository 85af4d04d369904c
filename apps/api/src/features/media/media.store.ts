import type { MediaType, ProcessingStatus } from '@mira/shared'
import type { Database, Queryable } from '../../db/client.ts'
import type { MediaItemModel } from '../../db/generated/models/MediaItem.ts'
import { newId } from '../../db/new-id.ts'

/** A media item as a row. */
export type MediaItemRow = Omit<MediaItemModel, 'mediaType' | 'processingStatus' | 'sizeBytes'> & {
  mediaType: MediaType
  processingStatus: ProcessingStatus
  sizeBytes: number
}

/** What is known of a file when it becomes an item. */
export interface NewMediaItem {
  mediaType: MediaType
  sha256: string
  path: string
  originalFilename: string
  contentType: string
  sizeBytes: number
  width: number | null
  height: number | null
}

export interface MediaTotals {
  byType: Record<MediaType, number>
  totalBytes: number
  processing: number
  failed: number
}

export type MediaStore = ReturnType<typeof createMediaStore>

/** What people have shown to the assistant, as rows of one person each. */
export function createMediaStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  return {
    /** Adds an item, to be processed; the same content again is the item that is there. */
    async add(userId: string, item: NewMediaItem, tx: Queryable): Promise<{ row: MediaItemRow; isNew: boolean }> {
      const id = newId()
      await tx.mediaItem.createMany({ data: { id, userId, ...item }, skipDuplicates: true })
      const { sha256 } = item
      const model = await tx.mediaItem.findUniqueOrThrow({ where: { userId_sha256: { userId, sha256 } } })
      return { row: toRow(model), isNew: model.id === id }
    },

    async find(userId: string, id: string): Promise<MediaItemRow | null> {
      const model = await prisma.mediaItem.findUnique({ where: { id, userId } })
      return model && toRow(model)
    },

    async totals(userId: string): Promise<MediaTotals> {
      const { rows } = await pool.query<MediaTotals>(
        `SELECT
           json_build_object(
             'image', count(*) FILTER (WHERE media_type = 'image'),
             'video', count(*) FILTER (WHERE media_type = 'video'),
             'audio', count(*) FILTER (WHERE media_type = 'audio'),
             'document', count(*) FILTER (WHERE media_type = 'document')
           ) AS "byType",
           coalesce(sum(size_bytes), 0)::float8 AS "totalBytes",
           (count(*) FILTER (WHERE processing_status IN ('pending', 'processing')))::int AS processing,
           (count(*) FILTER (WHERE processing_status = 'failed'))::int AS failed
         FROM media_items WHERE user_id = $1`,
        [userId],
      )
      return rows[0] as MediaTotals
    },

    /** Items in all, of the last 7 days, and of the 7 days before. */
    async countByPeriod(userId: string): Promise<{ total: number; recent: number; previous: number }> {
      const { rows } = await pool.query<{ total: number; recent: number; previous: number }>(
        `SELECT count(*)::int AS total,
           (count(*) FILTER (WHERE created_at > now() - interval '7 days'))::int AS recent,
           (count(*) FILTER (WHERE created_at > now() - interval '14 days'
             AND created_at <= now() - interval '7 days'))::int AS previous
         FROM media_items WHERE user_id = $1`,
        [userId],
      )
      return rows[0] ?? { total: 0, recent: 0, previous: 0 }
    },
  }
}

function toRow({ mediaType, processingStatus, sizeBytes, ...row }: MediaItemModel): MediaItemRow {
  return {
    ...row,
    // the columns' checks allow no other words
    mediaType: mediaType as MediaType,
    processingStatus: processingStatus as ProcessingStatus,
    sizeBytes: Number(sizeBytes),
  }
}
