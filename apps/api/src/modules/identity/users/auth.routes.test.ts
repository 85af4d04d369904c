import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiTokenJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../../../test/database-template.ts'
import { insertAuthSession, insertUser } from '../../../../test/factories.ts'
import { copyTemplateDatabase } from '../../../../test/laid-database.ts'
import { newAddress } from '../../../../test/test-accounts.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { openDatabase } from '../../../platform/database/client.ts'

const NEW_PASSWORD = 'quiet-lantern-orchard-52'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp({ environment: { TRUST_PROXY: 'true' } })
})
afterAll(() => mira.close())

const as = (token: string, method: 'get' | 'post' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })

const attempt = (username: string, password: string, address = newAddress()) =>
  mira.request.post('/api/auth/login').set('x-forwarded-for', address).type('form').send({ username, password })

const isSignedIn = async (token: string) => (await as(token, 'get', '/auth/me')).status === 200

const createToken = async (account: TestAccount, body: object = { name: 'a script' }) => {
  const response = await as(account.token, 'post', '/auth/tokens').send(body).expect(201)
  return response.body as ApiTokenJson & { token: string }
}

describe('signing in', () => {
  test('works with form-data, an urlencoded form and JSON', async () => {
    const { username } = await insertUser(mira.context.database)
    const login = () => mira.request.post('/api/auth/login')
    const responses = await Promise.all([
      login().field('username', username).field('password', TEST_PASSWORD),
      login().type('form').send({ username, password: TEST_PASSWORD }),
      login().send({ username, password: TEST_PASSWORD }),
    ])
    for (const { status, body } of responses) {
      expect([status, body]).toEqual([
        200,
        { access_token: expect.any(String), token_type: 'bearer', expires_in: 30 * 24 * 60 * 60 },
      ])
      expect(await isSignedIn(body.access_token)).toBe(true)
    }
  })

  test('ignores the case of the username and spaces around it', async () => {
    const { username } = await insertUser(mira.context.database, { username: 'Jörg.Müller' })
    await attempt(` ${username.toUpperCase()} `, TEST_PASSWORD).expect(200)
    // the same letters, decomposed as by some keyboards
    await attempt(username.normalize('NFD'), TEST_PASSWORD).expect(200)
  })

  test('fails with the same message for an unknown name, a wrong password and a disabled account', async () => {
    const { username } = await insertUser(mira.context.database)
    const disabled = await insertUser(mira.context.database, { is_active: false })
    const responses = [
      await attempt('nobody-has-this-name', TEST_PASSWORD),
      await attempt(username, 'not the password'),
      await attempt(disabled.username, TEST_PASSWORD),
    ]
    for (const { status, body } of responses) {
      expect([status, body]).toEqual([401, { detail: 'Incorrect username or password', code: 'invalid_credentials' }])
    }
  })

  test('is stored as an activity of the account', async () => {
    const { user } = await mira.createUser()
    const activities = await mira.context.database.prisma.activity.findMany({ where: { userId: user.id } })
    expect(activities).toMatchObject([
      { kind: 'account', outcome: 'completed', detail: { action: 'signed_in' }, countsInAnalytics: true },
    ])
  })

  test.each([
    ['no fields', {}, 422],
    ['a blank username', { username: ' ', password: 'x' }, 422],
    ['a list as the username', { username: ['a', 'b'], password: 'x' }, 422],
    ['a NUL character', { username: 'a\0b', password: 'x' }, 422],
    ['an overlong password', { username: 'a', password: 'x'.repeat(2000) }, 422],
  ])('refuses %s', async (_name, body, status) => {
    await mira.request.post('/api/auth/login').send(body).expect(status)
  })

  test('refuses a form with a file, a broken form, and a form that is too large', async () => {
    const login = () => mira.request.post('/api/auth/login')
    await login().field('username', 'ada').attach('password', Buffer.from('x'), 'password.txt').expect(415)
    await login().set('content-type', 'multipart/form-data; boundary=x').send('--x\r\nnonsense').expect(400)
    await login().set('content-type', 'multipart/form-data').send('nonsense').expect(400)
    await login().field('username', 'ada').field('password', 'x'.repeat(100_000)).expect(413)
    await login().field('username', 'a\0da').field('password', 'x').expect(422)
  })
})

describe('a token', () => {
  test('is refused without a valid session', async () => {
    const { user, token } = await mira.createUser()
    const otherAccount = await mira.createUser()
    const { jwt } = mira.app
    const { jti } = jwt.decode<{ jti: string }>(token) ?? { jti: '' }
    const unsigned = [
      { alg: 'none', typ: 'JWT' },
      { sub: user.id, jti },
    ]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const expired = await insertAuthSession(mira.context.database, user.id)
    await mira.context.database.prisma.authSession.update({
      where: { id: expired.id },
      data: { expiresAt: new Date(Date.now() - 1000) },
    })
    const tokens = {
      'of an unknown session': jwt.sign({}, { sub: user.id, jti: randomUUID() }),
      "of somebody else's session": jwt.sign({}, { sub: otherAccount.user.id, jti }),
      'of a session that has ended': jwt.sign({}, { sub: user.id, jti: expired.id }),
      'that has expired': jwt.sign({ iat: 1, exp: 2 }, { sub: user.id, jti }),
      'signed with another secret': jwt.sign({}, { sub: user.id, jti, key: 'another secret of 32 characters.' }),
      'without a signature': `${unsigned}.`,
      'without a subject': jwt.sign({ jti }),
      'that names no ids': jwt.sign({}, { sub: 'admin', jti: "' OR 1=1" }),
      nonsense: 'nonsense',
      'a made-up API token': `mira_${randomUUID()}_${'x'.repeat(43)}`,
    }
    const statuses: Record<string, number> = {}
    for (const [kind, one] of Object.entries(tokens)) statuses[kind] = (await as(one, 'get', '/auth/me')).status
    expect(statuses).toEqual(Object.fromEntries(Object.keys(tokens).map((kind) => [kind, 401])))
    expect(await isSignedIn(token)).toBe(true)
  })

  test('is read from the Authorization header only, as a bearer token', async () => {
    const { token } = await mira.createUser()
    await mira.request.get(`/api/auth/me?token=${token}&access_token=${token}`).expect(401)
    await mira.request.get('/api/auth/me').set('cookie', `token=${token}`).expect(401)
    await mira.request.get('/api/auth/me').set('authorization', token).expect(401)
    await mira.request.get('/api/auth/me').set('authorization', `bearer ${token}`).expect(200)
  })

  test('contains no permissions: changes of the role and disabling apply to the next request', async () => {
    const { user, token } = await mira.createUser()
    const { prisma } = mira.context.database
    await as(token, 'get', '/admin/users').expect(403)
    await prisma.user.update({ where: { id: user.id }, data: { role: 'admin' } })
    await as(token, 'get', '/admin/users').expect(200)
    await prisma.user.update({ where: { id: user.id }, data: { role: 'user' } })
    await as(token, 'get', '/admin/users').expect(403)
    await prisma.user.update({ where: { id: user.id }, data: { isActive: false } })
    const refused = await as(token, 'get', '/auth/me').expect(401)
    expect(refused.body).toEqual({ detail: 'Your session has ended. Sign in again.', code: 'unauthorized' })
  })

  test('no longer works after signing out, while others do', async () => {
    const { user, token } = await mira.createUser()
    const elsewhere = await mira.signIn(user.username, TEST_PASSWORD)
    await as(token, 'post', '/auth/logout').expect(204).expect('clear-site-data', '"cache"')
    expect([await isSignedIn(token), await isSignedIn(elsewhere)]).toEqual([false, true])
  })
})

test.skipIf(process.env.TEST_DATABASE_URL !== undefined)(
  'a token isn’t refused while the database is unavailable, and works afterwards',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'mira-away-'))
    copyTemplateDatabase(dataDir)
    const database = await openDatabase({ dataDir, log: silentLog })
    const otherApp = await startTestApp({ database })
    const ask = () => otherApp.request.get('/api/auth/me').auth(otherApp.admin.token, { type: 'bearer' })
    await database.kill?.()
    // the next worker answers waiting requests, but not one that was running
    expect([200, 503]).toContain((await ask()).status)
    await expect.poll(async () => (await ask()).status, { timeout: 15_000 }).toBe(200)
    await otherApp.close()
    rmSync(dataDir, { recursive: true, force: true })
  },
)

describe('a request stores', () => {
  const read = (id: string) => mira.context.database.prisma.user.findUniqueOrThrow({ where: { id } })
  /** Waits for the row, which is written asynchronously. */
  const waitFor = async (id: string, isStored: (row: Awaited<ReturnType<typeof read>>) => boolean) => {
    for (let tries = 0; tries < 100; tries++) {
      const row = await read(id)
      if (isStored(row)) return row
      await sleep(20)
    }
    throw new Error('the user wasn’t updated')
  }

  test('a valid time zone and language', async () => {
    const { user, token } = await mira.createUser()
    await as(token, 'get', '/auth/me').set('x-time-zone', 'Europe/Madrid').set('accept-language', 'es-ES,en;q=0.5')
    const row = await waitFor(user.id, ({ timeZone }) => timeZone !== 'UTC')
    expect([row.timeZone, row.language]).toEqual(['Europe/Madrid', 'es'])
    await as(token, 'get', '/auth/me').set('x-time-zone', 'Nowhere/At_All').set('accept-language', 'ja')
    await sleep(50)
    const after = await read(user.id)
    expect([after.timeZone, after.language]).toEqual(['Europe/Madrid', 'es'])
  })

  test('the time of the last activity, without changing updated_at', async () => {
    const { user, token } = await mira.createUser()
    const row = await waitFor(user.id, ({ lastActiveAt }) => lastActiveAt !== null)
    expect(row.updatedAt.toISOString()).toBe(user.updated_at)
    const { body } = await as(token, 'get', '/auth/me').expect(200)
    expect(body.last_active_at).toBe(row.lastActiveAt?.toISOString())
  })

  test('its use at most once a minute', async () => {
    const { user, token } = await mira.createUser()
    const { lastActiveAt } = await waitFor(user.id, ({ lastActiveAt: at }) => at !== null)
    await as(token, 'get', '/auth/me').expect(200)
    await sleep(50)
    expect((await read(user.id)).lastActiveAt).toEqual(lastActiveAt)
    const longAgo = new Date(Date.now() - 61_000)
    await mira.context.database.prisma.authSession.updateMany({
      where: { userId: user.id },
      data: { lastUsedAt: longAgo },
    })
    await as(token, 'get', '/auth/me').expect(200)
    await waitFor(user.id, ({ lastActiveAt: at }) => at !== null && lastActiveAt !== null && at > lastActiveAt)
  })
})

describe('changing the password', () => {
  const change = (token: string, body: object) => as(token, 'post', '/auth/password').send(body)

  test('requires the current one, ends all other tokens, and keeps this one', async () => {
    const account = await mira.createUser()
    const { user, token } = account
    const elsewhere = await mira.signIn(user.username, TEST_PASSWORD)
    const script = await createToken(account)
    await change(token, { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD }).expect(204)
    expect(await Promise.all([token, elsewhere, script.token].map(isSignedIn))).toEqual([true, false, false])
    await attempt(user.username, TEST_PASSWORD).expect(401)
    await attempt(user.username, NEW_PASSWORD).expect(200)
  })

  test.each([
    ['a wrong current password', { current_password: 'wrong' }, 403, 'wrong_password'],
    ['an easily guessed one', { new_password: 'password1234' }, 422, 'weak_password'],
    ['the current one again', { new_password: TEST_PASSWORD }, 422, 'same_password'],
    ['one of 11 characters', { new_password: 'kx9!vQ2#mPz' }, 422, 'validation_failed'],
    ['one of 73 bytes', { new_password: `${'violet-harbour-teapot-'.repeat(3)}1234567` }, 422, 'validation_failed'],
    ['one of 72 characters but more bytes', { new_password: 'ö'.repeat(72) }, 422, 'validation_failed'],
  ])('is refused for %s', async (_name, fields, status, code) => {
    const { user, token } = await mira.createUser()
    const { body } = await change(token, {
      current_password: TEST_PASSWORD,
      new_password: NEW_PASSWORD,
      ...fields,
    }).expect(status)
    expect(body.code).toBe(code)
    await attempt(user.username, TEST_PASSWORD).expect(200)
  })

  test('isn’t blocked by failed sign-ins', async () => {
    const { user, token } = await mira.createUser()
    await mira.context.database.prisma.loginFailure.createMany({
      data: Array.from({ length: 300 }, () => ({ username: user.username, address: '203.0.113.77' })),
    })
    await attempt(user.username, TEST_PASSWORD).expect(429)
    await change(token, { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD }).expect(204)
  })

  test('allows no more guesses than signing in', async () => {
    const { token } = await mira.createUser()
    const guess = () => change(token, { current_password: 'wrong', new_password: NEW_PASSWORD })
    for (let failure = 0; failure < 10; failure++) await guess().expect(403)
    await guess().expect(429)
  })
})
