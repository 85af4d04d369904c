import { readFileSync } from 'node:fs'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readBinary } from '../../../test/binary.ts'
import { createChatClient, idsOf, listen } from '../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { plainImage } from '../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { unzip } from '../../../test/unzip.ts'
import { writeWav } from '../../../test/wav-files.ts'

type Texts = Record<string, string>

const example = readFileSync(new URL('../../../../../.env.example', import.meta.url), 'utf8')
const variables = [...example.matchAll(/^#? ?([A-Z]+(?:_[A-Z]+)+)=/gm)].map(([, name]) => name as string)
const permissions = { can_chat: true, can_upload: true, can_use_agents: true, can_use_voice: true }

/** Streams, the full export, which is read separately, and pages about the API that are the same for all users. */
const excludedPaths = ['/api/events', '/api/me/export', '/api/docs', '/api/openapi.json']

/** Responses of the routes without parameters to an account. */
async function readRoutes({ app, request }: TestApp, token: string): Promise<Texts> {
  const paths = app.declaredRoutes.flatMap(({ method, url }) =>
    method === 'GET' && url.startsWith('/api/') && !/[:*]/.test(url) && !excludedPaths.includes(url) ? [url] : [],
  )
  expect(paths.length).toBeGreaterThan(50)
  const texts: Texts = {}
  for (const path of paths) {
    const { status, text } = await request.get(path).auth(token, { type: 'bearer' })
    expect(status, path).not.toBe(500)
    texts[path] = text ?? ''
  }
  return texts
}

/** Responses of the routes that need an engine to an account. */
async function useEngines({ request }: TestApp, token: string, waitSeconds = 60): Promise<Texts> {
  const post = (path: string) => request.post(path).auth(token, { type: 'bearer' })
  const effects = '/api/image-effects/effects'
  const picture = await plainImage({})
  const restyle = { effect_name: 'ai_restyle', prompt: 'as a woodcut' }
  const uploaded = await post('/api/media/upload').field('wait', String(waitSeconds)).attach('file', picture, 'b.jpg')
  const completion = { model: 'mira', messages: [{ role: 'user', content: 'Hi' }] }
  const streamed = { ...completion, stream: true }
  const responses = {
    uploaded,
    item: await request.get(`/api/media/${uploaded.body.id}`).auth(token, { type: 'bearer' }),
    search: await request.get('/api/media/search?query=lighthouse').auth(token, { type: 'bearer' }),
    transcription: await post('/api/voice/transcribe').attach('file', writeWav([{ seconds: 1 }])),
    speech: await post('/api/voice/speak').send({ text: 'Hello' }),
    effect: await post(`${effects}/apply`).field(restyle).attach('file', picture, 'a.jpg'),
    batch: await post(`${effects}/batch`).field('effect_names', 'ai_restyle').attach('file', picture, 'a.jpg'),
    completion: await post('/v1/chat/completions').send(completion),
    streamed: await post('/v1/chat/completions').send(streamed),
    stored: await post('/v1/chat/completions').send({ ...completion, store: true }),
    response: await post('/v1/responses').send({ model: 'mira', input: 'Hi', stream: true }),
    relayed: await post('/v1/chat/completions').send({ ...completion, model: 'test-model' }),
    embeddings: await post('/v1/embeddings').send({ model: 'test-embedding', input: 'Hi' }),
  }
  return Object.fromEntries(Object.entries(responses).map(([name, { text }]) => [name, text ?? '']))
}

function expectNoSetup(texts: Texts, address = 'http://nowhere'): void {
  expect(variables.length).toBeGreaterThan(30)
  const leaks = Object.entries(texts).flatMap(([where, text]) => {
    const names = [address, ...variables].filter((name) => text.includes(name))
    return names.length > 0 ? [[where, ...names]] : []
  })
  expect(leaks).toEqual([])
}

describe('without any engine', () => {
  let mira: TestApp
  beforeAll(async () => {
    mira = await startTestApp({ isStarted: true })
  })
  afterAll(() => mira.close())

  test('users read that something is missing, administrators what to set', async () => {
    const user = await mira.createUser(permissions)
    const engines = await useEngines(mira, user.token)
    for (const name of ['item', 'search', 'transcription', 'speech', 'effect', 'batch']) {
      expect(engines[name], name).toContain('Ask an administrator.')
    }
    expectNoSetup({ ...engines, ...(await readRoutes(mira, user.token)) })
    const adminResponses = await useEngines(mira, mira.admin.token)
    for (const name of ['item', 'search', 'transcription', 'speech', 'effect', 'batch']) {
      expect(adminResponses[name], name).toMatch(/OPENAI_BASE_URL/)
    }
  })
})

describe('with a model server that fails', () => {
  let mira: TestApp
  let server: OpenAiServer
  let address: string
  let url: string

  beforeAll(async () => {
    server = await startOpenAiServer()
    address = new URL(server.baseUrl).origin
    mira = await startTestApp({
      environment: {
        ...{ OPENAI_BASE_URL: server.baseUrl, CHAT_MODEL: 'test-model', EMBEDDING_MODEL: 'test-embedding' },
        ...{ IMAGE_MODEL: 'test-painter', TRANSCRIPTION_MODEL: 'test-whisper', SPEECH_MODEL: 'test-tts' },
      },
      modelLimits: { retryDelayMs: 1, probeIntervalMs: 50 },
      isStarted: true,
    })
    url = await listen(mira.app)
  })
  afterEach(() => server.reset())
  afterAll(async () => {
    await mira.close()
    await server.close()
  })

  const failEverywhere = () => {
    const failure = { status: 500, message: `out of order: see ${address}/log, or ask db-7:8443 at 10.0.0.9` }
    server.defaultResponse = { error: failure }
    server.completionFailure = failure
    server.captions = { failure }
    server.embeddings = { failure }
    server.imageEdits = { failure }
    server.transcriptions = { failure }
    server.speech = { failure }
  }
  const get = (path: string, account?: TestAccount) => {
    const request = mira.request.get(`/api${path}`)
    return account === undefined ? request : request.auth(account.token, { type: 'bearer' })
  }
  const tokenOf = async (account: TestAccount): Promise<string> => {
    const { body } = await mira.request
      .post('/api/auth/tokens')
      .auth(account.token, { type: 'bearer' })
      .send({ name: 'program', scopes: ['read', 'chat'] })
      .expect(201)
    return body.token
  }
  const askByProgram = async (account: TestAccount) => {
    const headers = { authorization: `Bearer ${await tokenOf(account)}` }
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
    const answers = [
      await client.callTool({ name: 'ask', arguments: { question: 'When does the lease end?' } }),
      await client.callTool({ name: 'search_memory', arguments: { query: 'lease' } }),
    ]
    await client.close()
    return answers
  }
  /** Everything that an account reads about a failed answer and a failed image, by the place where it's shown. */
  const chat = async (account: TestAccount): Promise<Texts> => {
    const client = createChatClient(url, account.token)
    server.next({ calls: [{ name: 'make_picture', arguments: { prompt: 'a boat' } }] }, { text: 'It did not work.' })
    const imageAnswer = await client.send({ content: 'Draw me a boat' })
    await imageAnswer.ended
    const { sessionId: id } = idsOf(imageAnswer)
    const failed = await client.send({ session_id: id, content: 'Hello' })
    await failed.ended
    expect(failed.received.at(-1)?.event).toMatchObject({ type: 'error' })
    const again = await client.streamAnswer(id)
    await again.ended
    const { body: share } = await mira.request
      .post('/api/shares')
      .auth(account.token, { type: 'bearer' })
      .send({ kind: 'conversation', id })
      .expect(201)
    const archive = await get('/me/export', account).buffer(true).parse(readBinary).expect(200)
    const received = [...imageAnswer.received, ...failed.received, ...again.received]
    expect(JSON.stringify(received)).not.toContain('summary_told')
    return {
      call: JSON.stringify(imageAnswer.received.filter(({ event }) => event.type === 'agent')),
      events: JSON.stringify(failed.received),
      again: JSON.stringify(again.received),
      conversation: JSON.stringify((await get(`/chat/sessions/${id}`, account).expect(200)).body),
      json: (await get(`/chat/sessions/${id}/export?format=json`, account).buffer(true).expect(200)).text,
      markdown: (await get(`/chat/sessions/${id}/export?format=markdown`, account).buffer(true).expect(200)).text,
      everything: [...(await unzip(archive.body as Buffer)).values()].map(String).join('\n'),
      program: JSON.stringify(await askByProgram(account)),
      shared: JSON.stringify((await get(`/public/shares/${share.token}`).expect(200)).body),
    }
  }

  test('administrators read its address, users do not', async () => {
    failEverywhere()
    const admin = await chat(mira.admin)
    for (const where of ['call', 'events', 'again', 'conversation', 'json', 'markdown', 'everything']) {
      expect(admin[where], where).toContain(address)
    }
    const user = await mira.createUser(permissions)
    const responses = await chat(user)
    expect(responses.events).toContain('the configured address')
    expect(responses.call).toContain('the configured address')
    for (const where of ['conversation', 'json']) expect(responses[where], where).not.toContain('summary_told')
    const engines = await useEngines(mira, user.token, 1)
    expect(JSON.stringify({ ...responses, ...engines })).not.toMatch(/db-7:8443|10\.0\.0\.9/)
    for (const name of [
      'search',
      'transcription',
      'speech',
      'effect',
      'completion',
      'streamed',
      'stored',
      'response',
    ]) {
      expect(engines[name], name).toContain('the configured address')
    }
    expectNoSetup({ ...responses, ...engines, ...(await readRoutes(mira, user.token)) }, address)
    expectNoSetup({ health: JSON.stringify((await get('/health')).body) }, address)
  })

  test('a program of an administrator without the permission to administrate reads what users read', async () => {
    failEverywhere()
    const admin = await chat(mira.admin)
    expectNoSetup({ program: admin.program ?? '', shared: admin.shared ?? '' }, address)
    expectNoSetup(await readRoutes(mira, await tokenOf(mira.admin)), address)
  })

  test('a failure that an earlier version stored without a code is replaced for users', async () => {
    const { database } = mira.context
    const user = await mira.createUser(permissions)
    const client = createChatClient(url, user.token)
    const stream = await client.send({ content: 'Hello' })
    await stream.ended
    const { sessionId, messageId } = idsOf(stream)
    const said = `No model server can be reached at ${address}. Start it, or correct OPENAI_BASE_URL.`
    const codes = JSON.stringify([{ code: 'from_before', params: { said } }])
    await database.pool.query(
      `UPDATE chat_messages SET state = 'failed', error = $2, error_code = 'model_unreachable', error_told = $3::jsonb,
         agent_calls = jsonb_build_array(jsonb_build_object('call_id', '1', 'name', 'make_picture', 'state', 'failed',
           'summary', $2::text, 'summary_told', $3::jsonb))
       WHERE id = $1`,
      [messageId, said, codes],
    )
    const { body } = await get(`/chat/sessions/${sessionId}`, user).expect(200)
    expect(body.messages.at(-1)).toMatchObject({
      error: 'This didn’t work. Ask an administrator.',
      error_told: [{ code: 'from_before', params: { said: '' } }],
      agent_calls: [{ summary: 'This didn’t work. Ask an administrator.' }],
    })
    expectNoSetup({ body: JSON.stringify(body) }, address)
  })
})
