import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as PreviousClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as PreviousTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { insertMediaItem, insertMoment } from '../../../../test/factories.ts'
import { startOpenAiServer } from '../../../../test/openai-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let account: TestAccount
let url: string
let stallingServer: Awaited<ReturnType<typeof startStallingServer>>

/** Server that sends one file and never finishes any other. */
async function startStallingServer() {
  const open = new Set<ServerResponse>()
  let startedCount = 0
  const files = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    if (request.url === '/file') return void response.end('The key lies under the mat.')
    startedCount++
    open.add(response)
    response.once('close', () => open.delete(response)).write('x'.repeat(100_000))
  })
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(files.address() as AddressInfo).port}`
  return { files, host, open, startedCount: () => startedCount }
}

beforeAll(async () => {
  stallingServer = await startStallingServer()
  server = await startTestApp({
    memoryTimeoutMs: 10_000,
    environment: {
      ...{ FETCH_ALLOWED_HOSTS: stallingServer.host, CORS_ORIGINS: 'app://obsidian.md' },
      PUBLIC_URL: 'https://mira.example.org',
    },
  })
  url = await listen(server.app)
})
beforeEach(async () => {
  account = await server.createUser({ can_upload: true, can_use_agents: true })
})
afterAll(async () => {
  await server.close()
  stallingServer.files.close()
})

async function tokenWith(scopes: string[], owner = account): Promise<string> {
  const { body } = await server.request
    .post('/api/auth/tokens')
    .auth(owner.token, { type: 'bearer' })
    .send({ name: 'program', scopes })
    .expect(201)
  return body.token
}

const options = (token: string, headers: Record<string, string> = {}) => ({
  requestInit: { headers: { authorization: `Bearer ${token}`, ...headers } },
})

const NEWEST = '2026-07-28'
const PREVIOUS = '2025-11-25'

/** Client that accepts only the newest protocol version. */
async function connect(token: string, headers?: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: NEWEST } } })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), options(token, headers)))
  return client
}

/** Client of the previous protocol version, which begins with a handshake. */
async function connectPrevious(token: string): Promise<PreviousClient> {
  const client = new PreviousClient({ name: 'test', version: '1' })
  await client.connect(new PreviousTransport(new URL('/mcp', url), options(token)))
  return client
}

async function insertLease(owner = account) {
  const { database } = server.context
  const item = await insertMediaItem(database, owner.user.id, { mediaType: 'document', originalFilename: 'lease.pdf' })
  const place = { kind: 'text' as const, page: 3 }
  await insertMoment(database, item, { ...place, body: 'The house belongs to the harbour.', position: 1 })
  await insertMoment(database, item, { ...place, body: 'The lease of the boathouse ends in October.', position: 2 })
  await insertMoment(database, item, { ...place, body: 'Notice is three months.', position: 3 })
  return item.id
}

/** Union of the tools' results; the assertions check the fields of each. */
interface ToolResult {
  id: string
  text: string
  results: { id: string; media_id: string }[]
  items: { id: string; file: string }[]
  answer: string
  sources: object[]
}
const contentOf = (result: unknown) => (result as { structuredContent: ToolResult }).structuredContent

const READ_TOOLS = ['search_memory', 'get_passage', 'get_item', 'list_items']

describe.each([
  ['newest', connect],
  ['previous', connectPrevious],
] as const)('a client of the %s protocol version', (_name, open) => {
  test('lists the tools that its token allows and marks those that only read', async () => {
    const reader = await open(await tokenWith(['read']))
    const { tools } = await reader.listTools()
    expect(tools.map(({ name }) => name)).toEqual(READ_TOOLS)
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true)
    const writer = await open(await tokenWith(['read', 'chat', 'upload', 'agents']))
    const all = (await writer.listTools()).tools
    expect(all.map(({ name }) => name)).toEqual([...READ_TOOLS, 'ask', 'add_note', 'add_file', 'remind'])
    expect(all.filter(({ annotations }) => !annotations?.readOnlyHint).map(({ name }) => name)).toEqual([
      ...['add_note', 'add_file', 'remind'],
    ])
    await Promise.all([reader.close(), writer.close()])
  })

  test('finds a passage and reads its context and item; no result has a signed link', async () => {
    const item = await insertLease()
    const client = await open(await tokenWith(['read']))
    const searchResult = await client.callTool({
      name: 'search_memory',
      arguments: { query: 'when does the lease end' },
    })
    const first = contentOf(searchResult).results[0]!
    expect(first).toMatchObject({ media_id: item, file: 'lease.pdf', page: 3, certainty: expect.any(String) })
    const passage = contentOf(await client.callTool({ name: 'get_passage', arguments: { id: first.id } }))
    expect(passage.text).toContain('The house belongs to the harbour.')
    expect(passage.text).toContain('The lease of the boathouse ends in October.')
    const itemResult = await client.callTool({ name: 'get_item', arguments: { id: item } })
    expect(contentOf(itemResult)).toMatchObject({ id: item, file: 'lease.pdf' })
    const listed = contentOf(await client.callTool({ name: 'list_items', arguments: {} }))
    expect(listed).toMatchObject({ total: 1, items: [{ id: item }] })
    const resource = await client.readResource({ uri: `mira://item/${item}` })
    expect(JSON.parse((resource.contents[0] as { text: string }).text)).toMatchObject({ id: item })
    const moment = await client.readResource({ uri: `mira://moment/${first.id}` })
    expect((moment.contents[0] as { text: string }).text).toContain('The lease of the boathouse ends in October.')
    expect(JSON.stringify([searchResult, passage, itemResult, listed, resource, moment])).not.toContain('signature=')
    await client.close()
  })

  test('lists prompts and fills in the user’s question', async () => {
    const client = await open(await tokenWith(['read']))
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['answer_from_memory', 'summarise_item'])
    const question = 'When does my lease end?'
    const { messages } = await client.getPrompt({ name: 'answer_from_memory', arguments: { question } })
    expect(messages).toMatchObject([{ role: 'user', content: { text: expect.stringContaining(question) } }])
    await client.close()
  })

  test('can’t get, read or find another user’s item', async () => {
    const foreign = await insertLease(await server.createUser({ can_upload: true }))
    const client = await open(await tokenWith(['read']))
    const result = await client.callTool({ name: 'get_item', arguments: { id: foreign } })
    expect(result).toMatchObject({ isError: true, content: [{ text: 'This item no longer exists.' }] })
    await expect(client.readResource({ uri: `mira://item/${foreign}` })).rejects.toThrow()
    expect(
      contentOf(await client.callTool({ name: 'search_memory', arguments: { query: 'lease boathouse' } })),
    ).toMatchObject({
      results: [],
    })
    await client.close()
  })
})

test.each([
  ['America/Los_Angeles', '2026-05-31T07:00:00.000Z', '2026-06-01T07:00:00.000Z'],
  ['Pacific/Auckland', '2026-05-30T12:00:00.000Z', '2026-05-31T12:00:00.000Z'],
])('searches by days in the time zone %s', async (zone, begin, end) => {
  const { database } = server.context
  const moments = [begin, end].flatMap((bound) => [Date.parse(bound) - 1, Date.parse(bound)])
  const ids: string[] = []
  for (const moment of moments) {
    const item = await insertMediaItem(database, account.user.id, { createdAt: new Date(moment) })
    await insertMoment(database, item, { kind: 'caption', body: 'A lighthouse' })
    ids.push(item.id)
  }
  const client = await connect(await tokenWith(['read']), { 'x-time-zone': zone })
  const days = { from: '2026-05-31', to: '2026-06-01' }
  const searchResult = await client.callTool({ name: 'search_memory', arguments: { query: 'lighthouse', ...days } })
  expect(
    contentOf(searchResult)
      .results.map(({ media_id }) => media_id)
      .toSorted(),
  ).toEqual(ids.slice(1, 3).toSorted())
  await client.close()
})

test('ask answers with sources and stores no conversation', async () => {
  const item = await insertLease()
  const client = await connect(await tokenWith(['read', 'chat']))
  const { answer, sources } = contentOf(
    await client.callTool({ name: 'ask', arguments: { question: 'When does the lease of the boathouse end?' } }),
  )
  expect(answer).toContain('October')
  expect(sources).toContainEqual(expect.objectContaining({ media_id: item, page: 3 }))
  const { body } = await server.request.get('/api/chat/sessions').auth(account.token, { type: 'bearer' }).expect(200)
  expect(body).toEqual([])
  await client.close()
})

test('ask leaves out the reasoning of a model that omits the opening tag', async () => {
  const model = await startOpenAiServer()
  const withModel = await startTestApp({ environment: { OPENAI_BASE_URL: model.baseUrl, CHAT_MODEL: 'test-model' } })
  const user = await withModel.createUser()
  const { body } = await withModel.request
    .post('/api/auth/tokens')
    .auth(user.token, { type: 'bearer' })
    .send({ name: 'program', scopes: ['read', 'chat'] })
  model.next({ text: ['They greet.', '</think>', 'Hello.'] })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: NEWEST } } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', await listen(withModel.app)), options(body.token)),
  )
  const { answer } = contentOf(await client.callTool({ name: 'ask', arguments: { question: 'Hello' } }))
  expect(answer).toBe('Hello.')
  await client.close()
  await withModel.close()
  await model.close()
})

test('adds notes and files, and refuses internal addresses', async () => {
  const client = await connect(await tokenWith(['read', 'upload']))
  const note = await client.callTool({ name: 'add_note', arguments: { title: 'Boiler', text: 'Serviced in May.' } })
  expect(contentOf(note)).toMatchObject({ id: expect.any(String), is_new: true })
  const base64 = Buffer.from('The key hangs behind the door.').toString('base64')
  const file = await client.callTool({ name: 'add_file', arguments: { name: 'key.txt', base64 } })
  const { items } = contentOf(await client.callTool({ name: 'list_items', arguments: {} }))
  expect(items.map(({ file: name }) => name)).toEqual(['key.txt', 'Boiler.md'])
  expect(contentOf(file).id).toBe(items[0]?.id)
  const internalFile = { name: 'add_file', arguments: { name: 'secrets.txt', url: 'http://127.0.0.1:1/secrets' } }
  expect(await client.callTool(internalFile)).toMatchObject({
    isError: true,
    content: [{ text: 'This address isn’t on the public internet.' }],
  })
  await client.close()
})

test('sets a reminder and refuses one in the past', async () => {
  const client = await connect(await tokenWith(['read', 'agents']))
  const set = await client.callTool({ name: 'remind', arguments: { text: 'Call Ada', at: '2199-05-31T18:00' } })
  expect(contentOf(set)).toMatchObject({ text: 'Call Ada', due_at: expect.stringMatching(/^2199-05-31T/) })
  const past = await client.callTool({ name: 'remind', arguments: { text: 'Call Ada', at: '2001-01-01' } })
  expect(past).toMatchObject({ isError: true })
  await client.close()
})

const post = (body: object, token?: string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${url}/mcp`, {
    method: 'POST',
    ...(signal && { signal }),
    body: JSON.stringify(body),
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  })

/** Message of a response, sent as JSON or as the only event of a stream. */
async function messageOf(response: Response): Promise<{ result?: unknown; error?: unknown }> {
  const text = await response.text()
  return JSON.parse(text.startsWith('{') ? text : (text.match(/^data: (.+)$/m)?.[1] ?? 'null'))
}

describe('protocol versions', () => {
  const version = (name: string) => ({ 'mcp-protocol-version': name })
  const initialize = (protocolVersion: string) => ({
    ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'plain', version: '1' } },
  })
  const list = (_meta?: object) => ({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: _meta ? { _meta } : {} })
  const envelope = (name: string) => ({
    'io.modelcontextprotocol/protocolVersion': name,
    'io.modelcontextprotocol/clientInfo': { name: 'plain', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  })
  const tools = { result: { tools: READ_TOOLS.map((name) => expect.objectContaining({ name })) } }

  test('the official clients negotiate the newest version and the previous one', async () => {
    const token = await tokenWith(['read'])
    const newest = await connect(token)
    expect(newest.getNegotiatedProtocolVersion()).toBe(NEWEST)
    const transport = new PreviousTransport(new URL('/mcp', url), options(token))
    const previous = new PreviousClient({ name: 'test', version: '1' })
    await previous.connect(transport)
    expect(transport.protocolVersion).toBe(PREVIOUS)
    // the server keeps nothing between requests, so there is no session that could expire
    expect(transport.sessionId).toBeUndefined()
    await Promise.all([newest.close(), previous.close()])
  })

  test('a plain client of the previous version shakes hands, then sends the version in a header', async () => {
    const token = await tokenWith(['read'])
    const handshake = await messageOf(await post(initialize(PREVIOUS), token))
    expect(handshake).toMatchObject({ result: { protocolVersion: PREVIOUS, capabilities: { tools: {} } } })
    const response = await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, token, version(PREVIOUS))
    expect(response.status).toBe(202)
    expect(await messageOf(await post(list(), token, version(PREVIOUS)))).toMatchObject(tools)
  })

  test('a plain client of the newest version sends it in each request and needs no handshake', async () => {
    const token = await tokenWith(['read'])
    const headers = { ...version(NEWEST), 'mcp-method': 'tools/list' }
    expect(await messageOf(await post(list(envelope(NEWEST)), token, headers))).toMatchObject(tools)
  })

  test('an unknown version is refused with the protocol’s error for it', async () => {
    const token = await tokenWith(['read'])
    const byHeader = await post(list(), token, version('1999-01-01'))
    expect([byHeader.status, await messageOf(byHeader)]).toMatchObject([
      400,
      { error: { code: -32_000, message: expect.stringContaining(PREVIOUS) } },
    ])
    const unknown = { ...version('2999-01-01'), 'mcp-method': 'tools/list' }
    const byEnvelope = await post(list(envelope('2999-01-01')), token, unknown)
    expect([byEnvelope.status, await messageOf(byEnvelope)]).toMatchObject([
      400,
      { error: { code: -32_022, data: { supported: [NEWEST], requested: '2999-01-01' } } },
    ])
    // a handshake offers a supported version instead
    expect(await messageOf(await post(initialize('1999-01-01'), token))).toMatchObject({
      result: { protocolVersion: PREVIOUS },
    })
  })
})

describe('refusals', () => {
  const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })

  test('a request without a token is a 401 that names the Bearer scheme', async () => {
    const response = await post(call('search_memory'))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
  })

  test('a tool outside the token’s scopes is a 403 that names the missing scope', async () => {
    const response = await post(call('add_note'), await tokenWith(['read']))
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { message: expect.stringContaining('upload'), data: { code: 'scope_missing' } } },
    ])
    expect(response.headers.get('www-authenticate')).toContain('insufficient_scope')
  })

  test('an origin that isn’t allowed is a 403, even if its name leads here', async () => {
    const token = await tokenWith(['read'])
    const statusOf = async (origin: string) => (await post(call('list_items'), token, { origin })).status
    expect(await Promise.all(['https://evil.example', url, 'null'].map(statusOf))).toEqual([403, 403, 403])
    expect(await Promise.all(['app://obsidian.md', 'https://mira.example.org'].map(statusOf))).toEqual([200, 200])
  })

  test('invalid JSON is a 400, an unknown session id is ignored, GET and DELETE are a 405', async () => {
    const token = await tokenWith(['read'])
    const headers = {
      ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    }
    const broken = await fetch(new URL('/mcp', url), { method: 'POST', headers, body: '{"jsonrpc":' })
    expect([broken.status, await broken.json()]).toMatchObject([400, { id: null, error: { code: -32700 } }])
    // the server is stateless, so it ignores a session id that another server issued
    const staleSessionHeaders = {
      ...headers,
      'mcp-session-id': 'of-a-server-that-is-gone',
      'mcp-protocol-version': PREVIOUS,
    }
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const listed = await fetch(new URL('/mcp', url), { method: 'POST', headers: staleSessionHeaders, body: list })
    expect([listed.status, await listed.text()]).toEqual([200, expect.stringContaining('search_memory')])
    const { 'content-type': _contentType, ...bodilessHeaders } = staleSessionHeaders
    for (const method of ['GET', 'DELETE']) {
      expect((await fetch(new URL('/mcp', url), { method, headers: bodilessHeaders })).status).toBe(405)
    }
  })

  test('an account without permissions has no tools', async () => {
    const guest = await server.createUser({ can_upload: false, can_chat: false })
    const client = await connect(guest.token)
    await expect(client.listTools().then(({ tools }) => tools)).resolves.toEqual([])
    await client.close()
  })
})

test.each([
  ['anything', '*/*'],
  ['JSON alone', 'application/json'],
  ['nothing in particular', undefined],
])('responds in JSON when the Accept header is %s', async (_what, accept) => {
  const token = await tokenWith(['read'])
  const post = (body: object) =>
    server.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${token}`, ...(accept === undefined ? {} : { accept }) },
      payload: { jsonrpc: '2.0', id: 1, ...body },
    })
  const clientInfo = { name: 'test', version: '1' }
  const response = await post({
    method: 'initialize',
    params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo },
  })
  expect([response.statusCode, response.headers['content-type']]).toEqual([
    200,
    expect.stringContaining('application/json'),
  ])
  expect(response.json()).toMatchObject({ id: 1, result: { protocolVersion: '2025-03-26' } })
  const listed = await post({ method: 'tools/list', params: {} })
  expect(listed.json().result.tools.length).toBeGreaterThan(0)
})

describe('a program that adds many files by URL at once', () => {
  const addFile = (id: number, path: string) => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/call' },
    params: { name: 'add_file', arguments: { name: `file-${id}.txt`, url: `http://${stallingServer.host}/${path}` } },
  })

  test('downloads four at a time, without holding up another user', async () => {
    const [token, another] = [
      await tokenWith(['read', 'upload']),
      await tokenWith(['read', 'upload'], await server.createUser({ can_upload: true })),
    ]
    const batch = Array.from({ length: 20 }, (_, id) => addFile(id, 'stalls'))
    const controller = new AbortController()
    const startedBefore = stallingServer.startedCount()
    const flood = post(batch, token, {}, controller.signal).catch(() => null)
    await expect.poll(() => stallingServer.open.size).toBe(4)
    const otherResponse = await post(addFile(1, 'file'), another, { accept: 'application/json' })
    expect(await otherResponse.json()).toMatchObject({ result: { structuredContent: { is_new: true } } })
    // none was aborted to make way for the next
    expect([stallingServer.open.size, stallingServer.startedCount() - startedBefore]).toEqual([4, 4])
    controller.abort()
    await flood
    await expect.poll(() => stallingServer.open.size).toBe(0)
  })

  test('can send at most twenty messages in one request', async () => {
    const token = await tokenWith(['read', 'upload'])
    const batch = Array.from({ length: 21 }, (_, id) => addFile(id, 'file'))
    const startedBefore = stallingServer.startedCount()
    const refused = await post(batch, token, { accept: 'application/json' })
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { data: { code: 'batch_too_long' } } }])
    expect(stallingServer.startedCount()).toBe(startedBefore)
    const accepted = await post(batch.slice(1), token, { accept: 'application/json' })
    expect([accepted.status, await accepted.json()]).toMatchObject([200, { length: 20 }])
  })
})
