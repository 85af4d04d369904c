import type { ReadWord } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

/** A text of an item with its location. */
export interface DetailMoment {
  id: string
  kind: 'caption' | 'text' | 'speech' | 'name'
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
  endSeconds: number | null
  characterOffset: number | null
  body: string
  engine: string
  isLocked: boolean
}

/** A picture of a part of an item. */
export interface DetailPart {
  kind: 'picture' | 'frame' | 'page'
  number: number
  startSeconds: number | null
  /** Size of the stored picture, in pixels. */
  width: number
  height: number
  /** Recognised words with their positions; only for an item that is a picture itself. */
  words: ReadWord[]
}

/** Results of all steps for an item. */
export interface ItemDetail {
  moments: DetailMoment[]
  parts: DetailPart[]
  /** As stored; null for items without a waveform. */
  waveform: unknown
  /** Page titles, '' for a page without one; empty for most items. */
  pageTitles: string[]
  /** Time since which no watched folder has the file; null while one has it, or when none ever had it. */
  sourceGoneAt: Date | null
}

interface Details {
  waveform: unknown
  pageTitles: string[] | null
  sourceGoneAt: Date | null
}

export async function findDetail({ pool }: Database, userId: string, itemId: string): Promise<ItemDetail> {
  const { rows: moments } = await pool.query<DetailMoment>(
    sql`SELECT id, kind, frame_number AS "frameNumber", page, start_seconds AS "startSeconds",
           end_seconds AS "endSeconds", character_offset AS "characterOffset", body, engine,
           locked_at IS NOT NULL AS "isLocked"
         FROM moments WHERE media_item_id = ${itemId} AND user_id = ${userId} ORDER BY kind, position, id`,
  )
  const { rows: parts } = await pool.query<DetailPart>(
    sql`SELECT kind, number, start_seconds AS "startSeconds", width, height,
           CASE WHEN kind = 'picture' THEN words ELSE '[]' END AS words
         FROM media_parts WHERE media_item_id = ${itemId} AND user_id = ${userId} ORDER BY kind, number`,
  )
  const { rows: details } = await pool.query<Details>(
    sql`SELECT details -> 'waveform' AS waveform, (details ->> 'page_titles')::jsonb AS "pageTitles",
           (SELECT CASE WHEN bool_and(state = 'gone') THEN max(gone_at) END
            FROM watched_files WHERE media_item_id = m.id) AS "sourceGoneAt"
         FROM media_items m WHERE id = ${itemId} AND user_id = ${userId}`,
  )
  const { waveform = null, pageTitles, sourceGoneAt = null } = details[0] ?? {}
  return { moments, parts, waveform, pageTitles: pageTitles ?? [], sourceGoneAt }
}

/** File of a frame or page; null when missing, or the item isn't the user's. */
export async function readPart(
  { pool }: Database,
  userId: string,
  itemId: string,
  kind: 'frame' | 'page',
  number: number,
): Promise<{ path: string; sizeBytes: number } | null> {
  const { rows } = await pool.query<{ path: string; sizeBytes: number }>(
    sql`SELECT path, size_bytes AS "sizeBytes" FROM media_parts
         WHERE media_item_id = ${itemId} AND user_id = ${userId} AND kind = ${kind} AND number = ${number}`,
  )
  return rows[0] ?? null
}
