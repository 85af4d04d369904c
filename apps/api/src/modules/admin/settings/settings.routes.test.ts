import {
  type AdminSettings,
  type AdminSettingsResponseJson,
  adminSettingsResponseSchema,
  type Capability,
} from '@mira/shared'
import { MEBIBYTE } from '@mira/shared/constants/limits'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createSettingsService, createSettingsStore } from '../../../platform/settings/settings.service.ts'

let mira: TestApp
let models: OpenAiServer
let anna: TestAccount
let defaults: AdminSettings
beforeAll(async () => {
  models = await startOpenAiServer()
  const environment = { OPENAI_BASE_URL: models.baseUrl, ASSISTANT_NAME: 'Ada', CHAT_MODEL: 'test-model' }
  mira = await startTestApp({ environment, modelLimits: { probeIntervalMs: 0, retryDelayMs: 1 } })
  anna = await mira.createUser({ can_upload: true, can_chat: true })
  defaults = (await read()).defaults
})
afterEach(async () => {
  models.reset()
  await save(defaults).expect(200)
})
afterAll(async () => {
  await mira.close()
  await models.close()
})

const asAdmin = { type: 'bearer' } as const
const read = async (): Promise<AdminSettingsResponseJson> => {
  const { body } = await mira.request.get('/api/admin/settings').auth(mira.admin.token, asAdmin).expect(200)
  expect(() => adminSettingsResponseSchema.parse(body)).not.toThrow()
  return body
}
const save = (settings: object) =>
  mira.request.put('/api/admin/settings').auth(mira.admin.token, asAdmin).send(settings)
const tryOut = async (capability: string) => {
  const request = mira.request.post('/api/admin/engines/test').auth(mira.admin.token, asAdmin).send({ capability })
  return (await request.expect(200)).body
}
const checkOf = async (capability: Capability) => (await read()).engines[capability].check

test('a changed setting applies at once and is listed as decided, until it’s set back to the environment’s value', async () => {
  expect(await read()).toMatchObject({ settings: { assistant_name: 'Ada' }, decided: [] })
  const decided = {
    ...defaults,
    assistant_name: 'Grace',
    limits: { ...defaults.limits, upload_bytes: 2 * MEBIBYTE },
    retention: { ...defaults.retention, activity_days: 30 },
    news_feeds: [],
  }
  await save(decided).expect(200)
  const response = await read()
  expect(response.settings).toEqual(decided)
  expect(response.defaults).toEqual(defaults)
  expect(response.decided.sort()).toEqual([
    'assistant_name',
    'limits.upload_bytes',
    'news_feeds',
    'retention.activity_days',
  ])
  expect(response.updated_at).not.toBeNull()
  const { body: config } = await mira.request.get('/api/config').expect(200)
  expect(config).toMatchObject({ assistant_name: 'Grace', limits: { upload_bytes: 2 * MEBIBYTE } })
  const { body: document } = await mira.request.get('/api/openapi.json').expect(200)
  expect(document.info.title).toContain('Grace')

  await save({ ...decided, assistant_name: 'Ada' }).expect(200)
  expect((await read()).decided).not.toContain('assistant_name')
})

test.each<[string, (settings: AdminSettings) => object, string]>([
  ['no name', (all) => ({ ...all, assistant_name: '  ' }), 'assistant_name'],
  [
    'a limit above the maximum',
    (all) => ({ ...all, limits: { ...all.limits, upload_bytes: 1e12 } }),
    'limits.upload_bytes',
  ],
  [
    'a feed without a valid address',
    (all) => ({ ...all, news_feeds: [{ title: 'x', url: 'javascript:1', language: 'en' }] }),
    'news_feeds.0.url',
  ],
  [
    'an engine that isn’t available for the capability',
    (all) => ({ ...all, engines: { ocr: { engine: 'remote', model: null } } }),
    'engines.ocr.engine',
  ],
  [
    'too short a retention',
    (all) => ({ ...all, retention: { ...all.retention, activity_days: 1 } }),
    'retention.activity_days',
  ],
])('%s is refused with its path and changes nothing', async (_case, change, path) => {
  const { body } = await save(change(defaults)).expect(422)
  expect(body.errors.map((error: { path: string }) => error.path)).toContain(path)
  expect((await read()).settings).toEqual(defaults)
})

test('a stored engine that’s no longer available doesn’t prevent saving other settings', async () => {
  await createSettingsStore(mira.context.database).write({ 'engines.ocr': { engine: 'remote', model: null } })
  await mira.context.settings.open()
  const { settings } = await read()
  expect(settings.engines.ocr).toEqual({ engine: 'remote', model: null })
  await save({ ...settings, assistant_name: 'Grace' }).expect(200)
  expect((await read()).settings).toEqual({ ...settings, assistant_name: 'Grace' })
})

test('another server applies changes and ignores invalid ones', async () => {
  const deps = { listen: () => () => {}, notify: async () => {}, log: silentLog }
  const other = createSettingsService({
    store: createSettingsStore(mira.context.database),
    defaults,
    pollMs: 20,
    ...deps,
  })
  const listener = vi.fn()
  other.onChange(listener)
  await other.open()
  await save({ ...defaults, assistant_name: 'Grace' }).expect(200)
  await vi.waitFor(() => expect(other.current().assistant_name).toBe('Grace'), { timeout: 20_000, interval: 20 })
  expect(listener).toHaveBeenCalledTimes(1)
  await createSettingsStore(mira.context.database).write({
    assistant_name: 'Linus',
    'limits.upload_bytes': 'much',
    'engines.telepathy': { engine: 'auto', model: 'x' },
  })
  await vi.waitFor(() => expect(other.current().assistant_name).toBe('Linus'), { timeout: 20_000, interval: 20 })
  expect(other.current().limits).toEqual(defaults.limits)
  other.close()
})

test('a server that missed messages rereads the settings on reconnecting', async () => {
  let reconnect = () => {}
  const server = createSettingsService({
    ...{ store: createSettingsStore(mira.context.database), defaults, pollMs: null, log: silentLog },
    listen: (_channel, _handler, onReconnected = () => {}) => {
      reconnect = onReconnected
      return () => {}
    },
    notify: async () => {},
  })
  await server.open()
  await save({ ...defaults, assistant_name: 'Mary' }).expect(200)
  reconnect()
  await vi.waitFor(() => expect(server.current().assistant_name).toBe('Mary'), { timeout: 20_000, interval: 20 })
  server.close()
})

describe('files', () => {
  const upload = async (bytes: number) => {
    const picture = Buffer.concat([await plainImage({}), Buffer.alloc(bytes, String(bytes))])
    return mira.request
      .post('/api/media/upload')
      .auth(anna.token, { type: 'bearer' })
      .field('wait', '0')
      .attach('file', picture, 'a.jpg')
  }

  test('above the upload limit are refused', async () => {
    await save({ ...defaults, limits: { ...defaults.limits, upload_bytes: MEBIBYTE } }).expect(200)
    expect((await upload(MEBIBYTE)).status).toBe(413)
    expect((await upload(1000)).status).toBe(202)
  })

  test('beyond a user’s storage limit are refused with that limit, until it’s removed', async () => {
    const withLimit = (bytes: number | null) => ({
      ...defaults,
      limits: { ...defaults.limits, storage_bytes_per_user: bytes },
    })
    await save(withLimit(2 * MEBIBYTE)).expect(200)
    expect((await upload(1.5 * MEBIBYTE)).status).toBe(202)
    const refused = await upload(MEBIBYTE)
    expect(refused.status).toBe(507)
    expect(refused.body).toMatchObject({ code: 'user_storage_full' })
    expect(refused.body.detail).toMatch(/^You may store 2\.0 MB, and 1\.5 MB are in use/)
    const image = Buffer.concat([await plainImage({}), Buffer.alloc(MEBIBYTE * 0.7)]).toString('base64')
    const message = mira.request.post('/api/chat/message').auth(anna.token, { type: 'bearer' })
    expect((await message.send({ content: 'Look', images: [image] })).body).toMatchObject({ code: 'user_storage_full' })
    await save(withLimit(null)).expect(200)
    expect((await upload(MEBIBYTE)).status).toBe(202)
  })
})

test('an account can have its own storage limit, sees its usage, and gets an error when it’s full', async () => {
  const bert = await mira.createUser({ can_upload: true })
  const setLimit = (bytes: number | null | undefined) =>
    mira.request
      .put(`/api/admin/users/${bert.user.id}`)
      .auth(mira.admin.token, asAdmin)
      .send({ ...bert.user, ...(bytes === undefined ? {} : { storage_limit_bytes: bytes }) })
      .expect(200)
  const upload = async (bytes: number, { token }: TestAccount) => {
    const picture = Buffer.concat([await plainImage({ colour: '#123' }), Buffer.alloc(bytes, 1)])
    return mira.request
      .post('/api/media/upload')
      .auth(token, asAdmin)
      .field('wait', '0')
      .attach('file', picture, 'a.jpg')
  }
  const storageAt = async (path: string, token: string) => (await mira.request.get(path).auth(token, asAdmin)).body
  const defaultLimits = { ...defaults.limits, storage_bytes_per_user: 100 * MEBIBYTE }
  await save({ ...defaults, limits: defaultLimits }).expect(200)

  await setLimit(MEBIBYTE)
  // an update without the limit leaves it unchanged
  await setLimit(undefined)
  const refused = await upload(1.5 * MEBIBYTE, bert)
  expect([refused.status, refused.body.code]).toEqual([507, 'user_storage_full'])
  expect(refused.body.detail).toMatch(/^You may store 1\.0 MB/)

  await setLimit(200 * MEBIBYTE)
  const { body } = await upload(1.5 * MEBIBYTE, bert)
  const figures = {
    used_bytes: body.metadata.size_bytes,
    limit_bytes: 200 * MEBIBYTE,
    own_limit_bytes: 200 * MEBIBYTE,
    default_limit_bytes: 100 * MEBIBYTE,
  }
  expect(await storageAt('/api/me/storage', bert.token)).toEqual(figures)
  expect(await storageAt(`/api/admin/users/${bert.user.id}/storage`, mira.admin.token)).toEqual(figures)
  const unknownId = '00000000-0000-4000-8000-000000000000'
  expect(await storageAt(`/api/admin/users/${unknownId}/storage`, mira.admin.token)).toMatchObject({
    code: 'not_found',
  })

  await setLimit(null)
  expect(await storageAt('/api/me/storage', bert.token)).toMatchObject({
    limit_bytes: 100 * MEBIBYTE,
    own_limit_bytes: null,
  })
  const acts = await mira.request.get('/api/admin/audit?limit=20').auth(mira.admin.token, asAdmin).expect(200)
  const changes = JSON.stringify(acts.body)
  expect(changes).toContain(`"storage_limit_bytes":${200 * MEBIBYTE}`)
})

describe('an engine', () => {
  test('and its model can be changed while the server runs', async () => {
    await save({ ...defaults, engines: { chat: { engine: 'auto', model: 'chosen-model' } } }).expect(200)
    expect(await tryOut('chat')).toMatchObject({ ok: true, engine: 'remote' })
    expect(models.chats().at(-1)?.body.model).toBe('chosen-model')
    await save({ ...defaults, engines: { chat: { engine: 'off', model: null } } }).expect(200)
    expect(await tryOut('chat')).toMatchObject({ ok: true, engine: 'built-in' })
    expect(await checkOf('chat')).toMatchObject({ state: 'ok', engine: 'built-in' })
    expect((await read()).engines.chat).toMatchObject({
      choices: expect.arrayContaining(['auto', 'remote', 'off']),
      remote_models: ['test-model'],
      environment: { variable: 'CHAT_MODEL', model: 'test-model' },
    })
  })

  test('for captions can differ from the one for vision', async () => {
    await save({ ...defaults, engines: { caption: { engine: 'remote', model: 'describer' } } }).expect(200)
    expect(await checkOf('caption')).toMatchObject({ model: 'describer' })
    expect(await checkOf('vision')).toMatchObject({ model: 'test-model' })
    expect(await tryOut('caption')).toMatchObject({ ok: true, engine: 'remote' })
    expect(models.requests.at(-1)?.body.model).toBe('describer')
  })

  test.each(['embedding', 'ocr', 'transcription', 'vision', 'caption'] as const)(
    'for %s isn’t used when it’s off',
    async (capability) => {
      await save({ ...defaults, engines: { [capability]: { engine: 'off', model: null } } }).expect(200)
      const reason = 'An administrator has turned this off in the settings.'
      const sentences = [{ code: 'turned_off', params: {} }]
      expect(await checkOf(capability)).toEqual({ state: 'off', reason, told: sentences })
      expect(await tryOut(capability)).toMatchObject({ ok: false, detail: reason, told: sentences, engine: null })
      expect(models.requests.filter(({ path }) => path !== '/v1/models')).toEqual([])
    },
  )

  test('is tested with a real request', async () => {
    models.when('Which colour', { text: 'Red.' })
    const tried = Object.fromEntries(
      await Promise.all(
        ['chat', 'vision', 'caption', 'embedding', 'ocr', 'transcription', 'speech'].map(async (capability) => [
          capability,
          await tryOut(capability),
        ]),
      ),
    )
    for (const [capability, response] of Object.entries(tried)) {
      expect({ capability, ...(response as object) }).toMatchObject({
        capability,
        ok: true,
        duration_ms: expect.any(Number),
      })
    }
    expect(tried.vision.detail).toContain('“Red.”')
    expect(tried.ocr.detail).toContain('HELLO MIRA')
    expect(tried.embedding.detail).toMatch(/is nearer to .* numbers\.$/)
  })

  test('whose model omits the opening tag of its thoughts is quoted without them', async () => {
    models.next({ text: ['They are testing me.', '</think>', 'Seven.'] })
    const { detail } = await tryOut('chat')
    expect(detail).toContain('“Seven.”')
    // an answer without the tag resets this assumption about the model
    await tryOut('chat')
  })

  test('that fails gives the reason', async () => {
    models.defaultResponse = { error: { status: 401, message: 'no' } } as never
    expect(await tryOut('chat')).toMatchObject({
      ok: false,
      engine: 'remote',
      detail: expect.stringMatching(/key|refus/i),
    })
    expect(await tryOut('image_embedding')).toMatchObject({ ok: false, detail: expect.stringMatching(/\.$/) })
  })
})
