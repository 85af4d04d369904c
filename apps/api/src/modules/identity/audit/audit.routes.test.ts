import type { AuditResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const as = (token: string, method: 'get' | 'post' | 'put' | 'delete', path: string) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })

const entriesOf = async (query: object) => {
  const { body } = await as(mira.admin.token, 'get', '/admin/audit').query(query).expect(200)
  return (body as AuditResponseJson).entries
}

const PASSWORD = 'quiet-lantern-orchard-52'

test('logs what administrators do to accounts: who, from where, what, to whom', async () => {
  const account = { username: 'audited', email: 'audited@example.org', password: PASSWORD }
  const { body: newUser } = await as(mira.admin.token, 'post', '/admin/users').send(account).expect(201)
  const change = { ...newUser, role: 'guest', can_upload: true, current_password: TEST_PASSWORD }
  await as(mira.admin.token, 'put', `/admin/users/${newUser.id}`).send(change).expect(200)
  await as(mira.admin.token, 'delete', `/admin/users/${newUser.id}?now=true`).expect(204)
  const entries = await entriesOf({ query: 'audited' })
  const line = {
    ...{ actor_id: mira.admin.user.id, actor_name: 'admin', address: expect.stringContaining('127.0.0.1') },
    ...{ via: 'session', outcome: 'done', subject_id: newUser.id, subject_name: 'audited' },
  }
  expect(entries).toMatchObject([
    { ...line, action: 'account.deleted', detail: {} },
    { ...line, action: 'account.deleted', outcome: 'begun' },
    {
      ...line,
      action: 'account.updated',
      detail: { changed: ['role', 'can_upload'], role: 'guest', can_upload: true },
    },
    { ...line, action: 'account.created', detail: { role: 'user' } },
  ])
  expect(JSON.stringify(entries)).not.toContain(PASSWORD)
})

test('logs sign-ins, failed ones, sign-outs, and changes of sessions, tokens and passwords', async () => {
  const { user, token } = await mira.createUser()
  const login = (password: string) =>
    mira.request.post('/api/auth/login').type('form').send({ username: user.username, password })
  await login('wrong-but-typed').expect(401)
  const elsewhere = await mira.signIn(user.username, TEST_PASSWORD)
  const { jti } = mira.app.jwt.decode<{ jti: string }>(elsewhere) ?? { jti: '' }
  await as(token, 'delete', `/auth/sessions/${jti}`).expect(204)
  const { body: apiToken } = await as(token, 'post', '/auth/tokens').send({ name: 'a script' }).expect(201)
  await as(token, 'delete', `/auth/tokens/${apiToken.id}`).expect(204)
  const change = { current_password: 'wrong-but-typed', new_password: PASSWORD }
  await as(token, 'post', '/auth/password').send(change).expect(403)
  await as(token, 'post', '/auth/password')
    .send({ ...change, current_password: TEST_PASSWORD })
    .expect(204)
  await as(token, 'post', '/auth/logout').expect(204)
  const entries = await entriesOf({ query: user.username })
  expect(entries.map(({ action, outcome, actor_name: actor, via }) => [action, outcome, actor, via])).toEqual([
    ['sign_out', 'done', user.username, 'session'],
    ['password.changed', 'done', user.username, 'session'],
    ['password.refused', 'failed', null, 'session'],
    ['token.deleted', 'done', user.username, 'session'],
    ['token.created', 'done', user.username, 'session'],
    ['session.ended', 'done', user.username, 'session'],
    ['sign_in', 'done', user.username, 'session'],
    ['sign_in.failed', 'failed', null, 'none'],
    ['sign_in', 'done', user.username, 'session'],
  ])
  expect(entries[4]).toMatchObject({ subject_name: 'a script', detail: { scopes: ['read'] } })
  expect(JSON.stringify(entries)).not.toMatch(/wrong-but-typed|mira_/)
})

test('logs every other administrator action before it’s done, and again when it fails', async () => {
  const id = '00000000-0000-4000-8000-000000000000'
  await as(mira.admin.token, 'delete', `/admin/backups/${id}`).expect(404)
  await as(mira.admin.token, 'post', '/automation/trigger').send({ task_type: 'memory_update' }).expect(202)
  const [trigger] = await entriesOf({ action: 'task.triggered' })
  expect(trigger).toMatchObject({ outcome: 'begun', actor_name: 'admin' })
  expect(await entriesOf({ action: 'backup.deleted' })).toMatchObject([
    { outcome: 'failed', subject_id: id, detail: { error: 'not_found' } },
    { outcome: 'begun', subject_id: id },
  ])
  expect(await entriesOf({ action: 'backup.deleted', outcome: 'failed' })).toHaveLength(1)
})

test('logs every attempt of an API token at an action reserved for sessions', async () => {
  const { user, token } = await mira.createUser({ role: 'admin' })
  const { body: apiToken } = await as(token, 'post', '/auth/tokens')
    .send({ name: 'all', scopes: ['admin', 'read', 'write'] })
    .expect(201)
  const account = { username: 'sneaked', email: 'sneaked@example.org', password: PASSWORD, role: 'admin' }
  await as(apiToken.token, 'post', '/admin/users').send(account).expect(403)
  await as(apiToken.token, 'post', '/admin/backups').expect(403)
  await as(apiToken.token, 'post', '/auth/tokens').send({ name: 'more' }).expect(403)
  const line = { outcome: 'failed', via: 'token', actor_id: user.id, detail: { error: 'token_not_allowed' } }
  expect((await entriesOf({})).filter(({ via }) => via === 'token')).toMatchObject([
    { ...line, action: 'POST /api/auth/tokens' },
    { ...line, action: 'backup.begun' },
    { ...line, action: 'POST /api/admin/users' },
  ])
})

test('logs repeated refusals of an API token no more often than failed sign-ins', async () => {
  const { user, token } = await mira.createUser()
  const { body: apiToken } = await as(token, 'post', '/auth/tokens')
    .send({ name: 'loud', scopes: ['read'] })
    .expect(201)
  for (let n = 0; n < 12; n++) await as(apiToken.token, 'post', '/auth/tokens').send({ name: 'more' }).expect(403)
  const lines = (await entriesOf({})).filter(({ actor_id: id, via }) => id === user.id && via === 'token')
  expect(lines.map(({ detail }) => detail)).toEqual([
    { error: 'token_not_allowed', attempts: 10 },
    { error: 'token_not_allowed' },
  ])
})

test('entries are paged and exported as CSV, for administrators only', async () => {
  const all = await entriesOf({})
  const page = async (query: object) =>
    (await as(mira.admin.token, 'get', '/admin/audit').query(query).expect(200)).body as AuditResponseJson
  const first = await page({ limit: 2 })
  const second = await page({ limit: 2, cursor: first.next_cursor })
  expect([...first.entries, ...second.entries]).toEqual(all.slice(0, 4))
  await as(mira.admin.token, 'get', '/admin/audit?cursor=x').expect(422)
  const { text, headers } = await as(mira.admin.token, 'get', '/admin/audit/export?query=audited').expect(200)
  expect(headers['content-type']).toBe('text/csv; charset=utf-8')
  const lines = text.trimEnd().split('\r\n')
  expect(lines[0]).toBe('\ufefftime,actor,address,via,action,outcome,subject,subject_id,detail')
  expect(lines.slice(1).map((line) => line.split(',')[4])).toEqual([
    'account.deleted',
    'account.deleted',
    'account.updated',
    'account.created',
  ])
  const { token } = await mira.createUser({ can_chat: true, can_use_agents: true })
  await as(token, 'get', '/admin/audit').expect(403)
})

test('no statement can change an entry, or delete one within thirty days', async () => {
  const { pool } = mira.context.database
  await expect(pool.query("UPDATE audit_entries SET actor_name = 'somebody else'")).rejects.toThrow(/only ever added/)
  await expect(pool.query('DELETE FROM audit_entries')).rejects.toThrow(/only ever added/)
  await pool.query(
    `INSERT INTO audit_entries (id, via, action, created_at) VALUES (gen_random_uuid(), 'none', 'old', now() - interval '31 days')`,
  )
  expect((await pool.query("DELETE FROM audit_entries WHERE action = 'old'")).rowCount).toBe(1)
})
