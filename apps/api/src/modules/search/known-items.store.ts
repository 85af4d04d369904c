import type { Database } from '../../platform/database/client.ts'
import { raw, sql } from '../../platform/database/sql.ts'
import type { MomentRow } from './memory.store.ts'

/** A user with texts, captions or speech to search for. */
export interface TestableUser {
  userId: string
  /** Number of moments long enough to search for. */
  moments: number
}

/** Number of searches of a trial, and of those that found the item. */
export interface KnownItemFigures {
  askedCount: number
  foundCount: number
  foundByWords: number
  /** Searches by meaning alone, and successful ones; both null when no engine was available. */
  askedByMeaning: number | null
  foundByMeaning: number | null
}

export type KnownItemsStore = ReturnType<typeof createKnownItemsStore>

const MAX_BODY_CHARACTERS = 4000
const IS_SEARCHABLE = `m.kind IN ('caption', 'text', 'speech') AND length(m.body) >= 8`

/** Moments for the nightly trial of the search, and its results. */
export function createKnownItemsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /**
     * Users with something to search for whose figures don't date from `measuredAt`: first those never tried, then the least recently
     * tried.
     */
    async usersToTry(measuredAt: Date, { skip, limit }: { skip: number; limit: number }): Promise<TestableUser[]> {
      const { rows } = await pool.query<TestableUser>(
        sql`SELECT u.id AS "userId", known.moments FROM users u
         JOIN (SELECT m.user_id, count(*)::int AS moments FROM moments m WHERE ${raw(IS_SEARCHABLE)} GROUP BY m.user_id) known
           ON known.user_id = u.id
         LEFT JOIN known_item_checks k ON k.user_id = u.id
         WHERE u.is_active AND k.measured_at IS DISTINCT FROM ${measuredAt}
         ORDER BY k.measured_at NULLS FIRST, u.id LIMIT ${limit} OFFSET ${skip}`,
      )
      return rows
    },

    /** A random sample of a user's moments, with equally many of each kind; the same sample as long as the moments are the same. */
    async sample(userId: string, limit: number): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        sql`SELECT m.id, m.media_item_id AS "mediaId", m.kind, m.position, m.frame_number AS "frameNumber", m.page,
           m.start_seconds AS "startSeconds", m.end_seconds AS "endSeconds", m.box,
           left(m.body, ${raw(MAX_BODY_CHARACTERS)}) AS body, m.lang::text AS language
         FROM (
           SELECT m.id, row_number() OVER (PARTITION BY m.kind ORDER BY hashtext(m.id::text), m.id) AS rank, m.kind
           FROM moments m WHERE m.user_id = ${userId} AND ${raw(IS_SEARCHABLE)} ORDER BY rank, kind LIMIT ${limit}
         ) sample JOIN moments m ON m.id = sample.id ORDER BY sample.rank, sample.kind`,
      )
      return rows
    },

    /** Replaces a user's figures. */
    async save(userId: string, measuredAt: Date, figures: KnownItemFigures): Promise<void> {
      const { askedCount, foundCount, foundByWords, askedByMeaning, foundByMeaning } = figures
      await pool.query(
        sql`INSERT INTO known_item_checks (user_id, measured_at, asked, found, found_by_words, asked_by_meaning, found_by_meaning)
         SELECT id, ${measuredAt}, ${askedCount}, ${foundCount}, ${foundByWords}, ${askedByMeaning}, ${foundByMeaning} FROM users
           WHERE id = ${userId}
         ON CONFLICT (user_id) DO UPDATE SET measured_at = EXCLUDED.measured_at, asked = EXCLUDED.asked,
           found = EXCLUDED.found, found_by_words = EXCLUDED.found_by_words,
           asked_by_meaning = EXCLUDED.asked_by_meaning, found_by_meaning = EXCLUDED.found_by_meaning`,
      )
    },

    /** Sum of the figures of all users tried in the latest trial; null before the first trial. */
    async latest(): Promise<(KnownItemFigures & { measuredAt: Date }) | null> {
      const { rows } = await pool.query<KnownItemFigures & { measuredAt: Date }>(
        `SELECT measured_at AS "measuredAt", sum(asked)::int AS "askedCount", sum(found)::int AS "foundCount",
           sum(found_by_words)::int AS "foundByWords", sum(asked_by_meaning)::int AS "askedByMeaning",
           sum(found_by_meaning)::int AS "foundByMeaning"
         FROM known_item_checks WHERE measured_at = (SELECT max(measured_at) FROM known_item_checks)
         GROUP BY measured_at`,
      )
      return rows[0] ?? null
    },
  }
}
