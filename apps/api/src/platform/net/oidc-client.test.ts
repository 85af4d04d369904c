import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createOidcClient } from './oidc-client.ts'

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid: 'test', alg: 'RS256', use: 'sig' }
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function idToken(claims: object): string {
  const body = `${encode({ alg: 'RS256', kid: 'test' })}.${encode(claims)}`
  return `${body}.${sign('sha256', Buffer.from(body), keys.privateKey).toString('base64url')}`
}

/** Fake provider with the addresses of a real one, reached only through `fetch`. */
function providerAt(addresses: { discovery: string; issuer: string; tokenIssuer: string; claims?: object }) {
  const base = 'https://provider.example'
  let nonce = ''
  const responses: Record<string, () => object> = {
    [addresses.discovery]: () => ({
      issuer: addresses.issuer,
      ...{ authorization_endpoint: `${base}/go`, token_endpoint: `${base}/token`, jwks_uri: `${base}/keys` },
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      id_token_signing_alg_values_supported: ['RS256'],
    }),
    [`${base}/keys`]: () => ({ keys: [jwk] }),
    [`${base}/token`]: () => {
      const seconds = Math.floor(Date.now() / 1000)
      const times = { iat: seconds, exp: seconds + 60 }
      const claims = { iss: addresses.tokenIssuer, aud: 'mira', sub: 'anna', nonce, ...times, ...addresses.claims }
      return { access_token: 'a', token_type: 'Bearer', id_token: idToken(claims) }
    },
  }
  let exchanges = 0
  return {
    fetch: (async (url: string | URL) => {
      const response = responses[String(url)]?.()
      if (String(url) === `${base}/token`) exchanges++
      return Response.json(response ?? {}, { status: response === undefined ? 404 : 200 })
    }) as typeof fetch,
    expectNonce: (expected: string) => {
      nonce = expected
    },
    exchanges: () => exchanges,
  }
}

const entra = 'https://login.microsoftonline.com'
const google = 'https://accounts.google.com'
const configuration = '/.well-known/openid-configuration'
const template = `${entra}/{tenantid}/v2.0`
const tenant = '11111111-2222-3333-4444-555555555555'

async function signIn(issuer: string, addresses: Parameters<typeof providerAt>[0]) {
  const provider = providerAt(addresses)
  const client = createOidcClient({
    ...{ issuer, clientId: 'mira', clientSecret: 'secret', scopes: 'openid' },
    ...{ redirectUri: 'https://mira.example.org/login/oidc', fetch: provider.fetch },
  })
  const { checks } = await client.begin()
  provider.expectNonce(checks.nonce)
  const identity = await client.finish(`?code=once&state=${checks.state}`, checks)
  expect(provider.exchanges()).toBe(1)
  return { issuer: identity.issuer, subject: identity.subject }
}

test.each([
  [
    'Entra for several tenants, whose tokens name the tenant',
    `${entra}/common/v2.0`,
    { discovery: `${entra}/common/v2.0${configuration}`, issuer: template, tokenIssuer: `${entra}/${tenant}/v2.0` },
    `${entra}/${tenant}/v2.0`,
  ],
  [
    'Entra with an extra slash',
    `${entra}/${tenant}/v2.0/`,
    {
      ...{ discovery: `${entra}/${tenant}/v2.0${configuration}`, issuer: `${entra}/${tenant}/v2.0` },
      tokenIssuer: `${entra}/${tenant}/v2.0`,
    },
    `${entra}/${tenant}/v2.0`,
  ],
  ['Google', google, { discovery: `${google}${configuration}`, issuer: google, tokenIssuer: google }, google],
  [
    'Google, whose tokens name it without a scheme',
    google,
    { discovery: `${google}${configuration}`, issuer: google, tokenIssuer: 'accounts.google.com' },
    google,
  ],
])('a user signs in at %s', async (_provider, issuer, addresses, expected) => {
  const claims = { tid: tenant }
  expect(await signIn(issuer, { ...addresses, claims })).toEqual({ issuer: expected, subject: 'anna' })
})

test.each<[string, () => Response | Promise<never>]>([
  [
    'can no longer be reached',
    () =>
      Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })),
  ],
  [
    'has a name that can’t be looked up for now',
    () => Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'EAI_AGAIN' }) })),
  ],
  ['fails with HTML', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['fails with JSON', () => Response.json({ error: 'server_error' }, { status: 500 })],
])('a provider that %s counts as unreachable, not as refusing', async (_failure, tokenAnswer) => {
  const provider = providerAt({ discovery: `${google}${configuration}`, issuer: google, tokenIssuer: google })
  const client = createOidcClient({
    ...{ issuer: google, clientId: 'mira', clientSecret: 'secret', scopes: 'openid' },
    redirectUri: 'https://mira.example.org/login/oidc',
    fetch: (async (url: string | URL) =>
      String(url).endsWith('/token') ? tokenAnswer() : provider.fetch(url)) as typeof fetch,
  })
  const { checks } = await client.begin()
  await expect(client.finish(`?code=once&state=${checks.state}`, checks)).rejects.toMatchObject({
    code: 'oidc_unreachable',
    status: 503,
  })
})

test.each([
  [
    'another Entra tenant than the configured one',
    `${entra}/${tenant}/v2.0`,
    {
      ...{ discovery: `${entra}/${tenant}/v2.0${configuration}`, issuer: `${entra}/${tenant}/v2.0` },
      tokenIssuer: `${entra}/another/v2.0`,
    },
  ],
  [
    'Entra with an issuer that differs from its tenant',
    `${entra}/common/v2.0`,
    { discovery: `${entra}/common/v2.0${configuration}`, issuer: template, tokenIssuer: `${entra}/another/v2.0` },
  ],
  [
    'an issuer that imitates Google',
    google,
    { discovery: `${google}${configuration}`, issuer: google, tokenIssuer: 'accounts.google.com.evil.example' },
  ],
  [
    'Google for another client',
    google,
    {
      ...{ discovery: `${google}${configuration}`, issuer: google, tokenIssuer: 'accounts.google.com' },
      claims: { aud: 'another' },
    },
  ],
])('a token is refused from %s', async (_provider, issuer, addresses) => {
  const claims = { tid: tenant, ...('claims' in addresses ? addresses.claims : {}) }
  await expect(signIn(issuer, { ...addresses, claims })).rejects.toMatchObject({ code: 'oidc_refused' })
})

test.each<[string, () => Response, RegExp]>([
  [
    'signs with the secret of the client',
    () => {
      const body = `${encode({ alg: 'HS256' })}.${encode({ iss: google })}.c2lnbmVk`
      return Response.json({ access_token: 'a', token_type: 'Bearer', id_token: body })
    },
    /unexpected JWT "alg" header parameter/,
  ],
  [
    'encrypts its tokens',
    () => Response.json({ access_token: 'a', token_type: 'Bearer', id_token: 'e30.e30.e30.e30.e30' }),
    /JWE decryption is not configured/,
  ],
  [
    'rejects the client secret',
    () =>
      Response.json({ error: 'invalid_client', error_description: 'AADSTS7000215: Invalid secret.' }, { status: 401 }),
    /invalid_client.*AADSTS7000215/,
  ],
])('the error names the cause at a provider that %s', async (_failure, tokenResponse, reason) => {
  const provider = providerAt({ discovery: `${google}${configuration}`, issuer: google, tokenIssuer: google })
  const client = createOidcClient({
    ...{ issuer: google, clientId: 'mira', clientSecret: 'secret', scopes: 'openid' },
    redirectUri: 'https://mira.example.org/login/oidc',
    fetch: async (url, init) => (String(url).endsWith('/token') ? tokenResponse() : provider.fetch(url, init)),
  })
  const { checks } = await client.begin()
  await expect(client.finish(`?code=once&state=${checks.state}`, checks)).rejects.toMatchObject({
    code: 'oidc_refused',
    cause: { message: expect.stringMatching(reason) },
  })
})

/** Starts a local provider with a given issuer in its configuration. */
async function startDiscovery(issuerOf: (address: string) => string) {
  const http = createServer((request, response) => {
    const address = `http://${request.headers.host}`
    const isFound = request.url === '/realm/.well-known/openid-configuration'
    response.writeHead(isFound ? 200 : 404, { 'content-type': 'application/json' })
    const endpoints = { authorization_endpoint: `${address}/go`, token_endpoint: `${address}/token` }
    response.end(JSON.stringify({ issuer: issuerOf(`${address}/realm`), ...endpoints, jwks_uri: `${address}/keys` }))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as { port: number }
  return { address: `http://127.0.0.1:${port}/realm`, close: () => new Promise((resolve) => http.close(resolve)) }
}

test.each([
  ['without the slash that its issuer ends with', '', '/'],
  ['with a slash that its issuer lacks', '/', ''],
])('a provider is found %s', async (_case, configuredSuffix, issuerSuffix) => {
  const discovery = await startDiscovery((address) => `${address}${issuerSuffix}`)
  const client = createOidcClient({
    ...{
      issuer: `${discovery.address}${configuredSuffix}`,
      clientId: 'mira',
      clientSecret: undefined,
      scopes: 'openid',
    },
    redirectUri: 'https://mira.example.org/login/oidc',
  })
  expect((await client.begin()).url).toContain('/go?')
  await discovery.close()
})

test('the error names the issuer of a provider when it differs from the configured one', async () => {
  const discovery = await startDiscovery(() => 'https://elsewhere.example/realm')
  const client = createOidcClient({
    ...{ issuer: discovery.address, clientId: 'mira', clientSecret: undefined, scopes: 'openid' },
    redirectUri: 'https://mira.example.org/login/oidc',
  })
  await expect(client.begin()).rejects.toMatchObject({
    code: 'oidc_unreachable',
    cause: { message: expect.stringContaining('issuer is https://elsewhere.example/realm') },
  })
  await discovery.close()
})

/** Signs in at a provider that lists both methods of client authentication and has its own rule for them. */
async function signInWithSecret(rule: { reads: (credentials: string) => string; accepts: 'basic' | 'post' | null }) {
  const [clientId, clientSecret] = ['mira-web', 'gloas-a_b.c*d e+f&ü']
  const provider = providerAt({
    ...{ discovery: `${google}${configuration}`, issuer: google, tokenIssuer: google, claims: { aud: clientId } },
  })
  const attempts: string[] = []
  const client = createOidcClient({
    ...{ issuer: google, clientId, clientSecret, scopes: 'openid' },
    redirectUri: 'https://mira.example.org/login/oidc',
    fetch: (async (url: string | URL, init?: RequestInit) => {
      const response = await provider.fetch(url)
      if (String(url).endsWith(configuration)) {
        const methods = ['client_secret_basic', 'client_secret_post']
        return Response.json({ ...((await response.json()) as object), token_endpoint_auth_methods_supported: methods })
      }
      if (!String(url).endsWith('/token')) return response
      const basic = new Headers(init?.headers).get('authorization')
      const body = new URLSearchParams(String(init?.body))
      const credentials = Buffer.from(basic?.replace('Basic ', '') ?? '', 'base64').toString()
      const [id, secret] = basic
        ? credentials.split(':').map(rule.reads)
        : [body.get('client_id'), body.get('client_secret')]
      const method = basic ? 'basic' : 'post'
      attempts.push(method)
      const isRight = id === clientId && secret === clientSecret && method === rule.accepts
      return isRight ? response : Response.json({ error: 'invalid_client' }, { status: 401 })
    }) as typeof fetch,
  })
  const begin = async () => {
    const { checks } = await client.begin()
    provider.expectNonce(checks.nonce)
    return async () => (await client.finish(`?code=once&state=${checks.state}`, checks)).subject
  }
  return { begin, once: async () => (await begin())(), attempts }
}

const decoded = (text: string) => new URLSearchParams(`text=${text}`).get('text') ?? ''

test('a provider gets the secret as it expects it, at the second attempt the way that it accepted', async () => {
  const decoding = await signInWithSecret({ reads: decoded, accepts: 'basic' })
  expect([await decoding.once(), decoding.attempts]).toEqual(['anna', ['basic']])
  const posted = await signInWithSecret({ reads: decoded, accepts: 'post' })
  expect([await posted.once(), await posted.once(), posted.attempts]).toEqual([
    'anna',
    'anna',
    ['basic', 'post', 'post'],
  ])
  const concurrent = await signInWithSecret({ reads: decoded, accepts: 'post' })
  const finish = await concurrent.begin()
  expect(await Promise.all([finish(), finish()])).toEqual(['anna', 'anna'])
  const refused = await signInWithSecret({ reads: decoded, accepts: null })
  await expect(refused.once()).rejects.toMatchObject({ code: 'oidc_refused' })
  expect(refused.attempts).toEqual(['basic', 'post'])
})

test('a secret with a prefix such as GitLab’s is sent in plain characters, since GitLab doesn’t decode it', async () => {
  const { once, attempts } = await signInWithSecret({
    reads: (text) => (/%[A-F\d]{2}/.test(text.replace(/\+|%2B|%26|%C3%BC/g, '')) ? 'encoded' : decoded(text)),
    accepts: 'basic',
  })
  expect([await once(), attempts]).toEqual(['anna', ['basic']])
})

test.each([
  ['https://cloud.example/index.php', 'same origin', true],
  ['https://elsewhere.example', 'another origin', false],
])('discovery redirected to %s (%s) is followed only within the origin', async (target, _kind, isFollowed) => {
  const issuer = 'https://cloud.example'
  const provider = providerAt({ discovery: `${target}${configuration}`, issuer, tokenIssuer: issuer })
  const requests: string[] = []
  const client = createOidcClient({
    ...{ issuer, clientId: 'mira', clientSecret: undefined, scopes: 'openid' },
    redirectUri: 'https://mira.example.org/login/oidc',
    fetch: (async (url: string | URL, init?: RequestInit) => {
      requests.push(String(url))
      const location = `${target}${configuration}`
      const isMoved = String(url) === `${issuer}${configuration}`
      return isMoved ? new Response(null, { status: 301, headers: { location } }) : provider.fetch(url, init)
    }) as typeof fetch,
  })
  if (isFollowed) expect((await client.begin()).url).toContain('/go?')
  else {
    await expect(client.begin()).rejects.toMatchObject({
      code: 'oidc_unreachable',
      cause: { message: expect.stringContaining(`responds with 301 and redirects to ${target}`) },
    })
    expect(requests).toEqual([`${issuer}${configuration}`])
  }
})
