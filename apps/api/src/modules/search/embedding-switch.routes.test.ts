import type { AdminSettings, EmbeddingProfilesResponse, SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let models: OpenAiServer
let mira: TestApp
let account: TestAccount
let defaults: AdminSettings

beforeAll(async () => {
  models = await startOpenAiServer()
  mira = await startTestApp({
    environment: { OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'first' },
    modelLimits: { retryDelayMs: 1 },
    // a machine that stalls answers late, which is not what is tested
    searchLimits: { queryTimeoutMs: 30_000 },
  })
  account = await mira.createUser({ can_upload: true })
  defaults = (await admin('get', '/api/admin/settings').expect(200)).body.defaults
})
beforeEach(() => {
  models.embeddings = { dimensionsOf: { first: 1024, second: 512, third: 768 } }
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

const signal = new AbortController().signal
const admin = (method: 'get' | 'put' | 'post', path: string) =>
  mira.request[method](path).auth(mira.admin.token, { type: 'bearer' })

async function keep(body: string) {
  const item = await insertMediaItem(mira.context.database, account.user.id, {})
  await insertMoment(mira.context.database, item, { body })
  await mira.context.embedding.embedItem(item, signal)
  return item
}

/** Nearer results are listed too, but count as unlikely. */
const LIKELY = 0.2

async function search(query: string) {
  const response = await mira.request.get('/api/media/search').query({ query }).auth(account.token, { type: 'bearer' })
  expect(response.status).toBe(200)
  const { results, mode, mode_reason, mode_reason_code } = response.body as SearchResponseJson
  const likely = results.filter(({ similarity_score }) => similarity_score >= LIKELY)
  return { found: likely.map(({ media_id }) => media_id), mode, mode_reason, mode_reason_code }
}

const choose = (model: string | null) =>
  admin('put', '/api/admin/settings')
    .send({ ...defaults, engines: model === null ? {} : { embedding: { engine: 'auto', model } } })
    .expect(200)

const profiles = async () =>
  ((await admin('get', '/api/admin/embeddings').expect(200)).body as EmbeddingProfilesResponse).profiles

const askedModels = () =>
  new Set(models.requests.filter(({ path }) => path === '/v1/embeddings').map(({ body }) => body.model))

test('another model takes over while people search, and nobody misses anything', async () => {
  const old = [await keep('A puppy by the ocean'), await keep('The physician wrote a letter')]
  expect((await search('dog at the sea')).found).toEqual([old[0]?.id])

  await choose('second')
  models.requests.length = 0
  // the first is searched, and asked for its vector of the query
  expect(await search('Hund am Meer')).toMatchObject({ found: [old[0]?.id], mode: 'semantic' })
  expect(askedModels()).toEqual(new Set(['first']))
  // what is added meanwhile is found at once
  const added = await keep('A red bicycle')
  expect(await search('crimson bike')).toMatchObject({ found: [added.id], mode: 'semantic' })
  expect(await profiles()).toMatchObject([
    { model: 'first', state: 'active', is_chosen: false, filled: 3, total: 3 },
    { model: 'second', dimensions: 512, state: 'filling', is_chosen: true, filled: 1, total: 3, error: null },
  ])

  let isDone = false
  const searched = (async () => {
    while (!isDone) {
      expect(await search('dog at the sea')).toMatchObject({ found: [old[0]?.id], mode: 'semantic' })
      expect(await search('crimson bike')).toMatchObject({ found: [added.id], mode: 'semantic' })
    }
  })()
  await mira.context.embeddingSwitch.run('text', signal)
  isDone = true
  await searched
  models.requests.length = 0
  expect(await search('perro en el mar')).toMatchObject({ found: [old[0]?.id], mode: 'semantic' })
  expect(askedModels()).toEqual(new Set(['second']))

  const [first, second] = await profiles()
  expect([first, second]).toMatchObject([
    { model: 'first', state: 'old', filled: 3 },
    { model: 'second', state: 'active', is_chosen: true, filled: 3, total: 3 },
  ])
  await admin('post', `/api/admin/embeddings/${second?.id}/drop`).expect(409)
  await admin('post', '/api/admin/embeddings/999999/drop').expect(404)
  // the one before is back at once, because its vectors are kept
  await choose(null)
  await admin('post', `/api/admin/embeddings/${first?.id}/drop`).expect(409)
  await mira.context.embeddingSwitch.run('text', signal)
  expect(await profiles()).toMatchObject([
    { model: 'first', state: 'active' },
    { model: 'second', state: 'old' },
  ])
  await admin('post', `/api/admin/embeddings/${second?.id}/drop`).expect(204)
  expect(await profiles()).toMatchObject([{ model: 'first', state: 'active' }])
  expect(await mira.context.database.prisma.momentEmbedding.count({ where: { profileId: second?.id ?? 0 } })).toBe(0)
})

test('when the model before is gone, it is said, and what is prepared already is found with the words', async () => {
  const item = await keep('A kitten on a tree')
  await choose('third')
  models.embeddings = { ...models.embeddings, missing: ['first'] }
  expect(await search('chat dans un arbre')).toMatchObject({
    found: [],
    mode: 'words',
    mode_reason: expect.stringMatching(/0 of 4 texts are ready/),
    mode_reason_code: 'embedding_model_changed',
  })
  expect(await search('kitten')).toMatchObject({ found: [item.id], mode: 'words' })
  const added = await keep('A house on the mountain')
  expect(await search('maison sur la montagne')).toMatchObject({ found: [added.id], mode: 'words' })

  // an engine that fails ends the run with its reason, and the next one goes on where it was
  models.embeddings = { ...models.embeddings, trouble: { status: 500, message: 'out of memory' } }
  await expect(mira.context.embeddingSwitch.run('text', signal)).rejects.toThrow()
  expect(await profiles()).toMatchObject([
    { model: 'first' },
    { model: 'third', filled: 1, error: expect.stringMatching(/model server/) },
  ])
  models.embeddings = { ...models.embeddings, trouble: undefined }
  await mira.context.embeddingSwitch.run('text', signal)
  expect(await search('gato en un arbol')).toMatchObject({ found: [item.id], mode: 'semantic' })
  expect(await profiles()).toMatchObject([{ state: 'old' }, { model: 'third', state: 'active', filled: 5, total: 5 }])
})

test('another model takes over although it fails on a text, which is passed over', async () => {
  await keep('An unreadable passage')
  models.embeddings = { ...models.embeddings, failsOn: 'unreadable' }
  await choose('second')
  const before = models.requests.length
  await mira.context.embeddingSwitch.run('text', signal)
  const made = (await profiles()).find(({ model }) => model === 'second')
  expect(made).toMatchObject({ state: 'active', is_chosen: true, error: null })
  expect(made?.filled).toBe((made?.total ?? 0) - 1)
  expect(models.requests.length - before).toBeLessThan(20)
})

test('vectors of the same model with other dimensions are old, and can be dropped', async () => {
  await choose('third')
  await mira.context.embeddingSwitch.run('text', signal)
  models.embeddings = { dimensionsOf: { first: 1024, second: 512, third: 384 } }
  // the first answer tells the engine that its vectors have changed
  for (const query of ['a dog that nobody searched for', 'another dog']) await search(query)
  await mira.context.embeddingSwitch.run('text', signal)
  const ofThird = (await profiles()).filter(({ model }) => model === 'third')
  expect(ofThird).toMatchObject([
    { dimensions: 768, state: 'old', is_chosen: false },
    { dimensions: 384, state: 'active', is_chosen: true },
  ])
  await admin('post', `/api/admin/embeddings/${ofThird[1]?.id}/drop`).expect(409)
  await admin('post', `/api/admin/embeddings/${ofThird[0]?.id}/drop`).expect(204)
})
