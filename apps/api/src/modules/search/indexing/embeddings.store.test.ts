import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertMoment, insertUser } from '../../../../test/factories.ts'
import { createEmbeddingsStore, type EmbeddingsStore } from './embeddings.store.ts'

let database: TestDatabase
let store: EmbeddingsStore

beforeAll(async () => {
  database = await openTestDatabase()
  store = createEmbeddingsStore(database)
})
afterAll(() => database.close())

const key = { kind: 'text', engine: 'remote', dimensions: 3 } as const

test('fills a new profile while the previous one is active, then switches to it and drops the old one', async () => {
  const { id: userId } = await insertUser(database)
  const item = await insertMediaItem(database, userId)
  const moment = await insertMoment(database, item, { body: 'A lighthouse' })
  await insertMoment(database, item, { body: ' ', position: 1 })

  const [one, again] = await Promise.all([
    store.findOrCreateProfile({ ...key, model: 'one' }),
    store.findOrCreateProfile({ ...key, model: 'one' }),
  ])
  const two = await store.findOrCreateProfile({ ...key, model: 'two' })
  expect([one.id, one.state, two.state]).toEqual([again.id, 'active', 'filling'])

  expect(await store.itemsToFill(two, 10)).toEqual([{ id: item.id, userId }])
  const other = await insertMediaItem(database, userId)
  const survey = () => store.surveyTexts([other, item].map(({ id }) => ({ item: { id, userId }, profileId: two.id })))
  const states = [expect.objectContaining({ state: 'active' }), expect.objectContaining({ state: 'filling' })]
  const empty = { count: 0, missing: [], profiles: states }
  const missing = [{ id: moment.id, text: 'A lighthouse' }]
  expect(await survey()).toEqual([empty, { count: 1, missing, profiles: states }])
  await store.save('text', [{ id: moment.id, profileId: two.id, userId, vector: [1, 0, 0], text: 'A lighthouse' }])
  expect(await survey()).toEqual([empty, { count: 1, missing: [], profiles: states }])
  expect(await store.progress(two)).toEqual({ filled: 1, total: 1 })
  expect(await store.progress(one)).toEqual({ filled: 0, total: 1 })
  expect(await store.itemsToFill(two, 10)).toEqual([])

  // an active profile can't be dropped
  await store.drop(one.id)
  await store.activate(two)
  expect((await store.profiles('text')).map(({ model, state }) => [model, state])).toEqual([
    ['one', 'old'],
    ['two', 'active'],
  ])
  await store.drop(one.id)
  await store.drop(two.id)
  expect((await store.profiles('text')).map(({ model }) => model)).toEqual(['two'])
})

test('doesn’t store vectors of texts that changed meanwhile, don’t exist, or belong to another user', async () => {
  const [{ id: userId }, { id: otherId }] = [await insertUser(database), await insertUser(database)]
  const item = await insertMediaItem(database, userId)
  const moment = await insertMoment(database, item, { body: 'A lighthouse' })
  const profile = await store.findOrCreateProfile({ ...key, model: 'three' })
  const save = (owner: string, text: string, id = moment.id) =>
    store.save('text', [{ id, profileId: profile.id, userId: owner, vector: [1, 0, 0], text }])
  await save(userId, 'What it said before')
  await save(otherId, 'A lighthouse')
  await save(userId, 'A lighthouse', item.id)
  const count = () => database.prisma.momentEmbedding.count({ where: { profileId: profile.id } })
  expect(await count()).toBe(0)
  await save(userId, 'A lighthouse')
  await save(userId, 'A lighthouse')
  expect(await count()).toBe(1)
})
