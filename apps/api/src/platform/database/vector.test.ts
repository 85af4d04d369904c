import { toSql } from 'pgvector'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../test/factories.ts'
import { openDatabase } from './client.ts'
import { newId } from './new-id.ts'
import { type SqlText, sql } from './sql.ts'
import { createVectors, toProbe, type VectorProfile } from './vector.ts'

const DIMENSIONS = 16
let database: TestDatabase
let profile: VectorProfile
let [ownVectors, otherVectors] = [[] as StoredVector[], [] as StoredVector[]]
let [userId, otherUserId] = ['', '']

interface StoredVector {
  id: string
  vector: number[]
}

let seed = 7
function random(): number {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
  return seed / 4_294_967_296 - 0.5
}
function makeVector(): number[] {
  const vector = Array.from({ length: DIMENSIONS }, random)
  const length = Math.hypot(...vector)
  return vector.map((one) => one / length)
}
const cosine = (one: number[], other: number[]) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)

async function insertVectors(owner: string, count: number): Promise<StoredVector[]> {
  const item = await insertMediaItem(database, owner)
  const entries = Array.from({ length: count }, () => ({ id: newId(), vector: makeVector() }))
  await database.pool.query(
    `WITH added AS (
       INSERT INTO moments (id, media_item_id, user_id, kind, position, body, engine)
       SELECT id, $1, $2, 'caption', 0, 'something', 'remote' FROM unnest($3::uuid[]) AS given (id)
     ) SELECT`,
    [item.id, owner, entries.map(({ id }) => id)],
  )
  await database.pool.query(
    `INSERT INTO moment_embeddings (moment_id, profile_id, user_id, embedding)
     SELECT id, $1, $2, vector::vector FROM unnest($3::uuid[], $4::text[]) AS given (id, vector)`,
    [profile.id, owner, entries.map(({ id }) => id), entries.map(({ vector }) => toSql(vector))],
  )
  return entries
}

beforeAll(async () => {
  database = await openTestDatabase()
  const { id } = await database.prisma.embeddingProfile.create({
    data: { kind: 'text', engine: 'remote', model: 'm', dimensions: DIMENSIONS },
  })
  profile = { id, dimensions: DIMENSIONS }
  userId = (await insertUser(database)).id
  otherUserId = (await insertUser(database)).id
  ownVectors = await insertVectors(userId, 300)
  otherVectors = await insertVectors(otherUserId, 3000)
})
afterAll(() => database.close())

const nearestOf = (entries: StoredVector[], vector: number[], count: number) =>
  entries.toSorted((a, b) => cosine(b.vector, vector) - cosine(a.vector, vector)).slice(0, count)

/** Makes a server use its index: comparing the few rows of a test would be cheaper. */
async function openIndexedVectors() {
  const { databaseUrl } = database
  if (databaseUrl === undefined) {
    return { vectors: createVectors(database, { log: silentLog, exactUpTo: 10 }), close: async () => {} }
  }
  const { rows } = await database.pool.query<{ sql: string }>(
    `SELECT format('ALTER DATABASE %I SET enable_sort = off', current_database()) AS sql`,
  )
  await database.pool.query(rows[0]?.sql ?? '')
  const otherDatabase = await openDatabase({ databaseUrl, dataDir: 'memory://', log: silentLog })
  return {
    vectors: createVectors(otherDatabase, { log: silentLog, exactUpTo: 10 }),
    close: () => otherDatabase.close(),
  }
}

describe('the nearest vectors', () => {
  test('of a user are exact, however many vectors others have', async () => {
    const vectors = createVectors(database, { log: silentLog })
    const vector = makeVector()
    const probe = makeVector()
    const rows = await vectors.nearest({ kind: 'moment', profile, userId, vector, limit: 20, probes: [toProbe(probe)] })
    const expected = nearestOf(ownVectors, vector, 20)
    expect(rows.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
    expect(rows[0]?.cosine).toBeCloseTo(cosine(expected[0]?.vector ?? [], vector), 4)
    expect(rows[0]?.probeCosines[0]).toBeCloseTo(cosine(expected[0]?.vector ?? [], probe), 3)
  })

  test('are found only among those that meet a condition', async () => {
    const vectors = createVectors(database, { log: silentLog })
    const chosenIds = ownVectors.slice(0, 5).map(({ id }) => id)
    const condition = (id: SqlText) => sql`${id} = ANY(${chosenIds}::uuid[])`
    const rows = await vectors.nearest({ kind: 'moment', profile, userId, vector: makeVector(), limit: 20, condition })
    expect(rows.map(({ id }) => id).sort()).toEqual(chosenIds.sort())
  })

  test('can be checked for existence', async () => {
    const vectors = createVectors(database, { log: silentLog })
    expect(await vectors.hasAny('moment', profile.id, userId)).toBe(true)
    expect(await vectors.hasAny('part', profile.id, userId)).toBe(false)
  })

  test('are nearly all found through an index over all users, which only a server builds', async () => {
    const vectors = createVectors(database, { log: silentLog, exactUpTo: 10 })
    await vectors.keepIndexed('moment', profile, userId)
    const { rowCount } = await database.pool.query('SELECT FROM pg_indexes WHERE indexname = $1', [
      `moment_embeddings_profile_${profile.id}_idx`,
    ])
    expect(rowCount).toBe(database.engine === 'server' ? 1 : 0)
    const indexed = await openIndexedVectors()
    try {
      let hitCount = 0
      for (let times = 0; times < 20; times++) {
        const vector = makeVector()
        const rows = await indexed.vectors.nearest({ kind: 'moment', profile, userId, vector, limit: 20 })
        expect(rows).toHaveLength(20)
        const ids = new Set(rows.map(({ id }) => id))
        hitCount += nearestOf(ownVectors, vector, 20).filter(({ id }) => ids.has(id)).length
        expect(otherVectors.filter(({ id }) => ids.has(id))).toEqual([])
      }
      expect(hitCount / 400).toBeGreaterThanOrEqual(0.95)
    } finally {
      await indexed.close()
    }
  })
})
