import type { MediaItem, MediaStats, PictureSize } from '@mira/shared'
import type { PictureFile, PictureFiles } from '../../adapters/media/picture-files.ts'
import type { Queryable } from '../../db/client.ts'
import { NotFoundError } from '../../errors.ts'
import type { MediaItemRow, MediaStore, NewMediaItem } from './media.store.ts'

export interface MediaDeps {
  store: MediaStore
  pictureFiles: PictureFiles
  /** Makes a path of the API one that a browser can load by itself. */
  signPath(userId: string, path: string): string
}

export type MediaService = ReturnType<typeof createMediaService>

/** What a user has shown to the assistant. */
export function createMediaService({ store, pictureFiles, signPath }: MediaDeps) {
  const present = (row: MediaItemRow): MediaItem => {
    const address = (file: string) => signPath(row.userId, `/api/media/${row.id}/${file}`)
    const isImage = row.mediaType === 'image'
    return {
      id: row.id,
      media_type: row.mediaType,
      content: null,
      caption: row.caption,
      extracted_text: row.extractedText,
      transcription: row.transcription,
      thumbnail: isImage ? address('thumbnail') : null,
      url: address('file'),
      preview_url: isImage ? address('preview') : null,
      duration: row.durationSeconds,
      timestamp: row.takenAt ?? row.createdAt,
      frames_count: 0,
      metadata: {
        original_filename: row.originalFilename,
        content_type: row.contentType,
        size_bytes: row.sizeBytes,
        sha256: row.sha256,
        width: row.width,
        height: row.height,
        pages: row.pageCount,
        taken_at: row.takenAt,
      },
      thumbhash: null,
      tags: [],
      engines: {},
      processing_status: row.processingStatus,
      processing_steps: [],
      error: row.error,
    }
  }

  return {
    /** Adds an item in a transaction of its caller; the same content of the same person is the item that is there. */
    async add(userId: string, item: NewMediaItem, tx: Queryable): Promise<{ item: MediaItem; isNew: boolean }> {
      const { row, isNew } = await store.add(userId, item, tx)
      return { item: present(row), isNew }
    },

    /** @throws NotFoundError when it is not the person's, or there is no such size of it. */
    async file(userId: string, id: string, size: PictureSize): Promise<PictureFile> {
      const row = await store.find(userId, id)
      if (row === null || (size !== 'original' && row.mediaType !== 'image')) {
        throw new NotFoundError('This file is not there any more.')
      }
      return pictureFiles.inSize({ ...row, name: row.originalFilename }, size)
    },

    async stats(userId: string): Promise<MediaStats> {
      const { byType, totalBytes, processing, failed } = await store.totals(userId)
      const total = byType.image + byType.video + byType.audio + byType.document
      return { total_items: total, by_type: byType, total_bytes: totalBytes, processing, failed }
    },

    /** Items in all, of the last 7 days, and of the 7 days before. */
    count: (userId: string) => store.countByPeriod(userId),
  }
}
