import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertMessages, insertUser } from '../../../../test/factories.ts'
import type { Database } from '../../../platform/database/client.ts'
import { createBranchesStore } from './branches.store.ts'
import { createSessionsStore } from './sessions.store.ts'

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

async function conversation(count: number) {
  const { id: userId } = await insertUser(database)
  const { id } = await database.prisma.chatSession.create({ data: { userId, sessionName: 'Long' } })
  await insertMessages(database, id, count)
  return { userId, id }
}

/** The quickest of some runs, in milliseconds: others work on the same machine. */
async function quickest(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 5; count++) {
    const startedAt = performance.now()
    await run()
    times.push(performance.now() - startedAt)
  }
  return Math.min(...times)
}

test('10 000 messages are read page by page from either end without walking them all', {
  timeout: 60_000,
}, async () => {
  const { userId, id } = await conversation(10_000)
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

  const { id: shortId } = await conversation(60)
  const shortMs = await quickest(() => chats.listMessages(shortId, 50, null))
  const longMs = await quickest(() => chats.listMessages(id, 50, null))
  expect(longMs).toBeLessThan(shortMs * 5 + 50)

  // going down from the first message takes as long as there are messages, not their square
  const branches = createBranchesStore(database)
  expect(await branches.newestBelow(userId, id, first ?? '')).toBe(newest[0]?.id)
  expect(await quickest(() => branches.newestBelow(userId, id, first ?? ''))).toBeLessThan(2000)
})
