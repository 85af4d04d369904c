import { randomUUID } from 'node:crypto'
import { type ApiTokenJson, tokenScopes } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertApiToken } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const as = (token: string, method: 'get' | 'post' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })

const isSignedIn = async (token: string) => (await as(token, 'get', '/auth/me')).status === 200

const createToken = async (account: TestAccount, body: object = { name: 'a script' }) => {
  const response = await as(account.token, 'post', '/auth/tokens').send(body).expect(201)
  return response.body as ApiTokenJson & { token: string }
}

describe('personal API tokens', () => {
  test('are shown once, work like a session, and record their last use', async () => {
    const account = await mira.createUser()
    const created = await createToken(account, { name: ' backup ', expires_at: '2099-01-01T00:00:00Z' })
    expect(created).toEqual({
      id: expect.any(String),
      name: 'backup',
      scopes: ['read'],
      created_at: expect.any(String),
      expires_at: '2099-01-01T00:00:00.000Z',
      last_used_at: null,
      token: expect.stringMatching(new RegExp(`^mira_${created.id}_[\\w-]{43}$`)),
    })
    const { body } = await as(created.token, 'get', '/auth/me').expect(200)
    expect(body.id).toBe(account.user.id)
    const list = async () => (await as(account.token, 'get', '/auth/tokens').expect(200)).body as ApiTokenJson[]
    await expect.poll(async () => (await list())[0]?.last_used_at).toEqual(expect.any(String))
    expect(Object.keys((await list())[0] ?? {})).not.toContain('token')
  })

  test('expire after a year by default, at a given time, or never', async () => {
    const account = await mira.createUser()
    const days = async (body: object) => {
      const { expires_at: at } = await createToken(account, { name: 'x', ...body })
      return at === null ? null : Math.round((Date.parse(at) - Date.now()) / 86_400_000)
    }
    const inTenDays = new Date(Date.now() + 10 * 86_400_000).toISOString()
    expect([await days({}), await days({ expires_at: inTenDays }), await days({ expires_at: null })]).toEqual([
      365,
      10,
      null,
    ])
  })

  test('give access by scope, and responses name a missing one', async () => {
    const allPermissions = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
    const account = await mira.createUser({ role: 'admin', ...allPermissions })
    const calls = {
      read: () => mira.request.get('/api/media/library'),
      write: () => mira.request.patch('/api/me/preferences').send({}),
      chat: () => mira.request.post('/api/chat/sessions/delete').send({ ids: [] }),
      upload: () => mira.request.post('/api/media/upload'),
      agents: () => mira.request.post('/api/agents/CalculatorAgent/run').send({ input: '1+1' }),
      admin: () => mira.request.get('/api/metrics'),
    }
    for (const scope of tokenScopes) {
      const { token, scopes } = await createToken(account, { name: scope, scopes: [scope, scope] })
      expect(scopes).toEqual([scope])
      for (const [needed, call] of Object.entries(calls)) {
        const { status, body } = await call().auth(token, { type: 'bearer' })
        const isRefused = status === 403 && body.code === 'scope_missing' && body.detail.includes(`“${needed}”`)
        expect([scope, needed, isRefused, status === 403]).toEqual([scope, needed, scope !== needed, scope !== needed])
      }
    }
    for (const scopes of [[], ['root'], 'read', null]) {
      await as(account.token, 'post', '/auth/tokens').send({ name: 'x', scopes }).expect(422)
    }
  })

  test('give no more access than their owner has', async () => {
    const { token } = await createToken(await mira.createUser({ can_chat: false }), {
      name: 'x',
      scopes: [...tokenScopes],
    })
    await as(token, 'get', '/metrics').expect(403)
    await as(token, 'get', '/chat/sessions').expect(403)
    await as(token, 'get', '/auth/me').expect(200)
  })

  test('are stored as a hash', async () => {
    const { id, token } = await createToken(await mira.createUser())
    const row = await mira.context.database.prisma.apiToken.findUniqueOrThrow({ where: { id } })
    expect(row.secretHash).toMatch(/^[\da-f]{64}$/)
    expect(JSON.stringify(row)).not.toContain(token.slice(-43))
  })

  test('are refused with a wrong secret, once expired and once deleted', async () => {
    const account = await mira.createUser()
    const { id, token } = await createToken(account)
    const wrong = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')
    expect(await isSignedIn(wrong)).toBe(false)
    const { prisma } = mira.context.database
    await prisma.apiToken.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1000) } })
    expect(await isSignedIn(token)).toBe(false)
    await prisma.apiToken.update({ where: { id }, data: { expiresAt: null } })
    expect(await isSignedIn(token)).toBe(true)
    await as(account.token, 'delete', `/auth/tokens/${id}`).expect(204)
    expect(await isSignedIn(token)).toBe(false)
  })

  test('can’t expire in the past, and are limited to 50', async () => {
    const { user, token } = await mira.createUser()
    const past = await as(token, 'post', '/auth/tokens').send({ name: 'x', expires_at: '2020-01-01T00:00:00Z' })
    expect([past.status, past.body.errors]).toEqual([
      422,
      [{ path: 'expires_at', message: 'Choose an expiry in the future.' }],
    ])
    for (let number = 0; number < 50; number++) await insertApiToken(mira.context.database, user.id)
    const refused = await as(token, 'post', '/auth/tokens').send({ name: 'one more' }).expect(409)
    expect(refused.body.code).toBe('too_many_tokens')
  })

  test.each([
    ['post', '/auth/logout'],
    ['post', '/auth/password'],
    ['get', '/auth/sessions'],
    ['delete', `/auth/sessions/${randomUUID()}`],
    ['get', '/auth/tokens'],
    ['post', '/auth/tokens'],
    ['delete', `/auth/tokens/${randomUUID()}`],
  ] as const)('cannot %s %s', async (method, path) => {
    const { token } = await createToken(await mira.createUser())
    const response = await as(token, method, path).send(method === 'post' ? { name: 'x' } : undefined)
    expect([response.status, response.body]).toEqual([
      403,
      {
        detail: 'A personal API token cannot do this. Sign in with your username and password.',
        code: 'token_not_allowed',
      },
    ])
  })
})
