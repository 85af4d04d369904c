import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { type McpCalls, mcpCallsOf, NEWEST, PREVIOUS, READ_TOOLS } from '../../../../test/mcp-calls.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let server: TestApp
let mcp: McpCalls
let url: string

beforeAll(async () => {
  server = await startTestApp({
    environment: { CORS_ORIGINS: 'app://obsidian.md', PUBLIC_URL: 'https://mira.example.org' },
  })
  url = await listen(server.app)
})
beforeEach(async () => {
  const account = await server.createUser({ can_upload: true, can_use_agents: true })
  mcp = mcpCallsOf({ mira: server, url, account })
})
afterAll(() => server.close())

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
    const token = await mcp.tokenWith(['read'])
    const newest = await mcp.connect(token)
    expect(newest.getNegotiatedProtocolVersion()).toBe(NEWEST)
    const { client: previous, transport } = await mcp.connectPrevious(token)
    expect(transport.protocolVersion).toBe(PREVIOUS)
    // the server keeps nothing between requests, so there is no session that could expire
    expect(transport.sessionId).toBeUndefined()
    await Promise.all([newest.close(), previous.close()])
  })

  test('a plain client of the previous version shakes hands, then sends the version in a header', async () => {
    const token = await mcp.tokenWith(['read'])
    const handshake = await messageOf(await mcp.post(initialize(PREVIOUS), token))
    expect(handshake).toMatchObject({ result: { protocolVersion: PREVIOUS, capabilities: { tools: {} } } })
    const response = await mcp.post({ jsonrpc: '2.0', method: 'notifications/initialized' }, token, version(PREVIOUS))
    expect(response.status).toBe(202)
    expect(await messageOf(await mcp.post(list(), token, version(PREVIOUS)))).toMatchObject(tools)
  })

  test('a plain client of the newest version sends it in each request and needs no handshake', async () => {
    const token = await mcp.tokenWith(['read'])
    const headers = { ...version(NEWEST), 'mcp-method': 'tools/list' }
    expect(await messageOf(await mcp.post(list(envelope(NEWEST)), token, headers))).toMatchObject(tools)
  })

  test('an unknown version is refused with the protocol’s error for it', async () => {
    const token = await mcp.tokenWith(['read'])
    const byHeader = await mcp.post(list(), token, version('1999-01-01'))
    expect([byHeader.status, await messageOf(byHeader)]).toMatchObject([
      400,
      { error: { code: -32_000, message: expect.stringContaining(PREVIOUS) } },
    ])
    const unknown = { ...version('2999-01-01'), 'mcp-method': 'tools/list' }
    const byEnvelope = await mcp.post(list(envelope('2999-01-01')), token, unknown)
    expect([byEnvelope.status, await messageOf(byEnvelope)]).toMatchObject([
      400,
      { error: { code: -32_022, data: { supported: [NEWEST], requested: '2999-01-01' } } },
    ])
    // a handshake offers a supported version instead
    expect(await messageOf(await mcp.post(initialize('1999-01-01'), token))).toMatchObject({
      result: { protocolVersion: PREVIOUS },
    })
  })
})

describe('refusals', () => {
  const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })

  test('a request without a token is a 401 that names the Bearer scheme', async () => {
    const response = await mcp.post(call('search_memory'))
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toContain('Bearer')
  })

  test('a tool outside the token’s scopes is a 403 that names the missing scope', async () => {
    const response = await mcp.post(call('add_note'), await mcp.tokenWith(['read']))
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: { message: expect.stringContaining('upload'), data: { code: 'scope_missing' } } },
    ])
    expect(response.headers.get('www-authenticate')).toContain('insufficient_scope')
  })

  test('an origin that isn’t allowed is a 403, even if its name leads here', async () => {
    const token = await mcp.tokenWith(['read'])
    const statusOf = async (origin: string) => (await mcp.post(call('list_items'), token, { origin })).status
    expect(await Promise.all(['https://evil.example', url, 'null'].map(statusOf))).toEqual([403, 403, 403])
    expect(await Promise.all(['app://obsidian.md', 'https://mira.example.org'].map(statusOf))).toEqual([200, 200])
  })

  test('invalid JSON is a 400, an unknown session id is ignored, GET, HEAD and DELETE are a 405', async () => {
    const token = await mcp.tokenWith(['read'])
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
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      expect((await fetch(new URL('/mcp', url), { method, headers: bodilessHeaders })).status).toBe(405)
    }
  })

  test('an account without permissions has no tools', async () => {
    const guest = await server.createUser({ can_upload: false, can_chat: false })
    const client = await mcp.connect(guest.token)
    await expect(client.listTools().then(({ tools }) => tools)).resolves.toEqual([])
    await client.close()
  })
})

test.each([
  ['anything', '*/*'],
  ['JSON alone', 'application/json'],
  ['nothing in particular', undefined],
])('responds in JSON when the Accept header is %s', async (_what, accept) => {
  const token = await mcp.tokenWith(['read'])
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
