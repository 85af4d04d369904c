import { readFile } from 'node:fs/promises'
import type { CodedSentence } from '@mira/shared'
import { withoutSetupIn, withoutSetupInLines } from '@mira/shared'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readBinary } from '../../../test/binary.ts'
import { createChatClient, listen } from '../../../test/chat-client.ts'
import { type OpenAiServer, startOpenAiServer } from '../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { unzip } from '../../../test/unzip.ts'

const text =
  'No model server can be reached at http://10.0.0.7:8080: nothing is listening there. Start it, or correct OPENAI_BASE_URL.'
const sentences: CodedSentence[] = [
  { code: 'model_unreachable', params: { address: 'http://10.0.0.7:8080', cause: '' } },
]
const plain =
  'No model server can be reached at the configured address: nothing is listening there. Ask an administrator.'
const plainTold = [{ code: 'model_unreachable', params: { address: '', cause: '' } }]

describe('where servers are and by which variable that is set', () => {
  test('is left out wherever a sentence of the server has it', () => {
    expect(withoutSetupIn({ list: [{ error: text, error_told: sentences }] })).toEqual({
      list: [{ error: plain, error_told: plainTold }],
    })
    expect(withoutSetupIn({ type: 'error', content: text, told: sentences })).toEqual({
      type: 'error',
      content: plain,
      told: plainTold,
    })
    expect(withoutSetupIn({ error: { message: text, code: null } })).toEqual({ error: { message: plain, code: null } })
    const missing = 'No model that edits pictures is connected. Set IMAGE_MODEL.'
    expect(withoutSetupIn({ unavailable_reason: missing, mode_reason: missing })).toEqual({
      unavailable_reason: 'No model that edits pictures is connected. Ask an administrator.',
      mode_reason: 'No model that edits pictures is connected. Ask an administrator.',
    })
    expect(withoutSetupIn({ detail: 'Set VISION_MODEL.' }).detail).toBe(
      'Something has to be set up here first; ask an administrator.',
    )
    const line = (event: object) => `id: 4\ndata: ${JSON.stringify(event)}\n\n`
    expect(withoutSetupInLines(line({ content: text, told: sentences }))).toBe(
      line({ content: plain, told: plainTold }),
    )
  })

  test('is left out of what is told by part, and of calls that failed', () => {
    expect(withoutSetupIn({ reasons: { ai_service: text }, told: { ai_service: sentences } })).toEqual({
      reasons: { ai_service: plain },
      told: { ai_service: plainTold },
    })
    const call = { call_id: '1', name: 'make_picture', state: 'failed', summary: text }
    expect(withoutSetupIn({ agent_calls: [call] })).toEqual({ agent_calls: [{ ...call, summary: plain }] })
    const line = `data: ${JSON.stringify({ type: 'agent', call_id: '1', state: 'failed', summary: text })}\n\n`
    expect(withoutSetupInLines(line)).not.toContain('10.0.0.7')
  })

  test('is left out of what a model server says of itself', () => {
    const message = 'Cannot connect to host http://ollama:11434.'
    const params = { address: 'http://10.0.0.7:8080', said: message }
    expect(withoutSetupIn({ error: text, error_told: [{ code: 'model_error', params }] })).toEqual({
      error: plain,
      error_told: [
        { code: 'model_error', params: { address: '', said: 'Cannot connect to host the configured address.' } },
      ],
    })
  })

  test('is known by every variable that can be set', async () => {
    const example = await readFile(new URL('../../../../../.env.example', import.meta.url), 'utf8')
    const names = [...example.matchAll(/^#? ?([A-Z]+(?:_[A-Z]+)+)=/gm)].map(([, name]) => name as string)
    expect(names.length).toBeGreaterThan(30)
    const missed = names.filter((name) => withoutSetupIn({ error: `It failed. Set ${name}.` }).error.includes(name))
    expect(missed).toEqual([])
  })

  test('takes nothing from what other services say, and from what a model asked of a tool', () => {
    const answers = [
      { error: 'The service answers INVALID_ARGUMENT: no such id.' },
      { detail: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
      {
        error: 'The feed of https://example.com is empty.',
        error_told: [{ code: 'mcp_broken', params: { name: 'Feed', said: '' } }],
      },
      { call_id: '1', state: 'failed', arguments: { error: text, detail: 'Set VISION_MODEL.' } },
      { metadata: { reason: 'Set VISION_MODEL.' } },
      { name: 'error', content: 'Set VISION_MODEL.', title: 'error', caption: text, summary: text },
    ]
    for (const answer of answers) expect(withoutSetupIn(answer)).toBe(answer)
  })

  test('what has nothing of it is the very same, so that nothing is made anew', () => {
    const list = { items: [{ error: null, error_told: [{ code: 'run_given_up', params: { times: 3 } }] }], told: [] }
    expect(withoutSetupIn(list)).toBe(list)
    const vectors = { data: [{ embedding: [0.1, 0.2] }] }
    expect(withoutSetupIn(vectors)).toBe(vectors)
  })

  test('stays in what people and models wrote', () => {
    const at = new Date()
    const message = { content: text, reasoning: text, created_at: at, error: 'It was stopped.', error_told: [] }
    expect(withoutSetupIn(message)).toBe(message)
    expect(withoutSetupIn({ content: text, error: text, error_told: sentences }).content).toBe(text)
    expect(withoutSetupIn({ error: 'https://hooks.example.com answers with 500.' }).error).toContain('example.com')
  })
})

describe('of an answer for which no model server is there', () => {
  let mira: TestApp
  let server: OpenAiServer
  let address: string
  let url: string

  beforeAll(async () => {
    server = await startOpenAiServer()
    address = new URL(server.baseUrl).origin
    mira = await startTestApp({ modelLimits: { retryDelayMs: 1, probeIntervalMs: 50 } })
    url = await listen(mira.app)
    await mira.request
      .post('/api/admin/connections')
      .auth(mira.admin.token, { type: 'bearer' })
      .send({ name: 'One', base_url: server.baseUrl })
      .expect(201)
  })
  beforeEach(() => {
    server.fallback = { error: { status: 500, message: 'out of order' } }
  })
  afterAll(async () => {
    await mira.close()
    await server.close()
  })

  const get = (path: string, account?: TestAccount) => {
    const request = mira.request.get(`/api${path}`)
    return account === undefined ? request : request.auth(account.token, { type: 'bearer' })
  }
  const askedByProgram = async (account: TestAccount) => {
    const { body } = await mira.request
      .post('/api/auth/tokens')
      .auth(account.token, { type: 'bearer' })
      .send({ name: 'program', scopes: ['read', 'chat'] })
      .expect(201)
    const headers = { authorization: `Bearer ${body.token}` }
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }))
    const answer = await client.callTool({ name: 'ask', arguments: { question: 'When does the lease end?' } })
    await client.close()
    return answer
  }
  /** All that an account is told of an answer that failed, by where it is told. */
  const toldOf = async (account: TestAccount): Promise<Record<string, string>> => {
    const stream = await createChatClient(url, account.token).send({ content: 'Hello' })
    await stream.ended
    const events = stream.received.map(({ event }) => event)
    const { session_id: id } = events.find(({ type }) => type === 'session') as unknown as { session_id: string }
    expect(events.at(-1)).toMatchObject({ type: 'error' })
    const { body: share } = await mira.request
      .post('/api/shares')
      .auth(account.token, { type: 'bearer' })
      .send({ kind: 'conversation', id })
      .expect(201)
    const archive = await get('/me/export', account).buffer(true).parse(readBinary).expect(200)
    return {
      events: JSON.stringify(events),
      conversation: JSON.stringify((await get(`/chat/sessions/${id}`, account).expect(200)).body),
      json: (await get(`/chat/sessions/${id}/export?format=json`, account).buffer(true).expect(200)).text,
      markdown: (await get(`/chat/sessions/${id}/export?format=markdown`, account).buffer(true).expect(200)).text,
      everything: [...(await unzip(archive.body as Buffer)).values()].map(String).join('\n'),
      models: JSON.stringify((await get('/models', account).expect(200)).body),
      health: JSON.stringify((await get('/health', account).expect(200)).body),
      overview: JSON.stringify((await get('/dashboard/health', account).expect(200)).body),
      program: JSON.stringify(await askedByProgram(account)),
      shared: JSON.stringify((await get(`/public/shares/${share.token}`).expect(200)).body),
    }
  }

  test('administrators are told where it is, everybody else that there is none', async () => {
    const admin = await toldOf(mira.admin)
    for (const place of ['events', 'conversation', 'json', 'markdown', 'everything']) {
      expect(admin[place], place).toContain(address)
    }
    // its token doesn't have the scope of an administrator
    expect(admin.program).not.toContain(address)
    expect(admin.overview).toContain('OPENAI_BASE_URL')
    const person = await toldOf(await mira.createUser({ can_chat: true }))
    for (const [place, text] of Object.entries(person)) {
      expect(text, place).not.toContain(address)
      expect(text, place).not.toMatch(/OPENAI_|_MODEL/)
    }
    expect(person.events).toContain('the configured address')
    expect(JSON.stringify((await get('/health')).body)).not.toContain(address)
  })
})
