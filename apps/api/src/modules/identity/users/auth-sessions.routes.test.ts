import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthSessionJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listen } from '../../../../test/chat-client.ts'
import { insertAuthSession } from '../../../../test/factories.ts'
import { partialUploadCallsOf } from '../../../../test/partial-upload-calls.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'

const NEW_PASSWORD = 'quiet-lantern-orchard-52'

let mira: TestApp
let address: string
beforeAll(async () => {
  mira = await startTestApp()
  address = await listen(mira.app)
})
afterAll(() => mira.close())

const as = (token: string, method: 'get' | 'post' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })

const isSignedIn = async (token: string) => (await as(token, 'get', '/auth/me')).status === 200

describe('a signed file address', () => {
  const uploadLetter = async (token: string) => {
    const upload = mira.request.post('/api/media/upload').auth(token, { type: 'bearer' }).field({ wait: '0' })
    const { body } = await upload.attach('file', Buffer.from('A letter.'), 'letter.txt').expect(202)
    return body as { id: string; url: string }
  }
  const statusOf = async (url: string) => (await mira.request.get(url)).status

  test('is invalidated by a password change, an ended session and the last sign-out', async () => {
    const { user, token } = await mira.createUser({ can_upload: true })
    const { id, url } = await uploadLetter(token)
    const urlSeenBy = async (bearer: string) => (await as(bearer, 'get', `/media/${id}`).expect(200)).body.url as string
    expect(await statusOf(url)).toBe(200)

    const change = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD }
    await as(token, 'post', '/auth/password').send(change).expect(204)
    const second = await urlSeenBy(token)
    expect([await statusOf(url), await statusOf(second)]).toEqual([401, 200])

    const elsewhere = await mira.signIn(user.username, NEW_PASSWORD)
    const { jti } = mira.app.jwt.decode<{ jti: string }>(elsewhere) ?? { jti: '' }
    await as(token, 'delete', `/auth/sessions/${jti}`).expect(204)
    const third = await urlSeenBy(token)
    expect([await statusOf(second), await statusOf(third)]).toEqual([401, 200])

    const another = await mira.signIn(user.username, NEW_PASSWORD)
    await as(another, 'post', '/auth/logout').expect(204)
    // the page still open elsewhere continues
    expect(await statusOf(third)).toBe(200)
    await as(token, 'post', '/auth/logout').expect(204).expect('clear-site-data', '"cache"')
    expect(await statusOf(third)).toBe(401)
  })

  test('is invalidated when an administrator sets another password or disables the account temporarily', async () => {
    const { user, token } = await mira.createUser({ can_upload: true })
    const { url } = await uploadLetter(token)
    const update = (changes: object) =>
      mira.request
        .put(`/api/admin/users/${user.id}`)
        .auth(mira.admin.token, { type: 'bearer' })
        .send({ ...user, ...changes })
        .expect(200)
    await update({ is_active: false })
    expect(await statusOf(url)).toBe(401)
    await update({ is_active: true })
    expect(await statusOf(url)).toBe(401)
    const { url: next } = (await as(await mira.signIn(user.username, TEST_PASSWORD), 'get', '/media/library')).body
      .media_items[0]
    await update({ password: NEW_PASSWORD, current_password: TEST_PASSWORD })
    expect(await statusOf(next)).toBe(401)
  })
})

describe('sessions', () => {
  test('are listed newest first, in pages, with the current one marked', async () => {
    const { user, token } = await mira.createUser()
    const { jti } = mira.app.jwt.decode<{ jti: string }>(token) ?? { jti: '' }
    const second = await insertAuthSession(mira.context.database, user.id)
    const third = await insertAuthSession(mira.context.database, user.id)
    const page1 = await as(token, 'get', '/auth/sessions?limit=2').expect(200)
    const sessions = page1.body as AuthSessionJson[]
    expect(sessions.map(({ id, current }) => [id, current])).toEqual([
      [third.id, false],
      [second.id, false],
    ])
    expect(Object.keys(sessions[0] ?? {}).sort()).toEqual([
      'address',
      'created_at',
      'current',
      'id',
      'last_used_at',
      'method',
      'user_agent',
    ])
    const page2 = await as(token, 'get', `/auth/sessions?limit=2&cursor=${page1.headers['x-next-cursor']}`).expect(200)
    expect((page2.body as AuthSessionJson[]).map(({ id, current }) => [id, current])).toEqual([[jti, true]])
    expect(page2.headers['x-next-cursor']).toBeUndefined()
    await as(token, 'get', '/auth/sessions?cursor=abc').expect(422)
  })

  test('can be ended one by one', async () => {
    const { user, token } = await mira.createUser()
    const elsewhere = await mira.signIn(user.username, TEST_PASSWORD)
    const { jti } = mira.app.jwt.decode<{ jti: string }>(elsewhere) ?? { jti: '' }
    await as(token, 'delete', `/auth/sessions/${jti}`).expect(204)
    expect([await isSignedIn(elsewhere), await isSignedIn(token)]).toEqual([false, true])
    await as(token, 'delete', `/auth/sessions/${jti}`).expect(404)
  })
})

describe('sign-in settings', () => {
  const saveSignIn = async (changes: object) => {
    const { settings } = mira.context
    const current = settings.current()
    await settings.save({ ...current, sign_in: { ...current.sign_in, ...changes } }, {})
  }

  test('a session ends after the configured idle time, and not before', async () => {
    const { user, token } = await mira.createUser()
    const me = () => mira.request.get('/api/auth/me').auth(token, { type: 'bearer' })
    const { jti } = mira.app.jwt.decode<{ jti: string }>(token) ?? { jti: '' }
    const lastUsed = (minutes: number) =>
      mira.context.database.pool.query(
        `UPDATE auth_sessions SET created_at = now() - interval '1 day', last_used_at = now() - make_interval(mins => $2)
         WHERE id = $1`,
        [jti, minutes],
      )
    await saveSignIn({ idle_minutes: 15 })
    await lastUsed(13)
    await me().expect(200)
    // the use is recorded after the response
    const sql = `SELECT 1 FROM auth_sessions WHERE id = $1 AND last_used_at > now() - interval '1 minute'`
    await vi.waitFor(async () => expect((await mira.context.database.pool.query(sql, [jti])).rows).toHaveLength(1), {
      timeout: 30_000,
    })
    await lastUsed(16)
    await me().expect(401)
    // an idle session doesn't keep signed addresses valid once the last other one has ended
    const { prisma } = mira.context.database
    const findEpoch = () => prisma.user.findUniqueOrThrow({ where: { id: user.id }, select: { linkEpoch: true } })
    const before = await findEpoch()
    const other = await mira.signIn(user.username, TEST_PASSWORD)
    await mira.request.post('/api/auth/logout').auth(other, { type: 'bearer' }).expect(204)
    expect(await findEpoch()).not.toEqual(before)
    await saveSignIn({ idle_minutes: null })
    await me().expect(200)
  })

  test('with passwords off, only administrators can sign in with one', async () => {
    const account = await mira.createUser()
    const admin = await mira.createUser({ role: 'admin' })
    const login = (username: string) =>
      mira.request.post('/api/auth/login').type('form').send({ username, password: TEST_PASSWORD })
    await saveSignIn({ passwords: false })
    const right = await login(account.user.username)
    const wrong = await mira.request
      .post('/api/auth/login')
      .type('form')
      .send({ username: account.user.username, password: 'wrong' })
    expect([right.status, right.body]).toEqual([401, wrong.body])
    await mira.request.get('/api/auth/me').auth(account.token, { type: 'bearer' }).expect(200)
    await login(admin.user.username).expect(200)
    await saveSignIn({ passwords: true })
    await login(account.user.username).expect(200)
  })
})

const picture = await plainImage({})
const form = [
  '--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n',
  picture,
  '\r\n--x--\r\n',
].map((part) => Buffer.from(part as string))
const hook = { url: 'https://hooks.example/mira', events: ['reminder.due'] }

test.each([
  ['a webhook', 'POST', '/api/me/hooks', 'application/json', Buffer.from(JSON.stringify(hook))],
  ['an upload', 'POST', '/api/media/upload', 'multipart/form-data; boundary=x', Buffer.concat(form)],
  ['an upload in parts', 'PATCH', null, 'application/offset+octet-stream', picture],
])('%s isn’t stored when its session ends during the request', async (_name, method, path, type, body) => {
  const account = await mira.createUser({ can_upload: true })
  const { user, token } = account
  const elsewhere = await mira.signIn(user.username, TEST_PASSWORD)
  const url = `${address}${path ?? (await partialUploadCallsOf(mira, account).createUpload(body.length))}`
  const headers = {
    authorization: `Bearer ${elsewhere}`,
    'content-type': type,
    'content-length': body.length,
    ...(path === null && { 'tus-resumable': '1.0.0', 'upload-offset': '0' }),
  }
  const request = httpRequest(url, { method, headers })
  const responded = once(request, 'response')
  request.write(body.subarray(0, 10))
  await sleep(1100)
  const change = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD }
  await as(token, 'post', '/auth/password').send(change).expect(204)
  request.end(body.subarray(10))
  const [{ statusCode }] = (await responded) as [IncomingMessage]
  expect(statusCode).toBe(401)
  expect((await as(token, 'get', '/me/hooks').expect(200)).body.hooks).toEqual([])
  expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: user.id } })).toBe(0)
})
