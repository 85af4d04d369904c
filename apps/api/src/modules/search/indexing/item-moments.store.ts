import type { MediaType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { MomentRow } from '../memory.store.ts'

/** Medium of a moment: visible, written or spoken. */
export type MomentMedium = 'seen' | 'written' | 'said'

/** An item, with the media (seen, written or said) of which it has no moments, at least not yet. */
export interface ItemRow {
  mediaId: string
  title: string
  mediaType: MediaType
  /** Media that are still being processed. */
  pending: MomentMedium[]
  /** Media that no engine of this instance could process. */
  missing: MomentMedium[]
}

/** Context of a moment; null where there is none. */
export interface MomentContext {
  id: string
  /** End of the text or speech before the moment, in the same page or recording. */
  before: string | null
  /** Beginning of the text or speech after the moment. */
  after: string | null
  /** Beginning of the moment's page or document. */
  beginning: string | null
}

export type ItemMomentsStore = ReturnType<typeof createItemMomentsStore>

const MAX_BODY_CHARACTERS = 1200
const SURROUNDING_CHARACTERS = 400
/** SQL condition that a moment `x` is in the same run of text or speech as `m`. */
const IS_BESIDE = `x.media_item_id = m.media_item_id AND x.kind = m.kind AND x.page IS NOT DISTINCT FROM m.page
  AND x.frame_number IS NOT DISTINCT FROM m.frame_number`
/** SQL for the reading order of an item's moments `m`. */
const READING_ORDER = 'coalesce(m.page, 0), coalesce(m.start_seconds, 0), m.kind, m.position'
/** SQL condition that a moment `m` contains letters of any script, independent of the database's locale. */
const HAS_WORDS = `m.body ~ '[^[:digit:][:space:][:punct:]]'`
const STEP_MEDIA = `(VALUES ('caption', 'seen'), ('read', 'written'), ('transcribe', 'said')) AS step_media (step, medium)`

/** Reads the moments of single items. */
export function createItemMomentsStore({ pool }: Pick<Database, 'pool'>) {
  const readFirst = async (
    userId: string,
    ids: string[],
    { condition = 'TRUE', maxPerItem }: { condition?: string; maxPerItem: number },
  ) => {
    const { rows } = await pool.query<MomentRow>(
      sql`SELECT m.* FROM unnest(${ids}::uuid[]) AS ids (id), LATERAL (
         SELECT m.id, m.media_item_id AS "mediaId", m.kind, m.position, m.frame_number AS "frameNumber", m.page,
           m.start_seconds AS "startSeconds", m.end_seconds AS "endSeconds", m.box,
           left(m.body, ${raw(MAX_BODY_CHARACTERS)}) AS body, m.lang::text AS language
         FROM moments m WHERE m.media_item_id = ids.id AND m.user_id = ${userId} AND m.kind <> 'name'
           AND ${raw(condition)}
         ORDER BY ${raw(READING_ORDER)} LIMIT ${maxPerItem}
       ) m`,
    )
    return rows
  }

  return {
    /** The user's items among the ids, in the given order. */
    async readItems(userId: string, ids: string[]): Promise<ItemRow[]> {
      const { rows } = await pool.query<ItemRow>(
        sql`SELECT i.id AS "mediaId", i.original_filename AS title, i.media_type AS "mediaType",
           coalesce(media.pending, '{}') AS pending, coalesce(media.missing, '{}') AS missing
         FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS ids (id, place) JOIN media_items i ON i.id = ids.id,
           LATERAL (
             SELECT array_agg(medium) FILTER (WHERE s.status IN ('pending', 'processing')) AS pending,
               array_agg(medium) FILTER (WHERE s.status IN ('skipped', 'failed')) AS missing
             FROM media_steps s JOIN ${raw(STEP_MEDIA)} ON step_media.step = s.name WHERE s.media_item_id = i.id
           ) media
         WHERE i.user_id = ${userId} ORDER BY ids.place`,
      )
      return rows
    },

    /** First moments of each item in reading order, without its name. */
    readBeginnings: (userId: string, ids: string[], maxPerItem: number): Promise<MomentRow[]> =>
      readFirst(userId, ids, { maxPerItem }),

    /**
     * First moment of each item that contains a word, or its first moment if none does. A video, for example, may begin with a
     * clock in the picture.
     */
    async readFirstWords(userId: string, ids: string[]): Promise<MomentRow[]> {
      const first = await readFirst(userId, ids, { maxPerItem: 1 })
      // Few items begin without a word, so the texts of most needn't be searched.
      const wordless = first.filter(({ body }) => !/\p{L}/u.test(body)).map(({ mediaId }) => mediaId)
      if (wordless.length === 0) return first
      const later = await readFirst(userId, wordless, { condition: HAS_WORDS, maxPerItem: 1 })
      return first.map((row) => later.find(({ mediaId }) => mediaId === row.mediaId) ?? row)
    },

    /** Contexts of the given moments that are text or speech. */
    async readContexts(userId: string, ids: string[]): Promise<MomentContext[]> {
      if (ids.length === 0) return []
      const { rows } = await pool.query<MomentContext>(
        sql`SELECT m.id,
           (SELECT right(x.body, ${raw(SURROUNDING_CHARACTERS)}) FROM moments x WHERE ${raw(IS_BESIDE)}
           AND x.position < m.position
            ORDER BY x.position DESC LIMIT 1) AS before,
           (SELECT left(x.body, ${raw(SURROUNDING_CHARACTERS)}) FROM moments x WHERE ${raw(IS_BESIDE)} AND x.position > m.position
            ORDER BY x.position LIMIT 1) AS after,
           (SELECT left(x.body, ${raw(SURROUNDING_CHARACTERS)}) FROM moments x
            WHERE m.kind = 'text' AND ${raw(IS_BESIDE)} ORDER BY x.position LIMIT 1) AS beginning
         FROM moments m WHERE m.user_id = ${userId} AND m.id = ANY(${ids}::uuid[]) AND m.kind IN ('text', 'speech')`,
      )
      return rows
    },
  }
}
