import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMessages, insertUser } from '../../../../test/factories.ts'
import { type SqlText, sql } from '../../../platform/database/sql.ts'
import { MESSAGE_BEFORE, NEWEST_REPLY } from './branch-steps.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a branch is walked by primary key, even without table statistics', async () => {
  const { id: userId } = await insertUser(database)
  const session = await database.prisma.chatSession.create({ data: { userId, sessionName: 'Long' } })
  await insertMessages(database, session.id, 500)
  const { currentMessageId } = await database.prisma.chatSession.findUniqueOrThrow({ where: { id: session.id } })
  const walk = (before: SqlText) => sql`WITH RECURSIVE branch AS (
    SELECT id, parent_id FROM chat_messages WHERE id = ${currentMessageId}::uuid
    UNION ALL SELECT m.id, m.parent_id FROM ${before}
  ) SELECT count(*)::int FROM branch`
  const { rows: counts } = await database.pool.query<{ count: number }>(walk(MESSAGE_BEFORE))
  expect(counts).toEqual([{ count: 500 }])

  const planOf = async (before: SqlText) => {
    const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${walk(before)}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  expect(await planOf(MESSAGE_BEFORE)).not.toContain('Seq Scan')
  const { rows: plan } = await database.pool.query<{ 'QUERY PLAN': string }>(
    sql`EXPLAIN WITH RECURSIVE replies AS (
      SELECT id FROM chat_messages WHERE id = ${currentMessageId}::uuid UNION ALL SELECT m.id FROM ${NEWEST_REPLY}
    ) SELECT count(*) FROM replies`,
  )
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan')
  // why it's needed: with PostgreSQL's default costs, a plain join scans the whole table for each message
  await database.pool.query('SET random_page_cost = 4')
  expect(await planOf(sql`branch b JOIN chat_messages m ON m.id = b.parent_id`)).toContain(
    'Seq Scan on chat_messages m',
  )
})
