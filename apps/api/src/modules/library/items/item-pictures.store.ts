import type { MediaType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

/** Source of the picture of an item or of a part. */
export interface ItemPicture {
  /** The item's name. */
  name: string
  mediaType: MediaType
  /** Path of the item's file. */
  path: string
  pageCount: number | null
  /** Thumbnail and time of the numbered frame or page. */
  part: { path: string; startSeconds: number | null } | null
}

export type ItemPicturesStore = ReturnType<typeof createItemPicturesStore>

/** Access to the pictures of a user's items. */
export function createItemPicturesStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** @param number of the frame or page. */
    async find(userId: string, itemId: string, number: number): Promise<ItemPicture | null> {
      const { rows } = await pool.query<ItemPicture>(
        sql`SELECT m.original_filename AS name, m.media_type AS "mediaType", m.path, m.page_count AS "pageCount", (
           SELECT json_build_object('path', p.path, 'startSeconds', p.start_seconds) FROM media_parts p
           WHERE p.media_item_id = m.id AND p.kind IN ('frame', 'page') AND p.number = ${number}
         ) AS part
         FROM media_items m WHERE m.user_id = ${userId} AND m.id = ${itemId}`,
      )
      return rows[0] ?? null
    },

    /** Files that show items: the picture itself, or evenly spaced frames of a video. */
    async listShowing(userId: string, itemIds: string[], framesPerVideo: number): Promise<{ path: string }[]> {
      const { rows } = await pool.query<{ path: string }>(
        sql`SELECT shown.path FROM unnest(${itemIds}::uuid[]) WITH ORDINALITY AS requested (id, position)
           JOIN media_items m ON m.id = requested.id AND m.user_id = ${userId},
           LATERAL (
             SELECT m.path, 0 AS part WHERE m.media_type = 'image'
             UNION ALL
             SELECT (array_agg(f.path ORDER BY f.number))[1], f.part FROM (
               SELECT p.path, p.number, ntile(${framesPerVideo}::int) OVER (ORDER BY p.number) AS part
               FROM media_parts p WHERE p.media_item_id = m.id AND p.kind = 'frame'
             ) f WHERE m.media_type = 'video' GROUP BY f.part
           ) shown
         ORDER BY requested.position, shown.part`,
      )
      return rows
    },
  }
}
