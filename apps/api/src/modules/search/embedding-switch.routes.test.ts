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
    // a slow machine shouldn't cause timeouts, which aren't tested here
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

async function addItem(body: string) {
  const item = await insertMediaItem(mira.context.database, account.user.id, {})
  await insertMoment(mira.context.database, item, { body })
  await mira.context.embedding.embedItem(item, signal)
  return item
}

/** Minimum score; other results are merely near. */
const LIKELY = 0.2

async function search(query: string) {
  const response = await mira.request.get('/api/media/search').query({ query }).auth(account.token, { type: 'bearer' })
  expect(response.status).toBe(200)
  const { results, mode, mode_reason, mode_reason_code } = response.body as SearchResponseJson
  const likely = results.filter(({ similarity_score }) => similarity_score >= LIKELY)
  return { ids: likely.map(({ media_id }) => media_id), mode, mode_reason, mode_reason_code }
}

const chooseModel = (model: string | null) =>
  admin('put', '/api/admin/settings')
    .send({ ...defaults, engines: model === null ? {} : { embedding: { engine: 'auto', model } } })
    .expect(200)

const profiles = async () =>
  ((await admin('get', '/api/admin/embeddings').expect(200)).body as EmbeddingProfilesResponse).profiles

const requestedModels = () =>
  new Set(models.requests.filter(({ path }) => path === '/v1/embeddings').map(({ body }) => body.model))

test('switches to another model while users search, without missing results', async () => {
  const old = [await addItem('A puppy by the ocean'), await addItem('The physician wrote a letter')]
  expect((await search('dog at the sea')).ids).toEqual([old[0]?.id])

  await chooseModel('second')
  models.requests.length = 0
  // the first profile is searched, with a query vector of the first model
  expect(await search('Hund am Meer')).toMatchObject({ ids: [old[0]?.id], mode: 'semantic' })
  expect(requestedModels()).toEqual(new Set(['first']))
  // items added meanwhile are found immediately
  const added = await addItem('A red bicycle')
  expect(await search('crimson bike')).toMatchObject({ ids: [added.id], mode: 'semantic' })
  expect(await profiles()).toMatchObject([
    { model: 'first', state: 'active', is_chosen: false, filled: 3, total: 3 },
    { model: 'second', dimensions: 512, state: 'filling', is_chosen: true, filled: 1, total: 3, error: null },
  ])

  let isDone = false
  const searching = (async () => {
    while (!isDone) {
      expect(await search('dog at the sea')).toMatchObject({ ids: [old[0]?.id], mode: 'semantic' })
      expect(await search('crimson bike')).toMatchObject({ ids: [added.id], mode: 'semantic' })
    }
  })()
  await mira.context.embeddingSwitch.run('text', signal)
  isDone = true
  await searching
  models.requests.length = 0
  expect(await search('perro en el mar')).toMatchObject({ ids: [old[0]?.id], mode: 'semantic' })
  expect(requestedModels()).toEqual(new Set(['second']))

  const [first, second] = await profiles()
  expect([first, second]).toMatchObject([
    { model: 'first', state: 'old', filled: 3 },
    { model: 'second', state: 'active', is_chosen: true, filled: 3, total: 3 },
  ])
  await admin('post', `/api/admin/embeddings/${second?.id}/drop`).expect(409)
  await admin('post', '/api/admin/embeddings/999999/drop').expect(404)
  // the previous model is back immediately, because its vectors were kept
  await chooseModel(null)
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

test('when the previous model is gone, the reason is given, and words and finished vectors are searched', async () => {
  const item = await addItem('A kitten on a tree')
  await chooseModel('third')
  models.embeddings = { ...models.embeddings, missing: ['first'] }
  expect(await search('chat dans un arbre')).toMatchObject({
    ids: [],
    mode: 'words',
    mode_reason: expect.stringMatching(/0 of 4 texts are ready/),
    mode_reason_code: 'embedding_model_changed',
  })
  expect(await search('kitten')).toMatchObject({ ids: [item.id], mode: 'words' })
  const added = await addItem('A house on the mountain')
  expect(await search('maison sur la montagne')).toMatchObject({ ids: [added.id], mode: 'words' })

  // a failing engine ends the run with its reason, and the next run resumes it
  models.embeddings = { ...models.embeddings, failure: { status: 500, message: 'out of memory' } }
  await expect(mira.context.embeddingSwitch.run('text', signal)).rejects.toThrow()
  expect(await profiles()).toMatchObject([
    { model: 'first' },
    { model: 'third', filled: 1, error: expect.stringMatching(/model server/) },
  ])
  models.embeddings = { ...models.embeddings, failure: undefined }
  await mira.context.embeddingSwitch.run('text', signal)
  expect(await search('gato en un arbol')).toMatchObject({ ids: [item.id], mode: 'semantic' })
  expect(await profiles()).toMatchObject([{ state: 'old' }, { model: 'third', state: 'active', filled: 5, total: 5 }])
})

test('switches to another model even if it fails on a text, which is skipped', async () => {
  await addItem('An unreadable passage')
  models.embeddings = { ...models.embeddings, failsOn: 'unreadable' }
  await chooseModel('second')
  const before = models.requests.length
  await mira.context.embeddingSwitch.run('text', signal)
  const profile = (await profiles()).find(({ model }) => model === 'second')
  expect(profile).toMatchObject({ state: 'active', is_chosen: true, error: null })
  expect(profile?.filled).toBe((profile?.total ?? 0) - 1)
  expect(models.requests.length - before).toBeLessThan(20)
})

test('vectors of the same model with other dimensions become old and can be dropped', async () => {
  await chooseModel('third')
  await mira.context.embeddingSwitch.run('text', signal)
  models.embeddings = { dimensionsOf: { first: 1024, second: 512, third: 384 } }
  // the first response shows that the engine's vectors have changed
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
