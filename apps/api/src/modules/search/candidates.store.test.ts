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

test('a word in half of its language’s texts counts as one in half of all texts', async () => {
  const { id: userId } = await insertUser(database)
  const item = await insertMediaItem(database, userId)
  const insert = (body: string, language: string, position: number) =>
    insertMoment(database, item, { body, language, position })
  for (let index = 0; index < 30; index++)
    await insert(index % 2 ? 'How the lamp works' : 'The lamp works', 'english', index)
  for (let index = 0; index < 60; index++) await insert('Die Lampe leuchtet', 'german', 30 + index)

  const store = createCandidatesStore(database)
  const size = await createMemorySizes({ store }).of(userId)
  const scope = { userId, types: null, tags: [], from: null, to: null, timeZone: 'UTC', phrases: [], excluded: null }
  const words = ["'how'", "'lamp'", "'leuchtet'"].map((tsquery) => ({ tsquery, weight: 1, minMomentCount: 0 }))
  const { counts, adjustedCounts, moments } = await store.withWords(
    { ...scope, includesFrames: true },
    words,
    size,
    300,
  )
  expect([counts, adjustedCounts]).toEqual([
    [15, 90, 60],
    [45, 90, 90],
  ])
  expect(moments).toHaveLength(90)
  expect(new Set(moments.map(({ body }) => body))).toEqual(
    new Set(['How the lamp works', 'The lamp works', 'Die Lampe leuchtet']),
  )
})

test('measures items by their texts without names, and only the first ones up to a limit', async () => {
  const { id: userId } = await insertUser(database)
  const store = createCandidatesStore(database)
  const createItem = async (bodies: string[]) => {
    const item = await insertMediaItem(database, userId)
    for (const [position, body] of bodies.entries()) await insertMoment(database, item, { body, position })
    const name = await insertMoment(database, item, { body: 'a name', kind: 'name', position: 0 })
    return { item: item.id, name: name.id }
  }
  const [long, short] = [await createItem(['1234567890', 'ü2345']), await createItem(['123'])]
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

test('compares items by the mean of their first moments, without names', async () => {
  const { id: userId } = await insertUser(database)
  const profile = await database.prisma.embeddingProfile.create({
    data: { kind: 'text', engine: 'remote', model: 'of items', dimensions: 3 },
  })
  const itemOf = async (vectors: number[][]) => {
    const item = await insertMediaItem(database, userId)
    const ids: string[] = []
    for (const [position, vector] of vectors.entries()) {
      const kind = position === 0 ? 'name' : 'text'
      const { id } = await insertMoment(database, item, { body: 'something', kind, position })
      ids.push(id)
      await database.pool.query(
        'INSERT INTO moment_embeddings (moment_id, profile_id, user_id, embedding) VALUES ($1, $2, $3, $4::text::vector)',
        [id, profile.id, userId, JSON.stringify(vector)],
      )
    }
    return { item: item.id, moment: ids.at(-1) ?? '' }
  }
  const name = [0, 0, 1]
  const eight = Array.from({ length: 8 }, () => [1, 0, 0])
  const itemOfThree = await itemOf([name, [3, 0.5, 0], [0.2, 1, 0], [-0.7, 1, 0]])
  const long = await itemOf([name, ...eight, [0, 5, 0]])
  const { items: cosines, itemBytes } = await createCandidatesStore(database).compare(
    userId,
    { profile: { id: profile.id, dimensions: 3 }, vector: [0.5, 1, 0] },
    [],
    { ofMoments: [itemOfThree.moment, long.moment], max: 5 },
  )
  const [x, y, dx, dy] = [2.5, 2.5, 0.5, 1]
  const expected = (x * dx + y * dy) / (Math.hypot(x, y) * Math.hypot(dx, dy))
  expect(cosines.get(itemOfThree.item)).toBeCloseTo(expected, 6)
  // later moments don't affect it
  expect(cosines.get(long.item)).toBeCloseTo(0.5 / Math.hypot(0.5, 1), 6)
  // without the names
  const bytes = 'something'.length
  expect(itemBytes).toEqual(
    new Map([
      [itemOfThree.item, 3 * bytes],
      [long.item, 9 * bytes],
    ]),
  )
})
