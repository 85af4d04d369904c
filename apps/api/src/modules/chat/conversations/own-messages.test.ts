import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertChatSession, insertUser, insertUserWithMostMessages } from '../../../../test/factories.ts'
import { hasFewMessages } from './own-messages.ts'
import { createSessionsStore } from './sessions.store.ts'

let database: TestDatabase
let userId: string
let crowdId: string

beforeAll(async () => {
  database = await openTestDatabase()
  userId = (await insertUser(database)).id
  await insertChatSession(database, userId, 'Coast')
  await insertChatSession(database, userId, 'Lighthouses')
  crowdId = await insertUserWithMostMessages(database)
})
afterAll(() => database.close())

test('a user has few messages when most belong to others, on a database server', async () => {
  expect(await hasFewMessages({ ...database, engine: 'server' }, userId)).toBe(true)
  expect(await hasFewMessages({ ...database, engine: 'server' }, crowdId)).toBe(false)
  expect(await hasFewMessages({ ...database, engine: 'embedded' }, userId)).toBe(false)
})

test('the list of conversations has the same results with either engine', async () => {
  const list = async (engine: 'server' | 'embedded', query: string) => {
    const sessions = await createSessionsStore({ ...database, engine }).listSessions({
      ...{ userId, query, sort: 'name', order: 'asc', in: 'library', archived: 'any', limit: 10 },
    })
    return sessions.map(({ session_name, snippet }) => [session_name, snippet])
  }
  for (const [query, names] of [
    ['ships', ['Coast', 'Lighthouses']],
    ['LIGHTHOUSES', ['Lighthouses']],
    ['Coast', ['Coast']],
    ['message', []],
  ] as const) {
    const serverResults = await list('server', query)
    expect(serverResults.map(([name]) => name)).toEqual(names)
    expect(await list('embedded', query)).toEqual(serverResults)
  }
})
