import type { ReadWord } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { inTransaction, type Sql, type SqlTransaction } from '../../../platform/database/sql.ts'
import { storable, storableJson } from '../../../platform/lib/storable.ts'
import { type ItemFacts, type NewMoment, type NewPart, OvertakenError, type Part, type StepItem } from './step.ts'

/** A stored file without a row that refers to it yet. */
export interface KeptFile {
  path: string
  sizeBytes: number
  /** Null for the item's own file. */
  holdId: string | null
}

/** A file that shows a picture. */
export interface StoredPicture extends KeptFile {
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

/** A moment with its position among its kind, and its text search configuration. */
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

const toldElsewhere = new Set(['takenAt', 'takenLocal', 'latitude', 'longitude'])
const ofTime = new Set(['takenAt', 'takenLocal'])

/** SQL: true if the facts only have the time from the file name, and the item has one already. */
const HAS_BETTER_TIME = `(found_taken_at IS NOT NULL AND coalesce($2::jsonb -> 'details', '{}') ? 'taken_from')`

/** Updates an item; fields that aren't among the facts stay unchanged. */
const describe = prepared(
  `UPDATE media_items SET updated_at = now(), details = CASE WHEN ${HAS_BETTER_TIME}
     THEN details || (($2::jsonb -> 'details') - 'taken_from')
     ELSE (CASE WHEN $2::jsonb ->> 'takenAt' IS NOT NULL THEN details - 'taken_from' ELSE details END)
       || coalesce($2::jsonb -> 'details', '{}') END,
   ${Object.entries(factColumns)
     .map(
       ([fact, { column, type }]) =>
         // metadata from an import stays when the file has none
         `${column} = CASE WHEN $2 ? '${fact}'${ofTime.has(fact) ? ` AND NOT ${HAS_BETTER_TIME}` : ''} THEN ${toldElsewhere.has(fact) ? `coalesce(($2 ->> '${fact}')::${type}, ${column})` : `($2 ->> '${fact}')::${type}`} ELSE ${column} END`,
     )
     .join(', ')}
   WHERE id = $1`,
)

const lockRun = prepared(
  `SELECT 1 FROM media_items i JOIN media_steps s ON s.media_item_id = i.id
   WHERE i.id = $1 AND i.user_id IS NOT NULL AND s.name = $2 AND s.started_at = $3 AND s.status = 'processing' FOR NO KEY UPDATE OF i, s`,
)

/** Updates of an existing part, and of an existing copy. */
const partAgain = `path = excluded.path, size_bytes = excluded.size_bytes, start_seconds = excluded.start_seconds,
  width = excluded.width, height = excluded.height, words = excluded.words`
const copyAgain = `path = excluded.path, content_type = excluded.content_type, size_bytes = excluded.size_bytes,
  width = excluded.width, height = excluded.height`

/** Replaces a part and removes the vectors of the old picture. */
const putPart = prepared(
  `WITH let_go AS (DELETE FROM loose_files WHERE id = $1),
   forgotten AS (
     DELETE FROM part_embeddings e USING media_parts p
     WHERE e.part_id = p.id AND p.media_item_id = $3 AND p.kind = $5 AND p.number = $6)
   INSERT INTO media_parts (id, media_item_id, user_id, kind, number, path, size_bytes, start_seconds, width, height, words)
   VALUES ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
   ON CONFLICT (media_item_id, kind, number) DO UPDATE SET ${partAgain}`,
)

const putCopy = prepared(
  `WITH let_go AS (DELETE FROM loose_files WHERE id = $1)
   INSERT INTO media_copies (media_item_id, kind, path, content_type, size_bytes, width, height)
   VALUES ($2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (media_item_id, kind) DO UPDATE SET ${copyAgain}`,
)

/** Stores a picture's only part, and its copies for display as JSON. */
const putPicture = prepared(
  `WITH let_go AS (DELETE FROM loose_files WHERE id = ANY($1::uuid[])),
   forgotten AS (
     DELETE FROM part_embeddings e USING media_parts p
     WHERE e.part_id = p.id AND p.media_item_id = $3::uuid AND p.kind = 'picture' AND p.number = 1),
   copied AS (
     INSERT INTO media_copies (media_item_id, kind, path, content_type, size_bytes, width, height)
     SELECT $3::uuid, g.kind, g.path, g."contentType", g."sizeBytes", g.width, g.height
     FROM jsonb_to_recordset($9::jsonb)
       AS g (kind text, path text, "contentType" text, "sizeBytes" bigint, width int, height int)
     ON CONFLICT (media_item_id, kind) DO UPDATE SET ${copyAgain})
   INSERT INTO media_parts (id, media_item_id, user_id, kind, number, path, size_bytes, width, height, words)
   VALUES ($2, $3::uuid, $4, 'picture', 1, $5, $6, $7, $8, '[]')
   ON CONFLICT (media_item_id, kind, number) DO UPDATE SET ${partAgain}`,
)

const lockedMoments = prepared(
  `SELECT id, frame_number AS "frameNumber", page, start_seconds AS "startSeconds", end_seconds AS "endSeconds",
     character_offset AS "characterOffset", body
   FROM moments WHERE media_item_id = $1 AND kind = $2 AND locked_at IS NOT NULL ORDER BY position`,
)

/** Inserts moments of the item $1 of the user $2 from the JSON $3. */
const insertMoments = `
  INSERT INTO moments (id, media_item_id, user_id, kind, position, frame_number, page, start_seconds, end_seconds,
    character_offset, box, body, language, lang, engine, model, confidence)
  SELECT g.id, $1::uuid, $2::uuid, g.kind, g.position, g."frameNumber", g.page, g."startSeconds",
    greatest(g."endSeconds", g."startSeconds"), g."characterOffset", nullif(g.box, 'null'), g.body, g.language,
    g."searchConfiguration"::regconfig, g.engine, g.model, least(greatest(g.confidence, 0), 1)
  FROM jsonb_to_recordset($3::jsonb) AS g (id uuid, kind text, position int, "frameNumber" int, page int,
    "startSeconds" float8, "endSeconds" float8, "characterOffset" int, box jsonb, body text, language text,
    "searchConfiguration" text, engine text, model text, confidence float8)`
const addMoments = prepared(insertMoments)

/** Updates the item's own text $5 of the kind of moments $4. */
const rollUp = `UPDATE media_items SET updated_at = now(),
  caption = CASE $4 WHEN 'caption' THEN $5 ELSE caption END,
  extracted_text = CASE $4 WHEN 'text' THEN $5 ELSE extracted_text END,
  transcription = CASE $4 WHEN 'speech' THEN $5 ELSE transcription END WHERE id = $1`

const replaceMoments = prepared(
  `WITH gone AS (DELETE FROM moments WHERE media_item_id = $1 AND kind = $4 AND locked_at IS NULL), told AS (${rollUp})
   ${insertMoments}`,
)
/** Names have no corrections, and no text of the whole item. */
const replaceNames = prepared(
  `WITH gone AS (DELETE FROM moments WHERE media_item_id = $1 AND kind = 'name') ${insertMoments}`,
)

/** Moments as the statements above read them. */
const momentsJson = (moments: PlacedMoment[]) =>
  JSON.stringify(storableJson(moments.map((moment) => ({ id: newId(), ...moment, box: moment.box ?? null }))))

export type ResultsStore = ReturnType<typeof createResultsStore>

/** Access to the findings in items; only the current run of a step may write them. */
export function createResultsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Runs short work while the item is locked.
     * @throws OvertakenError when it's gone, or another run has replaced this one.
     */
    write<T>({ id, run }: StepItem, work: (sql: SqlTransaction) => Promise<T>): Promise<T> {
      return inTransaction(pool, async (sql) => {
        const { rows } = await sql.query(lockRun([id, run.step, run.startedAt]))
        if (rows.length === 0) throw new OvertakenError('the item is gone, or another run does this')
        return work(sql)
      })
    },

    /** Null for a checkpoint in another version's format. */
    async checkpoint(itemId: string, step: string): Promise<unknown> {
      const { rows } = await pool.query<{ at: unknown }>(
        `SELECT checkpoint -> 'at' AS at FROM media_steps
         WHERE media_item_id = $1 AND name = $2 AND checkpoint ->> 'turns' IS NOT NULL`,
        [itemId, step],
      )
      return rows[0]?.at ?? null
    },

    /**
     * Resets the attempts, as a turn that made progress doesn't count. Findings beyond the checkpoint, of another version's
     * server, are removed.
     */
    async keepCheckpoint(
      sql: Sql,
      { id, run }: StepItem,
      checkpoint: object,
      entries: readonly object[] = [],
    ): Promise<void> {
      const key = [id, run.step]
      const added = entries.length > 0 ? 1 : 0
      const { rows } = await sql.query<{ turns: number }>({
        text: `UPDATE media_steps SET attempts = 0, checkpoint =
                 jsonb_build_object('turns', coalesce((checkpoint ->> 'turns')::int, 0) + $4::int, 'at', $3::jsonb)
               WHERE media_item_id = $1 AND name = $2 RETURNING (checkpoint ->> 'turns')::int AS turns`,
        values: [...key, JSON.stringify(storableJson(checkpoint)), added],
      })
      const turns = rows[0]?.turns ?? added
      const others = 'DELETE FROM media_turns WHERE media_item_id = $1 AND step_name = $2 AND number > $3'
      await sql.query({ text: others, values: [...key, turns - added] })
      if (added === 0) return
      const add = 'INSERT INTO media_turns (media_item_id, step_name, number, found) VALUES ($1, $2, $3, $4::jsonb)'
      await sql.query({ text: add, values: [...key, turns, JSON.stringify(storableJson(entries))] })
    },

    async foundBefore(itemId: string, step: string): Promise<unknown[]> {
      const { rows } = await pool.query<{ found: unknown[] }>(
        `SELECT t.found FROM media_steps s JOIN media_turns t ON t.media_item_id = s.media_item_id AND t.step_name = s.name
         WHERE s.media_item_id = $1 AND s.name = $2 AND t.number <= (s.checkpoint ->> 'turns')::int ORDER BY t.number`,
        [itemId, step],
      )
      return rows.flatMap(({ found }) => found)
    },

    async describe(sql: Sql, id: string, facts: ItemFacts): Promise<void> {
      await sql.query(describe([id, JSON.stringify(storableJson(facts))]))
    },

    /** Replaces a part and releases the hold of its file. */
    async putPart(sql: Sql, item: StepItem, part: NewPart, { path, sizeBytes, holdId }: KeptFile): Promise<void> {
      const { kind, number, startSeconds = null, thumbnail, words = [] } = part
      const { width, height } = thumbnail
      const json = JSON.stringify(storableJson(words))
      const values = [kind, number, path, sizeBytes, startSeconds, width, height, json]
      await sql.query(putPart([holdId, newId(), item.id, item.userId, ...values]))
    },

    async removePartsAfter(sql: Sql, itemId: string, kind: NewPart['kind'], last: number): Promise<void> {
      const text = 'DELETE FROM media_parts WHERE media_item_id = $1 AND kind = $2 AND number > $3'
      await sql.query({ text, values: [itemId, kind, last] })
    },

    async parts(itemId: string, kind: NewPart['kind']): Promise<Part[]> {
      const { rows } = await pool.query<Part>(
        `SELECT id, kind, number, start_seconds AS "startSeconds", path, width, height
         FROM media_parts WHERE media_item_id = $1 AND kind = $2 ORDER BY number`,
        [itemId, kind],
      )
      return rows
    },

    async setWords(sql: Sql, itemId: string, kind: NewPart['kind'], number: number, words: ReadWord[]): Promise<void> {
      const text = 'UPDATE media_parts SET words = $4 WHERE media_item_id = $1 AND kind = $2 AND number = $3'
      await sql.query({ text, values: [itemId, kind, number, JSON.stringify(storableJson(words))] })
    },

    /** Replaces a copy and releases the hold of its file. */
    async putCopy(
      sql: Sql,
      itemId: string,
      kind: 'thumbnail' | 'preview' | 'motion_preview',
      { path, sizeBytes, holdId, ...copy }: KeptFile & { contentType: string; width?: number; height?: number },
    ): Promise<void> {
      const { contentType, width = null, height = null } = copy
      await sql.query(putCopy([holdId, itemId, kind, path, contentType, sizeBytes, width, height]))
    },

    /** Replaces a picture's display files and releases their holds. @param thumbnail one of the copies, and the only part. */
    async putPicture(sql: Sql, item: StepItem, thumbnail: StoredPicture, copies: StoredPicture[]): Promise<void> {
      const { path, sizeBytes, width, height } = thumbnail
      const holdIds = copies.flatMap(({ holdId }) => holdId ?? [])
      const part = [newId(), item.id, item.userId, path, sizeBytes, width, height]
      await sql.query(putPicture([holdIds, ...part, JSON.stringify(copies)]))
    },

    /** Releases held files that no row will refer to; they're deleted soon. */
    async letGo(holdIds: string[]): Promise<void> {
      await pool.query('UPDATE loose_files SET due_at = now() WHERE id = ANY($1::uuid[])', [holdIds])
    },

    async lockedMoments(sql: Sql, itemId: string, kind: NewMoment['kind']): Promise<LockedMoment[]> {
      const { rows } = await sql.query<LockedMoment>(lockedMoments([itemId, kind]))
      return rows
    },

    /** Removes uncorrected moments among these. */
    async removeMoments(sql: Sql, ids: string[]): Promise<void> {
      const text = 'DELETE FROM moments WHERE id = ANY($1::uuid[]) AND locked_at IS NULL'
      await sql.query({ text, values: [ids] })
    },

    /** Removes uncorrected moments at pages; null means the whole item. */
    async removeMomentsAt(sql: Sql, itemId: string, kind: NewMoment['kind'], places: (number | null)[]): Promise<void> {
      if (places.length === 0) return
      const isThere = places.includes(null) ? '(page = ANY($3::int[]) OR page IS NULL)' : 'page = ANY($3::int[])'
      const text = `DELETE FROM moments WHERE media_item_id = $1 AND kind = $2 AND locked_at IS NULL AND ${isThere}`
      await sql.query({ text, values: [itemId, kind, places.filter((place) => place !== null)] })
    },

    /** Uncorrected moments of a kind. */
    async untouchedMoments(
      sql: Sql,
      itemId: string,
      kind: NewMoment['kind'],
    ): Promise<{ id: string; position: number }[]> {
      const { rows } = await sql.query<{ id: string; position: number }>({
        text: 'SELECT id, position FROM moments WHERE media_item_id = $1 AND kind = $2 AND locked_at IS NULL',
        values: [itemId, kind],
      })
      return rows
    },

    /** Position after the last moment of a kind. */
    async endOf(sql: Sql, itemId: string, kind: NewMoment['kind']): Promise<number> {
      const { rows } = await sql.query<{ end: number }>({
        text: 'SELECT coalesce(max(position) + 1, 0) AS end FROM moments WHERE media_item_id = $1 AND kind = $2',
        values: [itemId, kind],
      })
      return rows[0]?.end ?? 0
    },

    async addMoments(sql: Sql, item: StepItem, moments: PlacedMoment[]): Promise<void> {
      await sql.query(addMoments([item.id, item.userId, momentsJson(moments)]))
    },

    /** Replaces the uncorrected moments of a kind, and the item's own text. */
    async replaceMoments(
      sql: Sql,
      item: StepItem,
      kind: NewMoment['kind'],
      moments: PlacedMoment[],
      text: string | null,
    ): Promise<void> {
      await sql.query(replaceMoments([item.id, item.userId, momentsJson(moments), kind, text && storable(text)]))
    },

    async replaceNames(sql: Sql, item: StepItem, moments: PlacedMoment[]): Promise<void> {
      await sql.query(replaceNames([item.id, item.userId, momentsJson(moments)]))
    },

    /** Stores the item's own text of a kind of moments. */
    async setRollUp(sql: Sql, itemId: string, kind: NewMoment['kind'], text: string | null): Promise<void> {
      const column = { caption: 'caption', text: 'extracted_text', speech: 'transcription', name: null }[kind]
      if (column === null) return
      const set = `UPDATE media_items SET ${column} = $2, updated_at = now() WHERE id = $1`
      await sql.query({ text: set, values: [itemId, text && storable(text)] })
    },

    /** Updates positions of existing moments. */
    async moveMoments(sql: Sql, placed: { id: string; position: number }[]): Promise<void> {
      if (placed.length === 0) return
      await sql.query({
        text: `UPDATE moments SET position = g.position
               FROM jsonb_to_recordset($1::jsonb) AS g (id uuid, position int) WHERE moments.id = g.id`,
        values: [JSON.stringify(placed)],
      })
    },
  }
}
