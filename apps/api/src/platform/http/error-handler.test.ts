import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { newId } from '../database/new-id.ts'
import { asAppError } from './error-handler.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const unknownUserId = newId()

test.each<[string, () => Promise<unknown>]>([
  [
    'pg',
    () =>
      database.pool.query(`INSERT INTO chat_sessions (id, user_id, session_name) VALUES ($1, $1, 'x')`, [
        unknownUserId,
      ]),
  ],
  ['Prisma', () => database.prisma.chatSession.create({ data: { userId: unknownUserId, sessionName: 'x' } })],
  [
    'raw SQL of Prisma',
    () =>
      database.prisma
        .$executeRaw`INSERT INTO chat_sessions (id, user_id, session_name) VALUES (${unknownUserId}::uuid, ${unknownUserId}::uuid, 'x')`,
  ],
])('an insert for an account that was deleted meanwhile ends the session (%s)', async (_title, insert) => {
  const error = await insert().then(
    () => null,
    (refusal: unknown) => refusal,
  )
  expect(error).toBeInstanceOf(Error)
  expect(asAppError(error)).toMatchObject({ status: 401, message: 'Your session has ended. Sign in again.' })
})

test('a write that a replica refuses can be retried after a moment', async () => {
  const write = (run: (statement: string) => Promise<unknown>) =>
    run(`CREATE TABLE refused (id int)`).then(
      () => null,
      (refusal: unknown) => refusal,
    )
  const client = await database.pool.connect()
  await client.query('BEGIN READ ONLY')
  const byPg = await write((statement) => client.query(statement))
  await client.query('ROLLBACK')
  client.release()
  const byPrisma = await database.prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SET TRANSACTION READ ONLY`
    return write((statement) => tx.$executeRawUnsafe(statement))
  })
  for (const error of [byPg, byPrisma])
    expect(asAppError(error)).toMatchObject({ status: 503, code: 'database_unavailable', retryAfterSeconds: 2 })
})

test('a deadlock can be retried', () => {
  expect(asAppError(Object.assign(new Error('deadlock detected'), { code: '40P01' }))).toMatchObject({ status: 503 })
})
