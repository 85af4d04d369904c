import { randomUUID } from 'node:crypto'
import type { UserJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertApiToken, insertAuthSession, insertChatSession } from '../../../../test/factories.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const asAdmin = (method: 'get' | 'post' | 'put' | 'delete', path: string) =>
  mira.request[method](`/api/admin${path}`).auth(mira.admin.token, { type: 'bearer' })

const isSignedIn = async (token: string) =>
  (await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' })).status === 200

describe('deleting a user', () => {
  test('deletes their rows immediately and enqueues the deletion of their files', async () => {
    const { database, queue } = mira.context
    const { user, token } = await mira.createUser()
    await insertChatSession(database, user.id)
    await insertAuthSession(database, user.id)
    await insertApiToken(database, user.id)
    const waitingJobs = async () => {
      const { rows } = await database.pool.query<{ data: unknown }>(
        "SELECT data FROM pgboss.job WHERE name = 'delete-files'",
      )
      return rows.map(({ data }) => data)
    }
    expect(await waitingJobs()).toEqual([])
    expect((await asAdmin('delete', `/users/${user.id}?now=true`).expect(204)).text).toBe('')
    expect(await waitingJobs()).toEqual([{ user_id: user.id }])
    expect((await queue.counts())['delete-files'].waiting).toBe(1)
    const where = { userId: user.id }
    expect(
      await Promise.all([
        database.prisma.user.count({ where: { id: user.id } }),
        database.prisma.chatSession.count({ where }),
        database.prisma.authSession.count({ where }),
        database.prisma.apiToken.count({ where }),
        database.prisma.activity.count({ where }),
      ]),
    ).toEqual([0, 0, 0, 0, 0])
    expect(await isSignedIn(token)).toBe(false)
    await asAdmin('delete', `/users/${user.id}`).expect(404)
  })

  test('is refused for one’s own account', async () => {
    const { body } = await asAdmin('delete', `/users/${mira.admin.user.id}`).expect(409)
    expect(body).toEqual({ detail: 'You cannot delete your own account.', code: 'own_account' })
  })

  test('that doesn’t exist gives 404', async () => {
    await asAdmin('delete', `/users/${randomUUID()}`).expect(404)
    await asAdmin('delete', '/users/not-an-id').expect(404)
  })
})

describe('a user in the trash', () => {
  test('has no access, keeps the username reserved, and is restored with all data', async () => {
    const { database } = mira.context
    const { user, token, password } = await mira.createUser()
    await insertChatSession(database, user.id)
    const script = await mira.request
      .post('/api/auth/tokens')
      .auth(token, { type: 'bearer' })
      .send({ name: 'a script' })
      .expect(201)
    const listIds = async (query: object) => {
      const { body } = await asAdmin('get', '/users').query({ query: user.username, ...query })
      return body.map(({ id }: UserJson) => id)
    }
    await asAdmin('delete', `/users/${user.id}`).expect(204)
    await asAdmin('delete', `/users/${user.id}`).expect(204)
    expect([await listIds({}), await listIds({ in: 'trash' })]).toEqual([[], [user.id]])
    expect(await isSignedIn(token)).toBe(false)
    expect(await isSignedIn(script.body.token)).toBe(false)
    const login = () => mira.request.post('/api/auth/login').type('form').send({ username: user.username, password })
    await login().expect(401)
    await asAdmin('put', `/users/${user.id}`).send(user).expect(409)
    const again = await asAdmin('post', '/users')
      .send({ username: user.username, email: `${randomUUID()}@example.org`, password: 'quiet-lantern-orchard-52' })
      .expect(409)
    expect(again.body).toMatchObject({ code: 'username_taken', detail: expect.stringContaining('in the trash') })

    expect((await asAdmin('post', `/users/${user.id}/restore`).expect(200)).body).toMatchObject({ is_active: true })
    await asAdmin('post', `/users/${user.id}/restore`).expect(409)
    expect([await listIds({}), await listIds({ in: 'trash' })]).toEqual([[user.id], []])
    expect(await isSignedIn(token)).toBe(false)
    expect(await isSignedIn(script.body.token)).toBe(true)
    await login().expect(200)
    expect(await database.prisma.chatSession.count({ where: { userId: user.id } })).toBe(1)
  })

  test('stays disabled when restored if it was before, and is deleted after seven days', async () => {
    const { prisma } = mira.context.database
    const { user } = await mira.createUser()
    await prisma.user.update({ where: { id: user.id }, data: { isActive: false } })
    await asAdmin('delete', `/users/${user.id}`).expect(204)
    expect((await asAdmin('post', `/users/${user.id}/restore`).expect(200)).body).toMatchObject({ is_active: false })
    await asAdmin('delete', `/users/${user.id}`).expect(204)
    const inDays = (days: number) => new Date(Date.now() + days * 24 * 3600 * 1000)
    await mira.context.users.emptyTrash(inDays(6.9))
    expect(await prisma.user.count({ where: { id: user.id } })).toBe(1)
    await mira.context.users.emptyTrash(inDays(7.1))
    expect(await prisma.user.count({ where: { id: user.id } })).toBe(0)
    const lines = await prisma.auditEntry.findMany({
      where: { subjectId: user.id, action: { startsWith: 'account.' } },
      orderBy: { id: 'asc' },
    })
    expect(lines.map(({ action }) => action)).toEqual([
      ...['account.trashed', 'account.restored', 'account.trashed', 'account.purged'],
    ])
  })
})
