import type { Database } from '../../../../platform/database/client.ts'
import { MOTION_VIDEO_SUFFIX } from '../../../../platform/database/motion-name.ts'
import { prepared } from '../../../../platform/database/prepared.ts'
import { inTransaction, raw, type SqlText, sql } from '../../../../platform/database/sql.ts'
import { lockPath } from '../../../../platform/database/unreferenced-files.ts'
import { MAX_TAGS } from '../../items/media.store.ts'
import type { Finding, ItemFacts } from '../step.ts'

/** A picture and its video as separate items. */
export interface MotionPair {
  pictureId: string
  videoId: string
  videoPath: string
}

/** Maximum length of a motion picture's video. */
export const MAX_MOTION_SECONDS = 30
/** Maximum length of videos that only match by name. */
const MAX_SECONDS_BY_NAME = 6
/** Allows for pictures without a UTC offset. */
const TAKEN_WITHIN = '26 hours'
const ADDED_WITHIN = '1 day'

const stem = (column: string) => `lower(regexp_replace(${column}, '\\.[^.]*$', ''))`

/** SQL: picture `p` and video `f` share an identifier, or have the same name and were taken together by a camera. */
const pairCondition = `
  (p.details ->> 'content_identifier' = f.details ->> 'content_identifier'
   OR (p.details ->> 'content_identifier' IS NULL OR f.details ->> 'content_identifier' IS NULL)
      AND ${stem('p.original_filename')} = ${stem('f.original_filename')}
      AND f.duration_seconds <= ${MAX_SECONDS_BY_NAME}
      AND p.content_type IN ('image/jpeg', 'image/heic', 'image/heif')
      AND f.content_type IN ('video/quicktime', 'video/mp4') AND (p.camera IS NOT NULL OR f.camera IS NOT NULL)
      AND CASE WHEN p.found_taken_at IS NULL OR f.found_taken_at IS NULL
            THEN f.created_at BETWEEN p.created_at - interval '${ADDED_WITHIN}' AND p.created_at + interval '${ADDED_WITHIN}'
            ELSE f.found_taken_at BETWEEN p.found_taken_at - interval '${TAKEN_WITHIN}' AND p.found_taken_at + interval '${TAKEN_WITHIN}' END)`

/** SQL: the video isn't used on its own, and both come from the same imports, so that an import can still be undone. */
const mayBeJoined = `
  f.duration_seconds <= ${MAX_MOTION_SECONDS} AND f.width IS NOT NULL
  AND NOT EXISTS (SELECT FROM media_copies c WHERE c.media_item_id = p.id AND c.kind IN ('motion', 'motion_preview'))
  AND NOT EXISTS (SELECT FROM moments o WHERE o.media_item_id = f.id AND o.locked_at IS NOT NULL)
  AND f.own_taken_at IS NULL AND f.own_latitude IS NULL
  AND NOT EXISTS (SELECT FROM chat_message_media a WHERE a.media_item_id = f.id)
  AND NOT EXISTS (SELECT FROM project_items a WHERE a.media_item_id = f.id)
  AND NOT EXISTS (SELECT FROM persona_items a WHERE a.media_item_id = f.id)
  AND (SELECT array_agg(DISTINCT t.import_id ORDER BY t.import_id) FROM imported_things t WHERE t.media_item_id = p.id)
    IS NOT DISTINCT FROM
    (SELECT array_agg(DISTINCT t.import_id ORDER BY t.import_id) FROM imported_things t WHERE t.media_item_id = f.id)`

/** Suffix of the source id of a picture's video. */
const videoSuffix = `'${MOTION_VIDEO_SUFFIX}'`
/** SQL: the counterpart according to the import's metadata. */
const importedPair = {
  p: `p.id = (SELECT t.media_item_id FROM imported_things o JOIN imported_things t ON t.user_id = o.user_id AND t.source = o.source
        AND o.source_id = t.source_id || ${videoSuffix} AND t.source_id = left(o.source_id, -${MOTION_VIDEO_SUFFIX.length})
      WHERE o.media_item_id = f.id LIMIT 1)`,
  f: `f.id = (SELECT t.media_item_id FROM imported_things o JOIN imported_things t ON t.user_id = o.user_id AND t.source = o.source
        AND t.source_id = o.source_id || ${videoSuffix} WHERE o.media_item_id = p.id LIMIT 1)`,
}

/** Identifier in a file, and the pattern of names that match its own. */
interface PairCriteria {
  identifier: unknown
  pattern: string
}

const selectPair = (source: SqlText, counterpart: 'p' | 'f', { identifier, pattern }: PairCriteria) => {
  const column = (name: string) => raw(`${counterpart}.${name}`)
  const select = (on: SqlText, condition = pairCondition) =>
    sql`SELECT p.id AS "pictureId", f.id AS "videoId", f.path AS "videoPath",
      abs(extract(epoch FROM f.created_at - p.created_at)) AS distance
    FROM ${source} JOIN media_items ${raw(counterpart)} ON p.user_id = f.user_id AND ${on}
    WHERE ${counterpart === 'f' ? sql`f.media_type = 'video'` : sql`p.media_type = 'image'`} AND p.width IS NOT NULL
      AND ${raw(mayBeJoined)} AND ${raw(condition)}`
  const isIdentified = sql`${column('details')} ? 'content_identifier'
    AND ${column('details')} ->> 'content_identifier' = ${identifier}`
  // Each branch uses its own index.
  return sql`SELECT "pictureId", "videoId", "videoPath" FROM (
    ${select(isIdentified)}
    UNION ALL ${select(sql`${column('original_filename')} ILIKE ${pattern}`)}
    UNION ALL ${select(raw(importedPair[counterpart]), 'true')}) AS pairs ORDER BY distance, "videoId", "pictureId" LIMIT 1`
}

/** SQL: a video may belong to a picture. Checked first, since there almost never is one, which saves the full query. */
const videoExists = (pictureId: string, on: SqlText) =>
  sql`EXISTS (SELECT FROM media_items p JOIN media_items f ON f.user_id = p.user_id
  WHERE p.id = ${pictureId}::uuid AND f.media_type = 'video' AND ${on})`

/** LIKE pattern of names that only differ in the extension. */
const sameStemPattern = (name: string) => `${name.replace(/\.[^.]*$/, '').replace(/[\\%_]/g, '\\$&')}.%`

export type MotionsStore = ReturnType<typeof createMotionsStore>

/** Access to pictures and their videos. */
export function createMotionsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** A picture with its video; null when there's none so far. */
    async pairOfPicture(
      item: { id: string; originalFilename: string },
      { takenAt = null, camera = null, details }: Pick<ItemFacts, 'takenAt' | 'camera' | 'details'>,
    ): Promise<MotionPair | null> {
      const identifier = details?.content_identifier ?? null
      const pattern = sameStemPattern(item.originalFilename)
      const isIdentified = sql`f.details ? 'content_identifier' AND f.details ->> 'content_identifier' = ${identifier}`
      const { rows: candidates } = await pool.query<{ mayHaveVideo: boolean }>(
        prepared(sql`
          SELECT ${videoExists(item.id, isIdentified)}
            OR ${videoExists(item.id, sql`f.original_filename ILIKE ${pattern}`)}
            OR EXISTS (
              SELECT FROM (SELECT ${item.id}::uuid AS id) p JOIN media_items f ON f.media_type = 'video' AND ${raw(importedPair.f)}
            ) AS "mayHaveVideo"`),
      )
      if (!candidates[0]?.mayHaveVideo) return null
      // The picture's metadata isn't stored before its step ends.
      const picture = sql`(
        SELECT id, user_id, original_filename, content_type, created_at, 1 AS width,
          coalesce(${takenAt}::timestamptz, found_taken_at) AS found_taken_at, coalesce(${camera}::text, camera) AS camera,
          CASE WHEN ${identifier}::text IS NULL THEN '{}'
            ELSE jsonb_build_object('content_identifier', ${identifier}::text) END AS details
        FROM media_items WHERE id = ${item.id}::uuid) AS p`
      const { rows } = await pool.query<MotionPair>(prepared(selectPair(picture, 'f', { identifier, pattern })))
      return rows[0] ?? null
    },

    /** A video, whose facts are stored, with its picture; null when there's none so far. */
    async pairOfVideo(item: { id: string; originalFilename: string; details: unknown }): Promise<MotionPair | null> {
      const { rows } = await pool.query<MotionPair>(
        selectPair(sql`(SELECT * FROM media_items WHERE id = ${item.id}::uuid) AS f`, 'p', {
          identifier: (item.details as Record<string, unknown>).content_identifier ?? null,
          pattern: sameStemPattern(item.originalFilename),
        }),
      )
      return rows[0] ?? null
    },

    /**
     * Joins both into one item; the picture gets the video's file, tags and sources.
     * @param findings stored in the same transaction.
     * @returns false when one is gone, or the video is used on its own.
     */
    join({ pictureId, videoId, videoPath }: MotionPair, findings: Finding[]): Promise<boolean> {
      return inTransaction(pool, async (tx) => {
        // An upload of the same video waits, and finds the joined item.
        await tx.query(lockPath(videoPath))
        await tx.query(
          sql`SELECT id FROM media_items WHERE id = ANY (${[pictureId, videoId]}::uuid[]) ORDER BY id FOR UPDATE`,
        )
        // Being a separate statement, it sees changes that were committed while the locks were awaited.
        const { rows } = await tx.query(sql`
          SELECT p.id FROM media_items p, media_items f
          WHERE p.id = ${pictureId}::uuid AND f.id = ${videoId}::uuid AND ${raw(mayBeJoined)}`)
        if (rows.length === 0) return false
        for (const finding of findings) await finding(tx)
        await tx.query(sql`
          INSERT INTO media_copies (media_item_id, kind, path, content_type, size_bytes, width, height, joined_item_id)
          SELECT ${pictureId}::uuid, 'motion', path, content_type, size_bytes, width, height, id
          FROM media_items WHERE id = ${videoId}::uuid`)
        for (const table of ['imported_things', 'watched_files']) {
          await tx.query(sql`
            UPDATE ${raw(table)} SET media_item_id = ${pictureId}::uuid WHERE media_item_id = ${videoId}::uuid`)
        }
        await tx.query(sql`UPDATE activities SET subject_id = ${pictureId}::uuid WHERE subject_id = ${videoId}::uuid`)
        await tx.query(sql`
          UPDATE media_items p SET updated_at = now(), tags = ARRAY(
            SELECT tag FROM unnest(p.tags || f.tags) WITH ORDINALITY AS tags (tag, position)
            GROUP BY tag ORDER BY min(position) LIMIT ${raw(MAX_TAGS)}
          )
          FROM media_items f WHERE p.id = ${pictureId}::uuid AND f.id = ${videoId}::uuid AND NOT f.tags <@ p.tags`)
        await tx.query(sql`DELETE FROM notifications WHERE subject_id = ${videoId}::uuid`)
        await tx.query(sql`DELETE FROM media_items WHERE id = ${videoId}::uuid`)
        return true
      })
    },
  }
}
