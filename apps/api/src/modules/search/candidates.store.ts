import type { Database } from '../../platform/database/client.ts'
import { prepared, preparedWhereEmbedded } from '../../platform/database/prepared.ts'
import { join, nothing, raw, sql } from '../../platform/database/sql.ts'
import { type VectorProfile, vectorParameter } from '../../platform/database/vector.ts'
import { type MomentKind, type MomentRow, momentColumns } from './memory.store.ts'
import { all, type SearchScope, scopeSql } from './scope.ts'

/** Size of a user's memory by the moments' kind and language (a text search configuration). */
export interface PartSize {
  kind: MomentKind
  language: string
  moments: number
  averageBytes: number
}

/** Statistics for weighing the words of moments. */
export interface WordStatistics {
  moments: number
  /** Number of moments by language. */
  languages: ReadonlyMap<string, number>
  averageBytes(kind: MomentKind): number
}

/** A word as a text search query. */
export interface AskedWord {
  tsquery: string
  weight: number
  /** Lower bound of the number of moments that hold it, for its rarity. */
  leastHeld: number
}

export interface WordCandidates {
  /** Moments that hold each of the words, in their order. */
  counts: number[]
  /** The same, as if every language had it as often as the one that has it most. */
  adjustedCounts: number[]
  /** The best first. */
  moments: MomentRow[]
}

/** Cosines of moments and items with a vector, and the items' sizes in bytes; names don't count. */
export interface Comparison {
  moments: Map<string, number>
  items: Map<string, number>
  itemBytes: Map<string, number>
}

export type CandidatesStore = ReturnType<typeof createCandidatesStore>

/** Most moments looked up for one word; a more common word hardly matters, so any of them will do. */
const MAX_PER_WORD = 20_000
/** Most moments of an item to compare: reading their vectors takes longest. */
const MAX_PER_ITEM = 8
/** Moments whose length is measured; longer items count as this long. */
const MAX_MEASURED = 200
const SAMPLED_FOR_WORDS = 2000
/** With fewer texts in a language, its common words are unknown. */
const ENOUGH_OF_A_LANGUAGE = 30
const momentKinds: MomentKind[] = ['caption', 'text', 'speech', 'name']

/** The items `item` of the first of some moments. */
const firstItems = (userId: string, momentIds: string[], max: number) => sql`(
     SELECT m.media_item_id AS id FROM unnest(${momentIds}::uuid[]) WITH ORDINALITY AS given (id, place)
     JOIN moments m ON m.id = given.id AND m.user_id = ${userId} GROUP BY m.media_item_id ORDER BY min(place) LIMIT ${max}
   ) item`

/** Size of an item `item` in bytes. */
const itemBytes = (userId: string) => sql`SELECT coalesce(sum(octet_length(m.body)), 0)::float8 AS bytes FROM (
     SELECT body FROM moments m
     WHERE m.media_item_id = item.id AND m.user_id = ${userId} AND m.kind <> 'name' LIMIT ${raw(MAX_MEASURED)}
   ) m`

interface Compared {
  id: string
  cosine: number | null
  /** Null for a moment. */
  bytes: number | null
}

/** Statements of a search: moments by words, and figures to compare them by. */
export function createCandidatesStore({ pool, engine }: Pick<Database, 'pool' | 'engine'>) {
  const repeated = preparedWhereEmbedded(engine)

  return {
    async sizes(userId: string): Promise<PartSize[]> {
      return (
        await pool.query<PartSize>(
          prepared(sql`SELECT kind, lang::text AS language, count(*)::int AS moments,
            avg(octet_length(body))::float8 AS "averageBytes"
   FROM moments WHERE user_id = ${userId} GROUP BY kind, lang`),
        )
      ).rows
    },

    /** Share of a user's moments in a language that hold a word, for frequent words; from a sample. */
    async frequentWords(userId: string, language: string, leastShare: number): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ word: string; share: number }>(
        sql`SELECT word, ndoc / sampled.count::float8 AS share FROM (
           SELECT least(${raw(SAMPLED_FOR_WORDS)}, count(*)) AS count FROM moments
           WHERE user_id = ${userId} AND lang = ${language}::regconfig
         ) sampled, ts_stat(format(
           'SELECT tsv FROM moments WHERE id IN (SELECT id FROM moments WHERE user_id = %L AND lang = %L::regconfig
              ORDER BY hashtext(id::text) LIMIT ${raw(SAMPLED_FOR_WORDS)})', ${userId}::uuid, ${language}::text))
         WHERE ndoc >= sampled.count * ${leastShare}::float8`,
      )
      return new Map(rows.map(({ word, share }) => [word, share]))
    },

    /** Some moments of a user with a vector; the same ones each time. */
    async someEmbedded(userId: string, profileId: number, limit: number): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        sql`SELECT moment_id AS id FROM (
           SELECT moment_id FROM moment_embeddings WHERE user_id = ${userId} AND profile_id = ${profileId} LIMIT 5000
         ) embedded ORDER BY hashtext(moment_id::text) LIMIT ${limit}`,
      )
      return rows.map(({ id }) => id)
    },

    /**
     * Moments with some of the words: those with many and rare words in short texts first. The number of occurrences in a text
     * doesn't count here.
     */
    async withWords(
      scope: SearchScope,
      words: AskedWord[],
      measure: WordStatistics,
      limit: number,
    ): Promise<WordCandidates> {
      const { narrowing } = scopeSql(scope)
      const wordsJson = JSON.stringify(
        words.map(({ tsquery, ...how }, index) => ({ at: index, query: tsquery, ...how })),
      )
      // Division by numerics would take several times as long.
      const averages = momentKinds.map(
        (kind) => sql`WHEN ${raw(`'${kind}'`)} THEN ${measure.averageBytes(kind)}::float8`,
      )
      const total = sql`${measure.moments}::float8`
      const languages = JSON.stringify([...measure.languages].map(([language, moments]) => ({ language, moments })))
      type Counts = Record<string, { count: number; held: number }>
      const { rows } = await pool.query<MomentRow & { counts: Counts | null }>(
        repeated(
          sql`WITH asked AS (
           SELECT * FROM jsonb_to_recordset(${wordsJson}::jsonb) AS a (at int, query text, weight float8, "leastHeld" float8)
         ),
         hits AS MATERIALIZED (
           SELECT asked.at, held.id, held.lang, held.length FROM asked CROSS JOIN LATERAL (
             SELECT m.id, m.lang, octet_length(m.body) / CASE m.kind ${join(averages, ' ')} ELSE 1 END AS length FROM moments m
             WHERE m.user_id = ${scope.userId} AND m.tsv @@ asked.query::tsquery LIMIT ${raw(MAX_PER_WORD)}
           ) held
         ), languages AS (
           SELECT * FROM jsonb_to_recordset(${languages}::jsonb) AS l (language regconfig, moments int)
         ), by_language AS (
           SELECT at, lang, count(*)::int AS count FROM hits GROUP BY at, lang
         ), counted AS (
           SELECT at, sum(count)::int AS count, greatest(
             sum(count), max(count / greatest(moments, ${raw(ENOUGH_OF_A_LANGUAGE)})::float8) * ${total}
           )::float8 AS held
           FROM by_language LEFT JOIN languages ON language = lang GROUP BY at
         ), weighed AS (
           SELECT at, weight * ln(1 + (greatest(${total}, known.held) - known.held + 0.5) / (known.held + 0.5)) AS weight
           FROM counted JOIN asked USING (at), LATERAL (SELECT greatest(held, "leastHeld") AS held) known
         ), best AS (
           SELECT id, sum(weight / (1.3 + 0.9 * length)) AS score FROM hits JOIN weighed USING (at) GROUP BY id
         ), chosen AS (
           SELECT best.id, score FROM best
           ${narrowing.length > 0 ? sql`JOIN moments m ON m.id = best.id AND ${all(narrowing)}` : nothing}
           ORDER BY score DESC, best.id DESC LIMIT ${limit}
         )
         SELECT told.counts, ${momentColumns} FROM (
           SELECT jsonb_object_agg(at, jsonb_build_object('count', count, 'held', held)) AS counts FROM counted
         ) told LEFT JOIN (chosen JOIN moments m USING (id)) ON true ORDER BY score DESC, m.id DESC`,
        ),
      )
      const counts = rows[0]?.counts ?? {}
      // Without moments, one row has the counts alone.
      const moments = rows.filter(({ id }) => id !== null).map(({ counts: _counts, ...moment }) => moment)
      return {
        counts: words.map((_, index) => counts[index]?.count ?? 0),
        adjustedCounts: words.map((_, index) => counts[index]?.held ?? 0),
        moments,
      }
    },

    /** Bytes of the texts, without names, of the first moments' items. */
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
     * Compares moments, and the items of the first few, with a vector. An item's cosine is the mean of its moments
     * without its name; items come with their sizes.
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
      const { rows } = await pool.query<Compared>(
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
