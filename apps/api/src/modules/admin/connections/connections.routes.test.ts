import { setTimeout as sleep } from 'node:timers/promises'
import type { ChatModel, ChatSessionDetailJson, CodedSentence, ModelConnection } from '@mira/shared'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChatClient, createChatClient, listen, type ReadStream } from '../../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startStandIn } from '../../../../test/stand-in-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../log.ts'

const KEY = 'sk-very-secret-key-4711'
const HEADER = 'header-value-0815'

let mira: TestApp
let first: OpenAiServer
let second: OpenAiServer
let anna: TestAccount
let chat: ChatClient
const logged: string[] = []

beforeAll(async () => {
  ;[first, second] = await Promise.all([startOpenAiServer(), startOpenAiServer()])
  const log = createLog('trace', { write: (line: string) => void logged.push(line) })
  mira = await startTestApp({ log, modelLimits: { retryDelayMs: 1, probeIntervalMs: 50 } })
  anna = await mira.createUser({ can_chat: true })
  chat = createChatClient(await listen(mira.app), anna.token)
})
beforeEach(() => {
  first.models = ['small', 'embed-1']
  const pricing = { prompt: '0.0000025', completion: '0.00001' }
  second.models = [
    { id: 'large', pricing: { prompt: '-1', completion: '-1' } },
    { id: 'seer', architecture: { input_modalities: ['text', 'image'] }, context_length: 9000, pricing },
  ]
})
afterEach(async () => {
  for (const { id } of await list()) await call('delete', `/admin/connections/${id}`).expect(204)
  for (const server of [first, second]) server.reset()
})
afterAll(async () => {
  await mira.close()
  await Promise.all([first.close(), second.close()])
})

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
const call = (method: Method, path: string, body?: object, account: Pick<TestAccount, 'token'> = mira.admin) => {
  const request = mira.request[method](`/api${path}`).auth(account.token, { type: 'bearer' })
  return body === undefined ? request : request.send(body)
}
const list = async (): Promise<ModelConnection[]> => (await call('get', '/admin/connections').expect(200)).body
const connect = async (server: Pick<OpenAiServer, 'baseUrl'>, more: object = {}): Promise<ModelConnection> => {
  const body = { name: 'One', base_url: server.baseUrl, api_key: KEY, ...more }
  return (await call('post', '/admin/connections', body).expect(201)).body
}
const models = async (): Promise<ChatModel[]> => (await call('get', '/models', undefined, anna).expect(200)).body
/** Last event of an answer. */
interface End {
  type: string
  content?: string
  code?: string
  told?: CodedSentence[]
  model_used?: string
  message_id: string
}
const endOf = async (stream: ReadStream) => {
  await stream.ended
  const events = stream.received.map(({ event }) => event)
  const sessionEvent = events.find(({ type }) => type === 'session') as { session_id: string } | undefined
  return { sessionId: sessionEvent?.session_id ?? '', end: events.at(-1) as End }
}
const say = async (content: string, more: object = {}) => endOf(await chat.send({ content, ...more }))

describe('a connection', () => {
  test('is tested immediately, and lists its models with their capabilities', async () => {
    const connection = await connect(second, { headers: { 'X-Team': HEADER } })
    expect(connection).toEqual({
      id: expect.any(String),
      name: 'One',
      base_url: second.baseUrl,
      has_key: true,
      header_names: ['X-Team'],
      enabled: true,
      is_environment: false,
      check: { state: 'ok', engine: 'remote' },
      models: [expect.objectContaining({ id: 'large', chat: true, vision: null }), expect.any(Object)],
    })
    expect(connection.models[1]).toMatchObject({ id: 'seer', chat: true, vision: true, context_tokens: 9000 })
    expect(second.requests[0]).toMatchObject({ path: '/v1/models', authorization: `Bearer ${KEY}` })
    expect((await call('post', `/admin/connections/${connection.id}/test`).expect(200)).body).toEqual(connection)
  })

  test('serves chat without a restart, and no longer once it’s disabled or deleted', async () => {
    expect((await say('Before')).end.model_used).toBe('built-in')
    const { id } = await connect(first)
    expect((await say('With')).end).toMatchObject({ type: 'complete', model_used: 'small' })
    await call('patch', `/admin/connections/${id}`, { enabled: false }).expect(200)
    expect(await models()).toEqual([])
    expect((await say('Off')).end.model_used).toBe('built-in')
    await call('patch', `/admin/connections/${id}`, { enabled: true }).expect(200)
    expect((await say('Again')).end.model_used).toBe('small')
    await call('delete', `/admin/connections/${id}`).expect(204)
    expect((await say('Gone')).end.model_used).toBe('built-in')
  })

  test('never exposes its key or headers in responses, rows, the audit log or the server’s log', async () => {
    first.modelsError = { status: 401, message: `Wrong key ${KEY} with ${HEADER}` }
    const connection = await connect(first, { headers: { Authorization2: HEADER } })
    expect(connection.check.state).toBe('error')
    first.modelsError = { status: 500, message: `Broken: ${KEY} ${HEADER}` }
    const tested = (await call('post', `/admin/connections/${connection.id}/test`).expect(200)).body
    const listed = await list()
    await call('post', '/admin/connections', { name: '', base_url: 'x', api_key: KEY, headers: { a: HEADER } }).expect(
      422,
    )
    await say('Hello')
    const { rows } = await mira.context.database.pool.query('SELECT * FROM model_connections')
    const audit = (await call('get', '/admin/audit').expect(200)).body
    for (const output of [connection, tested, listed, rows, audit, logged]) {
      expect(JSON.stringify(output)).not.toContain(KEY)
      expect(JSON.stringify(output)).not.toContain(HEADER)
    }
    expect(logged.length).toBeGreaterThan(0)
  })

  test('keeps its key when other fields change, and drops it when moved to another host', async () => {
    const { id } = await connect(first)
    await call('patch', `/admin/connections/${id}`, { name: 'Two' }).expect(200)
    expect(await list()).toEqual([expect.objectContaining({ name: 'Two', has_key: true })])
    const moved = (await call('patch', `/admin/connections/${id}`, { base_url: second.baseUrl }).expect(200)).body
    expect(moved.has_key).toBe(false)
    expect(second.requests.map(({ authorization }) => authorization)).not.toContain(`Bearer ${KEY}`)
    await call('patch', `/admin/connections/${id}`, { api_key: 'sk-other' }).expect(200)
    expect(second.requests.at(-1)?.authorization).toBe('Bearer sk-other')
    expect((await call('patch', `/admin/connections/${id}`, { api_key: '' }).expect(200)).body.has_key).toBe(false)
  })

  test('is tested before it’s saved, with the stored key only on its own host', async () => {
    const attempt = async (values: object) => (await call('post', '/admin/connections/test', values).expect(200)).body
    const unreachable = await attempt({ name: 'Ollama', base_url: 'http://127.0.0.1:9/v1' })
    expect(unreachable).toMatchObject({
      check: { state: 'error', reason: expect.stringContaining('“Ollama”') },
      models: [],
    })
    expect((await attempt({ name: 'One', base_url: first.baseUrl })).models).toHaveLength(2)
    expect(await list()).toEqual([])
    const { id } = await connect(first)
    await attempt({ id, name: 'One', base_url: first.baseUrl })
    await attempt({ id, name: 'One', base_url: second.baseUrl })
    expect(first.requests.at(-1)?.authorization).toBe(`Bearer ${KEY}`)
    expect(second.requests.map(({ authorization }) => authorization)).not.toContain(`Bearer ${KEY}`)
    await call('post', '/admin/connections/test', { name: 'X', base_url: 'http://169.254.169.254/v1' }).expect(422)
  })

  test('suggests /v1 when its address serves a web page', async () => {
    const page = await startStandIn()
    page.serve = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hello</html>')
    }
    const values = { name: 'Page', base_url: page.baseUrl.replace(/\/v1$/, '') }
    const { body } = await call('post', '/admin/connections/test', values).expect(200)
    expect(body.check).toMatchObject({ state: 'error', reason: expect.stringContaining('usually ends with /v1') })
    await page.close()
  })

  test('is kept and shows the error when nothing responds', async () => {
    const connection = await connect({ baseUrl: 'http://127.0.0.1:9/v1' })
    expect(connection.check).toMatchObject({
      state: 'error',
      reason: expect.stringContaining('“One” can’t be reached'),
    })
    expect(connection.models).toEqual([])
  })

  test.each([
    'http://169.254.169.254/latest',
    'http://[::ffff:169.254.169.254]/v1',
    'http://2852039166/v1',
    'http://0xa9.0xfe.0xa9.0xfe/v1',
    'http://[fd00:ec2::254]/v1',
    'http://100.100.100.200/v1',
    'http://metadata.google.internal/v1',
  ])('never points to a metadata service: %s', async (base_url) => {
    const { body } = await call('post', '/admin/connections', { name: 'Cloud', base_url }).expect(422)
    expect(body).toMatchObject({ code: 'address_forbidden', errors: [{ path: 'base_url' }] })
    const { id } = await connect(first)
    await call('patch', `/admin/connections/${id}`, { base_url }).expect(422)
    expect(await list()).toEqual([expect.objectContaining({ base_url: first.baseUrl, has_key: true })])
  })

  test.each(['ftp://example.org/v1', 'http://user:pass@localhost/v1', 'localhost', 'http://localhost/v1?key=1'])(
    'refuses an invalid address: %s',
    async (base_url) => {
      await call('post', '/admin/connections', { name: 'X', base_url }).expect(422)
    },
  )

  test('is for administrators only; an unknown id gives 404', async () => {
    await call('get', '/admin/connections', undefined, anna).expect(403)
    await call('post', '/admin/connections', { name: 'X', base_url: first.baseUrl }, anna).expect(403)
    const unknown = '/admin/connections/0198d9a0-0000-7000-8000-000000000000'
    await call('patch', unknown, { name: 'X' }).expect(404)
    await call('delete', unknown).expect(404)
    await call('post', `${unknown}/test`).expect(404)
  })
})

describe('a model', () => {
  test('can be chosen for a conversation, which keeps it', async () => {
    await connect(first)
    await connect(second, { name: 'Two' })
    expect((await models()).map(({ id, connection }) => [id, connection])).toEqual([
      ['small', 'One'],
      ['large', 'Two'],
      ['seer', 'Two'],
    ])
    expect((await models()).filter(({ is_default }) => is_default)).toMatchObject([{ id: 'small' }])
    expect((await models()).map(({ price }) => price)).toEqual([null, null, { input: 2.5, output: 10 }])
    const { sessionId, end } = await say('Hello', { model: 'large', parameters: { temperature: 0.3 } })
    expect(end.model_used).toBe('large')
    expect(second.chats().at(-1)?.body).toMatchObject({ model: 'large', temperature: 0.3 })
    expect((await say('More', { session_id: sessionId })).end.model_used).toBe('large')
    expect(second.chats().at(-1)?.body.temperature).toBe(0.3)
    const opened = (await call('get', `/chat/sessions/${sessionId}`, undefined, anna).expect(200))
      .body as ChatSessionDetailJson
    expect([opened.model, opened.parameters]).toEqual(['large', { temperature: 0.3 }])
    expect((await say('Back', { session_id: sessionId, model: null })).end.model_used).toBe('small')
    // the chosen model also wrote the title, not the default one
    expect(first.requests.filter(({ path }) => path === '/v1/chat/completions')).toHaveLength(1)
  })

  test('can be changed between messages and for a regenerated answer', async () => {
    await connect(first)
    await connect(second, { name: 'Two' })
    const { sessionId, end } = await say('Hello')
    const path = `/chat/sessions/${sessionId}`
    await call('patch', path, { model: 'nothing' }, anna).expect(422)
    await call('patch', path, { model: 'large', parameters: { max_tokens: 50 } }, anna).expect(200)
    const again = await endOf(await chat.regenerate(sessionId, end.message_id))
    expect(again.end).toMatchObject({ type: 'complete', model_used: 'large' })
    expect(second.chats().at(-1)?.body.max_tokens).toBe(50)

    // for one answer only
    expect((await endOf(await chat.regenerate(sessionId, end.message_id, { model: 'seer' }))).end.model_used).toBe(
      'seer',
    )
    expect((await call('get', path, undefined, anna)).body.model).toBe('large')
    expect((await chat.regenerate(sessionId, end.message_id, { model: 'nothing' })).status).toBe(422)
  })

  test('is refused when no connection has it, as are invalid parameters, without a request to the server', async () => {
    await connect(first)
    for (const model of ['nothing', 'large']) {
      const { body } = await call('post', '/chat/message', { content: 'Hello', model }, anna).expect(422)
      expect(body).toMatchObject({ code: 'model_not_found', errors: [{ path: 'model' }] })
    }
    for (const parameters of [{ temperature: 3 }, { seed: 1 }, { max_tokens: 0 }]) {
      await call('post', '/chat/message', { content: 'Hello', parameters }, anna).expect(422)
    }
    expect(first.chats()).toEqual([])
  })

  test('that disappears gives an error, then is refused until another one is chosen', async () => {
    await connect(first)
    await connect(second, { name: 'Two' })
    const { sessionId } = await say('Hello', { model: 'large' })
    second.models = ['seer']
    second.next({ error: { status: 404, message: 'model "large" not found', code: 'model_not_found' } })
    const { end } = await say('Still there?', { session_id: sessionId })
    expect(end).toMatchObject({ type: 'error', code: 'model_not_found' })
    expect(end.content).toContain('The connection “Two” no longer has the model “large”')
    await expect.poll(async () => (await models()).map(({ id }) => id)).toEqual(['small', 'seer'])
    const message = { content: 'And now?', session_id: sessionId }
    expect((await call('post', '/chat/message', message, anna).expect(422)).body.detail).toContain('Pick another one')
    expect((await say('This one', { session_id: sessionId, model: 'seer' })).end.model_used).toBe('seer')
  })

  test('whose key is revoked mid-conversation gives an error, and other conversations use the next connection', async () => {
    await connect(first)
    await connect(second, { name: 'Two' })
    const { sessionId } = await say('Hello', { model: 'small' })
    const refused = { status: 401, message: `Key ${KEY} was revoked` }
    first.modelsError = refused
    first.defaultResponse = { error: refused }
    const { end } = await say('Still there?', { session_id: sessionId })
    expect(end).toMatchObject({ type: 'error', code: 'model_key_refused' })
    expect(end.content).toContain('The connection “One” refuses its key')
    expect(end.content).not.toContain(KEY)
    // as codes for translation, now and when the conversation is reopened
    const sentences = [{ code: 'connection_key_refused', params: { name: 'One' } }]
    expect(end.told).toEqual(sentences)
    const { body } = await call('get', `/chat/sessions/${sessionId}`, undefined, anna).expect(200)
    expect(body.messages.at(-1).error_told).toEqual(sentences)
    expect((await say('Somebody else')).end).toMatchObject({ type: 'complete', model_used: 'large' })
  })

  test('whose connection refuses requests doesn’t affect the chat’s health while the next connection answers', async () => {
    await connect(first)
    await connect(second, { name: 'Two' })
    const refusal = { error: { status: 401, message: 'This key may list and nothing else' } }
    const health = async () => (await mira.request.get('/api/health').expect(200)).body.checks.models.chat
    first.defaultResponse = refusal
    expect((await say('Hello')).end).toMatchObject({ type: 'complete', model_used: 'large' })
    // after this delay, the first would be tried before the second again
    await sleep(200)
    expect(await health()).toMatchObject({ state: 'ok', model: 'large' })
    second.defaultResponse = refusal
    expect((await say('Hello again')).end).toMatchObject({ type: 'error', code: 'model_key_refused' })
    await expect.poll(health).toMatchObject({ state: 'error', model: 'small' })
  })

  test('is listed at /v1/models and served by its own connection', async () => {
    await connect(first)
    await connect(second, { name: 'Two' })
    const listed = (await mira.request.get('/v1/models').auth(anna.token, { type: 'bearer' }).expect(200)).body
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual(['mira', 'small', 'embed-1', 'large', 'seer'])
    const body = { model: 'large', messages: [{ role: 'user', content: 'Hello' }] }
    await mira.request.post('/v1/chat/completions').auth(anna.token, { type: 'bearer' }).send(body).expect(200)
    expect(second.requests.at(-1)).toMatchObject({ path: '/v1/chat/completions', authorization: `Bearer ${KEY}` })
  })
})

describe('background engines', () => {
  test('use a connection only when an administrator chose it for them', async () => {
    first.models = ['small', 'embed-1', 'whisper-1']
    const { id } = await connect(first)
    const off = ['embedding', 'transcription', 'caption'] as const
    const states = () => off.map((capability) => mira.context.ai.checks()[capability].state)
    expect(states()).toEqual(['off', 'off', 'off'])
    const { settings } = (await call('get', '/admin/settings').expect(200)).body
    const engines = { embedding: { engine: 'remote', model: null, connection: id } }
    await call('put', '/admin/settings', { ...settings, engines }).expect(200)
    expect(mira.context.ai.checks().embedding).toMatchObject({ state: 'ok', model: 'embed-1' })
    await call('put', '/admin/settings', settings).expect(200)
    expect(states()).toEqual(['off', 'off', 'off'])
  })
})
