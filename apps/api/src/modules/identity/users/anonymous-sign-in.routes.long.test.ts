import dns, { Resolver } from 'node:dns/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signInRoutes } from '../../../../test/access-table/sign-in.ts'
import { REDIRECT_URI } from '../../../../test/oauth-calls.ts'
import { createSoftAuthenticator } from '../../../../test/soft-authenticator.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const PUBLIC = { host: 'mira.example.org', origin: 'https://mira.example.org' }

let mira: TestApp
/** A pending passkey sign-in, valid until it succeeds. */
let passkey: { ticket: string; response: object }
beforeAll(async () => {
  // nothing listens at the provider's address
  const provider = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'mira', OIDC_CLIENT_SECRET: 'x' }
  mira = await startTestApp({ environment: { ...provider, PUBLIC_URL: PUBLIC.origin, TRUST_PROXY: 'true' } })
  const { body } = await mira.request.post('/api/auth/passkeys/options').expect(200)
  passkey = { ticket: body.ticket, response: createSoftAuthenticator(PUBLIC).signIn(body.options) }
})
afterAll(() => mira.close())

let lastNumber = 0
const nextName = () => `visitor-${++lastNumber}`
const invitation = { token: 'A'.repeat(43) }

/** Bodies of requests that fail, for every anonymous sign-in route. */
const requestBodies: Record<string, () => object> = {
  'POST /api/auth/login': () => ({ username: nextName(), password: 'wrong' }),
  'POST /api/auth/passkeys/options': () => ({}),
  'POST /api/auth/passkeys/sign-in': () => passkey,
  'POST /api/auth/totp/sign-in': () => ({ challenge: 'x', code: '123456' }),
  'POST /api/auth/oidc/start': () => ({}),
  'POST /api/auth/oidc/finish': () => ({ ticket: 'x', query: '?code=x' }),
  'POST /api/auth/invitations/look': () => invitation,
  'POST /api/auth/invitations/accept': () => ({
    ...invitation,
    username: nextName(),
    password: 'violet-harbour-teapot-9',
  }),
  'GET /oauth/authorize': () => ({ client_id: 'x' }),
  'POST /oauth/register': () => ({ redirect_uris: [REDIRECT_URI] }),
  'POST /oauth/token': () => ({ grant_type: 'authorization_code' }),
  'POST /oauth/revoke': () => ({ token: 'x' }),
}
const names = Object.keys(requestBodies)

async function send(route: string, address: string) {
  const [method, path = ''] = route.split(' ')
  const request = method === 'GET' ? mira.request.get(path) : mira.request.post(path)
  const { status } = await request.set('x-forwarded-for', address).send(requestBodies[route]?.() ?? {})
  return status
}
const sendMany = (route: string, address: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => send(route, address)))

/** Without codes, which need a sealed challenge, and passwords, which sign-in-limits.routes.test.ts tests. */
const limitedRoutes = names.filter((name) => !/totp|login/.test(name))

test('this file tests every anonymous sign-in route', () => {
  const isAnonymous = ([name, line]: [string, object]) =>
    'access' in line && line.access === 'public' && !name.includes('/.well-known/')
  expect(names.sort()).toEqual(
    Object.entries(signInRoutes)
      .filter(isAnonymous)
      .map(([name]) => name)
      .sort(),
  )
})

test('no anonymous request causes a DNS lookup, even for the document of a program', async () => {
  const lookups = [vi.spyOn(dns, 'lookup'), vi.spyOn(Resolver.prototype, 'resolve4')]
  for (const name of names) await send(name, '198.51.100.3')
  const program = 'https://program.example/client.json'
  const query = new URLSearchParams({ client_id: program, redirect_uri: 'https://program.example/back' })
  const { headers } = await mira.request.get(`/oauth/authorize?${query}`).expect(302)
  expect(headers.location).toMatch(/^https:\/\/mira\.example\.org\/connect\?/)
  expect(lookups.map(({ mock }) => mock.calls)).toEqual([[], []])
  // a signed-in user's request fetches the document
  const { token } = await mira.createUser()
  await mira.request.get(`/api/oauth/consent?${query}`).auth(token, { type: 'bearer' }).expect(400)
  expect(lookups[1]?.mock.calls).toContainEqual(['program.example'])
  for (const lookup of lookups) lookup.mockRestore()
})

test.each(names)('%s still accepts others after 310 requests from 31 networks', async (route) => {
  for (let network = 1; network <= 31; network++) {
    const statuses = await sendMany(route, `203.0.113.${network}`, 10)
    expect(statuses).not.toContain(500)
  }
  expect(await send(route, '198.51.100.1')).not.toBe(429)
})

test.each(limitedRoutes)('%s blocks a network that keeps sending', async (route) => {
  const statuses = new Set<number>()
  for (let round = 0; round < 20 && !statuses.has(429); round++) {
    for (const status of await sendMany(route, '192.0.2.7', 20)) statuses.add(status)
  }
  expect([...statuses]).toContain(429)
  expect(await send(route, '198.51.100.2')).not.toBe(429)
})

test('anonymous failures fill neither the audit log nor the table of failures', async () => {
  const { prisma } = mira.context.database
  // from the tests above: some 4,000 requests from 32 networks
  expect(await prisma.auditEntry.count({ where: { action: 'sign_in.failed' } })).toBeLessThan(150)
  const { user } = await mira.createUser()
  const guess = () =>
    mira.request
      .post('/api/auth/login')
      .set('x-forwarded-for', '192.0.2.8')
      .send({ username: user.username, password: 'wrong' })
  for (let n = 0; n < 30; n++) await guess()
  const lines = await prisma.auditEntry.findMany({
    where: { subjectName: user.username, action: 'sign_in.failed' },
    orderBy: { id: 'asc' },
  })
  expect(lines.map(({ detail }) => detail)).toEqual([{}, { attempts: 10 }])
  expect(await prisma.loginFailure.count({ where: { username: user.username } })).toBe(14)
})
