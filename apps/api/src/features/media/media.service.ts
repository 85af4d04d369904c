import type { MediaStats } from '@mira/shared'

/** What a user has shown to the assistant. Nothing can be uploaded yet, so that the true totals are zero. */
export function createMediaService() {
  return {
    async stats(_userId: string): Promise<MediaStats> {
      return {
        total_items: 0,
        by_type: { image: 0, video: 0, audio: 0, document: 0 },
        total_bytes: 0,
        processing: 0,
        failed: 0,
      }
    },
    /** Items in all, of the last 7 days, and of the 7 days before. */
    async count(_userId: string): Promise<{ total: number; recent: number; previous: number }> {
      return { total: 0, recent: 0, previous: 0 }
    },
  }
}

export type MediaService = ReturnType<typeof createMediaService>
