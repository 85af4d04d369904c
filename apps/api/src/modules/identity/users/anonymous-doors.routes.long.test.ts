import dns, { Resolver } from 'node:dns/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { signInRoutes } from '../../../../test/access-table/sign-in.ts'
import { BACK } from '../../../../test/oauth-calls.ts'
import { createSoftAuthenticator } from '../../../../test/soft-authenticator.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

const PUBLIC = { host: 'mira.example.org', origin: 'https://mira.example.org' }

let mira: TestApp
/** A passkey sign-in that has begun; it stays valid as long as nobody succeeds. */
let passkey: { ticket: string; response: object }
beforeAll(async () => {
  // nobody listens at the provider's address
  const provider = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'mira', OIDC_CLIENT_SECRET: 'x' }
  mira = await startTestApp({ environment: { ...provider, PUBLIC_URL: PUBLIC.origin, TRUST_PROXY: 'true' } })
  const { body } = await mira.request.post('/api/auth/passkeys/options').expect(200)
  passkey = { ticket: body.ticket, response: createSoftAuthenticator(PUBLIC).signIn(body.options) }
})
afterAll(() => mira.close())

let lastNumber = 0
const nextName = () => `visitor-${++lastNumber}`
const invitation = { token: 'A'.repeat(43) }

/** Requests that let nobody in, for every anonymous route of signing in. */
const doors: Record<string, () => object> = {
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
  'POST /oauth/register': () => ({ redirect_uris: [BACK] }),
  'POST /oauth/token': () => ({ grant_type: 'authorization_code' }),
  'POST /oauth/revoke': () => ({ token: 'x' }),
}
const names = Object.keys(doors)

async function knock(door: string, address: string) {
  const [method, path = ''] = door.split(' ')
  const request = method === 'GET' ? mira.request.get(path) : mira.request.post(path)
  const { status } = await request.set('x-forwarded-for', address).send(doors[door]?.() ?? {})
  return status
}
const knockOften = (door: string, address: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => knock(door, address)))

/** A sealed challenge is needed before a code is compared; passwords are in sign-in-limits.routes.test.ts. */
const closing = names.filter((name) => !/totp|login/.test(name))

test('every anonymous route of signing in is tried here', () => {
  const isAnonymous = ([name, line]: [string, object]) =>
    'access' in line && line.access === 'public' && !name.includes('/.well-known/')
  expect(names.sort()).toEqual(
    Object.entries(signInRoutes)
      .filter(isAnonymous)
      .map(([name]) => name)
      .sort(),
  )
})

test('no anonymous request makes the server look up a name, also not that of a program’s own description', async () => {
  const lookups = [vi.spyOn(dns, 'lookup'), vi.spyOn(Resolver.prototype, 'resolve4')]
  for (const name of names) await knock(name, '198.51.100.3')
  const program = 'https://program.example/client.json'
  const query = new URLSearchParams({ client_id: program, redirect_uri: 'https://program.example/back' })
  const { headers } = await mira.request.get(`/oauth/authorize?${query}`).expect(302)
  expect(headers.location).toMatch(/^https:\/\/mira\.example\.org\/connect\?/)
  expect(lookups.map(({ mock }) => mock.calls)).toEqual([[], []])
  // a signed-in user's question reads it
  const { token } = await mira.createUser()
  await mira.request.get(`/api/oauth/consent?${query}`).auth(token, { type: 'bearer' }).expect(400)
  expect(lookups[1]?.mock.calls).toContainEqual(['program.example'])
  for (const lookup of lookups) lookup.mockRestore()
})

test.each(names)('%s stays open for others after 310 requests from 31 networks', async (door) => {
  for (let network = 1; network <= 31; network++) {
    const statuses = await knockOften(door, `203.0.113.${network}`, 10)
    expect(statuses).not.toContain(500)
  }
  expect(await knock(door, '198.51.100.1')).not.toBe(429)
})

test.each(closing)('%s closes for one network that never stops', async (door) => {
  const statuses = new Set<number>()
  for (let round = 0; round < 20 && !statuses.has(429); round++) {
    for (const status of await knockOften(door, '192.0.2.7', 20)) statuses.add(status)
  }
  expect([...statuses]).toContain(429)
  expect(await knock(door, '198.51.100.2')).not.toBe(429)
})

test('wrong passwords and links of anonymous visitors fill neither the audit log nor the table of failures', async () => {
  const { prisma } = mira.context.database
  // of the tests above: some 4,000 requests from 32 networks
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
