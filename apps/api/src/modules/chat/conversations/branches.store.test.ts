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

async function conversation(userId: string, count: number) {
  const { id } = await database.prisma.chatSession.create({ data: { userId, sessionName: 'Long' } })
  await insertMessages(database, id, count)
  return id
}

/** Rows of messages that are read meanwhile, with those that an index leads to. */
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

test('10 000 messages are read page by page from either end without walking them all', {
  timeout: 60_000,
}, async () => {
  const { id: userId } = await insertUser(database)
  // what the planner knows is from a time of short conversations
  for (let n = 0; n < 20; n++) await conversation(userId, 4)
  await database.pool.query('ANALYZE chat_messages, chat_sessions')
  const id = await conversation(userId, 10_000)
  const chats = createSessionsStore(database)
  const newest = await chats.listMessages(id, 50, null)
  expect(newest.map(({ content }) => content)).toEqual(
    Array.from({ length: 50 }, (_, index) => `Message ${9999 - index}`),
  )
  const older = await chats.listMessages(id, 50, newest.at(-1)?.id ?? '')
  expect(older[0]?.content).toBe('Message 9949')

  const { rows } = await database.pool.query<{ id: string }>(
    `SELECT id FROM chat_messages WHERE session_id = $1 AND content IN ('Message 0', 'Message 30') ORDER BY content`,
    [id],
  )
  const [first, early] = rows.map((row) => row.id)
  expect(await chats.listMessages(id, 50, early ?? '')).toHaveLength(30)

  const pageRows = await countRowsRead(() => chats.listMessages(id, 50, null))
  expect(pageRows).toBeGreaterThanOrEqual(50)
  expect(pageRows).toBeLessThan(500)
  expect(await countRowsRead(() => chats.listMessages(id, 50, older[0]?.id ?? ''))).toBeLessThan(500)
  expect(await countRowsRead(() => chats.hasMessage(userId, id, early ?? ''))).toBeLessThan(50)
  const attached = attachedInBranch({ userId, sessionId: id, last: early ?? null, question: null })
  expect(await countRowsRead(() => database.pool.query(attached))).toBeLessThan(500)

  // going down from the first message reads as many as there are, not their square
  const branches = createBranchesStore(database)
  expect(await branches.newestBelow(userId, id, first ?? '')).toBe(newest[0]?.id)
  expect(await countRowsRead(() => branches.newestBelow(userId, id, first ?? ''))).toBeLessThan(100_000)
})
