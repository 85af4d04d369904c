import { type MediaType, mediaTypes, type ProcessingStatus, TAG_MAX_CHARACTERS } from '@mira/shared'
import { type ActivityRecord, activityJson, insertActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { forgetItems } from '../../../platform/database/forget-items.ts'
import { lockPath } from '../../../platform/database/loose-files.ts'
import { motionName } from '../../../platform/database/motion-name.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import {
  inTransaction,
  type Sql,
  type SqlTransaction,
  sqlOf,
  type Transaction,
} from '../../../platform/database/sql.ts'
import { storable } from '../../../platform/lib/storable.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { newStepColumns, newSteps, newStepTypes } from '../pipeline/plan.ts'
import { RESTORED } from '../trash/trash.store.ts'

/** Data of a file that becomes an item. */
export interface NewMediaItem {
  mediaType: MediaType
  sha256: string
  path: string
  originalFilename: string
  contentType: string
  sizeBytes: number
  width: number | null
  height: number | null
  /** Source; undefined for an uploaded file. */
  source?: ItemSource | undefined
  /** The user's wishes; the column defaults when undefined. */
  keepsPlace?: boolean
  wantsCaption?: boolean
  wantsText?: boolean
  /** Id of the file's `loose_files` row, which is removed once the item refers to the file. */
  holdId?: string
  /** Activity to record for a new item. */
  activity?: Omit<ActivityRecord, 'userId' | 'subjectId'>
}

/** Source of an item that isn't an uploaded file. */
export type ItemSource =
  | { kind: 'note' }
  /** `charset` is the encoding that its server told, which what is stored may not say. */
  | { kind: 'page'; url: string; charset: string | null }

/** Most tags of one item. */
export const MAX_TAGS = 100

/** The existing item may be deleted before it's read. */
const MAX_TRIES = 2

/** Original file of an item. */
interface OriginalOfItem {
  id: string
  path: string
  name: string
  mediaType: MediaType
  sizeBytes: number
  /** Time taken, else added. */
  moment: Date
}

export interface MediaTotals {
  byType: Record<MediaType, number>
  totalBytes: number
  processing: number
  failed: number
}

/** An item that was added, or existed before. */
export interface AddedItem {
  id: string
  isNew: boolean
  /** True when it was in the trash until now. */
  isRestored: boolean
  wasFailed: boolean
}

/** Adds an item, or restores the one in the trash with the same content. */
const addItem = prepared(
  `WITH restored AS (
     UPDATE media_items SET ${RESTORED} WHERE trashed_from = $2::uuid AND (sha256 = $4 OR id IN (
       SELECT media_item_id FROM media_copies WHERE path = $5::text AND kind = 'motion'))
     RETURNING id, processing_status AS status
   ),
   added AS (
     INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, width,
       height, keeps_place, wants_caption, wants_text, source_kind, source_url, details)
     SELECT $1::uuid, $2::uuid, $3, $4, $5::text, $6, $7, $8::bigint, $9::int, $10::int, $11::boolean, $12::boolean,
       $13::boolean, $17, $18, $19::jsonb
     WHERE NOT EXISTS (SELECT FROM restored)
       AND NOT EXISTS (SELECT FROM media_copies WHERE path = $5::text AND kind = 'motion')
     ON CONFLICT DO NOTHING RETURNING id
   ),
   planned AS (
     INSERT INTO media_steps (media_item_id, ${newStepColumns})
     SELECT added.id, g.* FROM added, jsonb_to_recordset($14::jsonb) AS g (${newStepTypes})
   ),
   let_go AS (DELETE FROM loose_files WHERE id = $15::uuid),
   noted AS (${insertActivitySql('$16')} WHERE $16::text IS NOT NULL AND EXISTS (SELECT FROM added))
   SELECT id, NULL AS "statusBefore" FROM added UNION ALL SELECT id, status FROM restored`,
)

/** Names from another program as tags, within the limits of tags. */
export function tagsOf(names: string[]): string[] {
  const tags = names.map((name) => storable(name).replace(/\s+/g, ' ').slice(0, TAG_MAX_CHARACTERS).trim())
  return [...new Set(tags)].filter((tag) => tag !== '').slice(0, MAX_TAGS)
}

export type MediaStore = ReturnType<typeof createMediaStore>

/** Access to media items; all queries are limited to one user. */
export function createMediaStore({ pool }: Pick<Database, 'pool'>, pathOf: Files['pathOf']) {
  return {
    transaction: <T>(work: (sql: SqlTransaction) => Promise<T>): Promise<T> => inTransaction(pool, work),

    /** Adds an item with its steps; existing content returns that item. */
    async add(userId: string, item: NewMediaItem, tx: Transaction): Promise<AddedItem> {
      const sql = sqlOf(tx)
      const id = newId()
      const { keepsPlace = false, wantsCaption = true, wantsText = true, holdId = null, activity, source } = item
      const steps = newSteps({ mediaType: item.mediaType, wantsCaption, wantsText })
      const noted = activity && activityJson({ ...activity, userId, subjectId: id })
      const details = source?.kind === 'page' && source.charset !== null ? { charset: source.charset } : {}
      const addIt = addItem([
        ...[id, userId, item.mediaType, item.sha256, item.path, item.originalFilename, item.contentType],
        ...[item.sizeBytes, item.width, item.height, keepsPlace, wantsCaption, wantsText],
        ...[JSON.stringify(steps), holdId, noted ?? null],
        ...[source?.kind ?? null, source?.kind === 'page' ? source.url : null, JSON.stringify(details)],
      ])
      // it may be joined with its picture right now
      if (item.mediaType === 'video') await sql.query({ text: lockPath, values: [item.path] })
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const { rows: added } = await sql.query<{ id: string; statusBefore: ProcessingStatus | null }>(addIt)
        const [stored] = added
        if (stored !== undefined) {
          const { statusBefore } = stored
          return {
            id: stored.id,
            isNew: statusBefore === null,
            isRestored: statusBefore !== null,
            wasFailed: statusBefore === 'failed',
          }
        }
        const { rows } = await sql.query<{ id: string; status: ProcessingStatus }>({
          text: `SELECT id, processing_status AS status FROM media_items WHERE user_id = $1::uuid AND (sha256 = $2 OR id IN (
                   SELECT media_item_id FROM media_copies WHERE path = $3 AND kind = 'motion')) LIMIT 1`,
          values: [userId, item.sha256, item.path],
        })
        const [step] = rows
        if (step !== undefined) {
          return { id: step.id, isNew: false, isRestored: false, wasFailed: step.status === 'failed' }
        }
      }
      throw new Error('an item was neither added nor there')
    },

    /** Stores metadata from an item's source. */
    async setTold(
      sql: Sql,
      id: string,
      facts: {
        takenAt: string | null
        takenLocal: string | null
        latitude: number | null
        longitude: number | null
        tags: string[]
      },
    ): Promise<void> {
      await sql.query({
        text: `UPDATE media_items SET found_taken_at = $2::timestamptz, found_taken_local = $6::timestamp,
                 found_latitude = $3::float8, found_longitude = $4::float8, tags = $5::text[] WHERE id = $1::uuid`,
        values: [id, facts.takenAt, facts.latitude, facts.longitude, tagsOf(facts.tags), facts.takenLocal],
      })
    },

    /** Deletes a user's items, in the trash or not, with their notifications and activities. @returns the deleted ids. */
    async remove(userId: string, ids: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `WITH gone AS (
           DELETE FROM media_items WHERE $1 IN (user_id, trashed_from) AND id = ANY($2::uuid[]) RETURNING id
         ), ${forgetItems('gone')}
         SELECT id FROM gone`,
        [userId, ids],
      )
      return rows.map(({ id }) => id)
    },

    /** Adds and removes tags of a user's items. @returns the changed ids. */
    async tag(userId: string, ids: string[], { add, remove }: { add: string[]; remove: string[] }): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `UPDATE media_items m SET tags = wanted.tags, updated_at = now()
         FROM media_items old, LATERAL (
           SELECT coalesce(array_agg(tag ORDER BY place), '{}') AS tags FROM (
             SELECT tag, min(place) AS place FROM unnest(old.tags || $3::text[]) WITH ORDINALITY AS given (tag, place)
             WHERE tag <> ALL($4::text[]) GROUP BY tag ORDER BY min(place) LIMIT ${MAX_TAGS}
           ) AS kept
         ) AS wanted
         WHERE old.user_id = $1 AND old.id = ANY($2::uuid[]) AND m.id = old.id AND wanted.tags <> old.tags
         RETURNING m.id`,
        [userId, ids, add, remove],
      )
      return rows.map(({ id }) => id)
    },

    /** Items of a user with one of these hashes. */
    async known(userId: string, hashes: string[]): Promise<{ id: string; sha256: string }[]> {
      const { rows } = await pool.query<{ id: string; sha256: string }>(
        `SELECT id, sha256 FROM media_items WHERE user_id = $1 AND sha256 = ANY($2)
         UNION ALL
         SELECT m.id, c.path_hash FROM (
           SELECT media_item_id, substring(path FROM '[^/]*$') AS path_hash FROM media_copies
           WHERE kind = 'motion' AND path = ANY($3)) AS c
         JOIN media_items m ON m.id = c.media_item_id WHERE m.user_id = $1`,
        [userId, hashes, hashes.map((hash) => pathOf(userId, hash))],
      )
      return rows
    },

    /**
     * Paths of the items' files, with a picture's film after it, in the order of the ids; items of other users are left
     * out.
     */
    async originals(userId: string, ids: string[]): Promise<OriginalOfItem[]> {
      const { rows } = await pool.query<OriginalOfItem>(
        `SELECT m.id, file.path, file.name, m.media_type AS "mediaType", file.size_bytes::float8 AS "sizeBytes",
           coalesce(m.taken_at, m.created_at) AS moment
         FROM unnest($2::uuid[]) WITH ORDINALITY AS wanted (id, place) JOIN media_items m ON m.id = wanted.id,
         LATERAL (
           SELECT 1 AS part, m.path, m.original_filename AS name, m.size_bytes
           UNION ALL SELECT 2, c.path, ${motionName('m', 'c')}, c.size_bytes FROM media_copies c
             WHERE c.media_item_id = m.id AND c.kind = 'motion'
         ) AS file
         WHERE m.user_id = $1 ORDER BY wanted.place, file.part`,
        [userId, ids],
      )
      return rows
    },

    /** The user's totals, from the maintained counts and the few unfinished items. */
    async totals(userId: string): Promise<MediaTotals> {
      const ofType = (type: MediaType) =>
        `'${type}', coalesce((SELECT count FROM person_counts WHERE user_id = $1 AND subject = '${type}'), 0)`
      const { rows } = await pool.query<MediaTotals>(
        `SELECT json_build_object(${mediaTypes.map(ofType).join(', ')}) AS "byType",
           (SELECT coalesce(sum(bytes), 0)::float8 FROM person_counts WHERE user_id = $1) AS "totalBytes",
           (count(*) FILTER (WHERE processing_status <> 'failed'))::int AS processing,
           (count(*) FILTER (WHERE processing_status = 'failed'))::int AS failed
         FROM media_items WHERE user_id = $1 AND processing_status IN ('pending', 'processing', 'failed')`,
        [userId],
      )
      return rows[0] as MediaTotals
    },

    /** Counts and bytes by media type, of all items or those `among`. */
    async sizes(
      userId: string,
      among: string[] | null = null,
    ): Promise<{ mediaType: MediaType; count: number; sizeBytes: number }[]> {
      const { rows } = await pool.query<{ mediaType: MediaType; count: number; sizeBytes: number }>(
        `SELECT media_type AS "mediaType", count(*)::int AS count, sum(size_bytes)::float8 AS "sizeBytes"
         FROM media_items WHERE user_id = $1 AND ($2::uuid[] IS NULL OR id = ANY($2))
         GROUP BY media_type ORDER BY sum(size_bytes) DESC`,
        [userId, among],
      )
      return rows
    },

    /** Items in all, of the last 7 days, and of the 7 days before. */
    async countByPeriod(userId: string): Promise<{ total: number; recent: number; previous: number }> {
      const { rows } = await pool.query<{ total: number; recent: number; previous: number }>(
        `SELECT (SELECT coalesce(sum(count), 0)::int FROM person_counts WHERE user_id = $1 AND subject <> 'conversation') AS total,
           (count(*) FILTER (WHERE created_at > now() - interval '7 days'))::int AS recent,
           (count(*) FILTER (WHERE created_at <= now() - interval '7 days'))::int AS previous
         FROM media_items WHERE user_id = $1 AND created_at > now() - interval '14 days'`,
        [userId],
      )
      return rows[0] ?? { total: 0, recent: 0, previous: 0 }
    },
  }
}
