import type { MediaType } from '@mira/shared'
import type { Database } from '../../platform/database/client.ts'
import { prepared, preparedWhereEmbedded } from '../../platform/database/prepared.ts'
import { raw, type SqlText, sql } from '../../platform/database/sql.ts'
import { all, IS_TAGGED, inTime, type ScopeCondition, type SearchScope, scopeSql, TAGS } from './scope.ts'

export type MomentKind = 'caption' | 'text' | 'speech' | 'name'

/** A moment as searches read it. */
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
  /** Beginning of the text. */
  body: string
  /** PostgreSQL's text search configuration for its language. */
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
  /** Local time at the place where the item was taken, such as 2024-07-14T09:28:00; null when unknown. */
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

/** Type of an item, and its relation to a time range. */
interface KindRow extends Pick<ResultRow, 'mediaId' | 'mediaType'> {
  isInTime: boolean
  /** True when the time taken is known. It's then the time compared, unless only the time added counts. */
  isTaken: boolean
}

export type MemoryStore = ReturnType<typeof createMemoryStore>

/** Characters of a moment's text that are read. Words after them only make the moment a candidate. */
const JUDGED_CHARACTERS = 20_000
const SHOWN_CHARACTERS = 500
/** Maximum moments per pattern; a pattern that matches more says little about a word. */
const MAX_PER_PATTERN = 40
/** Number of patterns looked up regardless of the time limit, so that even a busy machine finds something. */
const MIN_PATTERNS = 8
/**
 * Maximum texts compared per trigram: if all trigrams of a pattern occur in more texts than this times their number, the
 * index leaves some out at random. The embedded database can't cancel a statement, so only this limit keeps it short.
 */
const MAX_COMPARED = 1000

/** SQL for the columns of a `MomentRow`, from a moment `m`. */
export const momentColumns =
  raw(`m.id, m.media_item_id AS "mediaId", m.kind, m.position, m.frame_number AS "frameNumber", m.page,
  m.start_seconds AS "startSeconds", m.end_seconds AS "endSeconds", m.box, left(m.body, ${JUDGED_CHARACTERS}) AS body,
  m.lang::text AS language`)

/** Reads a user's moments for searches. */
export function createMemoryStore({ pool, engine }: Pick<Database, 'pool' | 'engine'>) {
  const preparedIfEmbedded = preparedWhereEmbedded(engine)

  return {
    /**
     * Ids of moments that match LIKE patterns, once per matching pattern; at most `MAX_PER_PATTERN` for each, and after `maxMs`
     * only for the first `MIN_PATTERNS`. It's a single statement, which is planned once and whose transaction limits the setting
     * of the index. The patterns come from the CTE that makes this setting, so that it applies to every lookup. The time is
     * checked before each pattern. The planner expects an unknown pattern to match many texts: `IS NOT DISTINCT FROM` keeps it
     * from reading all of the user's moments instead of the index. Comparing a regular expression takes a third of the time of
     * ILIKE.
     */
    async findLike(scope: SearchScope, patterns: string[], maxMs: number): Promise<string[]> {
      const isInScope = all([sql`m.user_id IS NOT DISTINCT FROM ${scope.userId}::uuid`, ...scopeSql(scope).narrowing])
      const { rows } = await pool.query<{ id: string }>(
        preparedIfEmbedded(sql`WITH input AS MATERIALIZED (
           SELECT set_config('gin_fuzzy_search_limit', '${raw(MAX_COMPARED)}', true),
             ${patterns.map(expressionOf)}::text[] AS patterns,
             clock_timestamp() + ${maxMs}::float8 * interval '1 ms' AS deadline
         )
         SELECT found.id FROM input, unnest(input.patterns) WITH ORDINALITY AS listed (pattern, place) CROSS JOIN LATERAL (
           SELECT m.id FROM moments m WHERE ${isInScope} AND m.body ~* pattern LIMIT ${raw(MAX_PER_PATTERN)}
         ) found
         WHERE place <= ${raw(MIN_PATTERNS)} OR clock_timestamp() < deadline`),
      )
      return rows.map(({ id }) => id)
    },

    /** SQL condition that a moment with a vector is in a scope; undefined when the scope is the whole memory. */
    momentCondition: (scope: SearchScope): ScopeCondition | undefined =>
      conditionOf(scope, (id, isInScope) => sql`EXISTS (SELECT FROM moments m WHERE m.id = ${id} AND ${isInScope})`),

    /** SQL condition that a part with a vector is in a scope; undefined when the scope is the whole memory. */
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

    /** Parts in the form of moments. Their text is their own caption, else the item's caption, else the item's name. */
    async readParts(userId: string, ids: string[]): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        preparedIfEmbedded(sql`SELECT p.id, p.media_item_id AS "mediaId", 'caption' AS kind, p.number AS position,
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

    /** Types of items, each with its relation to a time range by the time it was taken, or added if that's unknown. */
    async readKinds(
      userId: string,
      ids: string[],
      time: Pick<SearchScope, 'from' | 'to' | 'timeZone' | 'isByTimeAdded'>,
    ): Promise<KindRow[]> {
      const { rows } = await pool.query<KindRow>(
        preparedIfEmbedded(sql`SELECT id AS "mediaId", media_type AS "mediaType", ${all([sql`true`, ...inTime(time)])} AS "isInTime",
           taken_local IS NOT NULL AS "isTaken"
         FROM media_items i WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[])`),
      )
      return rows
    },

    /** Ids of the items that contain every phrase of a scope; null when more than `max` do. */
    async itemsOfPhrases({ userId, items, phrases }: SearchScope, max: number): Promise<string[] | null> {
      const partialScope = { userId, items, phrases, types: null, tags: [], from: null, to: null, timeZone: 'UTC' }
      const { isItemInScope } = scopeSql({ ...partialScope, includesFrames: true, excluded: null })
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT i.id FROM media_items i WHERE ${isItemInScope} LIMIT ${max + 1}`,
      )
      return rows.length > max ? null : rows.map(({ id }) => id)
    },

    /** The newest items of a scope, each represented by the moment with its name, or by its first moment. */
    async listItems(scope: SearchScope, limit: number): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        preparedIfEmbedded(sql`SELECT ${momentColumns}
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

    /** Items of a scope with any of these tags (in lower case), each represented as in `listItems`. */
    async findTagged(scope: SearchScope, tags: string[], limit: number): Promise<TaggedMoment[]> {
      const { rows } = await pool.query<TaggedMoment>(
        preparedIfEmbedded(
          sql`SELECT ${momentColumns}, i.tags
         FROM (
           SELECT i.id, ${TAGS} AS tags FROM (
             -- In a subquery without ORDER BY: with it and a small LIMIT, the planner would read all items in order instead of the index.
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

    /** Items at the locations, for display, in the same order; null for a missing item. */
    async readResults(userId: string, locations: ItemLocation[]): Promise<(ResultRow | null)[]> {
      const { rows } = await pool.query<ResultRow & { index: number }>(
        prepared(sql`SELECT p.index::int AS index, i.id AS "mediaId", i.media_type AS "mediaType",
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
     index,
     media: mediaId,
     frame: frameNumber,
     page,
     start: startSeconds,
   })),
 )}::jsonb) AS p (index int, media uuid, frame int, page int, start float8)
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
      const byLocation = new Map(rows.map(({ index, ...row }) => [index, row]))
      return locations.map((_, index) => byLocation.get(index) ?? null)
    },
  }
}

/** SQL condition for rows in a scope; undefined when the scope has none besides the user. */
function conditionOf(
  scope: SearchScope,
  build: (id: SqlText, isInScope: SqlText) => SqlText,
): ScopeCondition | undefined {
  const { narrowing } = scopeSql(scope)
  return narrowing.length === 0 ? undefined : (id) => build(id, all(narrowing))
}

/** A LIKE pattern as a regular expression. @param pattern letters, digits, spaces, % and _ only. */
export function expressionOf(pattern: string): string {
  const inner = pattern.replace(/^%|%$/g, '').replaceAll('%', '.*').replaceAll('_', '.')
  return `${pattern.startsWith('%') ? '' : '^'}${inner}${pattern.endsWith('%') ? '' : '$'}`
}
