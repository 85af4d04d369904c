import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { prepared, preparedWhenRepeated } from './prepared.ts'
import { sql } from './sql.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a prepared statement returns the result for its values, each time and on every connection', async () => {
  const add = (one: number, other: number) => prepared(sql`SELECT ${one}::int + ${other}::int AS sum`)
  const sums = await Promise.all(
    Array.from({ length: 30 }, async (_, n) => (await database.pool.query(add(n, 1))).rows[0].sum),
  )
  expect(sums).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
  const { rows } = await database.pool.query(
    "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE name LIKE 'mira%'",
  )
  expect(rows[0].count).toBeLessThanOrEqual(1)
})

test('different statements have different names, whatever their values', () => {
  expect(prepared(sql`SELECT 1`).name).not.toBe(prepared(sql`SELECT 2`).name)
  expect(prepared(sql`SELECT ${1}`).name).toBe(prepared(sql`SELECT ${2}`).name)
})

test('statements of a library are prepared when repeated, unless one text has several', () => {
  const statement = preparedWhenRepeated()
  const [first, second] = [statement(sql`SELECT ${1}`), statement(sql`SELECT ${2}`)]
  expect([first.name, second.name]).toEqual([undefined, prepared(sql`SELECT ${1}`).name])
  expect(second.values).toEqual([2])
  for (let n = 0; n < 3; n++)
    expect(statement({ text: 'BEGIN; COMMIT', values: [] })).toEqual({ text: 'BEGIN; COMMIT' })
})

test.skipIf(process.env.TEST_DATABASE_URL !== undefined)(
  'a prepared statement survives a crash of the embedded database',
  async () => {
    const double = (number: number) => prepared(sql`SELECT ${number}::int * 2 AS double`)
    await database.pool.query(double(1))
    await database.kill?.()
    await expect
      .poll(async () => (await database.pool.query(double(2)).catch(() => null))?.rows[0].double, { timeout: 10_000 })
      .toBe(4)
  },
)
