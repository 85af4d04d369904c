import type pg from 'pg'
import type { Log } from '../../log.ts'
import { buildIndex, hasIndex } from './build-index.ts'
import type { Database } from './client.ts'
import { preparedWhenRepeated } from './prepared.ts'
import { join, nothing, raw, type SqlText, sql } from './sql.ts'

/** Runs one statement with its own database settings. */
async function queryWith<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  settings: Record<string, string | number>,
  statement: SqlText,
): Promise<Row[]> {
  const client = await pool.connect()
  try {
    await client.query(
      ['BEGIN', ...Object.entries(settings).map((entry) => `SET LOCAL ${entry.join(' = ')}`)].join('; '),
    )
    const { rows } = await client.query<Row>(statement)
    await client.query('COMMIT')
    client.release()
    return rows
  } catch (error) {
    // closing the connection rolls back the transaction
    client.release(true)
    throw error
  }
}

/** Tables of vectors, and their column with the id of the row that a vector belongs to. */
const tables = {
  moment: { table: 'moment_embeddings', id: 'moment_id' },
  part: { table: 'part_embeddings', id: 'part_id' },
} as const
export type VectorKind = keyof typeof tables

/** Model behind a set of vectors; only vectors of the same profile can be compared. */
export interface VectorProfile {
  id: number
  dimensions: number
}

/** Filters of a vector search. */
export interface VectorSearch {
  kind: VectorKind
  profile: VectorProfile
  userId: string
  vector: number[]
  limit: number
  /** Further vectors to compare each hit with, made by toProbe. */
  probes?: Buffer[]
  /** SQL condition on a row, given its id. */
  condition?: ((id: SqlText) => SqlText) | undefined
  /** Find nothing once another profile is active. */
  isOnlyActive?: boolean | undefined
}

/** A row near a vector; cosines are -1 to 1. */
export interface NearRow {
  id: string
  cosine: number
  /** One for each of the probes. */
  probeCosines: number[]
}

export interface VectorsOptions {
  log: Log
  /** Up to this many vectors of a user are compared exactly; beyond that, a server uses an index. */
  exactUpTo?: number
}

export type Vectors = ReturnType<typeof createVectors>

const EXACT_UP_TO = 50_000
/** Lifetime of the cached vector count of a user. */
const COUNT_LIFETIME_MS = 5 * 60_000
/** The index contains all users' vectors: more hits than needed are requested, and the scan goes on until enough are the user's. */
const HNSW = { efSearch: 400, maxScanned: 200_000, candidatesPerHit: 5 }
/** pgvector can't index longer vectors in full precision. */
const MAX_INDEXED_DIMENSIONS = 2000
/** Number of dimensions, and two reserved bytes. */
const VECTOR_HEADER_BYTES = 4
const NUMBER_BYTES = 4

/**
 * Finds a user's nearest vectors, exactly while that's fast, otherwise through the profile's index. The exact query uses the
 * column without the cast in the index, so that PostgreSQL can't use the index, which would miss most of a user's vectors.
 */
export function createVectors(
  { pool, engine, connectUnlimited }: Pick<Database, 'pool' | 'engine' | 'connectUnlimited'>,
  { log, exactUpTo = EXACT_UP_TO }: VectorsOptions,
) {
  const sizes = new Map<string, { isLarge: boolean; until: number }>()
  const building = new Set<string>()
  const prepareRepeated = preparedWhenRepeated()

  /** True when a user has enough vectors for an approximate index. */
  const isLarge = async (kind: VectorKind, profileId: number, userId: string): Promise<boolean> => {
    if (engine === 'embedded') return false
    const key = `${kind} ${profileId} ${userId}`
    const cached = sizes.get(key)
    if (cached && cached.until > performance.now()) return cached.isLarge
    const { rows } = await pool.query<{ count: number }>(
      sql`SELECT count(*)::int AS count FROM (
         SELECT FROM ${raw(tables[kind].table)} WHERE user_id = ${userId} AND profile_id = ${profileId}
           LIMIT ${raw(exactUpTo + 1)}
       ) counted`,
    )
    const size = { isLarge: (rows[0]?.count ?? 0) > exactUpTo, until: performance.now() + COUNT_LIFETIME_MS }
    sizes.set(key, size)
    return size.isLarge
  }

  const exact = async (search: VectorSearch): Promise<NearRow[]> => {
    const { userId, profile } = search
    const { table, id } = columnsOf(search.kind)
    const { rows } = await pool.query<NearRow>(
      prepareRepeated(sql`
        SELECT near.id, 1 - distance AS cosine, ${probeCosines(search, raw('hit.embedding'))}
        FROM (
          SELECT e.${id} AS id, e.embedding <=> ${vectorParameter(search.vector)}::vector AS distance FROM ${table} e
          WHERE e.user_id = ${userId} AND e.profile_id = ${profile.id} ${extraConditions(search)}
          ORDER BY distance LIMIT ${search.limit}
        ) near JOIN ${table} hit ON hit.${id} = near.id AND hit.profile_id = ${profile.id}
        ORDER BY distance, id`),
    )
    return rows
  }

  const approximate = async (search: VectorSearch): Promise<NearRow[]> => {
    const { userId, profile, limit } = search
    const { table, id } = columnsOf(search.kind)
    const type = raw(indexedType(profile))
    return queryWith<NearRow>(
      pool,
      {
        'hnsw.iterative_scan': 'relaxed_order',
        'hnsw.ef_search': HNSW.efSearch,
        'hnsw.max_scan_tuples': HNSW.maxScanned,
      },
      sql`WITH near AS MATERIALIZED (
           SELECT e.${id} AS id, e.embedding,
             (e.embedding::${type}) <=> ${vectorParameter(search.vector)}::vector::${type} AS distance
           FROM ${table} e
           WHERE e.user_id = ${userId} AND e.profile_id = ${profile.id} AND e.profile_id = ${raw(profile.id)}
             ${extraConditions(search)}
           ORDER BY distance LIMIT ${limit * HNSW.candidatesPerHit}
         )
         SELECT id, 1 - distance AS cosine, ${probeCosines(search, raw('embedding'))}
         FROM (SELECT * FROM near ORDER BY distance, id LIMIT ${limit}) nearest ORDER BY distance, id`,
    )
  }

  return {
    /** Hits in order of similarity, nearest first. */
    async nearest(search: VectorSearch): Promise<NearRow[]> {
      const { kind, profile, userId } = search
      const usesIndex = (await isLarge(kind, profile.id, userId)) && (await hasIndex(pool, indexName(kind, profile.id)))
      return usesIndex ? approximate(search) : exact(search)
    },

    /** True when a user has any vector of a profile. */
    async hasAny(kind: VectorKind, profileId: number, userId: string): Promise<boolean> {
      const { rowCount } = await pool.query(
        sql`SELECT FROM ${raw(tables[kind].table)} WHERE user_id = ${userId} AND profile_id = ${profileId} LIMIT 1`,
      )
      return rowCount === 1
    },

    /** Removes the index of a profile whose vectors were removed. */
    async removeIndex(kind: VectorKind, profileId: number): Promise<void> {
      const existence = await pool.query(sql`SELECT to_regclass(${indexName(kind, profileId)}) IS NOT NULL AS yes`)
      if (existence.rows[0]?.yes === true)
        await pool.query(`DROP INDEX CONCURRENTLY IF EXISTS ${indexName(kind, profileId)}`)
    },

    /** Builds a profile's index once a user has too many vectors to compare them all. */
    async keepIndexed(kind: VectorKind, profile: VectorProfile, userId: string): Promise<void> {
      const name = indexName(kind, profile.id)
      if (building.has(name) || !(await isLarge(kind, profile.id, userId)) || (await hasIndex(pool, name))) return
      building.add(name)
      try {
        const { table } = tables[kind]
        const type = indexedType(profile)
        const operators = type.startsWith('halfvec') ? 'halfvec_cosine_ops' : 'vector_cosine_ops'
        const isBuilt = await buildIndex(
          { connectUnlimited },
          name,
          `${table} USING hnsw ((embedding::${type}) ${operators}) WHERE profile_id = ${profile.id}`,
        )
        if (isBuilt) log.info({ index: name }, 'an index of vectors was built')
      } finally {
        building.delete(name)
      }
    },
  }
}

/**
 * A vector in pgvector's binary format, which the statement must cast to `vector`. Parsing text takes the embedded database
 * about a microsecond per number, which a search would wait for.
 */
export function vectorParameter(vector: readonly number[]): Buffer {
  const bytes = Buffer.alloc(VECTOR_HEADER_BYTES + vector.length * NUMBER_BYTES)
  bytes.writeUInt16BE(vector.length)
  for (const [index, number] of vector.entries()) bytes.writeFloatBE(number, VECTOR_HEADER_BYTES + index * NUMBER_BYTES)
  return bytes
}

/** A vector for approximate comparison, rounded to four digits. */
export function toProbe(vector: number[]): Buffer {
  return vectorParameter(vector.map((number) => Number(number.toFixed(4))))
}

const columnsOf = (kind: VectorKind) => ({ table: raw(tables[kind].table), id: raw(tables[kind].id) })

/** The search's additional conditions on a row `e`. */
function extraConditions({ kind, profile, condition, isOnlyActive }: VectorSearch): SqlText {
  const isMet = condition ? sql`AND ${condition(raw(`e.${tables[kind].id}`))}` : nothing
  const isActive = sql`AND EXISTS (SELECT FROM embedding_profiles WHERE id = ${profile.id} AND state = 'active')`
  return sql`${isMet} ${isOnlyActive ? isActive : nothing}`
}

function probeCosines({ probes = [] }: VectorSearch, column: SqlText): SqlText {
  if (probes.length === 0) return sql`'{}'::float8[] AS "probeCosines"`
  return sql`ARRAY[${join(probes.map((probe) => sql`1 - (${column} <=> ${probe}::vector)`))}] AS "probeCosines"`
}

function indexName(kind: VectorKind, profileId: number): string {
  return `${tables[kind].table}_profile_${profileId}_idx`
}

function indexedType({ dimensions }: VectorProfile): string {
  return dimensions > MAX_INDEXED_DIMENSIONS ? `halfvec(${dimensions})` : `vector(${dimensions})`
}
