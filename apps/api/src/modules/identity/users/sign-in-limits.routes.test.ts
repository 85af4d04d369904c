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

test('ten failures for an account close it for that address, also for the right password, and only it', async () => {
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

test('one site counts as one address, whichever of its networks an attempt comes from', async () => {
  const { username } = await insertUser(mira.context.database)
  for (let network = 0; network < 10; network++)
    await attempt(username, 'wrong', `2001:db8:7:${network}::1`).expect(401)
  await attempt(username, 'wrong', '2001:db8:7:a::1').expect(429)
  await attempt(username, TEST_PASSWORD, '2001:db8:8::1').expect(200)
})

test('who tries in spite of the wait waits twice as long, up to 15 minutes', async () => {
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

test('failures in the future, by a clock that was ahead, keep nobody out for longer than an hour', async () => {
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

test('nobody who guesses elsewhere keeps the owner out, until 300 guesses came from everywhere', async () => {
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

test('a name that no account has is closed as well', async () => {
  const address = newAddress()
  for (let failure = 0; failure < 10; failure++) await attempt('ghost', 'wrong', address).expect(401)
  await attempt('Ghost', 'wrong', address).expect(429)
})

test('failures survive a restart, and are forgotten after 15 minutes', async () => {
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

test('success clears what an account had failed there', async () => {
  const { username } = await insertUser(mira.context.database)
  const address = newAddress()
  for (let failure = 0; failure < 9; failure++) await attempt(username, 'wrong', address).expect(401)
  await attempt(username, TEST_PASSWORD, address).expect(200)
  for (let failure = 0; failure < 9; failure++) await attempt(username, 'wrong', address).expect(401)
  await attempt(username, TEST_PASSWORD, address).expect(200)
})

test('a hundred failures from an address close it, whatever the names', async () => {
  const address = newAddress()
  const { username } = await insertUser(mira.context.database)
  await mira.context.database.prisma.loginFailure.createMany({
    data: Array.from({ length: 99 }, (_, number) => ({ username: `guess-${number}`, address })),
  })
  await attempt('guess-100', 'wrong', address).expect(401)
  await attempt(username, TEST_PASSWORD, address).expect(429)
  await attempt(username, TEST_PASSWORD).expect(200)
})

test('a client may choose none of the addresses that a proxy adds', async () => {
  const address = newAddress()
  await mira.context.database.prisma.loginFailure.createMany({
    data: Array.from({ length: 100 }, (_, number) => ({ username: `other-${number}`, address })),
  })
  const { username } = await insertUser(mira.context.database)
  await attempt(username, TEST_PASSWORD, `203.0.113.99, ${address}`).expect(429)
})

test('behind a proxy that is not trusted everybody counts as one address, which may fail a thousand times', async () => {
  const behind = await startTestApp()
  try {
    const login = (number: number) =>
      behind.request
        .post('/api/auth/login')
        .set('x-forwarded-for', `198.51.100.${number}`)
        .type('form')
        .send({ username: `guess-${number}`, password: 'wrong' })
    await behind.context.database.prisma.loginFailure.createMany({
      data: Array.from({ length: 999 }, (_, number) => ({ username: `name-${number}`, address: '127.0.0.1' })),
    })
    await login(1).expect(401)
    await login(2).expect(429)
    const asAdmin = (path: string) => behind.request.get(path).auth(behind.admin.token, { type: 'bearer' }).expect(200)
    const { body: health } = await asAdmin('/api/health')
    expect([health.status, health.checks.proxy]).toMatchObject(['ok', { state: 'error' }])
    expect(health.checks.proxy.reason).toContain('TRUST_PROXY')
    expect((await asAdmin('/api/admin/system')).body.checks.proxy).toEqual(health.checks.proxy)
  } finally {
    await behind.close()
  }
})

test('each failure is a line of the log that names the address', async () => {
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

test('guesses sent at the same moment are told no more than ten times what came of them', async () => {
  const { username } = await insertUser(mira.context.database)
  const address = newAddress()
  const answers = await Promise.all(Array.from({ length: 30 }, () => attempt(username, 'wrong', address)))
  const statuses = answers.map(({ status }) => status)
  expect([statuses.filter((s) => s === 401).length, statuses.filter((s) => s === 429).length]).toEqual([10, 20])
})
