import type { MediaType } from '@mira/shared'
import type { Database } from '../../db/client.ts'
import { queryWith } from '../../db/local-settings.ts'

/** Which of a person's items a search looks at. */
export interface SearchScope {
  userId: string
  /** Only these; all when left out. */
  items?: string[] | undefined
  types: MediaType[] | null
  /** In lower case; an item must carry them all. */
  tags: string[]
  /** When it was taken, else added: from the first until before the second. */
  from: Date | null
  to: Date | null
  /** Whether frames of films are looked at. */
  includesFrames: boolean
  /** Each must be met by some moment of the item. */
  phrases: Condition[]
  /** A text search query that no text of the item may match; null for none. */
  excluded: string | null
}

/** A condition that a moment can meet. */
export interface Condition {
  /** A text search query; null for none. */
  tsquery: string | null
  /** A regular expression; null for none. */
  pattern: string | null
}

export type MomentKind = 'caption' | 'text' | 'speech' | 'name'

/** A moment that may be what is looked for. */
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
  rank: number
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
  durationSeconds: number | null
  caption: string | null
  extractedText: string | null
  hasThumbnail: boolean
  /** Number of the part whose thumbnail shows the place; null for the item's own. */
  thumbnailPart: number | null
}

/** The place of a result. */
export interface Place {
  mediaId: string
  frameNumber: number | null
  page: number | null
  startSeconds: number | null
}

export type MemoryStore = ReturnType<typeof createMemoryStore>

/** How much of a moment's text is looked at; more is found but neither judged nor shown. */
const JUDGED_CHARACTERS = 20_000
const SHOWN_CHARACTERS = 500
/** Words that stand almost everywhere would make every search as slow as the memory is large. */
const MOST_RANKED = 20_000
/** Of a pattern: those that more texts match tell little of a word. */
const MOST_PER_PATTERN = 40
/**
 * When all trigrams of a pattern stand in more texts than this times their number, the index leaves some out at random,
 * so that only so many are compared. The embedded database cannot stop a statement: this alone keeps it short.
 */
const MOST_COMPARED = 1000

const momentColumns = `m.id, m.media_item_id AS "mediaId", m.kind, m.position, m.frame_number AS "frameNumber", m.page,
  m.start_seconds AS "startSeconds", m.end_seconds AS "endSeconds", m.box, left(m.body, ${JUDGED_CHARACTERS}) AS body,
  m.lang::text AS language`

/** Reads moments of one person each, as searches need them. */
export function createMemoryStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** What plainto_tsquery makes of words with punctuation. */
    async parseWords(chunks: string[]): Promise<string[]> {
      if (chunks.length === 0) return []
      const { rows } = await pool.query<{ parsed: string }>(
        `SELECT plainto_tsquery('simple', chunk)::text AS parsed FROM unnest($1::text[]) WITH ORDINALITY AS c (chunk, at)
         ORDER BY at`,
        [chunks],
      )
      return rows.map(({ parsed }) => parsed)
    },

    /** Moments that meet every condition, best first. */
    async findAll(scope: SearchScope, conditions: Condition[], limit: number): Promise<MomentRow[]> {
      // the phrases are among the conditions
      const sql = createSql({ ...scope, phrases: [] })
      const met = conditions.map((condition) => sql.isMet(condition))
      const { rows } = await pool.query<MomentRow>(
        `WITH found AS MATERIALIZED (
           SELECT m.id, ${sql.rank(conditions)} AS rank FROM moments m
           WHERE ${[...sql.isInScope, ...met].join(' AND ')} LIMIT ${MOST_RANKED}
         )
         SELECT ${momentColumns}, best.rank
         FROM (SELECT * FROM found ORDER BY rank DESC, id DESC LIMIT ${sql.value(limit)}) best
         JOIN moments m ON m.id = best.id ORDER BY best.rank DESC, m.id DESC`,
        sql.values,
      )
      return rows
    },

    /** Moments that meet some of the conditions, those with most and rarest first; and how many meet each. */
    async findSome(
      scope: SearchScope,
      conditions: Condition[],
      limit: number,
    ): Promise<{ rows: MomentRow[]; counts: number[] }> {
      const sql = createSql(scope)
      const met = conditions.map((condition) => sql.isMet(condition))
      const { rows } = await pool.query<MomentRow & { counts: number[] }>(
        `WITH found AS MATERIALIZED (
           SELECT m.id, ${sql.rank(conditions)} AS rank, ${met.map((one, at) => `${one} AS met${at}`)}
           FROM moments m WHERE ${[...sql.isInScope, `(${met.join(' OR ')})`].join(' AND ')} LIMIT ${MOST_RANKED}
         ), counted AS (
           SELECT ${met.map((_, at) => `count(*) FILTER (WHERE met${at}) AS count${at}`)} FROM found
         ), best AS (
           SELECT f.id, f.rank, ${met.map((_, at) => `CASE WHEN met${at} THEN 1 / (1 + ln(1 + count${at})) ELSE 0 END`).join(' + ')} AS held,
             ARRAY[${met.map((_, at) => `count${at}::int`)}] AS counts
           FROM found f CROSS JOIN counted ORDER BY held DESC, f.rank DESC, f.id DESC LIMIT ${sql.value(limit)}
         )
         SELECT ${momentColumns}, best.rank, best.counts FROM best JOIN moments m ON m.id = best.id
         ORDER BY best.held DESC, best.rank DESC, m.id DESC`,
        sql.values,
      )
      return { rows, counts: rows[0]?.counts ?? conditions.map(() => 0) }
    },

    /** Ids of moments that match patterns of LIKE, each as often as it matches; of those that match one, only so many. */
    async findLike(scope: SearchScope, patterns: string[]): Promise<string[]> {
      const sql = createSql(scope)
      const isInScope = sql.isInScope.join(' AND ')
      const found = patterns.map(
        (pattern) =>
          `(SELECT m.id FROM moments m WHERE ${isInScope} AND m.body ILIKE ${sql.value(pattern)} LIMIT ${MOST_PER_PATTERN})`,
      )
      const settings = { gin_fuzzy_search_limit: MOST_COMPARED }
      const rows = await queryWith<{ id: string }>(pool, settings, found.join(' UNION ALL '), sql.values)
      return rows.map(({ id }) => id)
    },

    /** Whether a moment is in a scope, for a search of its vectors; undefined when all of the person's are. */
    momentCondition: (scope: SearchScope): ScopeCondition | undefined =>
      conditionOf(
        scope,
        'm.user_id = $1',
        (id, isInScope) => `EXISTS (SELECT FROM moments m WHERE m.id = ${id} AND ${isInScope})`,
      ),

    /** The same for a part. */
    partCondition: (scope: SearchScope): ScopeCondition | undefined =>
      conditionOf(scope, 'm.user_id = $1', (id, isInScope) => {
        const part = `SELECT p.media_item_id, p.user_id, CASE WHEN p.kind = 'frame' THEN p.number END AS frame_number`
        return `EXISTS (SELECT FROM (${part} FROM media_parts p WHERE p.id = ${id}) m WHERE ${isInScope})`
      }),

    async readMoments(userId: string, ids: string[]): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        `SELECT ${momentColumns}, 0::float8 AS rank FROM moments m WHERE m.user_id = $1 AND m.id = ANY($2::uuid[])`,
        [userId, ids],
      )
      return rows
    },

    /** Parts as if they were moments: what is told of them is their caption, else that of the item, else its name. */
    async readParts(userId: string, ids: string[]): Promise<MomentRow[]> {
      const { rows } = await pool.query<MomentRow>(
        `SELECT p.id, p.media_item_id AS "mediaId", 'caption' AS kind, p.number AS position,
           CASE WHEN p.kind = 'frame' THEN p.number END AS "frameNumber",
           CASE WHEN p.kind = 'page' THEN p.number END AS page,
           p.start_seconds AS "startSeconds", NULL AS "endSeconds", NULL AS box,
           coalesce(c.body, i.caption, i.original_filename) AS body, coalesce(c.lang, 'simple')::text AS language,
           0::float8 AS rank
         FROM media_parts p JOIN media_items i ON i.id = p.media_item_id
         LEFT JOIN LATERAL (
           SELECT body, lang FROM moments m WHERE m.media_item_id = i.id AND m.kind = 'caption'
             AND ((p.kind = 'frame' AND m.frame_number = p.number) OR (p.kind = 'page' AND m.page = p.number))
           ORDER BY m.position LIMIT 1
         ) c ON true
         WHERE p.user_id = $1 AND p.id = ANY($2::uuid[])`,
        [userId, ids],
      )
      return rows
    },

    /** The newest items of a scope, each as the moment that its name is, or the first that it has. */
    async listItems(scope: SearchScope, limit: number): Promise<MomentRow[]> {
      const sql = createSql(scope)
      const { rows } = await pool.query<MomentRow>(
        `SELECT ${momentColumns}, 0::float8 AS rank
         FROM (
           SELECT i.id, coalesce(i.taken_at, i.created_at) AS at FROM media_items i
           WHERE ${sql.isItemInScope.join(' AND ')} ORDER BY at DESC, i.id DESC LIMIT ${sql.value(limit)}
         ) i CROSS JOIN LATERAL (
           SELECT * FROM moments m WHERE m.media_item_id = i.id
           ORDER BY (m.kind = 'name') DESC, (m.frame_number IS NULL) DESC, m.position LIMIT 1
         ) m
         ORDER BY i.at DESC, i.id DESC`,
        sql.values,
      )
      return rows
    },

    /** Items of a scope that carry one of these tags (in lower case), each as the moment that its name is, or the first. */
    async findTagged(scope: SearchScope, tags: string[], limit: number): Promise<TaggedMoment[]> {
      const sql = createSql(scope)
      const { rows } = await pool.query<TaggedMoment>(
        `SELECT ${momentColumns}, 0::float8 AS rank, i.tags
         FROM (
           SELECT i.id, ARRAY(SELECT lower(tag) FROM unnest(i.tags) tag) AS tags FROM media_items i
           WHERE ${sql.isItemInScope.join(' AND ')}
             AND EXISTS (SELECT FROM unnest(i.tags) tag WHERE lower(tag) = ANY(${sql.value(tags)}::text[]))
           ORDER BY i.id DESC LIMIT ${sql.value(limit)}
         ) i CROSS JOIN LATERAL (
           SELECT * FROM moments m WHERE m.media_item_id = i.id
           ORDER BY (m.kind = 'name') DESC, (m.frame_number IS NULL) DESC, m.position LIMIT 1
         ) m`,
        sql.values,
      )
      return rows
    },

    /** What results show of their items and places, in the order of the places. */
    async readResults(userId: string, places: Place[]): Promise<(ResultRow | null)[]> {
      const { rows } = await pool.query<ResultRow & { at: number }>(
        `SELECT p.at::int AS at, i.id AS "mediaId", i.media_type AS "mediaType", i.original_filename AS "originalFilename",
           coalesce(i.taken_at, i.created_at) AS timestamp, i.duration_seconds AS "durationSeconds",
           left(coalesce(here.caption, i.caption), ${SHOWN_CHARACTERS}) AS caption,
           left(CASE WHEN p.frame IS NULL AND p.page IS NULL AND p.start IS NULL THEN i.extracted_text
             ELSE here.text END, ${SHOWN_CHARACTERS}) AS "extractedText",
           (i.media_type = 'image' OR EXISTS (
             SELECT FROM media_copies c WHERE c.media_item_id = i.id AND c.kind = 'thumbnail'
           )) AS "hasThumbnail",
           part.number AS "thumbnailPart"
         FROM jsonb_to_recordset($2::jsonb) AS p (at int, media uuid, frame int, page int, start float8)
         JOIN media_items i ON i.id = p.media AND i.user_id = $1
         LEFT JOIN LATERAL (
           SELECT string_agg(body, ' ' ORDER BY position) FILTER (WHERE kind = 'caption') AS caption,
             string_agg(left(body, ${SHOWN_CHARACTERS}), ' ' ORDER BY position) FILTER (WHERE kind = 'text') AS text
           FROM moments m WHERE m.media_item_id = i.id AND m.kind IN ('caption', 'text')
             AND (m.frame_number = p.frame OR m.page = p.page)
         ) here ON p.frame IS NOT NULL OR p.page IS NOT NULL
         LEFT JOIN LATERAL (
           SELECT number FROM media_parts part WHERE part.media_item_id = i.id AND (
             (part.kind = 'frame' AND CASE WHEN p.frame IS NULL THEN part.start_seconds <= p.start ELSE part.number = p.frame END)
             OR (part.kind = 'page' AND part.number = p.page))
           ORDER BY number DESC LIMIT 1
         ) part ON true`,
        [
          userId,
          JSON.stringify(
            places.map(({ mediaId, frameNumber, page, startSeconds }, at) => ({
              ...{ at, media: mediaId, frame: frameNumber, page, start: startSeconds },
            })),
          ),
        ],
      )
      const byPlace = new Map(rows.map(({ at, ...row }) => [at, row]))
      return places.map((_, at) => byPlace.get(at) ?? null)
    },
  }
}

/** A condition for db/vector.ts: its values follow `$2`. */
export interface ScopeCondition {
  sql(id: string): string
  values: unknown[]
}

function conditionOf(
  scope: SearchScope,
  own: string,
  write: (id: string, isInScope: string) => string,
): ScopeCondition | undefined {
  // $1 and $2 are the person and the profile
  const { values, isInScope } = createSql(scope, [scope.userId, null])
  const narrowing = isInScope.filter((condition) => condition !== own)
  if (narrowing.length === 0) return undefined
  return { sql: (id) => write(id, narrowing.join(' AND ')), values: values.slice(2) }
}

/** Collects the values of a statement while its conditions are written. */
function createSql(scope: SearchScope, values: unknown[] = [scope.userId]) {
  const value = (given: unknown) => `$${values.push(given)}`
  const userId = '$1'
  /** Of a moment with this alias. */
  const isMet = ({ tsquery, pattern }: Condition, alias = 'm') => {
    const met = [
      ...(tsquery === null ? [] : [`${alias}.tsv @@ ${value(tsquery)}::tsquery`]),
      ...(pattern === null ? [] : [`${alias}.body ~* ${value(pattern)}`]),
    ]
    return met.length === 0 ? 'true' : `(${met.join(' AND ')})`
  }
  const { items, types, tags, from, to, includesFrames, phrases, excluded } = scope

  const ofItem: string[] = []
  if (types !== null) ofItem.push(`i.media_type = ANY(${value(types)})`)
  if (from !== null) ofItem.push(`coalesce(i.taken_at, i.created_at) >= ${value(from)}`)
  if (to !== null) ofItem.push(`coalesce(i.taken_at, i.created_at) < ${value(to)}`)
  for (const tag of tags) ofItem.push(`EXISTS (SELECT FROM unnest(i.tags) tag WHERE lower(tag) = ${value(tag)})`)
  for (const phrase of phrases) {
    ofItem.push(
      `EXISTS (SELECT FROM moments x WHERE x.media_item_id = i.id AND x.user_id = ${userId} AND ${isMet(phrase, 'x')})`,
    )
  }
  if (excluded !== null) {
    ofItem.push(
      `NOT EXISTS (SELECT FROM moments x WHERE x.media_item_id = i.id AND x.tsv @@ ${value(excluded)}::tsquery)`,
    )
  }
  const isInScope = [`m.user_id = ${userId}`]
  const isItemInScope = [`i.user_id = ${userId}`]
  if (items !== undefined) {
    const ids = `${value(items)}::uuid[]`
    isInScope.push(`m.media_item_id = ANY(${ids})`)
    isItemInScope.push(`i.id = ANY(${ids})`)
  }
  if (!includesFrames) isInScope.push('m.frame_number IS NULL')
  if (ofItem.length > 0) {
    isInScope.push(
      `EXISTS (SELECT FROM media_items i WHERE i.id = m.media_item_id AND i.user_id = ${userId} AND ${ofItem.join(' AND ')})`,
    )
  }

  return {
    values,
    value,
    /** Of a moment `m`. */
    isInScope,
    /** Of an item `i`. */
    isItemInScope: [...isItemInScope, ...ofItem],
    isMet,
    /** How much of a moment's text the words are. */
    rank: (conditions: Condition[]) => {
      const queries = conditions.flatMap(({ tsquery }) => (tsquery === null ? [] : [`(${tsquery})`]))
      return queries.length === 0 ? '1::float8' : `ts_rank(m.tsv, ${value(queries.join(' | '))}::tsquery, 1)::float8`
    },
  }
}
