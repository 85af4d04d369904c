import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Health, LocalModel, LocalModelsResponse, MediaDetailJson, SearchResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { CAPTION } from '../../../../test/local-models/captioning.ts'
import { SPEECH } from '../../../../test/local-models/speech-and-chat-models.ts'
import { type ModelHub, startModelHub } from '../../../../test/model-hub.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { writeWav } from '../../../../test/wav-files.ts'

vi.setConfig({ testTimeout: 120_000 })

let hub: ModelHub
let directory: string
let mira: TestApp
let account: TestAccount
let otherAccount: TestAccount
const updates: LocalModel[] = []
const stop = new AbortController()

beforeAll(async () => {
  hub = await startModelHub()
  directory = mkdtempSync(join(tmpdir(), 'mira-models-'))
  mira = await startTestApp({
    isStarted: true,
    environment: { LOCAL_MODELS: 'auto', MODELS_DIR: directory, MODELS_HUB_URL: hub.baseUrl },
    localLimits: { hub: { retryMs: 1 } },
    // starting the process may take longer than the default timeout
    searchLimits: { queryTimeoutMs: 30_000 },
  })
  account = await mira.createUser({ can_upload: true })
  otherAccount = await mira.createUser({ can_upload: true })
  void listen()
})
afterAll(async () => {
  stop.abort()
  await mira.close()
  await hub.close()
  rmSync(directory, { recursive: true, force: true })
})

async function listen() {
  for await (const event of mira.context.events.subscribe(mira.admin.user.id, stop.signal)) {
    if (event.type === 'model.progress') updates.push(event.model)
  }
}
const asAdmin = { type: 'bearer' } as const
const list = async (): Promise<LocalModelsResponse> =>
  (await mira.request.get('/api/admin/models').auth(mira.admin.token, asAdmin).expect(200)).body
const stateOf = async (id: string) => (await list()).models.find((model) => model.id === id)?.state
const checks = async () => ((await mira.request.get('/api/health').expect(200)).body as Health).checks.models
const upload = async (file: Buffer | string, name: string): Promise<string> => {
  const request = mira.request.post('/api/media/upload').auth(account.token, { type: 'bearer' })
  return (await request.attach('file', file, name).expect(201)).body.id
}
const detailOf = async (id: string): Promise<MediaDetailJson> =>
  (await mira.request.get(`/api/media/${id}`).auth(account.token, { type: 'bearer' }).expect(200)).body
const stepOf = async (id: string, name: string) =>
  (await detailOf(id)).processing_steps.find((step) => step.name === name)
const search = async (query: string, searcher = account): Promise<SearchResponseJson> =>
  (await mira.request.get('/api/media/search').query({ query }).auth(searcher.token, { type: 'bearer' }).expect(200))
    .body
/** States of each model that administrators received, in order and without repetitions. */
const receivedStates = (models: LocalModel[]) =>
  models.map(({ id }) => [...new Set(updates.filter((model) => model.id === id).map(({ state }) => state))])
const eventually = (check: () => Promise<unknown>) => vi.waitFor(check, { timeout: 60_000, interval: 100 })

test('processes and finds items added before their models once these are downloaded', async () => {
  const release = hub.hold()
  onTestFinished(release)
  const before = await checks()
  expect(before.caption).toMatchObject({ state: 'off', reason: expect.stringContaining('isn’t on this server yet') })
  expect(hub.requests).toEqual([])

  const picture = await upload(await plainImage({ colour: '#ff6600' }), 'katze.jpg')
  const recording = await upload(writeWav([{ seconds: 4 }]), 'note.wav')
  await eventually(async () => {
    for (const id of [picture, recording]) expect((await detailOf(id)).processing_status).toBe('completed')
  })
  const model = 'The model onnx-community/Florence-2-base-ft'
  const error = `${model} wasn’t on this server yet. This will be done automatically once it is.`
  expect(await stepOf(picture, 'caption')).toMatchObject({ status: 'skipped', engine: null, error })
  expect((await checks()).caption).toMatchObject({ state: 'off', reason: `${model} is being downloaded (0%).` })
  expect((await search('sunset')).mode).toBe('words')
  const { is_enabled, models } = await list()
  expect(is_enabled).toBe(true)
  // models for reranking and chat are downloaded only when chosen
  const defaultModels = models.filter(
    ({ is_default, capability }) => is_default && capability !== 'rerank' && capability !== 'chat',
  )
  expect(defaultModels.map(({ state }) => state)).toEqual(defaultModels.map(() => 'downloading'))
  await eventually(async () => expect(receivedStates(defaultModels)).toEqual(defaultModels.map(() => ['downloading'])))

  release()
  await eventually(async () => {
    for (const name of ['caption', 'embed', 'look']) {
      expect([name, await stepOf(picture, name)]).toMatchObject([name, { status: 'completed', engine: 'local' }])
    }
    for (const name of ['transcribe', 'embed']) {
      expect([name, await stepOf(recording, name)]).toMatchObject([name, { status: 'completed', engine: 'local' }])
    }
  })
  expect(await detailOf(picture)).toMatchObject({ caption: CAPTION })
  expect(await detailOf(recording)).toMatchObject({ transcription: SPEECH })
  expect((await checks()).image_embedding).toEqual({
    state: 'ok',
    engine: 'local',
    model: 'Xenova/siglip-base-patch16-224',
  })

  // near matches follow the best hit
  const searchHits = async (query: string, searcher = account) =>
    (await search(query, searcher)).results.slice(0, 1).map(({ media_id, matched }) => [media_id, matched])
  expect(await searchHits('kitten')).toEqual([[picture, 'meaning']])
  // either its caption or its image embedding matches
  expect(await searchHits('a photo of a sunset')).toEqual([[picture, expect.stringMatching(/looks|meaning/)]])
  expect(await searchHits('bonjour')).toEqual([[recording, 'meaning']])
  for (const query of ['kitten', 'sunset', 'bonjour']) expect(await searchHits(query, otherAccount)).toEqual([])

  await eventually(async () =>
    expect(receivedStates(defaultModels)).toEqual(defaultModels.map(() => ['downloading', 'ready'])),
  )
})

test('an administrator downloads a model in advance, sees why a download failed, and removes the model', async () => {
  const id = 'Xenova/all-MiniLM-L6-v2'
  const path = `/api/admin/models/${encodeURIComponent(id)}`
  hub.failWith(404, { times: 1 })
  await mira.request.post(`${path}/download`).auth(mira.admin.token, asAdmin).expect(202)
  await eventually(async () => expect(await stateOf(id)).toBe('failed'))
  expect((await list()).models.find((model) => model.id === id)?.error).toMatch(/the hub has no file onnx/)

  const response = await mira.request.post(`${path}/download`).auth(mira.admin.token, asAdmin).expect(202)
  expect(response.body).toMatchObject({ id, license: 'Apache-2.0', is_default: false, error: null })
  await eventually(async () => expect(await stateOf(id)).toBe('ready'))
  await mira.request.delete(path).auth(mira.admin.token, asAdmin).expect(204)
  expect(await stateOf(id)).toBe('absent')
  const unknown = `/api/admin/models/${encodeURIComponent('../../etc/passwd')}`
  await mira.request.post(`${unknown}/download`).auth(mira.admin.token, asAdmin).expect(404)
  await mira.request.delete(unknown).auth(mira.admin.token, asAdmin).expect(404)
})

test('a server without connections chats with a local model once it’s downloaded, and no longer after its removal', async () => {
  const [id, chat] = ['onnx-community/Qwen2.5-0.5B-Instruct', async () => (await checks()).chat]
  const models = async () => (await mira.request.get('/api/models').auth(account.token, asAdmin).expect(200)).body
  expect([await chat(), await models()]).toMatchObject([{ engine: 'built-in' }, []])
  const path = `/api/admin/models/${encodeURIComponent(id)}`
  await mira.request.post(`${path}/download`).auth(mira.admin.token, asAdmin).expect(202)
  await eventually(async () => expect(await stateOf(id)).toBe('ready'))
  // the state of engines is cached briefly
  await eventually(async () => expect(await chat()).toEqual({ state: 'ok', engine: 'local', model: id }))
  const name = 'Qwen2.5-0.5B-Instruct'
  expect(await models()).toEqual([
    { id, name, connection: 'local', vision: false, tools: false, context_tokens: 4096, price: null, is_default: true },
  ])
  await mira.request.delete(path).auth(mira.admin.token, asAdmin).expect(204)
  expect(await models()).toEqual([])
  await eventually(async () => expect(await chat()).toMatchObject({ engine: 'built-in' }))
})
