import type { MediaType } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { raw, sql } from '../../../platform/database/sql.ts'
import type { MomentRow } from '../memory.store.ts'

/** Medium of a moment: visible, written or spoken. */
export type MomentMedium = 'seen' | 'written' | 'said'

/** An item with the details not known yet. */
export interface ItemRow {
  mediaId: string
  title: string
  mediaType: MediaType
  /** Media that are still being processed. */
  pending: MomentMedium[]
  /** Media that no engine here could process. */
  missing: MomentMedium[]
}

/** Context of a moment, where there is any. */
export interface MomentContext {
  id: string
  /** Ends of what stands or is said before it, and after it, in the same page or recording. */
  before: string | null
  after: string | null
  /** Beginning of its page or document. */
  beginning: string | null
}

export type ItemMomentsStore = ReturnType<typeof createItemMomentsStore>

const LONGEST_BODY_CHARACTERS = 1200
const SURROUNDING_CHARACTERS = 400
/** A moment `x` in the same run of text or speech as `m`. */
const IS_BESIDE = `x.media_item_id = m.media_item_id AND x.kind = m.kind AND x.page IS NOT DISTINCT FROM m.page
  AND x.frame_number IS NOT DISTINCT FROM m.frame_number`
/** Order of the moments `m` of an item. */
const PLACE = 'coalesce(m.page, 0), coalesce(m.start_seconds, 0), m.kind, m.position'
/** Letters of every script, whatever the database's locale knows. */
const HOLDS_WORDS = `m.body ~ '[^[:digit:][:space:][:punct:]]'`
const WHAT_STEPS_TELL = `(VALUES ('caption', 'seen'), ('read', 'written'), ('transcribe', 'said')) AS tells (step, what)`

/** Reads what single items of one person hold, from their beginning. */
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
           left(m.body, ${raw(LONGEST_BODY_CHARACTERS)}) AS body, m.lang::text AS language
         FROM moments m WHERE m.media_item_id = ids.id AND m.user_id = ${userId} AND m.kind <> 'name'
           AND ${raw(condition)}
         ORDER BY ${raw(PLACE)} LIMIT ${maxPerItem}
       ) m`,
    )
    return rows
  }

  return {
    /** The user's items among the ids, in their order. */
    async readItems(userId: string, ids: string[]): Promise<ItemRow[]> {
      const { rows } = await pool.query<ItemRow>(
        sql`SELECT i.id AS "mediaId", i.original_filename AS title, i.media_type AS "mediaType",
           coalesce(told.pending, '{}') AS pending, coalesce(told.missing, '{}') AS missing
         FROM unnest(${ids}::uuid[]) WITH ORDINALITY AS ids (id, place) JOIN media_items i ON i.id = ids.id,
           LATERAL (
             SELECT array_agg(what) FILTER (WHERE s.status IN ('pending', 'processing')) AS pending,
               array_agg(what) FILTER (WHERE s.status IN ('skipped', 'failed')) AS missing
             FROM media_steps s JOIN ${raw(WHAT_STEPS_TELL)} ON tells.step = s.name WHERE s.media_item_id = i.id
           ) told
         WHERE i.user_id = ${userId} ORDER BY ids.place`,
      )
      return rows
    },

    /** The first moments of each item in the order of their places, without those that its name is. */
    readBeginnings: (userId: string, ids: string[], maxPerItem: number): Promise<MomentRow[]> =>
      readFirst(userId, ids, { maxPerItem }),

    /** The first moment of each item with a word, else its first one: a film may begin with a clock in the picture. */
    async readFirstWords(userId: string, ids: string[]): Promise<MomentRow[]> {
      const first = await readFirst(userId, ids, { maxPerItem: 1 })
      // Few begin without a word: the texts of the others needn't be read.
      const wordless = first.filter(({ body }) => !/\p{L}/u.test(body)).map(({ mediaId }) => mediaId)
      if (wordless.length === 0) return first
      const later = await readFirst(userId, wordless, { condition: HOLDS_WORDS, maxPerItem: 1 })
      return first.map((row) => later.find(({ mediaId }) => mediaId === row.mediaId) ?? row)
    },

    /** Context of each moment. */
    async readSurroundings(userId: string, ids: string[]): Promise<MomentContext[]> {
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
