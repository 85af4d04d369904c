import { type MediaType, mediaTypes, type ProcessingStatus, TAG_MAX_CHARACTERS } from '@mira/shared'
import { cutText } from '@mira/shared/constants/cut-text'
import { type ActivityRecord, insertActivitySql } from '../../../platform/database/activity.ts'
import type { Database } from '../../../platform/database/client.ts'
import { lockedInOrder } from '../../../platform/database/locked-in-order.ts'
import { motionName } from '../../../platform/database/motion-name.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { forgetItemsCtes } from '../../../platform/database/own-items.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import {
  inTransaction,
  join,
  raw,
  type SqlClient,
  type SqlTransaction,
  sql,
  sqlOf,
  type Transaction,
} from '../../../platform/database/sql.ts'
import { lockPath } from '../../../platform/database/unreferenced-files.ts'
import { storable } from '../../../platform/lib/storable.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { newStepColumns, newSteps, newStepTypes } from '../pipeline/plan.ts'
import { RESTORE_ASSIGNMENTS } from '../trash/trash.store.ts'
import { type ItemSelection, selectionFilters } from './library.store.ts'

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
  /** Options chosen by the user; undefined for the defaults. */
  keepsLocation?: boolean
  wantsCaption?: boolean
  wantsText?: boolean
  /** Id of the file's row in `loose_files`, removed once the item refers to the file. */
  reservationId?: string
  /** Activity to record for a new item. */
  activity?: Omit<ActivityRecord, 'userId' | 'subjectId'>
}

/** Source of an item that isn't an uploaded file. */
export type ItemSource =
  | { kind: 'note' }
  /** `charset` is the encoding from the HTTP response, which the stored file may not declare. */
  | { kind: 'page'; url: string; charset: string | null }

/**
 * Maximum number of tags per item. More are refused; in imports and when a video is merged into a live photo, where the
 * user can't be asked, they're dropped.
 */
export const MAX_TAGS = 100

/** Attempts to add an item: a second one is needed when an existing item is deleted before it's read. */
const MAX_ATTEMPTS = 2

/** Original file of an item. */
interface OriginalOfItem {
  id: string
  path: string
  name: string
  mediaType: MediaType
  sizeBytes: number
  /** Time when the item was taken, or added if that's unknown. */
  moment: Date
}

interface MediaTotals {
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

/** Names from another program as tags, within the limits of tags. */
export function tagsOf(names: string[]): string[] {
  const tags = names.map((name) =>
    cutText(storable(name).normalize('NFC').replace(/\s+/g, ' '), TAG_MAX_CHARACTERS).trim(),
  )
  return [...new Set(tags)].filter((tag) => tag !== '').slice(0, MAX_TAGS)
}

export type MediaStore = ReturnType<typeof createMediaStore>

/** Access to media items; all queries are limited to one user. */
export function createMediaStore({ pool }: Pick<Database, 'pool'>, pathOf: Files['pathOf']) {
  return {
    transaction: <T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> => inTransaction(pool, work),

    /** Adds an item with its steps; returns the existing item when the user already has the content. */
    async add(userId: string, item: NewMediaItem, tx: Transaction): Promise<AddedItem> {
      const client = sqlOf(tx)
      const id = newId()
      const {
        keepsLocation = false,
        wantsCaption = true,
        wantsText = true,
        reservationId = null,
        activity,
        source,
      } = item
      const steps = newSteps({ mediaType: item.mediaType, wantsCaption, wantsText })
      const activityRecord = activity ? { ...activity, userId, subjectId: id } : null
      const details = source?.kind === 'page' && source.charset !== null ? { charset: source.charset } : {}
      const isMotion = sql`path = ${item.path}::text AND kind = 'motion'`
      // Restores an item with the same content from the trash.
      const addItem = prepared(sql`
        WITH restored AS (
          UPDATE media_items SET ${raw(RESTORE_ASSIGNMENTS)} WHERE trashed_from = ${userId}::uuid
            AND (sha256 = ${item.sha256} OR id IN (SELECT media_item_id FROM media_copies WHERE ${isMotion}))
          RETURNING id, processing_status AS status
        ), added AS (
          INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes,
            width, height, keeps_place, wants_caption, wants_text, source_kind, source_url, details)
          SELECT ${id}::uuid, ${userId}::uuid, ${item.mediaType}, ${item.sha256}, ${item.path}::text,
            ${item.originalFilename}, ${item.contentType}, ${item.sizeBytes}::bigint, ${item.width}::int,
            ${item.height}::int, ${keepsLocation}::boolean, ${wantsCaption}::boolean, ${wantsText}::boolean,
            ${source?.kind ?? null}, ${source?.kind === 'page' ? source.url : null}, ${JSON.stringify(details)}::jsonb
          WHERE NOT EXISTS (SELECT FROM restored) AND NOT EXISTS (SELECT FROM media_copies WHERE ${isMotion})
          ON CONFLICT DO NOTHING RETURNING id
        ), planned AS (
          INSERT INTO media_steps (media_item_id, ${raw(newStepColumns)})
          SELECT added.id, g.* FROM added, jsonb_to_recordset(${JSON.stringify(steps)}::jsonb) AS g (${raw(newStepTypes)})
        ), released AS (DELETE FROM loose_files WHERE id = ${reservationId}::uuid),
        recorded AS (
          ${insertActivitySql(activityRecord)} WHERE ${activityRecord !== null}::boolean AND EXISTS (SELECT FROM added)
        )
        SELECT id, NULL AS "statusBefore" FROM added UNION ALL SELECT id, status FROM restored`)
      // Waits while this video is being merged into a live photo.
      if (item.mediaType === 'video') await client.query(lockPath(item.path))
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const { rows: added } = await client.query<{ id: string; statusBefore: ProcessingStatus | null }>(addItem)
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
        const { rows } = await client.query<{ id: string; status: ProcessingStatus }>(sql`
          SELECT id, processing_status AS status FROM media_items WHERE user_id = ${userId}::uuid
            AND (sha256 = ${item.sha256} OR id IN (SELECT media_item_id FROM media_copies WHERE ${isMotion})) LIMIT 1`)
        const [existing] = rows
        if (existing !== undefined) {
          return { id: existing.id, isNew: false, isRestored: false, wasFailed: existing.status === 'failed' }
        }
      }
      throw new Error('an item could neither be added nor found')
    },

    /** Stores metadata from an item's source. */
    async setMetadata(
      tx: SqlClient,
      id: string,
      facts: {
        takenAt: string | null
        takenLocal: string | null
        latitude: number | null
        longitude: number | null
        tags: string[]
      },
    ): Promise<void> {
      await tx.query(sql`
        UPDATE media_items SET found_taken_at = ${facts.takenAt}::timestamptz,
          found_taken_local = ${facts.takenLocal}::timestamp, found_latitude = ${facts.latitude}::float8,
          found_longitude = ${facts.longitude}::float8, tags = ${tagsOf(facts.tags)}::text[]
        WHERE id = ${id}::uuid`)
    },

    /**
     * Deletes a user's items, including those in the trash; with `section`, only those. Also removes their notifications
     * and the details of their activities.
     * @returns the deleted ids.
     */
    async remove(userId: string, ids: string[], section?: 'trash'): Promise<string[]> {
      const isOwn = section === 'trash' ? sql`trashed_from = ${userId}` : sql`${userId} IN (user_id, trashed_from)`
      const { rows } = await pool.query<{ id: string }>(
        sql`WITH deleted AS (
           DELETE FROM media_items WHERE id IN (${lockedInOrder('media_items', ids, isOwn)}) RETURNING id
         ), ${forgetItemsCtes(userId, 'deleted')}
         SELECT id FROM deleted`,
      )
      return rows.map(({ id }) => id)
    },

    /**
     * Adds and removes tags of a user's items.
     * @returns the changed ids; none is changed when one of the items would have too many.
     */
    async tag(
      userId: string,
      ids: string[],
      { add, remove }: { add: string[]; remove: string[] },
    ): Promise<string[] | 'too-many-tags'> {
      const { rows } = await pool.query<{ ids: string[]; isTooMany: boolean }>(
        sql`WITH wanted AS (
           SELECT old.id, old.tags AS old_tags, kept.tags FROM (
             SELECT id, tags FROM media_items WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[])
             ORDER BY id FOR NO KEY UPDATE
           ) AS old, LATERAL (
             SELECT coalesce(array_agg(tag ORDER BY position), '{}') AS tags FROM (
               SELECT tag, min(position) AS position FROM unnest(old.tags || ${add}::text[]) WITH ORDINALITY AS tags (tag, position)
               WHERE tag <> ALL(${remove}::text[]) GROUP BY tag
             ) AS each_once
           ) AS kept
         ), too_many AS (
           SELECT FROM wanted WHERE cardinality(tags) > greatest(cardinality(old_tags), ${raw(MAX_TAGS)})
         ), changed AS (
           UPDATE media_items m SET tags = wanted.tags, updated_at = now() FROM wanted
           WHERE m.id = wanted.id AND wanted.tags <> wanted.old_tags AND NOT EXISTS (SELECT FROM too_many)
           RETURNING m.id
         )
         SELECT EXISTS (SELECT FROM too_many) AS "isTooMany", ARRAY(SELECT id FROM changed) AS ids`,
      )
      const [outcome] = rows
      return outcome?.isTooMany ? 'too-many-tags' : (outcome?.ids ?? [])
    },

    /** Items of a user with one of these hashes. */
    async findByHashes(userId: string, hashes: string[]): Promise<{ id: string; sha256: string }[]> {
      const { rows } = await pool.query<{ id: string; sha256: string }>(
        sql`SELECT id, sha256 FROM media_items WHERE user_id = ${userId} AND sha256 = ANY(${hashes})
         UNION ALL
         SELECT m.id, c.path_hash FROM (
           SELECT media_item_id, substring(path FROM '[^/]*$') AS path_hash FROM media_copies
           WHERE kind = 'motion' AND path = ANY(${hashes.map((hash) => pathOf(userId, hash))})) AS c
         JOIN media_items m ON m.id = c.media_item_id WHERE m.user_id = ${userId}`,
      )
      return rows
    },

    /**
     * Files of items in the order of the ids, each picture's video after it; items of other users are left
     * out.
     */
    async originals(userId: string, ids: string[]): Promise<OriginalOfItem[]> {
      const { rows } = await pool.query<OriginalOfItem>(
        sql`SELECT m.id, file.path, file.name, m.media_type AS "mediaType", file.size_bytes::float8 AS "sizeBytes",
           coalesce(m.taken_at, m.created_at) AS moment
         FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS wanted (id, position) JOIN media_items m ON m.id = wanted.id,
         LATERAL (
           SELECT 1 AS part, m.path, m.original_filename AS name, m.size_bytes
           UNION ALL SELECT 2, c.path, ${raw(motionName('m', 'c'))}, c.size_bytes FROM media_copies c
             WHERE c.media_item_id = m.id AND c.kind = 'motion'
         ) AS file
         WHERE m.user_id = ${userId} ORDER BY wanted.position, file.part`,
      )
      return rows
    },

    /** The user's totals, from the maintained counts and the few unfinished items. */
    async totals(userId: string): Promise<MediaTotals> {
      const ofType = (type: MediaType) =>
        sql`${type}::text, coalesce((SELECT count FROM person_counts WHERE user_id = ${userId} AND subject = ${type}), 0)`
      const { rows } = await pool.query<MediaTotals>(
        sql`SELECT json_build_object(${join(mediaTypes.map(ofType))}) AS "byType",
           (SELECT coalesce(sum(bytes), 0)::float8 FROM person_counts WHERE user_id = ${userId}) AS "totalBytes",
           (count(*) FILTER (WHERE processing_status <> 'failed'))::int AS processing,
           (count(*) FILTER (WHERE processing_status = 'failed'))::int AS failed
         FROM media_items WHERE user_id = ${userId} AND processing_status IN ('pending', 'processing', 'failed')`,
      )
      return rows[0] as MediaTotals
    },

    /** Counts and bytes by media type. */
    async sizes(
      userId: string,
      selection: ItemSelection,
    ): Promise<{ mediaType: MediaType; count: number; sizeBytes: number }[]> {
      const { rows } = await pool.query<{ mediaType: MediaType; count: number; sizeBytes: number }>(
        sql`SELECT media_type AS "mediaType", count(*)::int AS count, sum(size_bytes)::float8 AS "sizeBytes"
         FROM media_items m WHERE ${join([sql`m.user_id = ${userId}`, ...selectionFilters(selection)], ' AND ')}
         GROUP BY media_type ORDER BY sum(size_bytes) DESC`,
      )
      return rows
    },

    /** Number of items in total, of the last 7 days, and of the 7 days before. */
    async countByPeriod(userId: string): Promise<{ total: number; recent: number; previous: number }> {
      const { rows } = await pool.query<{ total: number; recent: number; previous: number }>(
        sql`SELECT (SELECT coalesce(sum(count), 0)::int FROM person_counts WHERE user_id = ${userId}
          AND subject <> 'conversation') AS total,
           (count(*) FILTER (WHERE created_at > now() - interval '7 days'))::int AS recent,
           (count(*) FILTER (WHERE created_at <= now() - interval '7 days'))::int AS previous
         FROM media_items WHERE user_id = ${userId} AND created_at > now() - interval '14 days'`,
      )
      return rows[0] ?? { total: 0, recent: 0, previous: 0 }
    },
  }
}
