import type { Database } from '../../platform/database/client.ts'
import { prepared, preparedWhereEmbedded } from '../../platform/database/prepared.ts'
import { type VectorProfile, vectorParameter } from '../../platform/database/vector.ts'
import { type MomentKind, type MomentRow, momentColumns } from './memory.store.ts'
import { createScopeSql, type SearchScope } from './scope.ts'

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

/** Most moments looked up for one word; a more common word tells next to nothing, so any of them will do. */
const MAX_PER_WORD = 20_000
/** Most moments of an item to compare: reading their vectors takes longest. */
const MAX_PER_ITEM = 8
/** Moments whose length is measured; longer items count as this long. */
const MAX_MEASURED = 200
const SAMPLED_FOR_WORDS = 2000
/** With fewer texts in a language, its common words are unknown. */
const ENOUGH_OF_A_LANGUAGE = 30
const momentKinds: MomentKind[] = ['caption', 'text', 'speech', 'name']

const selectSizes = prepared(
  `SELECT kind, lang::text AS language, count(*)::int AS moments, avg(octet_length(body))::float8 AS "averageBytes"
   FROM moments WHERE user_id = $1 GROUP BY kind, lang`,
)

/** The items `item` of the first of the moments `$2`, at most `$3`. */
const FIRST_ITEMS = `(
     SELECT m.media_item_id AS id FROM unnest($2::uuid[]) WITH ORDINALITY AS given (id, place)
     JOIN moments m ON m.id = given.id AND m.user_id = $1 GROUP BY m.media_item_id ORDER BY min(place) LIMIT $3
   ) item`

/** Size of an item `item` in bytes. */
const BYTES = `SELECT coalesce(sum(octet_length(m.body)), 0)::float8 AS bytes FROM (
     SELECT body FROM moments m WHERE m.media_item_id = item.id AND m.user_id = $1 AND m.kind <> 'name' LIMIT ${MAX_MEASURED}
   ) m`

interface Compared {
  id: string
  cosine: number | null
  /** Null for a moment. */
  bytes: number | null
}

/** Cosines of moments `$6` and of items with the vector `$5` of the profile `$4`; items with their bytes. */
const selectCompared = prepared(
  `SELECT moment_id AS id, 1 - (embedding <=> $5::vector) AS cosine, NULL::float8 AS bytes FROM moment_embeddings
   WHERE moment_id = ANY($6::uuid[]) AND profile_id = $4 AND user_id = $1
   UNION ALL
   SELECT item.id, vectors.cosine, texts.bytes FROM ${FIRST_ITEMS} CROSS JOIN LATERAL (
     SELECT 1 - (vector_total(e.embedding) <=> $5::vector) AS cosine FROM (
       SELECT m.id FROM moments m WHERE m.media_item_id = item.id AND m.user_id = $1 AND m.kind <> 'name'
       ORDER BY m.kind, m.position LIMIT ${MAX_PER_ITEM}
     ) m JOIN moment_embeddings e ON e.moment_id = m.id AND e.profile_id = $4
   ) vectors CROSS JOIN LATERAL (${BYTES}) texts`,
)

const selectItemBytes = prepared(`SELECT item.id, texts.bytes FROM ${FIRST_ITEMS} CROSS JOIN LATERAL (${BYTES}) texts`)

/** Statements of a search: moments by words, and figures to compare them by. */
export function createCandidatesStore({ pool, engine }: Pick<Database, 'pool' | 'engine'>) {
  const repeated = preparedWhereEmbedded(engine)

  return {
    async sizes(userId: string): Promise<PartSize[]> {
      return (await pool.query<PartSize>(selectSizes([userId]))).rows
    },

    /** Share of a user's moments in a language that hold a word, for frequent words; from a sample. */
    async frequentWords(userId: string, language: string, leastShare: number): Promise<Map<string, number>> {
      const { rows } = await pool.query<{ word: string; share: number }>(
        `SELECT word, ndoc / sampled.count::float8 AS share FROM (
           SELECT least(${SAMPLED_FOR_WORDS}, count(*)) AS count FROM moments WHERE user_id = $1 AND lang = $2::regconfig
         ) sampled, ts_stat(format(
           'SELECT tsv FROM moments WHERE id IN (SELECT id FROM moments WHERE user_id = %L AND lang = %L::regconfig
              ORDER BY hashtext(id::text) LIMIT ${SAMPLED_FOR_WORDS})', $1::uuid, $2::text))
         WHERE ndoc >= sampled.count * $3::float8`,
        [userId, language, leastShare],
      )
      return new Map(rows.map(({ word, share }) => [word, share]))
    },

    /** Some moments of a user with a vector; the same ones each time. */
    async someEmbedded(userId: string, profileId: number, limit: number): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `SELECT moment_id AS id FROM (
           SELECT moment_id FROM moment_embeddings WHERE user_id = $1 AND profile_id = $2 LIMIT 5000
         ) embedded ORDER BY hashtext(moment_id::text) LIMIT $3`,
        [userId, profileId, limit],
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
      const sql = createScopeSql(scope)
      const narrowing = sql.isInScope.slice(1)
      const wordsJson = sql.value(
        JSON.stringify(words.map(({ tsquery, ...how }, index) => ({ at: index, query: tsquery, ...how }))),
      )
      // Division by numerics would take several times as long.
      const averages = momentKinds.map((kind) => `WHEN '${kind}' THEN ${sql.value(measure.averageBytes(kind))}::float8`)
      const all = `${sql.value(measure.moments)}::float8`
      const languages = JSON.stringify([...measure.languages].map(([language, moments]) => ({ language, moments })))
      type Counts = Record<string, { count: number; held: number }>
      const { rows } = await pool.query<MomentRow & { counts: Counts | null }>(
        repeated(
          `WITH asked AS (SELECT * FROM jsonb_to_recordset(${wordsJson}::jsonb) AS a (at int, query text, weight float8, "leastHeld" float8)),
         hits AS MATERIALIZED (
           SELECT asked.at, held.id, held.lang, held.length FROM asked CROSS JOIN LATERAL (
             SELECT m.id, m.lang, octet_length(m.body) / CASE m.kind ${averages.join(' ')} ELSE 1 END AS length FROM moments m
             WHERE m.user_id = $1 AND m.tsv @@ asked.query::tsquery LIMIT ${MAX_PER_WORD}
           ) held
         ), languages AS (
           SELECT * FROM jsonb_to_recordset(${sql.value(languages)}::jsonb) AS l (language regconfig, moments int)
         ), by_language AS (
           SELECT at, lang, count(*)::int AS count FROM hits GROUP BY at, lang
         ), counted AS (
           SELECT at, sum(count)::int AS count, greatest(
             sum(count), max(count / greatest(moments, ${ENOUGH_OF_A_LANGUAGE})::float8) * ${all}
           )::float8 AS held
           FROM by_language LEFT JOIN languages ON language = lang GROUP BY at
         ), weighed AS (
           SELECT at, weight * ln(1 + (greatest(${all}, known.held) - known.held + 0.5) / (known.held + 0.5)) AS weight
           FROM counted JOIN asked USING (at), LATERAL (SELECT greatest(held, "leastHeld") AS held) known
         ), best AS (
           SELECT id, sum(weight / (1.3 + 0.9 * length)) AS score FROM hits JOIN weighed USING (at) GROUP BY id
         ), chosen AS (
           SELECT m.id, score FROM best ${narrowing.length > 0 ? 'JOIN moments' : 'CROSS JOIN LATERAL (SELECT best.id)'} m
           ${narrowing.length > 0 ? `ON m.id = best.id AND ${narrowing.join(' AND ')}` : ''}
           ORDER BY score DESC, m.id DESC LIMIT ${sql.value(limit)}
         )
         SELECT told.counts, ${momentColumns} FROM (
           SELECT jsonb_object_agg(at, jsonb_build_object('count', count, 'held', held)) AS counts FROM counted
         ) told LEFT JOIN (chosen JOIN moments m USING (id)) ON true ORDER BY score DESC, m.id DESC`,
          sql.values,
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
    async itemBytes(userId: string, momentIds: string[], mostItems: number): Promise<Map<string, number>> {
      if (momentIds.length === 0) return new Map()
      const { rows } = await pool.query<{ id: string; bytes: number }>(selectItemBytes([userId, momentIds, mostItems]))
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
      items: { ofMoments: string[]; most: number },
    ): Promise<Comparison> {
      const comparison: Comparison = { moments: new Map(), items: new Map(), itemBytes: new Map() }
      if (momentIds.length === 0 && items.ofMoments.length === 0) return comparison
      const { rows } = await pool.query<Compared>(
        selectCompared([userId, items.ofMoments, items.most, profile.id, vectorParameter(vector), momentIds]),
      )
      for (const { id, cosine, bytes } of rows) {
        if (bytes !== null) comparison.itemBytes.set(id, bytes)
        if (cosine !== null) (bytes === null ? comparison.moments : comparison.items).set(id, cosine)
      }
      return comparison
    },
  }
}
