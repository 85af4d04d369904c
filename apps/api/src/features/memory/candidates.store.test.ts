import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { insertMediaItem, insertMoment, insertUser } from '../../../test/factories.ts'
import { createCandidatesStore } from './candidates.store.ts'
import { createMemorySizes } from './memory-sizes.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

test('a word that half of the texts of its language hold is as common as if half of all texts held it', async () => {
  const { id: userId } = await insertUser(database)
  const item = await insertMediaItem(database, userId)
  const insert = (body: string, language: string, position: number) =>
    insertMoment(database, item, { body, language, position })
  for (let at = 0; at < 30; at++) await insert(at % 2 ? 'How the lamp works' : 'The lamp works', 'english', at)
  for (let at = 0; at < 60; at++) await insert('Die Lampe leuchtet', 'german', 30 + at)

  const store = createCandidatesStore(database)
  const size = await createMemorySizes({ store }).of(userId)
  const scope = { userId, types: null, tags: [], from: null, to: null, phrases: [], excluded: null }
  const asked = ["'how'", "'lamp'", "'leuchtet'"].map((tsquery) => ({ tsquery, weight: 1, leastHeld: 0 }))
  const { counts, held, ids } = await store.withWords({ ...scope, includesFrames: true }, asked, size, 300)
  expect([counts, held]).toEqual([
    [15, 90, 60],
    [45, 90, 90],
  ])
  expect(ids).toHaveLength(90)
})

test('items are as long as what they hold, but for their names; of many the first alone are measured', async () => {
  const { id: userId } = await insertUser(database)
  const store = createCandidatesStore(database)
  const of = async (bodies: string[]) => {
    const item = await insertMediaItem(database, userId)
    for (const [position, body] of bodies.entries()) await insertMoment(database, item, { body, position })
    const name = await insertMoment(database, item, { body: 'a name', kind: 'name', position: 0 })
    return { item: item.id, name: name.id }
  }
  const [long, short] = [await of(['1234567890', 'ü2345']), await of(['123'])]
  const ids = [long.name, short.name]
  expect(await store.itemBytes(userId, ids, 5)).toEqual(
    new Map([
      [long.item, 16],
      [short.item, 3],
    ]),
  )
  expect(await store.itemBytes(userId, ids, 1)).toEqual(new Map([[long.item, 16]]))
  expect(await store.itemBytes((await insertUser(database)).id, ids, 5)).toEqual(new Map())
})
