import type { ReadWord } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import {
  inTransaction,
  nothing,
  raw,
  type SqlClient,
  type SqlTransaction,
  sql,
} from '../../../platform/database/sql.ts'
import { storable, storableJson } from '../../../platform/lib/storable.ts'
import { type ItemFacts, type NewMoment, type NewPart, type Part, RunReplacedError, type StepItem } from './step.ts'

/** A stored file without a row that refers to it yet. */
export interface ReservedFile {
  path: string
  sizeBytes: number
  /** Null for the item's own file. */
  reservationId: string | null
}

/** A file that shows a picture. */
export interface StoredPicture extends ReservedFile {
  kind: 'thumbnail' | 'preview'
  contentType: string
  width: number
  height: number
}

/** A moment that a user wrote or corrected. */
export interface LockedMoment {
  id: string
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
  endSeconds: number | null
  characterOffset: number | null
  body: string
}

/** A moment with its position among the moments of its kind, and its text search configuration. */
export type PlacedMoment = NewMoment & { position: number; searchConfiguration: string }

const factColumns: Record<keyof Omit<ItemFacts, 'details'>, { column: string; type: string }> = {
  originalFilename: { column: 'original_filename', type: 'text' },
  width: { column: 'width', type: 'int' },
  height: { column: 'height', type: 'int' },
  durationSeconds: { column: 'duration_seconds', type: 'float8' },
  pageCount: { column: 'page_count', type: 'int' },
  takenAt: { column: 'found_taken_at', type: 'timestamptz' },
  takenLocal: { column: 'found_taken_local', type: 'timestamp' },
  camera: { column: 'camera', type: 'text' },
  latitude: { column: 'found_latitude', type: 'float8' },
  longitude: { column: 'found_longitude', type: 'float8' },
  thumbhash: { column: 'thumbhash', type: 'text' },
  framesCount: { column: 'frames_count', type: 'int' },
}

const importableFacts = new Set(['takenAt', 'takenLocal', 'latitude', 'longitude'])
const timeFacts = new Set(['takenAt', 'takenLocal'])

/** SQL: true when the facts only have a time from the file name, and the item already has a time. */
const KEEPS_ITEM_TIME = `(found_taken_at IS NOT NULL AND coalesce(facts -> 'details', '{}') ? 'taken_from')`

/** SQL: assigns each column its value in `facts`; columns of missing facts stay unchanged. */
const FACT_ASSIGNMENTS = Object.entries(factColumns)
  .map(([fact, { column, type }]) => {
    const isSet = `facts ? '${fact}'${timeFacts.has(fact) ? ` AND NOT ${KEEPS_ITEM_TIME}` : ''}`
    const value = `(facts ->> '${fact}')::${type}`
    // Metadata from an import stays when the file has none.
    return `${column} = CASE WHEN ${isSet} THEN ${importableFacts.has(fact) ? `coalesce(${value}, ${column})` : value} ELSE ${column} END`
  })
  .join(', ')

/** Columns updated when a part or a copy already exists. */
const partUpdate = raw(`path = excluded.path, size_bytes = excluded.size_bytes, start_seconds = excluded.start_seconds,
  width = excluded.width, height = excluded.height, words = excluded.words`)
const copyUpdate = raw(`path = excluded.path, content_type = excluded.content_type, size_bytes = excluded.size_bytes,
  width = excluded.width, height = excluded.height`)

/** Inserts moments of an item. */
const insertMoments = ({ id, userId }: StepItem, moments: PlacedMoment[]) => sql`
  INSERT INTO moments (id, media_item_id, user_id, kind, position, frame_number, page, start_seconds, end_seconds,
    character_offset, box, body, language, lang, engine, model, confidence)
  SELECT input.id, ${id}::uuid, ${userId}::uuid, input.kind, input.position, input."frameNumber", input.page, input."startSeconds",
    greatest(input."endSeconds", input."startSeconds"), input."characterOffset", nullif(input.box, 'null'), input.body, input.language,
    input."searchConfiguration"::regconfig, input.engine, input.model, least(greatest(input.confidence, 0), 1)
  FROM jsonb_to_recordset(${momentsJson(moments)}::jsonb) AS input (id uuid, kind text, position int, "frameNumber" int,
    page int, "startSeconds" float8, "endSeconds" float8, "characterOffset" int, box jsonb, body text, language text,
    "searchConfiguration" text, engine text, model text, confidence float8)`

/** Moments as insertMoments reads them. */
const momentsJson = (moments: PlacedMoment[]) =>
  JSON.stringify(storableJson(moments.map((moment) => ({ id: newId(), ...moment, box: moment.box ?? null }))))

export type ResultsStore = ReturnType<typeof createResultsStore>

/** Access to items' findings, which only the current run of a step may write. */
export function createResultsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Runs short work in a transaction that locks the item.
     * @throws RunReplacedError when it's gone, or another run has replaced this one.
     */
    withLockedItem<T>({ id, run }: StepItem, work: (tx: SqlTransaction) => Promise<T>): Promise<T> {
      return inTransaction(pool, async (tx) => {
        const { rows } = await tx.query(
          prepared(sql`
            SELECT 1 FROM media_items i JOIN media_steps s ON s.media_item_id = i.id
            WHERE i.id = ${id} AND i.user_id IS NOT NULL AND s.name = ${run.step} AND s.started_at = ${run.startedAt}
              AND s.status = 'processing' FOR NO KEY UPDATE OF i, s`),
        )
        if (rows.length === 0) throw new RunReplacedError('the item is gone, or another run has replaced this one')
        return work(tx)
      })
    },

    /** Checkpoint of a step; null when there is none, or it has the format of another version. */
    async checkpoint(itemId: string, step: string): Promise<unknown> {
      const { rows } = await pool.query<{ at: unknown }>(
        sql`SELECT checkpoint -> 'at' AS at FROM media_steps
         WHERE media_item_id = ${itemId} AND name = ${step} AND checkpoint ->> 'turns' IS NOT NULL`,
      )
      return rows[0]?.at ?? null
    },

    /**
     * Stores a checkpoint and resets the attempts, since the turn made progress. Findings of later turns, which a server of
     * another version may have stored, are removed.
     */
    async storeCheckpoint(
      tx: SqlClient,
      { id, run }: StepItem,
      checkpoint: object,
      entries: readonly object[] = [],
    ): Promise<void> {
      const added = entries.length > 0 ? 1 : 0
      const { rows } = await tx.query<{ turns: number }>(sql`
        UPDATE media_steps SET attempts = 0, checkpoint = jsonb_build_object(
          'turns', coalesce((checkpoint ->> 'turns')::int, 0) + ${added}::int,
          'at', ${JSON.stringify(storableJson(checkpoint))}::jsonb)
        WHERE media_item_id = ${id} AND name = ${run.step} RETURNING (checkpoint ->> 'turns')::int AS turns`)
      const turns = rows[0]?.turns ?? added
      await tx.query(sql`
        DELETE FROM media_turns WHERE media_item_id = ${id} AND step_name = ${run.step} AND number > ${turns - added}`)
      if (added === 0) return
      await tx.query(sql`
        INSERT INTO media_turns (media_item_id, step_name, number, found)
        VALUES (${id}, ${run.step}, ${turns}, ${JSON.stringify(storableJson(entries))}::jsonb)`)
    },

    /** Findings of all turns up to the checkpoint, in order. */
    async earlierFindings(itemId: string, step: string): Promise<unknown[]> {
      const { rows } = await pool.query<{ found: unknown[] }>(
        sql`SELECT t.found FROM media_steps s JOIN media_turns t ON t.media_item_id = s.media_item_id AND t.step_name = s.name
         WHERE s.media_item_id = ${itemId} AND s.name = ${step} AND t.number <= (s.checkpoint ->> 'turns')::int
           ORDER BY t.number`,
      )
      return rows.flatMap(({ found }) => found)
    },

    /** Updates an item's facts. */
    async describe(tx: SqlClient, id: string, facts: ItemFacts): Promise<void> {
      await tx.query(
        prepared(sql`
          UPDATE media_items SET updated_at = now(), details = CASE WHEN ${raw(KEEPS_ITEM_TIME)}
              THEN details || ((facts -> 'details') - 'taken_from')
              ELSE (CASE WHEN facts ->> 'takenAt' IS NOT NULL THEN details - 'taken_from' ELSE details END)
                || coalesce(facts -> 'details', '{}') END,
            ${raw(FACT_ASSIGNMENTS)}
          FROM (SELECT ${JSON.stringify(storableJson(facts))}::jsonb AS facts) input WHERE id = ${id}`),
      )
    },

    /** Replaces a part, releases the reservation of its file, and removes the vectors of the old picture. */
    async putPart(
      tx: SqlClient,
      item: StepItem,
      part: NewPart,
      { path, sizeBytes, reservationId }: ReservedFile,
    ): Promise<void> {
      const { kind, number, startSeconds = null, thumbnail, words = [] } = part
      const { width, height } = thumbnail
      await tx.query(
        prepared(sql`
          WITH released AS (DELETE FROM loose_files WHERE id = ${reservationId}),
          stale_vectors AS (
            DELETE FROM part_embeddings e USING media_parts p
            WHERE e.part_id = p.id AND p.media_item_id = ${item.id} AND p.kind = ${kind} AND p.number = ${number})
          INSERT INTO media_parts (id, media_item_id, user_id, kind, number, path, size_bytes, start_seconds, width,
            height, words)
          VALUES (${newId()}, ${item.id}, ${item.userId}, ${kind}, ${number}, ${path}, ${sizeBytes}, ${startSeconds},
            ${width}, ${height}, ${JSON.stringify(storableJson(words))})
          ON CONFLICT (media_item_id, kind, number) DO UPDATE SET ${partUpdate}`),
      )
    },

    async removePartsAfter(tx: SqlClient, itemId: string, kind: NewPart['kind'], last: number): Promise<void> {
      await tx.query(
        sql`DELETE FROM media_parts WHERE media_item_id = ${itemId} AND kind = ${kind} AND number > ${last}`,
      )
    },

    async parts(itemId: string, kind: NewPart['kind']): Promise<Part[]> {
      const { rows } = await pool.query<Part>(
        sql`SELECT id, kind, number, start_seconds AS "startSeconds", path, width, height
         FROM media_parts WHERE media_item_id = ${itemId} AND kind = ${kind} ORDER BY number`,
      )
      return rows
    },

    async setWords(
      tx: SqlClient,
      itemId: string,
      kind: NewPart['kind'],
      number: number,
      words: ReadWord[],
    ): Promise<void> {
      await tx.query(sql`
        UPDATE media_parts SET words = ${JSON.stringify(storableJson(words))}
        WHERE media_item_id = ${itemId} AND kind = ${kind} AND number = ${number}`)
    },

    /** Replaces a copy and releases the reservation of its file. */
    async putCopy(
      tx: SqlClient,
      itemId: string,
      kind: 'thumbnail' | 'preview' | 'motion_preview',
      {
        path,
        sizeBytes,
        reservationId,
        ...copy
      }: ReservedFile & { contentType: string; width?: number; height?: number },
    ): Promise<void> {
      const { contentType, width = null, height = null } = copy
      await tx.query(
        prepared(sql`
          WITH released AS (DELETE FROM loose_files WHERE id = ${reservationId})
          INSERT INTO media_copies (media_item_id, kind, path, content_type, size_bytes, width, height)
          VALUES (${itemId}, ${kind}, ${path}, ${contentType}, ${sizeBytes}, ${width}, ${height})
          ON CONFLICT (media_item_id, kind) DO UPDATE SET ${copyUpdate}`),
      )
    },

    /**
     * Replaces a picture's display files and releases the reservations of these files.
     * @param thumbnail one of the copies, and the only part.
     */
    async putPicture(tx: SqlClient, item: StepItem, thumbnail: StoredPicture, copies: StoredPicture[]): Promise<void> {
      const { path, sizeBytes, width, height } = thumbnail
      const reservationIds = copies.flatMap(({ reservationId }) => reservationId ?? [])
      await tx.query(
        prepared(sql`
          WITH released AS (DELETE FROM loose_files WHERE id = ANY(${reservationIds}::uuid[])),
          stale_vectors AS (
            DELETE FROM part_embeddings e USING media_parts p
            WHERE e.part_id = p.id AND p.media_item_id = ${item.id}::uuid AND p.kind = 'picture' AND p.number = 1),
          copied AS (
            INSERT INTO media_copies (media_item_id, kind, path, content_type, size_bytes, width, height)
            SELECT ${item.id}::uuid, input.kind, input.path, input."contentType", input."sizeBytes", input.width, input.height
            FROM jsonb_to_recordset(${JSON.stringify(copies)}::jsonb)
              AS input (kind text, path text, "contentType" text, "sizeBytes" bigint, width int, height int)
            ON CONFLICT (media_item_id, kind) DO UPDATE SET ${copyUpdate})
          INSERT INTO media_parts (id, media_item_id, user_id, kind, number, path, size_bytes, width, height, words)
          VALUES (${newId()}, ${item.id}::uuid, ${item.userId}, 'picture', 1, ${path}, ${sizeBytes}, ${width}, ${height}, '[]')
          ON CONFLICT (media_item_id, kind, number) DO UPDATE SET ${partUpdate}`),
      )
    },

    /** Releases reserved files that no row will refer to; they're deleted soon. */
    async release(reservationIds: string[]): Promise<void> {
      await pool.query(sql`UPDATE loose_files SET due_at = now() WHERE id = ANY(${reservationIds}::uuid[])`)
    },

    async lockedMoments(tx: SqlClient, itemId: string, kind: NewMoment['kind']): Promise<LockedMoment[]> {
      const { rows } = await tx.query<LockedMoment>(
        prepared(sql`
          SELECT id, frame_number AS "frameNumber", page, start_seconds AS "startSeconds", end_seconds AS "endSeconds",
            character_offset AS "characterOffset", body
          FROM moments WHERE media_item_id = ${itemId} AND kind = ${kind} AND locked_at IS NOT NULL ORDER BY position`),
      )
      return rows
    },

    /** Removes those of the moments that the user hasn't corrected. */
    async removeMoments(tx: SqlClient, ids: string[]): Promise<void> {
      await tx.query(sql`DELETE FROM moments WHERE id = ANY(${ids}::uuid[]) AND locked_at IS NULL`)
    },

    /** Removes uncorrected moments of pages; null stands for the whole item. */
    async removeMomentsAt(
      tx: SqlClient,
      itemId: string,
      kind: NewMoment['kind'],
      locations: (number | null)[],
    ): Promise<void> {
      if (locations.length === 0) return
      const pages = locations.filter((page) => page !== null)
      await tx.query(sql`
        DELETE FROM moments WHERE media_item_id = ${itemId} AND kind = ${kind} AND locked_at IS NULL
          AND (page = ANY(${pages}::int[]) ${locations.includes(null) ? sql`OR page IS NULL` : nothing})`)
    },

    async uncorrectedMoments(
      tx: SqlClient,
      itemId: string,
      kind: NewMoment['kind'],
    ): Promise<{ id: string; position: number }[]> {
      const { rows } = await tx.query<{ id: string; position: number }>(
        sql`SELECT id, position FROM moments WHERE media_item_id = ${itemId} AND kind = ${kind} AND locked_at IS NULL`,
      )
      return rows
    },

    /** Position after the last moment of a kind. */
    async nextPosition(tx: SqlClient, itemId: string, kind: NewMoment['kind']): Promise<number> {
      const { rows } = await tx.query<{ end: number }>(
        sql`SELECT coalesce(max(position) + 1, 0) AS end FROM moments WHERE media_item_id = ${itemId} AND kind = ${kind}`,
      )
      return rows[0]?.end ?? 0
    },

    async addMoments(tx: SqlClient, item: StepItem, moments: PlacedMoment[]): Promise<void> {
      await tx.query(prepared(insertMoments(item, moments)))
    },

    /** Replaces the uncorrected moments of a kind, and the item's text that is combined from them. */
    async replaceMoments(
      tx: SqlClient,
      item: StepItem,
      kind: NewMoment['kind'],
      moments: PlacedMoment[],
      text: string | null,
    ): Promise<void> {
      const stored = text && storable(text)
      await tx.query(
        prepared(sql`
          WITH deleted AS (
            DELETE FROM moments WHERE media_item_id = ${item.id} AND kind = ${kind} AND locked_at IS NULL
          ), updated AS (
            UPDATE media_items SET updated_at = now(),
              caption = CASE ${kind}::text WHEN 'caption' THEN ${stored} ELSE caption END,
              extracted_text = CASE ${kind}::text WHEN 'text' THEN ${stored} ELSE extracted_text END,
              transcription = CASE ${kind}::text WHEN 'speech' THEN ${stored} ELSE transcription END
            WHERE id = ${item.id}
          )
          ${insertMoments(item, moments)}`),
      )
    },

    /** Replaces the names, which have neither corrections nor a text of the whole item. */
    async replaceNames(tx: SqlClient, item: StepItem, moments: PlacedMoment[]): Promise<void> {
      await tx.query(
        prepared(sql`
          WITH deleted AS (DELETE FROM moments WHERE media_item_id = ${item.id} AND kind = 'name')
          ${insertMoments(item, moments)}`),
      )
    },

    /** Stores the item's text that is combined from the moments of a kind. */
    async setRollUp(tx: SqlClient, itemId: string, kind: NewMoment['kind'], text: string | null): Promise<void> {
      const column = { caption: 'caption', text: 'extracted_text', speech: 'transcription', name: null }[kind]
      if (column === null) return
      await tx.query(sql`
        UPDATE media_items SET ${raw(column)} = ${text && storable(text)}, updated_at = now() WHERE id = ${itemId}`)
    },

    /** Updates positions of existing moments. */
    async moveMoments(tx: SqlClient, placed: { id: string; position: number }[]): Promise<void> {
      if (placed.length === 0) return
      await tx.query(sql`UPDATE moments SET position = input.position
               FROM jsonb_to_recordset(${JSON.stringify(placed)}::jsonb) AS input (id uuid, position int) WHERE moments.id = input.id`)
    },
  }
}
