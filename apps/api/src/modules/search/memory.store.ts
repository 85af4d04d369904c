import type { MediaType } from '@mira/shared'
import type { Database } from '../../platform/database/client.ts'
import { prepared, preparedWhereEmbedded } from '../../platform/database/prepared.ts'
import { raw, type SqlText, sql } from '../../platform/database/sql.ts'
import { all, IS_TAGGED, inTime, type ScopeCondition, type SearchScope, scopeSql, TAGS } from './scope.ts'

export type MomentKind = 'caption' | 'text' | 'speech' | 'name'

/** A candidate moment. */
export interface MomentRow {
  id: string
  mediaId: string
  kind: MomentKind
  position: number
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
  endSeconds: number | null
  box: [number, number, number, number] | null
  /** Its beginning. */
  body: string
  /** Text search configuration of its language. */
  language: string
}

/** A moment of an item with its tags, in lower case. */
export interface TaggedMoment extends MomentRow {
  tags: string[]
}

/** An item and the part of it that a result shows. */
export interface ResultRow {
  mediaId: string
  mediaType: MediaType
  originalFilename: string
  timestamp: Date
  /** The clock where it was taken, such as 2024-07-14T09:28:00; null where that is not known. */
  takenLocal: string | null
  durationSeconds: number | null
  caption: string | null
  extractedText: string | null
  hasThumbnail: boolean
  contentType: string
  /** Page title; null when it has none. */
  pageTitle: string | null
  /** Number of the part whose thumbnail shows the location; null for the item's own. */
  thumbnailPart: number | null
}

/** Location of a result in an item. */
export interface ItemLocation {
  mediaId: string
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
}

/** Type of an item, and whether it was taken, else added, in a time range. */
interface KindRow extends Pick<ResultRow, 'mediaId' | 'mediaType'> {
  isInTime: boolean
  /** True where the time is that of taking it. */
  isTaken: boolean
}

export type MemoryStore = ReturnType<typeof createMemoryStore>

/** Characters of a moment's text that are judged and shown; matches beyond them still count. */
const JUDGED_CHARACTERS = 20_000
const SHOWN_CHARACTERS = 500
/** Most moments compared with one pattern; one that matches more says little about a word. */
const MAX_PER_PATTERN = 40
/** Patterns that are looked for however long it takes: a busy machine finds something, too. */
const ALWAYS_LOOKED_FOR = 8
/**
 * Most texts compared per trigram: if all trigrams of a pattern occur in more texts than this times their number, the
 * index leaves some out at random. The embedded database can't cancel a statement: only this limit keeps it short.
 */
const MAX_COMPARED = 1000

/** Columns of a moment `m`. */
export const momentColumns =
  raw(`m.id, m.media_item_id AS "mediaId", m.kind, m.position, m.frame_number AS "frameNumber", m.page,
  m.start_seconds AS "startSeconds", m.end_seconds AS "endSeconds", m.box, left(m.body, ${JUDGED_CHARACTERS}) AS body,
  m.lang::text AS language`)

/** Reads moments of one person each, as searches need them. */
export function createMemoryStore({ pool, engine }: Pick<Database, 'pool' | 'engine'>) {
  const repeated = preparedWhereEmbedded(engine)

  return {
    /**
     * Ids of moments that match patterns of LIKE, each as often as it matches; of those that match one, only so many, and
     * after some time no more patterns than the first. One statement that is planned once, and a transaction by itself: the setting ends
     * with it. The patterns come out of what sets it, so that it holds before anything is looked up; the time is asked
     * before each. A pattern that is not known when it is planned seems to match many texts: `IS NOT DISTINCT FROM` keeps
     * the planner from reading all that a person has instead of the index. A regular expression is compared in a third of
     * the time that ILIKE takes.
     */
    async findLike(scope: SearchScope, patterns: string[], maxMs: number): Promise<string[]> {
      const isInScope = all([sql`m.user_id IS NOT DISTINCT FROM ${scope.userId}::uuid`, ...scopeSql(scope).narrowing])
      const { rows } = await pool.query<{ id: string }>(
        repeated(sql`WITH asked AS MATERIALIZED (
           SELECT set_config('gin_fuzzy_search_limit', '${raw(MAX_COMPARED)}', true),
             ${patterns.map(expressionOf)}::text[] AS patterns,
             clock_timestamp() + ${maxMs}::float8 * interval '1 ms' AS until
         )
         SELECT found.id FROM asked, unnest(asked.patterns) WITH ORDINALITY AS given (pattern, place) CROSS JOIN LATERAL (
           SELECT m.id FROM moments m WHERE ${isInScope} AND m.body ~* pattern LIMIT ${raw(MAX_PER_PATTERN)}
         ) found
         WHERE place <= ${raw(ALWAYS_LOOKED_FOR)} OR clock_timestamp() < until`),
      )
      return rows.map(({ id }) => id)
    },

    /** Condition that a moment is in a scope, for searching its vectors; undefined for all of the user's. */
    momentCondition: (scope: SearchScope): ScopeCondition | undefined =>
      conditionOf(scope, (id, isInScope) => sql`EXISTS (SELECT FROM moments m WHERE m.id = ${id} AND ${isInScope})`),

    /** The same for a part. */
    partCondition: (scope: SearchScope): ScopeCondition | undefined =>
      conditionOf(
        scope,
        (id, isInScope) => sql`EXISTS (SELECT FROM (
           SELECT p.media_item_id, p.user_id, CASE WHEN p.kind = 'frame' THEN p.number END AS frame_number
           FROM media_parts p WHERE p.id = ${id}
         ) m WHERE ${isInScope})`,
      ),

    async readMoments(userId: string, ids: string[]): Promise<MomentRow[]> {
      return (
        await pool.query<MomentRow>(
          prepared(
            sql`SELECT ${momentColumns} FROM moments m WHERE m.user_id = ${userId} AND m.id = ANY(${ids}::uuid[])`,
          ),
        )
      ).rows
    },

    /** Parts in the form of moments, with their caption as text, else the item's caption, else its name. */
    async readParts(userId: string, ids: string[]): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        repeated(sql`SELECT p.id, p.media_item_id AS "mediaId", 'caption' AS kind, p.number AS position,
           CASE WHEN p.kind = 'frame' THEN p.number END AS "frameNumber",
           CASE WHEN p.kind = 'page' THEN p.number END AS page,
           p.start_seconds AS "startSeconds", NULL AS "endSeconds", NULL AS box,
           coalesce(c.body, i.caption, i.original_filename) AS body, coalesce(c.lang, 'simple')::text AS language
         FROM media_parts p JOIN media_items i ON i.id = p.media_item_id
         LEFT JOIN LATERAL (
           SELECT body, lang FROM moments m WHERE m.media_item_id = i.id AND m.kind = 'caption'
             AND ((p.kind = 'frame' AND m.frame_number = p.number) OR (p.kind = 'page' AND m.page = p.number))
           ORDER BY m.position LIMIT 1
         ) c ON true
         WHERE p.user_id = ${userId} AND p.id = ANY(${ids}::uuid[])`),
      )
      return rows
    },

    /** Types of items, with a flag for those taken, else added, in a time range. */
    async readKinds(
      userId: string,
      ids: string[],
      time: Pick<SearchScope, 'from' | 'to' | 'timeZone'>,
    ): Promise<KindRow[]> {
      const { rows } = await pool.query<KindRow>(
        repeated(sql`SELECT id AS "mediaId", media_type AS "mediaType", ${all([sql`true`, ...inTime(time)])} AS "isInTime",
           taken_local IS NOT NULL AS "isTaken"
         FROM media_items i WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[])`),
      )
      return rows
    },

    /** Ids of the items that hold every phrase of a scope; null when there are more than `max`. */
    async itemsOfPhrases({ userId, items, phrases }: SearchScope, max: number): Promise<string[] | null> {
      const partialScope = { userId, items, phrases, types: null, tags: [], from: null, to: null, timeZone: 'UTC' }
      const { isItemInScope } = scopeSql({ ...partialScope, includesFrames: true, excluded: null })
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT i.id FROM media_items i WHERE ${isItemInScope} LIMIT ${max + 1}`,
      )
      return rows.length > max ? null : rows.map(({ id }) => id)
    },

    /** The newest items of a scope, each as the moment that its name is, or the first that it has. */
    async listItems(scope: SearchScope, limit: number): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        repeated(sql`SELECT ${momentColumns}
         FROM (
           SELECT i.id, coalesce(i.taken_local, i.created_at AT TIME ZONE 'UTC') AS at FROM media_items i
           WHERE ${scopeSql(scope).isItemInScope} ORDER BY at DESC, i.id DESC LIMIT ${limit}
         ) i CROSS JOIN LATERAL (
           SELECT * FROM moments m WHERE m.media_item_id = i.id
           ORDER BY (m.kind = 'name') DESC, (m.frame_number IS NULL) DESC, m.position LIMIT 1
         ) m
         ORDER BY i.at DESC, i.id DESC`),
      )
      return rows
    },

    /** Items of a scope that carry one of these tags (in lower case), each as the moment that its name is, or the first. */
    async findTagged(scope: SearchScope, tags: string[], limit: number): Promise<TaggedMoment[]> {
      const { rows } = await pool.query<TaggedMoment>(
        repeated(
          sql`SELECT ${momentColumns}, i.tags
         FROM (
           SELECT i.id, ${TAGS} AS tags FROM (
             -- apart from the order: for a few of them the database would rather read all items in it than ask the index
             SELECT i.id, i.tags FROM media_items i
             WHERE ${scopeSql(scope).isItemInScope} AND ${IS_TAGGED} AND ${TAGS} && ${tags}::text[] OFFSET 0
           ) i ORDER BY i.id DESC LIMIT ${limit}
         ) i CROSS JOIN LATERAL (
           SELECT * FROM moments m WHERE m.media_item_id = i.id
           ORDER BY (m.kind = 'name') DESC, (m.frame_number IS NULL) DESC, m.position LIMIT 1
         ) m`,
        ),
      )
      return rows
    },

    /** Items and locations for display, in the order of the locations; null for a missing one. */
    async readResults(userId: string, locations: ItemLocation[]): Promise<(ResultRow | null)[]> {
      const { rows } = await pool.query<ResultRow & { at: number }>(
        prepared(sql`SELECT p.at::int AS at, i.id AS "mediaId", i.media_type AS "mediaType",
          i.original_filename AS "originalFilename",
   coalesce(i.taken_at, i.created_at) AS timestamp,
   to_char(i.taken_local, 'YYYY-MM-DD"T"HH24:MI:SS') AS "takenLocal", i.duration_seconds AS "durationSeconds",
   left(coalesce(here.caption, i.caption), ${raw(SHOWN_CHARACTERS)}) AS caption,
   left(CASE WHEN p.frame IS NULL AND p.page IS NULL AND p.start IS NULL THEN i.extracted_text
     ELSE here.text END, ${raw(SHOWN_CHARACTERS)}) AS "extractedText",
   (i.media_type = 'image' OR EXISTS (
     SELECT FROM media_copies c WHERE c.media_item_id = i.id AND c.kind = 'thumbnail'
   )) AS "hasThumbnail",
   i.content_type AS "contentType",
   nullif((i.details ->> 'page_titles')::jsonb ->> (p.page - 1), '') AS "pageTitle",
   part.number AS "thumbnailPart"
 FROM jsonb_to_recordset(${JSON.stringify(
   locations.map(({ mediaId, frameNumber, page, startSeconds }, index) => ({
     at: index,
     media: mediaId,
     frame: frameNumber,
     page,
     start: startSeconds,
   })),
 )}::jsonb) AS p (at int, media uuid, frame int, page int, start float8)
 JOIN media_items i ON i.id = p.media AND i.user_id = ${userId}
 LEFT JOIN LATERAL (
   SELECT string_agg(body, ' ' ORDER BY position) FILTER (WHERE kind = 'caption') AS caption,
     string_agg(left(body, ${raw(SHOWN_CHARACTERS)}), ' ' ORDER BY position) FILTER (WHERE kind = 'text') AS text
   FROM moments m WHERE m.media_item_id = i.id AND m.kind IN ('caption', 'text')
     AND (m.frame_number = p.frame OR m.page = p.page)
 ) here ON p.frame IS NOT NULL OR p.page IS NOT NULL
 LEFT JOIN LATERAL (
   SELECT number FROM media_parts part WHERE part.media_item_id = i.id AND (
     (part.kind = 'frame' AND CASE WHEN p.frame IS NULL THEN part.start_seconds <= p.start ELSE part.number = p.frame END)
     OR (part.kind = 'page' AND part.number = p.page))
   ORDER BY number DESC LIMIT 1
 ) part ON true`),
      )
      const byLocation = new Map(rows.map(({ at, ...row }) => [at, row]))
      return locations.map((_, index) => byLocation.get(index) ?? null)
    },
  }
}

/** The condition that a scope adds to the user's own; undefined when it adds none. */
function conditionOf(
  scope: SearchScope,
  write: (id: SqlText, isInScope: SqlText) => SqlText,
): ScopeCondition | undefined {
  const { narrowing } = scopeSql(scope)
  return narrowing.length === 0 ? undefined : (id) => write(id, all(narrowing))
}

/** A pattern of LIKE, of letters, digits, spaces, % and _ alone, as a regular expression. */
export function expressionOf(pattern: string): string {
  const inner = pattern.replace(/^%|%$/g, '').replaceAll('%', '.*').replaceAll('_', '.')
  return `${pattern.startsWith('%') ? '' : '^'}${inner}${pattern.endsWith('%') ? '' : '$'}`
}
