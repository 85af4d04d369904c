import type { SystemOverviewJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { insertMediaItem, insertMoment } from '../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'

let models: OpenAiServer
let mira: TestApp
let account: TestAccount

beforeAll(async () => {
  models = await startOpenAiServer()
  mira = await startTestApp({
    isStarted: true,
    environment: { OPENAI_BASE_URL: models.baseUrl, EMBEDDING_MODEL: 'test-embedding' },
  })
})
beforeEach(async () => {
  models.embeddings = { dimensions: 1024 }
  await mira.context.database.prisma.knownItemCheck.deleteMany()
  await mira.context.database.prisma.mediaItem.deleteMany()
  account = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

const signal = new AbortController().signal

async function addItem(body: string, { embeds = true, owner = account, page = null as number | null } = {}) {
  const item = await insertMediaItem(mira.context.database, owner.user.id)
  await insertMoment(mira.context.database, item, { body, ...(page === null ? {} : { kind: 'text', page }) })
  if (embeds) await mira.context.embedding.embedItem(item, signal)
  return item
}

/** Runs the nightly memory update, as the scheduler would. */
async function runNightlyTask() {
  const response = await mira.request
    .post('/api/automation/trigger')
    .auth(mira.admin.token, { type: 'bearer' })
    .send({ task_type: 'memory_update' })
  expect(response.status).toBe(202)
  const read = async () =>
    (await mira.request.get(`/api/automation/runs/${response.body.run_id}`).auth(mira.admin.token, { type: 'bearer' }))
      .body
  await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe('completed')
  return read()
}

async function readFigures() {
  const response = await mira.request.get('/api/admin/system').auth(mira.admin.token, { type: 'bearer' }).expect(200)
  return (response.body as SystemOverviewJson).known_items
}

test('there are no figures before the first night, nor without items', async () => {
  expect(await readFigures()).toBe(null)
  await runNightlyTask()
  expect(await readFigures()).toBe(null)
})

test('the nightly memory update searches for known items, and administrators see only figures', async () => {
  await addItem('The mechanic repaired the engine of our old green car')
  await addItem('Grandmother plants tulips beside the wooden garden fence', { page: 3 })
  // too short to be distinguished from others
  await addItem('A dog')
  const run = await runNightlyTask()
  expect(run.results).toMatchObject({ known_items_asked: 2, known_items_found: 2 })
  const figures = await readFigures()
  expect(figures).toEqual({
    measured_at: expect.stringMatching(/^\d{4}-/),
    asked: 2,
    found: 2,
    words: { asked: 2, found: 2 },
    meaning: { asked: 2, found: 2 },
  })
  expect(JSON.stringify(run)).not.toMatch(/mechanic|tulips/i)
})

test('measures words and meaning separately: an item without a vector is found only by words', async () => {
  await addItem('The mechanic repaired the engine of our old green car')
  await addItem('Grandmother plants tulips beside the wooden garden fence')
  await mira.context.database.pool.query(
    `DELETE FROM moment_embeddings WHERE moment_id IN (SELECT id FROM moments WHERE body LIKE 'The mechanic%')`,
  )
  const { knownItems } = mira.context
  await knownItems.measure(new Date(), { total: () => {}, done: () => {} }, signal)
  expect(await readFigures()).toMatchObject({ found: 2, words: { found: 2 }, meaning: { asked: 2, found: 1 } })
})

test('distinguishes a failing engine from one that finds nothing', async () => {
  await addItem('The captain painted the hull of his tiny wooden boat')
  models.embeddings = { failure: { status: 500, message: 'out of order' } }
  await mira.context.knownItems.measure(new Date(), { total: () => {}, done: () => {} }, signal)
  expect(await readFigures()).toMatchObject({ asked: 1, found: 1, meaning: null })
})

test('an item hidden by many similar ones counts as not found', async () => {
  for (let index = 0; index < 12; index++)
    await addItem(`A red kite flies above the hill number ${index}`, { embeds: false })
  await mira.context.knownItems.measure(new Date(), { total: () => {}, done: () => {} }, signal)
  const figures = await readFigures()
  expect(figures?.asked).toBe(12)
  expect(figures?.found).toBeLessThan(12)
})

test('figures of different nights aren’t added up, and trials aren’t recorded as searches', async () => {
  const other = await mira.createUser({ can_upload: true })
  await addItem('The mechanic repaired the engine of our old green car', { embeds: false })
  await addItem('Grandmother plants tulips beside the wooden garden fence', { embeds: false, owner: other })
  const { database, knownItems } = mira.context
  await knownItems.measure(new Date(), { total: () => {}, done: () => {} }, signal)
  expect(await readFigures()).toMatchObject({ asked: 2 })
  await database.prisma.mediaItem.deleteMany({ where: { userId: other.user.id } })
  await knownItems.measure(new Date(Date.now() + 1), { total: () => {}, done: () => {} }, signal)
  expect(await readFigures()).toMatchObject({ asked: 1, found: 1 })
  expect(await database.prisma.knownItemCheck.count()).toBe(2)
  expect(await database.prisma.activity.count({ where: { kind: 'search' } })).toBe(0)
})

test('a user’s figures are deleted with their data', async () => {
  const other = await mira.createUser({ can_upload: true })
  await addItem('A lantern hangs above the door of the old mill', { embeds: false, owner: other })
  const { database, knownItems } = mira.context
  await knownItems.measure(new Date(), { total: () => {}, done: () => {} }, signal)
  const ofOther = { where: { userId: other.user.id } }
  expect(await database.prisma.knownItemCheck.count(ofOther)).toBe(1)
  await mira.request
    .delete('/api/me/data')
    .auth(other.token, { type: 'bearer' })
    .send({ password: other.password })
    .expect(200)
  expect(await database.prisma.knownItemCheck.count(ofOther)).toBe(0)
})
