import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../test/test-app.ts'
import { createLog } from '../../log.ts'

let mira: TestApp
let lines: string[]
beforeAll(async () => {
  lines = []
  mira = await startTestApp({ log: createLog('trace', { write: (line: string) => lines.push(line) }) })
})
afterAll(() => mira.close())
beforeEach(() => {
  lines.length = 0
})

const entries = () =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request')

test('each request is one line with its id, method, route pattern, status, time and user', async () => {
  const { user, token } = await mira.createUser()
  lines.length = 0
  const id = '018f0000-0000-7000-8000-000000000000'
  const response = await mira.request.delete(`/api/auth/tokens/${id}?secret=1`).auth(token, { type: 'bearer' })
  expect(response.status).toBe(404)
  const requestId = response.headers['x-request-id']
  expect(requestId).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
  expect(entries()).toEqual([
    {
      level: 30,
      time: expect.any(Number),
      pid: process.pid,
      hostname: expect.any(String),
      request_id: requestId,
      method: 'DELETE',
      route: '/api/auth/tokens/:id',
      status: 404,
      ms: expect.any(Number),
      user_id: user.id,
      msg: 'request',
    },
  ])
})

test('requests to public routes are logged at debug level', async () => {
  await mira.request.get('/api/health').expect(200)
  await mira.request.get('/api/nothing-here').expect(404)
  expect(entries().map(({ level, route }) => [level, route])).toEqual([
    [20, '/api/health'],
    [30, '/*'],
  ])
})

test('an unexpected error is logged with the request id sent to the caller', async () => {
  const broken = await startTestApp({ log: createLog('debug', { write: (line: string) => lines.push(line) }) })
  const { token } = await broken.createUser()
  broken.context.apiTokens.list = () => Promise.reject(new Error('the disk is on fire'))
  const response = await broken.request.get('/api/auth/tokens').auth(token, { type: 'bearer' }).expect(500)
  expect(response.body).toEqual({ detail: 'Internal server error', code: 'internal_error' })
  const logged = lines.map((line) => JSON.parse(line)).find(({ err }) => err?.message === 'the disk is on fire')
  expect(logged).toMatchObject({ level: 50, request_id: response.headers['x-request-id'] })
  await broken.close()
})

test('no password, token or query string is logged, whatever goes wrong', async () => {
  const secrets = ['hunter2-is-not-safe', 'q-secret-q', 'another-new-secret-71', TEST_PASSWORD]
  const [wrong = '', query = '', fresh = ''] = secrets
  const account = await mira.createUser()
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const { username } = account.user
  const { request, admin } = mira
  const response = await request
    .post('/api/auth/tokens')
    .set(bearer(account.token))
    .send({ name: 'script' })
    .expect(201)
  await request.post(`/api/auth/login?password=${query}`).send({ username, password: wrong }).expect(401)
  const form = request.post('/api/auth/login').set(bearer(account.token)).set('cookie', `a=${query}`)
  await form.field('username', username).field('password', wrong).expect(401)
  await request.post('/api/auth/login').type('json').send(`{"username":"${username}","password":"${wrong}"`).expect(400)
  await request
    .post('/api/auth/login')
    .send({ username, password: [wrong] })
    .expect(422)
  await request.get(`/api/auth/me?token=${query}`).set(bearer(wrong)).expect(401)
  await request.get(`/api/${query}?${query}=${query}`).set(bearer(response.body.token)).expect(404)
  await request.get(`/api/auth/tokens?cursor=${query}`).set(bearer(account.token)).expect(422)
  const newUser = { username: 'logged', email: 'logged@example.org', password: fresh }
  await request.post('/api/admin/users').set(bearer(admin.token)).send(newUser).expect(201)
  await request.post('/api/admin/users').set(bearer(admin.token)).send(newUser).expect(409)
  await request
    .post('/api/auth/password')
    .set(bearer(account.token))
    .send({ current_password: TEST_PASSWORD, new_password: fresh })
    .expect(204)
  const logText = lines.join('')
  expect(entries().length).toBeGreaterThan(10)
  const hash = (await mira.context.database.prisma.user.findUniqueOrThrow({ where: { id: account.user.id } }))
    .passwordHash
  for (const secret of [
    ...secrets,
    account.token,
    admin.token,
    response.body.token,
    response.body.token.slice(-43),
    hash,
  ]) {
    expect(logText).not.toContain(secret)
  }
})

test('a database error is logged without the values that were sent to it', async () => {
  const { prisma } = mira.context.database
  const data = { username: 'x', email: 'x@example.org', passwordHash: 'hash-that-nobody-may-see', role: 'nonsense' }
  const refused = await prisma.user.create({ data }).catch((error: unknown) => error)
  const unclear = await prisma.user.create({ data: { ...data, role: 7 as never } }).catch((error: unknown) => error)
  mira.context.log.error({ err: refused }, 'unexpected error')
  mira.context.log.error({ err: unclear }, 'unexpected error')
  expect(lines).toHaveLength(2)
  expect(lines.join('')).not.toContain(data.passwordHash)
})
