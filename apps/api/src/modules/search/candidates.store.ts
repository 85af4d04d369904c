import type { Database } from '../../platform/database/client.ts'
import { prepared, preparedWhereEmbedded } from '../../platform/database/prepared.ts'
import { join, nothing, raw, sql } from '../../platform/database/sql.ts'
import { type VectorProfile, vectorParameter } from '../../platform/database/vector.ts'
import { type MomentKind, type MomentRow, momentColumns } from './memory.store.ts'
import { all, type SearchScope, scopeSql } from './scope.ts'

/** Number and size of a user's moments of one kind in one language (a text search configuration). */
export interface MomentGroupStatistics {
  kind: MomentKind
  language: string
  moments: number
  averageBytes: number
}

/** Statistics of a memory for weighting the words of a query. */
export interface WordStatistics {
  moments: number
  /** Number of moments by language. */
  languages: ReadonlyMap<string, number>
  averageBytes(kind: MomentKind): number
}

/** A word to look up, as a text search query. */
export interface QueryWord {
  tsquery: string
  weight: number
  /** Minimum number of moments that count as containing the word when its rarity is computed. */
  minMomentCount: number
}

export interface WordCandidates {
  /** Number of moments with each word, in the words' order. */
  counts: number[]
  /** Number of moments that would contain each word if it were as frequent in every language as in its most frequent one. */
  adjustedCounts: number[]
  /** Best first. */
  moments: MomentRow[]
}

/** Cosines of moments and items with a vector, and the size of the items' texts in bytes; each by id. */
export interface Comparison {
  moments: Map<string, number>
  items: Map<string, number>
  itemBytes: Map<string, number>
}

export type CandidatesStore = ReturnType<typeof createCandidatesStore>

/** Maximum moments looked up for one word. A more common word hardly matters, so some of its moments are enough. */
const MAX_PER_WORD = 20_000
/** Maximum moments of an item that its vector is made from; reading their vectors takes most of the time. */
const MAX_PER_ITEM = 8
/** Maximum moments of an item that its size is measured by; the rest of a longer item doesn't count. */
const MAX_MEASURED = 200
const WORD_SAMPLE_MOMENTS = 2000
/** Minimum moments assumed for a language, so that a word isn't taken for common because of a few texts. */
const MIN_LANGUAGE_MOMENTS = 30
const momentKinds: MomentKind[] = ['caption', 'text', 'speech', 'name']

/** SQL for the items of the moments, at most the first `max`, as `item`. */
const firstItems = (userId: string, momentIds: string[], max: number) => sql`(
     SELECT m.media_item_id AS id FROM unnest(${momentIds}::uuid[]) WITH ORDINALITY AS listed (id, place)
     JOIN moments m ON m.id = listed.id AND m.user_id = ${userId} GROUP BY m.media_item_id ORDER BY min(place) LIMIT ${max}
   ) item`

/** SQL for the bytes of the texts of `item`, without its name. */
const itemBytes = (userId: string) => sql`SELECT coalesce(sum(octet_length(m.body)), 0)::float8 AS bytes FROM (
     SELECT body FROM moments m
     WHERE m.media_item_id = item.id AND m.user_id = ${userId} AND m.kind <> 'name' LIMIT ${raw(MAX_MEASURED)}
   ) m`

interface ComparisonRow {
  id: string
  cosine: number | null
  /** Bytes of the item's texts; null for a moment. */
  bytes: number | null
}

/** Finds moments by words, and reads figures for comparing moments. */
export function createCandidatesStore({ pool, engine }: Pick<Database, 'pool' | 'engine'>) {
  const preparedIfEmbedded = preparedWhereEmbedded(engine)

  return {
    async sizes(userId: string): Promise<MomentGroupStatistics[]> {
      return (
        await pool.query<MomentGroupStatistics>(
          prepared(sql`SELECT kind, lang::text AS language, count(*)::int AS moments,
            avg(octet_length(body))::float8 AS "averageBytes"
   FROM moments WHERE user_id = ${userId} GROUP BY kind, lang`),
        )
      ).rows
    },

    /** Words that many of a user's moments in a language contain, with the share of moments; estimated from a sample. */
    async frequentWords(userId: string, language: string, minShare: number): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ word: string; share: number }>(
        sql`SELECT word, ndoc / sampled.count::float8 AS share FROM (
           SELECT least(${raw(WORD_SAMPLE_MOMENTS)}, count(*)) AS count FROM moments
           WHERE user_id = ${userId} AND lang = ${language}::regconfig
         ) sampled, ts_stat(format(
           'SELECT tsv FROM moments WHERE id IN (SELECT id FROM moments WHERE user_id = %L AND lang = %L::regconfig
              ORDER BY hashtext(id::text) LIMIT ${raw(WORD_SAMPLE_MOMENTS)})', ${userId}::uuid, ${language}::text))
         WHERE ndoc >= sampled.count * ${minShare}::float8`,
      )
      return new Map(rows.map(({ word, share }) => [word, share]))
    },

    /** Ids of a random sample of a user's moments with a vector; the same sample as long as the moments are the same. */
    async sampleEmbedded(userId: string, profileId: number, limit: number): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT moment_id AS id FROM (
           SELECT moment_id FROM moment_embeddings WHERE user_id = ${userId} AND profile_id = ${profileId} LIMIT 5000
         ) embedded ORDER BY hashtext(moment_id::text) LIMIT ${limit}`,
      )
      return rows.map(({ id }) => id)
    },

    /**
     * Finds moments with any of the words. Short texts that contain many or rare ones of them come first; how often a text
     * contains a word doesn't count here.
     */
    async withWords(
      scope: SearchScope,
      words: QueryWord[],
      statistics: WordStatistics,
      limit: number,
    ): Promise<WordCandidates> {
      const { narrowing } = scopeSql(scope)
      const wordsJson = JSON.stringify(words.map(({ tsquery, ...rest }, index) => ({ index, query: tsquery, ...rest })))
      // Dividing by `numeric` instead of `float8` would take several times as long.
      const averages = momentKinds.map(
        (kind) => sql`WHEN ${raw(`'${kind}'`)} THEN ${statistics.averageBytes(kind)}::float8`,
      )
      const total = sql`${statistics.moments}::float8`
      const languages = JSON.stringify([...statistics.languages].map(([language, moments]) => ({ language, moments })))
      type Counts = Record<string, { count: number; adjusted: number }>
      const { rows } = await pool.query<MomentRow & { counts: Counts | null }>(
        preparedIfEmbedded(
          sql`WITH words AS (
           SELECT * FROM jsonb_to_recordset(${wordsJson}::jsonb) AS w (index int, query text, weight float8, "minMomentCount" float8)
         ),
         hits AS MATERIALIZED (
           SELECT words.index, matched.id, matched.lang, matched.length FROM words CROSS JOIN LATERAL (
             SELECT m.id, m.lang, octet_length(m.body) / CASE m.kind ${join(averages, ' ')} ELSE 1 END AS length FROM moments m
             WHERE m.user_id = ${scope.userId} AND m.tsv @@ words.query::tsquery LIMIT ${raw(MAX_PER_WORD)}
           ) matched
         ), languages AS (
           SELECT * FROM jsonb_to_recordset(${languages}::jsonb) AS l (language regconfig, moments int)
         ), by_language AS (
           SELECT index, lang, count(*)::int AS count FROM hits GROUP BY index, lang
         ), counted AS (
           SELECT index, sum(count)::int AS count, greatest(
             sum(count), max(count / greatest(moments, ${raw(MIN_LANGUAGE_MOMENTS)})::float8) * ${total}
           )::float8 AS adjusted
           FROM by_language LEFT JOIN languages ON language = lang GROUP BY index
         ), weighted AS (
           SELECT index, weight * ln(1 + (greatest(${total}, bounded.count) - bounded.count + 0.5) / (bounded.count + 0.5)) AS weight
           FROM counted JOIN words USING (index), LATERAL (SELECT greatest(adjusted, "minMomentCount") AS count) bounded
         ), scored AS (
           SELECT id, sum(weight / (1.3 + 0.9 * length)) AS score FROM hits JOIN weighted USING (index) GROUP BY id
         ), best AS (
           SELECT scored.id, score FROM scored
           ${narrowing.length > 0 ? sql`JOIN moments m ON m.id = scored.id AND ${all(narrowing)}` : nothing}
           ORDER BY score DESC, scored.id DESC LIMIT ${limit}
         )
         SELECT totals.counts, ${momentColumns} FROM (
           SELECT jsonb_object_agg(index, jsonb_build_object('count', count, 'adjusted', adjusted)) AS counts FROM counted
         ) totals LEFT JOIN (best JOIN moments m USING (id)) ON true ORDER BY score DESC, m.id DESC`,
        ),
      )
      const counts = rows[0]?.counts ?? {}
      // If no moment was found, there's one row that only has the counts.
      const moments = rows.filter(({ id }) => id !== null).map(({ counts: _counts, ...moment }) => moment)
      return {
        counts: words.map((_, index) => counts[index]?.count ?? 0),
        adjustedCounts: words.map((_, index) => counts[index]?.adjusted ?? 0),
        moments,
      }
    },

    /** Bytes of the texts of the moments' items, without names, for at most the first `maxItems` items. */
    async itemBytes(userId: string, momentIds: string[], maxItems: number): Promise<Map<string, number>> {
      if (momentIds.length === 0) return new Map()
      const { rows } = await pool.query<{ id: string; bytes: number }>(
        prepared(sql`
          SELECT item.id, texts.bytes FROM ${firstItems(userId, momentIds, maxItems)}
          CROSS JOIN LATERAL (${itemBytes(userId)}) texts`),
      )
      return new Map(rows.map(({ id, bytes }) => [id, bytes]))
    },

    /**
     * Compares moments with a vector, and also the items of `items.ofMoments`, at most the first `items.max`. The vector of an
     * item is the sum of those of its first moments, without its name.
     */
    async compare(
      userId: string,
      { profile, vector }: { profile: VectorProfile; vector: number[] },
      momentIds: string[],
      items: { ofMoments: string[]; max: number },
    ): Promise<Comparison> {
      const comparison: Comparison = { moments: new Map(), items: new Map(), itemBytes: new Map() }
      if (momentIds.length === 0 && items.ofMoments.length === 0) return comparison
      const target = vectorParameter(vector)
      const { rows } = await pool.query<ComparisonRow>(
        prepared(sql`
          SELECT moment_id AS id, 1 - (embedding <=> ${target}::vector) AS cosine, NULL::float8 AS bytes
          FROM moment_embeddings
          WHERE moment_id = ANY(${momentIds}::uuid[]) AND profile_id = ${profile.id} AND user_id = ${userId}
          UNION ALL
          SELECT item.id, vectors.cosine, texts.bytes FROM ${firstItems(userId, items.ofMoments, items.max)}
          CROSS JOIN LATERAL (
            SELECT 1 - (vector_total(e.embedding) <=> ${target}::vector) AS cosine FROM (
              SELECT m.id FROM moments m WHERE m.media_item_id = item.id AND m.user_id = ${userId} AND m.kind <> 'name'
              ORDER BY m.kind, m.position LIMIT ${raw(MAX_PER_ITEM)}
            ) m JOIN moment_embeddings e ON e.moment_id = m.id AND e.profile_id = ${profile.id}
          ) vectors CROSS JOIN LATERAL (${itemBytes(userId)}) texts`),
      )
      for (const { id, cosine, bytes } of rows) {
        if (bytes !== null) comparison.itemBytes.set(id, bytes)
        if (cosine !== null) (bytes === null ? comparison.moments : comparison.items).set(id, cosine)
      }
      return comparison
    },
  }
}
