import { randomUUID } from 'node:crypto'
import { type AccessItemJson, accessItemKinds } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import {
  insertApiToken,
  insertAuthSession,
  insertChatSession,
  insertHook,
  insertMcpServer,
  insertPasskey,
  insertProgram,
  insertShare,
} from '../../../../test/factories.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { accessItemTables, otherAccessTables } from '../../../platform/database/access-items.ts'
import { tableRules } from '../../../platform/database/snapshot.ts'

let mira: TestApp
let user: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())
beforeEach(async () => {
  user = await mira.createUser()
  await addEveryKind(user.user.id)
})

const NEW_PASSWORD = 'quiet-lantern-orchard-52'

/** Adds an access item of every kind to an account. */
async function addEveryKind(userId: string) {
  const { database } = mira.context
  const { prisma } = database
  await insertAuthSession(database, userId)
  await insertApiToken(database, userId)
  const grant = await insertProgram(database, userId)
  await prisma.oauthGrant.updateMany({ where: { userId }, data: { codeExchangedAt: new Date() } })
  await insertPasskey(database, userId)
  await prisma.oidcIdentity.create({ data: { userId, issuer: 'https://id.example', subject: randomUUID() } })
  const { session, question } = await insertChatSession(database, userId)
  await insertShare(database, userId, { sessionId: session.id, untilMessageId: question.id })
  await insertHook(database, userId)
  await insertMcpServer(database, userId)
  await prisma.pushSubscription.create({ data: { userId, fingerprint: randomUUID(), sealed: '' } })
  await prisma.invitation.create({
    data: {
      ...{ userId, secretHash: randomUUID(), email: `${randomUUID()}@example.org`, invitedBy: 'somebody' },
      expiresAt: new Date(Date.now() + 60_000),
    },
  })
  return grant
}

const call = (method: 'get' | 'post', path: string, { token } = user) =>
  mira.request[method](`/api/auth${path}`).auth(token, { type: 'bearer' })
const list = async (account = user) =>
  (await call('get', '/access', account).expect(200)).body.items as AccessItemJson[]
const kindsOf = (items: AccessItemJson[]) => items.map(({ kind }) => kind).sort()
const all = [...accessItemKinds].sort()
const ageSessions = (userId: string) =>
  mira.context.database.prisma.authSession.updateMany({
    where: { userId },
    data: { createdAt: new Date(Date.now() - 60 * 60 * 1000) },
  })

/** Columns with secrets whose tables needn't be in the list, with the reasons. */
const otherSecretColumns: Readonly<Record<string, string>> = {
  'users.password_hash': 'the password itself',
  'totp_secrets.secret': 'a second factor, useless alone',
  'recovery_codes.code_hash': 'a second factor, useless alone',
  'oauth_tokens.secret_hash': 'deleted with its oauth_grants',
  'oauth_grants.code_hash': 'in the list',
  'push_keys.sealed_private_key': 'only signs: reaches nobody without push_subscriptions',
  'hook_deliveries.hook_id': 'deleted with its hooks',
}

test('every table with a secret, a sealed key or an outbound address is in the list of access items', async () => {
  const { rows } = await mira.context.database.pool.query<{ name: string; column: string }>(
    `SELECT table_name AS name, column_name AS column FROM information_schema.columns WHERE table_schema = 'public'
       AND (column_name ~ '(secret|_hash$|^sealed|public_key|api_key)' OR column_name IN ('url', 'base_url'))`,
  )
  const listed = [...Object.values(accessItemTables).map(({ table }) => table), ...otherAccessTables] as string[]
  const unlisted = rows.filter(
    ({ name, column }) =>
      !listed.includes(name) && !(`${name}.${column}` in otherSecretColumns) && name !== 'push_keys',
  )
  expect(unlisted).toEqual([])
})

test('a restore excludes or suspends everything in the list', () => {
  const lists = [...Object.values(accessItemTables).map(({ table }) => table), ...otherAccessTables]
  const stillActive = lists.filter((table) => {
    const rule = tableRules[table]
    if (rule === 'excluded') return false
    const columns = typeof rule === 'object' ? Object.keys(rule.set ?? {}) : []
    return !columns.some((column) => ['suspended_at', 'is_enabled', 'sealed_key'].includes(column))
  })
  expect(stillActive).toEqual([])
})

test('lists an item of every kind, without the current session and other users’ items', async () => {
  const otherAccount = await mira.createUser()
  expect(kindsOf(await list())).toEqual(all)
  expect(kindsOf(await list(otherAccount))).toEqual([])
})

test('lists the items of one kind, however many others are newer', async () => {
  const only = async (kind: string) => (await call('get', `/access?limit=1&kind=${kind}`).expect(200)).body
  for (const kind of accessItemKinds) expect(await only(kind)).toMatchObject({ items: [{ kind }], next_cursor: null })
  await call('get', '/access?kind=key').expect(422)
})

test('notifies the owner of every kind of item added', async () => {
  const { prisma } = mira.context.database
  await prisma.notification.deleteMany({ where: { userId: user.user.id } })
  await prisma.authSession.create({
    data: { userId: user.user.id, userAgent: 'a browser never seen before', expiresAt: new Date(Date.now() + 60_000) },
  })
  await addEveryKind(user.user.id)
  const notifications = await prisma.notification.findMany({ where: { userId: user.user.id, kind: 'access_added' } })
  const kinds = new Set(notifications.map(({ params }) => (params as { access: string }).access))
  expect([...kinds].sort()).toEqual(all)
  const { body } = await mira.request.get('/api/notifications').auth(user.token, { type: 'bearer' }).expect(200)
  expect(body.notifications.map(({ params }: { params: { title: string } }) => params.title)).toContain('a phone')
})

test('recognises a sign-in by browser and address, and notifies of an unknown one even after all sessions ended', async () => {
  const { prisma } = mira.context.database
  const account = await mira.createUser()
  await list(account)
  await vi.waitFor(async () => {
    const { lastActiveAt } = await prisma.user.findUniqueOrThrow({ where: { id: account.user.id } })
    expect(lastActiveAt).not.toBeNull()
  })
  await prisma.authSession.deleteMany({ where: { userId: account.user.id } })
  const count = () => prisma.notification.count({ where: { userId: account.user.id, kind: 'access_added' } })
  const signIn = (userAgent: string, address: string) =>
    prisma.authSession.create({
      data: { userId: account.user.id, userAgent, address, expiresAt: new Date(Date.now() + 60_000) },
    })
  const counts: number[] = []
  for (const [userAgent, address] of [
    ['Firefox', '203.0.113.1'],
    ['Firefox', '203.0.113.1'],
    ['Firefox', '198.51.100.7'],
    ['Chrome', '203.0.113.1'],
  ] as const) {
    await signIn(userAgent, address)
    counts.push(await count())
  }
  expect(counts).toEqual([1, 1, 2, 3])
})

test('notifies the owner of an MCP server with a new address or enabled again', async () => {
  const { prisma } = mira.context.database
  await prisma.notification.deleteMany({ where: { userId: user.user.id } })
  const { id } = await prisma.mcpServer.findFirstOrThrow({ where: { userId: user.user.id } })
  await prisma.mcpServer.update({ where: { id }, data: { name: 'renamed' } })
  expect(await prisma.notification.count({ where: { userId: user.user.id } })).toBe(0)
  await prisma.mcpServer.update({ where: { id }, data: { url: 'https://elsewhere.example/mcp' } })
  expect(await prisma.notification.count({ where: { userId: user.user.id } })).toBe(1)
  await prisma.mcpServer.update({ where: { id }, data: { isEnabled: false } })
  expect(await prisma.notification.count({ where: { userId: user.user.id } })).toBe(1)
  await prisma.mcpServer.update({ where: { id }, data: { isEnabled: true } })
  expect(await prisma.notification.count({ where: { userId: user.user.id } })).toBe(2)
})

test('shared links add one unread notification, and another once it has been read', async () => {
  const { database } = mira.context
  const { prisma } = database
  const ofShares = { userId: user.user.id, kind: 'access_added', params: { path: ['access'], equals: 'share' } }
  const share = async () => {
    const { session, question } = await insertChatSession(database, user.user.id)
    await insertShare(database, user.user.id, { sessionId: session.id, untilMessageId: question.id })
  }
  await share()
  expect(await prisma.notification.count({ where: ofShares })).toBe(1)
  await prisma.notification.updateMany({ where: ofShares, data: { readAt: new Date() } })
  await share()
  expect(await prisma.notification.count({ where: ofShares })).toBe(2)
})

test('ends the user’s items, and ignores requests to end another user’s', async () => {
  const otherAccount = await mira.createUser()
  const items = (await list()).map(({ kind, id }) => ({ kind, id }))
  await call('post', '/access/end', otherAccount).send({ items }).expect(204)
  expect(kindsOf(await list())).toEqual(all)
  await call('post', '/access/end').send({ items }).expect(204)
  expect(await list()).toEqual([])
})

test('a password change ends sessions, tokens and programs, and other selected items', async () => {
  const selection = (await list()).filter(({ kind }) => kind === 'passkey').map(({ kind, id }) => ({ kind, id }))
  const change = { current_password: TEST_PASSWORD, new_password: NEW_PASSWORD, end_access: selection }
  await call('post', '/password').send(change).expect(204)
  expect(kindsOf(await list())).toEqual(['invitation', 'mcp_server', 'oidc', 'push', 'share', 'webhook'])
})

test('a password reset by an administrator ends all items', async () => {
  const body = { ...user.user, password: NEW_PASSWORD, current_password: TEST_PASSWORD }
  await mira.request
    .put(`/api/admin/users/${user.user.id}`)
    .auth(mira.admin.token, { type: 'bearer' })
    .send(body)
    .expect(200)
  const token = await mira.signIn(user.user.username, NEW_PASSWORD)
  expect(await list({ ...user, token })).toEqual([])
})

test('an administrator removes the passkeys of a user', async () => {
  const remove = (token: string) =>
    mira.request.delete(`/api/admin/users/${user.user.id}/passkeys`).auth(token, { type: 'bearer' })
  await remove(user.token).expect(403)
  await remove(mira.admin.token).expect(204)
  expect(kindsOf(await list())).not.toContain('passkey')
})

test('deleting an account and changing its email address require a recent sign-in or the password', async () => {
  const admin = await mira.createUser({ role: 'admin' })
  await ageSessions(admin.user.id)
  const path = `/api/admin/users/${user.user.id}`
  const as = (method: 'put' | 'delete') => mira.request[method](path).auth(admin.token, { type: 'bearer' })
  const email = `${randomUUID()}@example.org`
  await as('put')
    .send({ ...user.user, full_name: 'Another name' })
    .expect(200)
  await as('put')
    .send({ ...user.user, email })
    .expect(403)
  await as('put')
    .send({ ...user.user, email, current_password: TEST_PASSWORD })
    .expect(200)
  expect((await as('delete').expect(403)).body.code).toBe('confirmation_required')
  await as('delete').send({ current_password: 'wrong' }).expect(403)
  await as('delete').send({ current_password: TEST_PASSWORD }).expect(204)
})

test('suspended items work again once their owner confirms them with a recent sign-in or the password', async () => {
  const { prisma } = mira.context.database
  const suspension = { where: { userId: user.user.id }, data: { suspendedAt: new Date() } }
  const listShares = () => mira.context.shares.list(user.user.id, { limit: 10 })
  const { token } = (await listShares()).shares[0] as { token: string }
  await prisma.passkey.updateMany(suspension)
  await prisma.share.updateMany(suspension)
  await prisma.hook.updateMany(suspension)
  await prisma.oidcIdentity.updateMany(suspension)
  await prisma.mcpServer.updateMany({ where: { userId: user.user.id }, data: { isEnabled: false } })
  await mira.request.get(`/api/public/shares/${token}`).expect(404)
  const suspended = (await list()).filter((item) => item.is_suspended)
  expect(kindsOf(suspended)).toEqual(['mcp_server', 'oidc', 'passkey', 'share', 'webhook'])

  const items = suspended.map(({ kind, id }) => ({ kind, id }))
  await ageSessions(user.user.id)
  await call('post', '/access/confirm').send({ items }).expect(403)
  await call('post', '/access/confirm').send({ items, current_password: TEST_PASSWORD }).expect(204)
  expect((await list()).filter((item) => item.is_suspended)).toEqual([])
  await mira.request.get(`/api/public/shares/${token}`).expect(200)
})
