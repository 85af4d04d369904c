import type { QueryConfig } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { createAnalyticsStore } from './analytics.store.ts'
import { buildAnalytics } from './index.ts'

const DAYS = 30
const NOW = new Date('2025-11-10T15:00:00Z')
/** Inside a UTC day, like the end of the period. */
const FROM = new Date('2025-10-11T18:00:00Z')

let database: TestDatabase
let userId: string
beforeAll(async () => {
  database = await openTestDatabase()
  userId = (await insertUser(database)).id
  // one question in every hour
  await database.pool.query(
    `INSERT INTO activities (id, user_id, kind, subject_id, duration_ms, first_token_ms, created_at)
     SELECT gen_random_uuid(), $1, 'chat', gen_random_uuid(), 900, 90, at + interval '5 minutes'
     FROM generate_series($2::timestamptz - make_interval(days => ${DAYS}), $2::timestamptz - interval '1 hour', interval '1 hour') AS at`,
    [userId, NOW],
  )
  await buildAnalytics({ database, queue: { enqueue: async () => {} }, log: silentLog }).rollups.run()
})
afterAll(() => database.close())

test('reads a long period from its days and the hours at both ends, and returns every hour', async () => {
  let rows = 0
  const query = async (statement: QueryConfig) => {
    const result = await database.pool.query(statement)
    rows += result.rows.length
    return result
  }
  const store = createAnalyticsStore({ pool: { query } } as unknown as Pick<TestDatabase, 'pool'>)
  const hours = (NOW.getTime() - FROM.getTime()) / 3_600_000
  for (const [ownerId, kindCount] of [
    [userId, 1],
    // questions, and all uses combined
    [null, 2],
  ] as const) {
    rows = 0
    const figures = await store.figures(ownerId, { from: FROM, until: NOW })
    expect(figures.hours).toHaveLength(hours)
    expect(figures.hours.every(({ chat, users }) => chat === 1 && users === 1)).toBe(true)
    expect(figures.sums).toMatchObject({ chat: hours, completed: hours, failed: 0 })
    expect([...figures.times.response.values()]).toEqual([hours])
    // one conversation each
    expect(figures.sessions).toMatchObject({ count: hours, averageSeconds: 0.9 })
    expect(rows).toBeLessThanOrEqual(1 + kindCount * (DAYS + 2 * 24))
  }
})
