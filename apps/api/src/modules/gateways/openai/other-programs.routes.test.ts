import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { lastMessage, type OpenAiServer, promptOf, startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let model: OpenAiServer
let server: TestApp
let account: TestAccount

beforeAll(async () => {
  model = await startOpenAiServer()
  server = await startTestApp({
    environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model', CORS_ORIGINS: 'app://obsidian.md' },
  })
  account = await server.createUser()
})
afterEach(() => {
  model.reset()
  vi.restoreAllMocks()
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  server.app.inject({
    method: 'POST',
    url: path,
    headers: { authorization: `Bearer ${account.token}`, ...headers },
    payload: body,
  })
const ask = (fields: object = {}) =>
  post('/v1/chat/completions', { model: 'test-model', messages: [{ role: 'user', content: 'Hi' }], ...fields })

describe('programs reach the API', () => {
  test.each(['/v1//models', '/v1/models/', '//v1/models', '/v1/v1/models', '/v1//v1/models'])('at %s', async (url) => {
    const headers = { authorization: `Bearer ${account.token}`, accept: 'application/x-strange' }
    const { statusCode, body } = await server.app.inject({ url, headers })
    expect(statusCode).toBe(200)
    expect(JSON.parse(body).data.map(({ id }: { id: string }) => id)).toContain('test-model')
  })

  test.each([
    ['a lower-case bearer and two spaces', () => ({ authorization: `bearer  ${account.token}` })],
    ['the token alone', () => ({ authorization: account.token })],
    ['the api-key header of Azure', () => ({ 'api-key': account.token })],
    ['the x-api-key header of Anthropic', () => ({ 'x-api-key': account.token })],
  ])('with %s', async (_name, headers) => {
    expect((await server.app.inject({ url: '/v1/models', headers: headers() })).statusCode).toBe(200)
    const invalid = Object.fromEntries(Object.keys(headers()).map((name) => [name, 'Bearer nonsense']))
    expect((await server.app.inject({ url: '/v1/models', headers: invalid })).statusCode).toBe(401)
  })

  test('from an Obsidian plug-in', async () => {
    const { statusCode, headers } = await server.app.inject({
      method: 'OPTIONS',
      url: '/v1/chat/completions',
      headers: {
        origin: 'app://obsidian.md',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-os',
      },
    })
    expect(statusCode).toBe(204)
    expect(headers['access-control-allow-origin']).toBe('app://obsidian.md')
    expect(headers['access-control-allow-headers']).toContain('x-stainless-os')
  })
})

describe('instructions', () => {
  const instruction = { role: 'system', content: 'Name this conversation.' }
  const question = { role: 'user', content: 'Hi' }
  const answer = { role: 'assistant', content: 'Hello.' }
  test.each([
    ['alone are the question, as LibreChat sends them for a title', [instruction], ['system', 'user']],
    ['after an answer are the question', [question, answer, instruction], ['system', 'user', 'assistant', 'user']],
    ['may follow the question, as in SillyTavern', [question, instruction], ['system', 'user']],
  ])('%s', async (_name, messages, roles) => {
    expect((await ask({ model: 'mira', messages })).statusCode).toBe(200)
    const [request] = model.chats()
    expect(request?.body.messages?.map(({ role }) => role)).toEqual(roles)
    const isQuestion = messages.at(-2) !== question
    expect(lastMessage(request!)).toContain(isQuestion ? 'Name this conversation.' : 'Hi')
    expect(lastMessage(request!, 'system').includes('Name this conversation.')).toBe(!isQuestion)
  })
})

test('reads what another model answered, and says which pictures the model doesn’t see', async () => {
  const url = 'data:image/png;base64,AAAA'
  const messages = [
    { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'refusal', refusal: 'I won’t say.' },
        { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      ],
    },
    { role: 'user', content: 'Why?' },
  ]
  expect((await ask({ model: 'mira', messages })).statusCode).toBe(200)
  expect(model.chats()[0]?.body.messages?.slice(1)).toMatchObject([
    { role: 'user', content: '[A part of the type "image_url" is left out here.]' },
    { role: 'assistant', content: 'I won’t say.' },
    { role: 'user', content: expect.stringContaining('Why?') },
  ])
})

test('reports zero tokens when the model reports no usage', async () => {
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
  model.next({ text: 'Hello.', usage: 'none' }, { text: 'Hello.', usage: 'none' })
  expect(JSON.parse((await ask({ model: 'mira' })).body)).toMatchObject({ usage })
  const stream = await ask({ model: 'mira', stream: true, stream_options: { include_usage: true } })
  expect(stream.body).toContain(`"usage":${JSON.stringify(usage)}`)
})

test('a tool without a type is a function', async () => {
  await ask({ model: 'mira', tools: [{ function: { name: 'switch_lamp' } }] })
  expect(promptOf(model).tools).toContain('switch_lamp')
})

test('tools and formats of other programs’ own kinds are left out, or refused when they’d lose something', async () => {
  for (const tools of [[{ googleSearch: {} }], ['web_search']])
    expect((await ask({ model: 'mira', tools, response_format: {} })).statusCode).toBe(200)
  const anthropic = await ask({ model: 'mira', tools: [{ name: 'lamp', input_schema: { type: 'object' } }] })
  expect([anthropic.statusCode, JSON.parse(anthropic.body).error.message]).toEqual([
    400,
    expect.stringContaining('must be named parameters'),
  ])
})

test('the embedding model that runs on this server is listed; the assistant makes no vectors', async () => {
  const { checks } = server.context.ai
  const local = { state: 'ok' as const, engine: 'local', model: 'Xenova/multilingual-e5-small' }
  vi.spyOn(server.context.ai, 'checks').mockImplementation(() => ({ ...checks(), embedding: local }))
  const headers = { authorization: `Bearer ${account.token}` }
  const { body } = await server.app.inject({ url: '/v1/models', headers })
  expect(JSON.parse(body).data.at(-1)).toMatchObject({ id: local.model })
  const refused = await post('/v1/embeddings', { model: 'mira', input: 'x' })
  expect([refused.statusCode, JSON.parse(refused.body).error.code]).toEqual([404, 'model_not_found'])
})

test('embeds up to 2,048 texts at once', async () => {
  const input = Array.from({ length: 2048 }, (_, index) => `Text ${index} ${'of a long document '.repeat(40)}`)
  const { statusCode, body } = await post('/v1/embeddings', { model: 'test-embedding', input })
  expect(statusCode).toBe(200)
  expect(JSON.parse(body).data).toHaveLength(2048)
  const response = await post('/v1/embeddings', { model: 'test-embedding', input: [...input, 'one more'] })
  expect([response.statusCode, JSON.parse(response.body).error.message]).toMatchObject([
    400,
    expect.stringContaining('at most 2048 texts'),
  ])
})

describe('a provider’s error reaches the program:', () => {
  test.each([
    [400, 400, 'invalid_request_error'],
    [422, 400, 'invalid_request_error'],
    [402, 402, 'invalid_request_error'],
    [413, 413, 'invalid_request_error'],
    [429, 429, 'rate_limit_error'],
    [500, 502, 'server_error'],
    [503, 503, 'server_error'],
    [529, 503, 'server_error'],
  ])('%i as %i', async (modelStatus, status, type) => {
    model.next({ error: { status: modelStatus, message: 'response_format is wrong' } })
    const response = await ask({ stream: true })
    expect([response.statusCode, JSON.parse(response.body).error]).toMatchObject([
      status,
      { type, ...(modelStatus === 429 ? {} : { message: expect.stringContaining('response_format is wrong') }) },
    ])
  })

  test('with the delay from its retry-after header', async () => {
    model.next({ error: { status: 429, message: 'slow down', headers: { 'retry-after': '90' } } })
    const { statusCode, headers } = await ask({ stream: true })
    expect([statusCode, headers['retry-after']]).toEqual([429, '90'])
  })

  test("except a rejection of Mira's own key, which is a 502 that mustn't be retried", async () => {
    model.next({ error: { status: 401, message: 'bad key' } })
    const { statusCode, headers } = await ask({ stream: true })
    expect([statusCode, headers['x-should-retry']]).toEqual([502, 'false'])
  })
})
