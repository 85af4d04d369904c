import { randomInt } from 'node:crypto'
import {
  auth,
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { type OAuthCalls, oauthCallsOf, REDIRECT_URI } from '../../../../test/oauth-calls.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
let account: TestAccount
let url: string
let oauth: OAuthCalls
beforeAll(async () => {
  // so that each program can use its own address
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
  url = await listen(mira.app)
})
beforeEach(async () => {
  account = await mira.createUser({ can_upload: true, can_use_agents: true })
  oauth = oauthCallsOf({ mira, url, account })
})
afterAll(() => mira.close())

/** A client of the official packages that records the address it sent the user to. */
function createProgram() {
  const programState: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; sentTo?: URL } =
    {}
  const provider: OAuthClientProvider = {
    redirectUrl: REDIRECT_URI,
    clientMetadata: { client_name: 'Notebook', redirect_uris: [REDIRECT_URI] },
    state: () => 'state-of-program',
    clientInformation: () => programState.client,
    saveClientInformation(client) {
      programState.client = client
    },
    tokens: () => programState.tokens,
    saveTokens(tokens) {
      programState.tokens = tokens
    },
    redirectToAuthorization(to) {
      programState.sentTo = to
    },
    saveCodeVerifier(verifier) {
      programState.verifier = verifier
    },
    codeVerifier: () => programState.verifier ?? '',
  }
  return { programState, provider }
}

const asBearer = (token: string) => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } })

describe('a program with the current protocol', () => {
  test('discovers the endpoints from a 401, gets access by consent, and keeps it with its refresh token', async () => {
    const { programState, provider } = createProgram()
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider: provider })
    await expect(new Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow('Unauthorized')
    const sentTo = programState.sentTo as URL
    expect(sentTo.searchParams.get('resource')).toBe(`${url}/mcp`)
    expect(sentTo.searchParams.get('scope')).toBe('read chat upload agents')
    await transport.finishAuth(await oauth.consent(sentTo, { scopes: ['read', 'chat'] }))
    expect(programState.tokens?.scope).toBe('read chat')

    const open = async () => {
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { authProvider: provider }))
      return (await client.listTools()).tools.map(({ name }) => name)
    }
    expect(await open()).toEqual(['search_memory', 'get_passage', 'get_item', 'list_items', 'ask'])

    // an hour later
    const first = programState.tokens?.access_token
    await mira.context.database.pool.query(
      `UPDATE oauth_tokens t SET expires_at = now() FROM oauth_grants g
       WHERE g.id = t.grant_id AND g.user_id = $1 AND t.kind = 'access'`,
      [account.user.id],
    )
    expect(await open()).toContain('ask')
    expect(programState.tokens?.access_token).not.toBe(first)
  })

  test('gets access_denied when the user refuses', async () => {
    const { programState, provider } = createProgram()
    await auth(provider, { serverUrl: new URL('/mcp', url) })
    const back = await oauth.consent(programState.sentTo as URL, { agreed: false })
    expect(Object.fromEntries(back)).toEqual({ error: 'access_denied', state: 'state-of-program', iss: url })
  })
})

test('a program with the previous protocol gets access the same way', async () => {
  const { programState, provider } = createProgram()
  const legacyProvider = provider as unknown as NonNullable<
    ConstructorParameters<typeof LegacyTransport>[1]
  >['authProvider'] &
    object
  const transport = new LegacyTransport(new URL('/mcp', url), { authProvider: legacyProvider })
  await expect(new LegacyClient({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow('Unauthorized')
  await transport.finishAuth((await oauth.consent(programState.sentTo as URL)).get('code') ?? '')
  const client = new LegacyClient({ name: 'test', version: '1' })
  await client.connect(new LegacyTransport(new URL('/mcp', url), asBearer(programState.tokens?.access_token ?? '')))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('add_note')
})

test('a request without a token or with insufficient scope is told where to get access and which scope', async () => {
  const response = await fetch(`${url}/mcp`, { method: 'POST' })
  const metadata = `resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`
  expect(response.headers.get('www-authenticate')).toBe(
    `Bearer realm="Mira", ${metadata}, scope="read chat upload agents"`,
  )
  const program = await oauth.authorizeProgram({ scope: 'read' })
  const { body } = await program.exchange()
  const refused = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${body.access_token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'add_note', arguments: {} } }),
  })
  expect(refused.status).toBe(403)
  expect(refused.headers.get('www-authenticate')).toBe(
    `Bearer realm="Mira", ${metadata}, scope="read upload", error="insufficient_scope"`,
  )
})

describe('requesting access', () => {
  test('never redirects to an unregistered address', async () => {
    const clientId = await oauth.register(['https://program.example/back', REDIRECT_URI])
    for (const redirect of [
      'https://evil.example/back',
      'https://program.example/back/../steal',
      'https://program.example/back?next=https://evil.example',
      'https://program.example.evil.example/back',
      'https://program.example@evil.example/back',
      'http://127.0.0.1:4567/other',
      'javascript:alert(1)',
      '//evil.example',
      '',
    ]) {
      const response = await fetch(oauth.authorizeUrl(clientId, { redirect_uri: redirect }), { redirect: 'manual' })
      expect([redirect, response.status, response.headers.get('location')]).toEqual([redirect, 400, null])
      expect(await response.json()).toMatchObject({
        error: 'invalid_redirect_uri',
        // RFC 6749 allows no other characters
        error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/),
      })
      const consent = {
        ...Object.fromEntries(oauth.authorizeUrl(clientId, { redirect_uri: redirect }).searchParams),
        agreed: true,
      }
      const { body } = await mira.request
        .post('/api/oauth/consent')
        .auth(account.token, { type: 'bearer' })
        .send(consent)
        .expect(400)
      expect(body.code).toBe('invalid_redirect_uri')
    }
    const stranger = await fetch(oauth.authorizeUrl('00000000-0000-4000-8000-000000000000'), { redirect: 'manual' })
    expect([stranger.status, await stranger.json()]).toMatchObject([400, { error: 'invalid_client' }])
  })

  test('allows a program on the user’s own machine any port', async () => {
    const clientId = await oauth.register()
    const elsewhere = 'http://127.0.0.1:9999/callback'
    const back = await oauth.consent(oauth.authorizeUrl(clientId, { redirect_uri: elsewhere }))
    expect(back.get('code')).toMatch(/^mira_oc_/)
  })

  test.each([
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['an implicit token', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('is refused for %s without a redirect to the program', async (_name, changed, error) => {
    const clientId = await oauth.register()
    const ask = (accept: string) =>
      fetch(oauth.authorizeUrl(clientId, changed), { redirect: 'manual', headers: { accept } })
    const expectShown = async () => {
      const shown = await ask('*/*')
      expect([shown.status, await shown.json()]).toMatchObject([400, { error }])
      const response = await ask('text/html')
      const { origin, pathname } = new URL(response.headers.get('location') ?? '')
      expect([response.status, origin, pathname]).toEqual([302, url, '/connect'])
    }
    await expectShown()
    // an approval doesn't change this for later requests
    await oauth.consent(oauth.authorizeUrl(clientId))
    await expectShown()
  })

  test('requires a signed-in user: tokens of programs and scripts can’t consent', async () => {
    const clientId = await oauth.register()
    const consent = { ...Object.fromEntries(oauth.authorizeUrl(clientId).searchParams), agreed: true }
    await mira.request.post('/api/oauth/consent').send(consent).expect(401)
    const { body } = await (await oauth.authorizeProgram()).exchange()
    await mira.request.post('/api/oauth/consent').auth(body.access_token, { type: 'bearer' }).send(consent).expect(401)
    const { body: apiToken } = await mira.request
      .post('/api/auth/tokens')
      .auth(account.token, { type: 'bearer' })
      .send({ name: 'script', scopes: ['read', 'write', 'admin'] })
    await mira.request.post('/api/oauth/consent').auth(apiToken.token, { type: 'bearer' }).send(consent).expect(403)
  })
})

describe('registering', () => {
  test.each([
    ['no address', []],
    ['a foreign scheme', ['javascript:alert(1)']],
    ['plain http elsewhere', ['http://program.example/back']],
    ['a fragment', ['https://program.example/back#x']],
    ['a password', ['https://user:secret@program.example/back']],
    ['too many addresses', Array.from({ length: 11 }, (_, n) => `https://program.example/${n}`)],
  ])('is refused with %s', async (_name, redirectUris) => {
    const { body } = await mira.request
      .post('/oauth/register')
      .set('x-forwarded-for', `203.0.${randomInt(256)}.${randomInt(256)}`)
      .send({ redirect_uris: redirectUris })
      .expect(400)
    expect(body).toEqual({ error: 'invalid_redirect_uri', error_description: expect.any(String) })
  })

  test('accepts Cursor’s addresses, one of which has its own scheme', async () => {
    const redirect_uris = [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ]
    const { body } = await mira.request
      .post('/oauth/register')
      .set('x-forwarded-for', `203.0.${randomInt(256)}.${randomInt(256)}`)
      .send({ redirect_uris })
      .expect(201)
    expect(body).toMatchObject({ redirect_uris })
  })

  test('is refused beyond the hourly limit of an IP address', async () => {
    const otherApp = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
    const statuses: number[] = []
    for (let n = 0; n < 32; n++) {
      const { status } = await otherApp.request
        .post('/oauth/register')
        .set('x-forwarded-for', '203.0.113.9')
        .send({ redirect_uris: [REDIRECT_URI] })
      statuses.push(status)
    }
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    await otherApp.close()
  })
})

test('behind a proxy all metadata uses PUBLIC_URL, whatever the Host header says', async () => {
  const proxied = await startTestApp({ environment: { PUBLIC_URL: 'https://mira.example' } })
  const at = (path: string) => proxied.request.get(path).set('host', 'evil.example').expect(200)
  const { body: resource } = await at('/.well-known/oauth-protected-resource/mcp')
  expect(resource).toMatchObject({
    resource: 'https://mira.example/mcp',
    authorization_servers: ['https://mira.example'],
  })
  const { body: server } = await at('/.well-known/oauth-authorization-server')
  expect(server).toMatchObject({
    issuer: 'https://mira.example',
    token_endpoint: 'https://mira.example/oauth/token',
    code_challenge_methods_supported: ['S256'],
  })
  const { headers } = await proxied.request.post('/mcp').set('host', 'evil.example').expect(401)
  expect(headers['www-authenticate']).toContain(
    'resource_metadata="https://mira.example/.well-known/oauth-protected-resource/mcp"',
  )
  await proxied.close()
})
