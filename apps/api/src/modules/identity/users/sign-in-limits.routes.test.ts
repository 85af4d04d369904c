import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { newAddress } from '../../../../test/test-accounts.ts'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../log.ts'
import { createCleanUp } from '../../../platform/queue/clean-up.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
})
afterAll(() => mira.close())

const attempt = (username: string, password: string, address = newAddress()) =>
  mira.request.post('/api/auth/login').set('x-forwarded-for', address).type('form').send({ username, password })

test('ten failures block an account for that address, even with the right password, and no other account', async () => {
  const { username } = await insertUser(mira.context.database)
  const other = await insertUser(mira.context.database)
  const address = newAddress()
  for (let failure = 0; failure < 10; failure++) await attempt(username, 'wrong', address).expect(401)
  const refused = await attempt(username.toUpperCase(), TEST_PASSWORD, address).expect(429)
  expect(refused.body).toEqual({
    detail: 'Too many failed attempts. Try again in 1 minute.',
    code: 'too_many_attempts',
  })
  await attempt(other.username, TEST_PASSWORD, address).expect(200)
})

test('all IPv6 networks of a site count as one address', async () => {
  const { username } = await insertUser(mira.context.database)
  for (let network = 0; network < 10; network++)
    await attempt(username, 'wrong', `2001:db8:7:${network}::1`).expect(401)
  await attempt(username, 'wrong', '2001:db8:7:a::1').expect(429)
  await attempt(username, TEST_PASSWORD, '2001:db8:8::1').expect(200)
})

test('an attempt during the wait doubles it, up to 15 minutes', async () => {
  const { username } = await insertUser(mira.context.database)
  const address = newAddress()
  for (let failure = 0; failure < 10; failure++) await attempt(username, 'wrong', address).expect(401)
  const waits: number[] = []
  for (let refusal = 0; refusal < 7; refusal++) {
    const { headers } = await attempt(username, TEST_PASSWORD, address).expect(429)
    waits.push(Math.ceil(Number(headers['retry-after']) / 60))
  }
  expect(waits).toEqual([1, 2, 4, 8, 15, 15, 15])
})

test('failures dated in the future block a sign-in until the clean-up removes them', async () => {
  const { username } = await insertUser(mira.context.database)
  const address = newAddress()
  const createdAt = new Date(Date.now() + 24 * 60 * 60_000)
  const { pool, prisma } = mira.context.database
  await prisma.loginFailure.createMany({ data: Array.from({ length: 10 }, () => ({ username, address, createdAt })) })
  await attempt(username, TEST_PASSWORD, address).expect(429)
  const { retention } = mira.context.settings.current()
  await createCleanUp({ pool, retention: () => retention, log: silentLog })()
  await attempt(username, TEST_PASSWORD, address).expect(200)
})

test('guesses from other addresses don’t block the owner until there are 300', async () => {
  const { username } = await insertUser(mira.context.database)
  const guess = (count: number) =>
    mira.context.database.prisma.loginFailure.createMany({
      data: Array.from({ length: count }, (_, number) => ({ username, address: `203.0.113.${number % 50}` })),
    })
  await guess(299)
  await attempt(username, TEST_PASSWORD).expect(200)
  await guess(1)
  await attempt(username, TEST_PASSWORD).expect(429)
})

test('a username without an account is blocked as well', async () => {
  const address = newAddress()
  for (let failure = 0; failure < 10; failure++) await attempt('ghost', 'wrong', address).expect(401)
  await attempt('Ghost', 'wrong', address).expect(429)
})

test('failures survive a restart, and expire after 15 minutes', async () => {
  const { username } = await insertUser(mira.context.database)
  for (let failure = 0; failure < 10; failure++) await attempt(username, 'wrong', '127.0.0.1').expect(401)
  const { database, jwtSecret } = mira.context
  const restarted = await startTestApp({ database: { ...database, close: async () => {} }, config: { jwtSecret } })
  const login = () => restarted.request.post('/api/auth/login').send({ username, password: TEST_PASSWORD })
  await login().expect(429)
  await mira.context.database.prisma.loginFailure.updateMany({
    where: { username },
    data: { createdAt: new Date(Date.now() - 15 * 60 * 1000 - 1000) },
  })
  await login().expect(200)
  await restarted.close()
})

test('a successful sign-in clears the account’s failures at that address', async () => {
  const { username } = await insertUser(mira.context.database)
  const address = newAddress()
  for (let failure = 0; failure < 9; failure++) await attempt(username, 'wrong', address).expect(401)
  await attempt(username, TEST_PASSWORD, address).expect(200)
  for (let failure = 0; failure < 9; failure++) await attempt(username, 'wrong', address).expect(401)
  await attempt(username, TEST_PASSWORD, address).expect(200)
})

test('a hundred failures from an address block it, whatever the usernames', async () => {
  const address = newAddress()
  const { username } = await insertUser(mira.context.database)
  await mira.context.database.prisma.loginFailure.createMany({
    data: Array.from({ length: 99 }, (_, number) => ({ username: `guess-${number}`, address })),
  })
  await attempt('guess-100', 'wrong', address).expect(401)
  await attempt(username, TEST_PASSWORD, address).expect(429)
  await attempt(username, TEST_PASSWORD).expect(200)
})

test('a client can’t forge the address that the proxy appends', async () => {
  const address = newAddress()
  await mira.context.database.prisma.loginFailure.createMany({
    data: Array.from({ length: 100 }, (_, number) => ({ username: `other-${number}`, address })),
  })
  const { username } = await insertUser(mira.context.database)
  await attempt(username, TEST_PASSWORD, `203.0.113.99, ${address}`).expect(429)
})

test('behind an untrusted proxy all clients count as one address, with a limit of a thousand failures and a health error', async () => {
  const untrustedApp = await startTestApp()
  try {
    const login = (number: number) =>
      untrustedApp.request
        .post('/api/auth/login')
        .set('x-forwarded-for', `198.51.100.${number}`)
        .type('form')
        .send({ username: `guess-${number}`, password: 'wrong' })
    await untrustedApp.context.database.prisma.loginFailure.createMany({
      data: Array.from({ length: 999 }, (_, number) => ({ username: `name-${number}`, address: '127.0.0.1' })),
    })
    await login(1).expect(401)
    await login(2).expect(429)
    const asAdmin = (path: string) =>
      untrustedApp.request.get(path).auth(untrustedApp.admin.token, { type: 'bearer' }).expect(200)
    const { body: health } = await asAdmin('/api/health')
    expect([health.status, health.checks.proxy]).toMatchObject(['ok', { state: 'error' }])
    expect(health.checks.proxy.reason).toContain('TRUST_PROXY')
    expect((await asAdmin('/api/admin/system')).body.checks.proxy).toEqual(health.checks.proxy)
  } finally {
    await untrustedApp.close()
  }
})

test('logs each failure with the address', async () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const logged = await startTestApp({ log })
  try {
    const login = (password: string) =>
      logged.request.post('/api/auth/login').type('form').send({ username: 'admin', password })
    for (let failure = 0; failure < 11; failure++) await login('hunter2-is-wrong')
    const warnings = lines.map((line) => JSON.parse(line)).filter(({ remoteAddress }) => remoteAddress)
    expect(warnings.map(({ level, msg, remoteAddress }) => [level, msg, remoteAddress])).toEqual([
      ...Array.from({ length: 10 }, () => [40, 'Failed sign-in', '127.0.0.1']),
      [40, 'Refused sign-in', '127.0.0.1'],
    ])
    expect(lines.join('')).not.toContain('hunter2')
  } finally {
    await logged.close()
  }
})

test('of concurrent guesses at most ten are evaluated', async () => {
  const { username } = await insertUser(mira.context.database)
  const address = newAddress()
  const responses = await Promise.all(Array.from({ length: 30 }, () => attempt(username, 'wrong', address)))
  const statuses = responses.map(({ status }) => status)
  expect([statuses.filter((s) => s === 401).length, statuses.filter((s) => s === 429).length]).toEqual([10, 20])
})
