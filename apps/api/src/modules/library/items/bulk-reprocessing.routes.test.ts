import type { MediaItemJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { noisyImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let models: OpenAiServer
let mira: TestApp
let anna: TestAccount
let boris: TestAccount

beforeAll(async () => {
  models = await startOpenAiServer()
  mira = await startTestApp({ environment: { OPENAI_BASE_URL: models.baseUrl }, isStarted: true })
  anna = await mira.createUser({ can_upload: true })
  boris = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

const authOf = ({ token }: TestAccount) => [token, { type: 'bearer' }] as const
const reprocess = (account: TestAccount, body: object) =>
  mira.request
    .post('/api/media/reprocess')
    .auth(...authOf(account))
    .send(body)
const progress = async (account: TestAccount) =>
  (
    await mira.request
      .get('/api/media/reprocess')
      .auth(...authOf(account))
      .expect(200)
  ).body
const readItem = async (account: TestAccount, id: string): Promise<MediaItemJson> =>
  (
    await mira.request
      .get(`/api/media/${id}`)
      .auth(...authOf(account))
      .expect(200)
  ).body

async function upload(account: TestAccount, seed: number): Promise<MediaItemJson> {
  const picture = await noisyImage({ width: 64 + seed, height: 64 })
  const request = mira.request
    .post('/api/media/upload')
    .auth(...authOf(account))
    .field('wait', '60')
  return (await request.attach('file', picture, `${seed}.jpg`).expect(201)).body
}

test('reprocesses a user’s items with the current engines, except for corrected fields', async () => {
  models.captions = { text: 'A blurred shape.' }
  const [corrected, plain, foreign] = [await upload(anna, 1), await upload(anna, 2), await upload(boris, 3)]
  expect(plain.caption).toBe('A blurred shape.')
  const change = { caption: 'My lighthouse' }
  await mira.request
    .patch(`/api/media/${corrected.id}`)
    .auth(...authOf(anna))
    .send(change)
    .expect(200)

  models.captions = { text: 'A lighthouse at dusk.' }
  const { body } = await reprocess(anna, { filter: { media_type: 'image' }, steps: ['caption', 'transcribe'] }).expect(
    202,
  )
  expect(body).toEqual({ is_running: true, total: 2, done: 0 })
  await vi.waitFor(async () => expect((await progress(anna)).is_running).toBe(false), {
    timeout: 60_000,
    interval: 100,
  })
  expect((await readItem(anna, plain.id)).caption).toBe('A lighthouse at dusk.')
  expect((await readItem(anna, corrected.id)).caption).toBe('My lighthouse')
  expect((await readItem(boris, foreign.id)).caption).toBe('A blurred shape.')
}, 120_000)

test('runs once at a time per user, never on other users’ items, and ends at once without items', async () => {
  expect((await reprocess(boris, { filter: { media_type: 'audio' } }).expect(202)).body).toEqual({
    is_running: false,
    total: 0,
    done: 0,
  })
  const { id } = await insertMediaItem(mira.context.database, anna.user.id)
  expect((await reprocess(boris, { ids: [id] }).expect(202)).body).toMatchObject({ total: 0 })
  // An item that never finishes.
  await insertMediaItem(mira.context.database, boris.user.id, { processingStatus: 'processing' })
  await reprocess(boris, {}).expect(202)
  const { body } = await reprocess(boris, {}).expect(409)
  expect(body.code).toBe('improving_already')
  await reprocess(boris, { filter: { owner: 'x' } }).expect(422)
  // A run whose job was lost.
  const { prisma } = mira.context.database
  const key = `improving.${anna.user.id}`
  const value = { total: 5, asked: 1, begun_at: new Date().toISOString() }
  await prisma.setting.create({ data: { key, value, updatedAt: new Date(Date.now() - 2 * 3_600_000) } })
  expect(await progress(anna)).toEqual({ is_running: false, total: 0, done: 0 })
  await reprocess(anna, { ids: [id] }).expect(202)
})
