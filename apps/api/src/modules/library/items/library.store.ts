import type {
  CodedSentence,
  CorrectedFact,
  LibraryQuery,
  MediaSort,
  MediaSourceKind,
  MediaType,
  ProcessingStatus,
  ProcessingStep,
} from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { join, nothing, raw, type SqlText, sql } from '../../../platform/database/sql.ts'
import { wholeWords } from '../../../platform/lib/searched-form.ts'

/** An item with all fields shown in lists. */
export interface ShownItem {
  id: string
  userId: string
  mediaType: MediaType
  sha256: string
  path: string
  originalFilename: string
  contentType: string
  sizeBytes: number
  sourceKind: MediaSourceKind | null
  sourceUrl: string | null
  width: number | null
  height: number | null
  durationSeconds: number | null
  pageCount: number | null
  takenAt: Date | null
  /** Local time, such as 2024-07-14T09:28:00. */
  takenLocal: string | null
  /** Facts corrected by the user. */
  corrected: CorrectedFact[]
  camera: string | null
  latitude: number | null
  longitude: number | null
  thumbhash: string | null
  framesCount: number
  details: Record<string, string | number | boolean>
  /** Stored waveform of a recording; null for other types. */
  waveform: unknown
  tags: string[]
  caption: string | null
  extractedText: string | null
  transcription: string | null
  processingStatus: ProcessingStatus
  error: string | null
  /** The error as codes with parameters, for translation. */
  errorSentences: CodedSentence[]
  createdAt: Date
  /** Null outside the trash. */
  trashedAt: Date | null
  /** In the order in which they start. */
  steps: (Omit<ProcessingStep, 'error_told'> & { model: string | null; errorSentences: CodedSentence[] })[]
  copies: ShownCopy[]
}

/** A file derived from an item. */
export interface ShownCopy {
  kind: 'thumbnail' | 'preview' | 'motion' | 'motion_preview'
  path: string
  contentType: string
  sizeBytes: number
}

/** End of a page: the sort key of its last item, as the database writes it, and the item's id. */
export interface LibraryPosition {
  key: string
  id: string
}

/** Selection of a user's items, all conditions combined with AND. */
export interface ItemSelection {
  /** Ids to which the selection is limited. */
  among?: string[] | undefined
  /** Tag that the items have, ignoring case. */
  tag?: string | undefined
  contentTypes?: readonly string[] | undefined
  /**
   * Range of local times. Compares the time when an item was taken, or when it was added if that's unknown. `from` is inclusive
   * and `to` exclusive; both are converted to local times of the time zone.
   */
  period?: { from: Date; to: Date; timeZone: string } | undefined
  /** True when `period` and the sort `oldest` always compare the time when an item was added. */
  isByTimeAdded?: boolean
}

interface LibraryPage {
  items: ShownItem[]
  /** Null at the end. */
  next: LibraryPosition | null
  total: number
}

/** Texts in lists are cut to this length. */
const LIST_TEXT_CHARACTERS = 500
const WHOLE_TEXT = 2_147_483_647
/** Shorter words have no trigrams. */
const TRIGRAM_CHARACTERS = 3
const MAX_WORDS = 10

/** SQL: local time when the item was taken; if that's unknown, the time when it was added, in UTC. */
const SHOWN_LOCAL_TIME = `coalesce(m.taken_local, m.created_at AT TIME ZONE 'UTC')`
/** SQL key, its type and the direction of each sort; ties are broken by the id. */
const orders: Record<MediaSort, { key: string; type: string; isDescending: boolean }> = {
  newest: { key: SHOWN_LOCAL_TIME, type: 'timestamp', isDescending: true },
  oldest: { key: SHOWN_LOCAL_TIME, type: 'timestamp', isDescending: false },
  taken: { key: `coalesce(m.taken_local, '-infinity')`, type: 'timestamp', isDescending: true },
  added: { key: 'm.created_at', type: 'timestamptz', isDescending: true },
  name: { key: 'lower(m.original_filename)', type: 'text', isDescending: false },
  largest: { key: 'm.size_bytes', type: 'bigint', isDescending: true },
  longest: { key: 'coalesce(m.duration_seconds, -1)', type: 'float8', isDescending: true },
}

/** Order of the sort `oldest` by the time added. */
const oldestAdded: typeof orders.added = { ...orders.added, isDescending: false }

const shownColumns = (textCharacters: number) =>
  raw(`m.id, coalesce(m.user_id, m.trashed_from) AS "userId", m.trashed_at AS "trashedAt", m.media_type AS "mediaType", m.sha256,
  m.path, m.original_filename AS "originalFilename", m.content_type AS "contentType",
  m.size_bytes::float8 AS "sizeBytes", m.source_kind AS "sourceKind", m.source_url AS "sourceUrl", m.width, m.height, m.duration_seconds AS "durationSeconds",
  m.page_count AS "pageCount", m.taken_at AS "takenAt", m.camera, m.latitude, m.longitude, m.thumbhash,
  m.frames_count AS "framesCount", m.details - '{waveform,page_titles,content_identifier}'::text[]
    - CASE WHEN m.own_taken_local IS NULL THEN '' ELSE 'taken_from' END AS details,
  to_char(m.taken_local, 'YYYY-MM-DD"T"HH24:MI:SS') AS "takenLocal",
  array_remove(ARRAY[CASE WHEN m.own_taken_local IS NOT NULL THEN 'taken_at' END,
    CASE WHEN m.own_latitude IS NOT NULL THEN 'place' END], NULL) AS corrected, m.tags,
  CASE WHEN m.media_type = 'audio' THEN m.details -> 'waveform' END AS waveform,
  left(m.caption, ${textCharacters}) AS caption, left(m.extracted_text, ${textCharacters}) AS "extractedText",
  left(m.transcription, ${textCharacters}) AS transcription,
  m.processing_status AS "processingStatus", m.error, m.error_told AS "errorSentences", m.created_at AS "createdAt",
  (SELECT coalesce(json_agg(json_build_object('name', s.name, 'status', s.status, 'progress', s.progress,
      'engine', s.engine, 'model', s.model, 'error', s.error, 'errorSentences', s.error_told) ORDER BY s.position), '[]')
    FROM media_steps s WHERE s.media_item_id = m.id) AS steps,
  (SELECT coalesce(json_agg(json_build_object('kind', c.kind, 'path', c.path, 'contentType', c.content_type,
      'sizeBytes', c.size_bytes)), '[]')
    FROM media_copies c WHERE c.media_item_id = m.id) AS copies`)

export type LibraryStore = ReturnType<typeof createLibraryStore>

/** Access to items for display; all queries are limited to one user. */
export function createLibraryStore({ pool }: Pick<Database, 'pool'>) {
  const count = async (filter: SqlText): Promise<number> => {
    const { rows } = await pool.query<{ total: number }>(
      sql`SELECT count(*)::int AS total FROM media_items m WHERE ${filter}`,
    )
    return rows[0]?.total ?? 0
  }

  /** An item by its id, or by that of a video that was merged into it as a live photo. */
  const find = async (
    { userId, id }: { userId: string; id: string },
    textCharacters: number,
    owner: 'm.user_id' | 'm.trashed_from' = 'm.user_id',
  ): Promise<ShownItem | null> => {
    const { rows } = await pool.query<ShownItem>(
      prepared(sql`
        SELECT ${shownColumns(textCharacters)} FROM media_items m WHERE ${raw(owner)} = ${userId}
          AND m.id IN (${id}, (SELECT media_item_id FROM media_copies WHERE joined_item_id = ${id}))`),
    )
    return rows[0] ?? null
  }

  return {
    /** An item with its full texts; null when it isn't the user's. */
    show: (userId: string, id: string): Promise<ShownItem | null> => find({ userId, id }, WHOLE_TEXT),

    /** An item without its long texts, for requests of its file: a video is requested in many ranges. */
    outline: (userId: string, id: string): Promise<ShownItem | null> => find({ userId, id }, 0),

    /** An item in the user's trash, without its texts. */
    outlineTrashed: (userId: string, id: string): Promise<ShownItem | null> =>
      find({ userId, id }, 0, 'm.trashed_from'),

    /** A page of the library or the trash, or of a selection, and the number of matches. */
    async list(
      userId: string,
      query: LibraryQuery,
      after: LibraryPosition | null,
      selection: ItemSelection = {},
    ): Promise<LibraryPage> {
      const { key, type, isDescending } =
        query.sort === 'oldest' && selection.isByTimeAdded ? oldestAdded : orders[query.sort]
      const selected = selectionFilters(selection)
      const filter = join([...libraryFilters(userId, query), ...selected], ' AND ')
      const direction = raw(isDescending ? 'DESC' : 'ASC')
      const start =
        after === null
          ? nothing
          : sql`WHERE (key, id) ${raw(isDescending ? '<' : '>')} (${after.key}::${raw(type)}, ${after.id}::uuid)`
      // A text search runs once; otherwise an index finds the start of the page.
      const isSearch = query.query !== undefined && query.query !== ''
      const total = isSearch
        ? sql`(SELECT count(*)::int FROM matching)`
        : selected.length === 0 && query.in !== 'trash'
          ? maintainedCount(userId, query)
          : sql`NULL::int`
      const { rows } = await pool.query<ShownItem & { key: string; total: number | null }>(
        sql`WITH matching AS ${isSearch ? nothing : sql`NOT`} MATERIALIZED (
           SELECT m.id, ${raw(key)} AS key FROM media_items m WHERE ${filter}
         ), page AS MATERIALIZED (
           SELECT id, key FROM matching ${start} ORDER BY key ${direction}, id ${direction} LIMIT ${query.limit + 1}
         )
         SELECT ${shownColumns(LIST_TEXT_CHARACTERS)}, page.key::text AS key, ${total} AS total
         FROM page JOIN media_items m ON m.id = page.id ORDER BY page.key ${direction}, m.id ${direction}`,
      )
      const items = rows.slice(0, query.limit).map(({ key: _key, total: _total, ...item }) => item)
      const last = rows[query.limit - 1]
      const next = rows.length > query.limit && last !== undefined ? { key: last.key, id: last.id } : null
      return { items, next, total: rows[0]?.total ?? (await count(filter)) }
    },

    /** A user's tags with their numbers of items, most used first. */
    async tags(userId: string): Promise<{ tag: string; count: number }[]> {
      const { rows } = await pool.query<{ tag: string; count: number }>(
        sql`SELECT tag, count(*)::int AS count FROM media_items, unnest(tags) AS tag
         WHERE user_id = ${userId} GROUP BY tag ORDER BY count(*) DESC, tag`,
      )
      return rows
    },
  }
}

/**
 * SQL: a user's number of items from the maintained counts, since counting takes longer than fetching a page; NULL when
 * filtered by tag or status.
 */
function maintainedCount(userId: string, { media_type: type, tag, status }: LibraryQuery): SqlText {
  if (tag !== undefined || status !== undefined) return sql`NULL::int`
  const isCounted = type === undefined ? sql`subject <> 'conversation'` : sql`subject = ${type}`
  return sql`(SELECT coalesce(sum(count), 0)::int FROM person_counts WHERE user_id = ${userId} AND ${isCounted})`
}

/** SQL conditions of a filter, for items of a user. */
export function libraryFilters(
  userId: string,
  {
    in: section,
    media_type,
    tag,
    status,
    query,
  }: Partial<Pick<LibraryQuery, 'in' | 'media_type' | 'tag' | 'status' | 'query'>>,
): SqlText[] {
  const conditions = [section === 'trash' ? sql`m.trashed_from = ${userId}` : sql`m.user_id = ${userId}`]
  if (media_type !== undefined) conditions.push(sql`m.media_type = ${media_type}`)
  if (tag !== undefined) conditions.push(sql`m.tags @> ARRAY[${tag}]::text[]`)
  if (status !== undefined) conditions.push(sql`m.processing_status = ${status}`)
  for (const word of query?.split(/\s+/).slice(0, MAX_WORDS) ?? []) {
    if (word !== '') conditions.push(section === 'trash' ? nameContains(word) : containsWord(userId, word))
  }
  return conditions
}

/** SQL conditions of a selection, for items `m` of a user. */
export function selectionFilters({ among, tag, contentTypes, period, isByTimeAdded }: ItemSelection): SqlText[] {
  const conditions: SqlText[] = []
  if (among !== undefined) conditions.push(sql`m.id = ANY(${among}::uuid[])`)
  if (tag !== undefined)
    conditions.push(sql`m.tags <> '{}' AND lower_case(m.tags) @> ARRAY[${tag.toLowerCase()}]::text[]`)
  if (contentTypes !== undefined) conditions.push(sql`m.content_type = ANY(${contentTypes})`)
  if (period !== undefined) {
    const { from, to, timeZone } = period
    const toLocal = (time: SqlText) => sql`(${time} AT TIME ZONE ${timeZone}::text)`
    const added = toLocal(sql`m.created_at`)
    const itemTime = isByTimeAdded ? added : sql`coalesce(m.taken_local, ${added})`
    conditions.push(sql`${itemTime} >= ${toLocal(sql`${from}::timestamptz`)}`)
    conditions.push(sql`${itemTime} < ${toLocal(sql`${to}::timestamptz`)}`)
  }
  return conditions
}

/** LIKE pattern for texts that contain a word. */
const likePattern = (word: string) => `%${word.replace(/[\\%_]/g, '\\$&')}%`

/** SQL: the item's name contains a word. In the trash, texts aren't searched. */
const nameContains = (word: string) => sql`m.original_filename ILIKE ${likePattern(word)}`

/** Text search configurations with stemming. */
const STEMMING_CONFIGURATIONS = ['english', 'spanish', 'french', 'german'].map((language) => `public.${language}_words`)

/** SQL: the name, tags or any text of a user's item contains a word. Texts also match by the word's inflected forms. */
function containsWord(userId: string, word: string): SqlText {
  const pattern = likePattern(word)
  return sql`m.id IN (
    SELECT n.id FROM media_items n WHERE n.user_id = ${userId} AND n.original_filename ILIKE ${pattern}
    UNION ALL
    SELECT t.id FROM media_items t
    WHERE t.user_id = ${userId} AND t.tags <> '{}' AND array_to_string(t.tags, chr(10)) ILIKE ${pattern}
    UNION ALL
    SELECT o.media_item_id FROM moments o WHERE o.user_id = ${userId} AND (${momentContains(word)}))`
}

/** SQL: the text of a moment `o`, a passage of an item, contains a word as a substring, a prefix or an inflected form. */
function momentContains(word: string): SqlText {
  const wholeWord = wholeWords(word)
  const prefixMatch = sql`o.tsv @@ to_tsquery('simple', ${`'${wholeWord.replace(/[\\']/g, '$&$&')}':*`})`
  if (word.length < TRIGRAM_CHARACTERS) return prefixMatch
  const asWritten = sql`o.body ILIKE ${likePattern(word)}`
  if (!/^[\p{L}\p{N}\p{M}]+$/u.test(wholeWord)) return asWritten
  const inLanguages = STEMMING_CONFIGURATIONS.map(
    (language) => sql`o.tsv @@ plainto_tsquery(${raw(`'${language}'`)}, ${wholeWord})`,
  )
  return join([asWritten, prefixMatch, ...inLanguages], ' OR ')
}
