import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertMessages, insertUser } from '../../../../test/factories.ts'
import type { Database } from '../../../platform/database/client.ts'
import { attachedInBranch } from '../attachments/attachments.store.ts'
import { createBranchesStore } from './branches.store.ts'
import { createSessionsStore } from './sessions.store.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

async function insertConversation(userId: string, count: number) {
  const { id } = await database.prisma.chatSession.create({ data: { userId, sessionName: 'Long' } })
  await insertMessages(database, id, count)
  return id
}

/** Number of message rows read while `run` executes, by sequential or index scans. */
async function countRowsRead(run: () => Promise<unknown>): Promise<number> {
  const readSoFar = async () => {
    await database.pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await database.pool.query<{ count: number }>(
      `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS count
       FROM pg_stat_user_tables WHERE relname = 'chat_messages'`,
    )
    return rows[0]?.count ?? 0
  }
  const before = await readSoFar()
  await run()
  return (await readSoFar()) - before
}

test('10 000 messages are read page by page from either end without reading them all', {
  timeout: 60_000,
}, async () => {
  const { id: userId } = await insertUser(database)
  // the planner's statistics only cover short conversations
  for (let n = 0; n < 20; n++) await insertConversation(userId, 4)
  await database.pool.query('ANALYZE chat_messages, chat_sessions')
  const id = await insertConversation(userId, 10_000)
  const sessions = createSessionsStore(database)
  const newest = await sessions.listMessages(id, 50, null)
  expect(newest.map(({ content }) => content)).toEqual(
    Array.from({ length: 50 }, (_, index) => `Message ${9999 - index}`),
  )
  const older = await sessions.listMessages(id, 50, newest.at(-1)?.id ?? '')
  expect(older[0]?.content).toBe('Message 9949')

  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT id FROM chat_messages WHERE session_id = $1 AND content IN ('Message 0', 'Message 30') ORDER BY content`,
    [id],
  )
  const [first, early] = rows.map((row) => row.id)
  expect(await sessions.listMessages(id, 50, early ?? '')).toHaveLength(30)

  const pageRows = await countRowsRead(() => sessions.listMessages(id, 50, null))
  expect(pageRows).toBeGreaterThanOrEqual(50)
  expect(pageRows).toBeLessThan(500)
  expect(await countRowsRead(() => sessions.listMessages(id, 50, older[0]?.id ?? ''))).toBeLessThan(500)
  expect(await countRowsRead(() => sessions.hasMessage(userId, id, early ?? ''))).toBeLessThan(50)
  const attached = attachedInBranch({ userId, sessionId: id, last: early ?? null, question: null })
  expect(await countRowsRead(() => database.pool.query(attached))).toBeLessThan(500)

  // walking down from the first message is linear in their number, not quadratic
  const branches = createBranchesStore(database)
  expect(await branches.newestBelow(userId, id, first ?? '')).toBe(newest[0]?.id)
  expect(await countRowsRead(() => branches.newestBelow(userId, id, first ?? ''))).toBeLessThan(100_000)
})
