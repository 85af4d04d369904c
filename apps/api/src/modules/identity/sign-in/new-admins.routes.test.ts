import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const PASSWORD = 'quiet-lantern-orchard-52'

let mira: TestApp
let admin: TestAccount
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())
beforeEach(async () => {
  admin = await mira.createUser({ role: 'admin' })
})

const post = (path: string, body: object, { token } = admin) =>
  mira.request.post(`/api${path}`).auth(token, { type: 'bearer' }).send(body)
const put = (path: string, body: object, { token } = mira.admin) =>
  mira.request.put(`/api${path}`).auth(token, { type: 'bearer' }).send(body)
const HOUR_MS = 60 * 60 * 1000
const ageSessions = (ageMs = HOUR_MS) =>
  mira.context.database.prisma.authSession.updateMany({
    where: { userId: admin.user.id },
    data: { createdAt: new Date(Date.now() - ageMs) },
  })
const newName = () => `new-${randomUUID().slice(0, 8)}`
const newAccount = (role: string) => {
  const username = newName()
  return { username, email: `${username}@example.org`, password: PASSWORD, role }
}
const invite = async (role = 'admin') =>
  (await post('/admin/invitations', { email: `${newName()}@example.org`, role }).expect(201)).body
const accept = (token: string) =>
  mira.request.post('/api/auth/invitations/accept').send({ token, username: newName(), password: PASSWORD })
const notificationTitles = async (kind: string) =>
  (
    await mira.context.database.prisma.notification.findMany({
      where: { kind, userId: admin.user.id },
      orderBy: { createdAt: 'asc' },
    })
  ).map(({ params }) => (params as { title: string }).title)

test.each([
  ['adding an administrator', '/admin/users', () => newAccount('admin'), () => newAccount('user')],
  [
    'inviting an administrator',
    '/admin/invitations',
    () => ({ email: `${newName()}@example.org`, role: 'admin' }),
    () => ({ email: `${newName()}@example.org`, role: 'user' }),
  ],
])('%s requires a recent sign-in or the password', async (_name, path, ofAdmin, ofUser) => {
  await ageSessions()
  expect((await post(path, ofAdmin()).expect(403)).body.code).toBe('confirmation_required')
  expect((await post(path, { ...ofAdmin(), current_password: 'wrong' }).expect(403)).body.code).toBe('wrong_password')
  await post(path, { ...ofAdmin(), current_password: TEST_PASSWORD }).expect(201)
  await post(path, ofUser()).expect(201)
})

test('a sign-in dated in the future isn’t a recent one', async () => {
  await ageSessions(-HOUR_MS)
  expect((await post('/admin/users', newAccount('admin')).expect(403)).body.code).toBe('confirmation_required')
})

test('the download address of a backup and the backup itself require a recent sign-in or the password', async () => {
  const path = `/admin/backups/${randomUUID()}`
  await post(`${path}/ticket`, {}).expect(404)
  await ageSessions()
  expect((await post(`${path}/ticket`, {}).expect(403)).body.code).toBe('confirmation_required')
  await post(`${path}/ticket`, { current_password: TEST_PASSWORD }).expect(404)
  const file = await mira.request.get(`/api${path}/file`).auth(admin.token, { type: 'bearer' }).expect(403)
  expect(file.body.code).toBe('confirmation_required')
})

test('administrators are notified of new administrators and of invitations of one', async () => {
  const [other, somebody] = [newAccount('admin'), newAccount('user')]
  await post('/admin/users', other, mira.admin).expect(201)
  const { body: user } = await post('/admin/users', somebody, mira.admin).expect(201)
  expect(await notificationTitles('admin_added')).toEqual([other.username])
  await put(`/admin/users/${user.id}`, { ...user, role: 'admin', current_password: TEST_PASSWORD }).expect(200)
  expect(await notificationTitles('admin_added')).toEqual([other.username, somebody.username])
  const { email } = await invite()
  await invite('user')
  expect(await notificationTitles('admin_invited')).toEqual([email])
})

test('an invitation is invalid once its creator is no longer an active administrator', async () => {
  const invitation = await invite()
  for (const change of [{ role: 'user' }, { is_active: false }]) {
    await put(`/admin/users/${admin.user.id}`, {
      ...{ ...admin.user, ...change, current_password: TEST_PASSWORD },
    }).expect(200)
    expect((await accept(invitation.token).expect(404)).body.code).toBe('invitation_over')
  }
  const { id } = admin.user
  await mira.request.delete(`/api/admin/users/${id}?now=true`).auth(mira.admin.token, { type: 'bearer' }).expect(204)
  await accept(invitation.token).expect(404)
  const list = await mira.request.get('/api/admin/invitations').auth(mira.admin.token, { type: 'bearer' }).expect(200)
  expect(list.body.find((one: { id: string }) => one.id === invitation.id)).toMatchObject({ state: 'revoked' })
})

test('an invitation ends when its creator selects it on a password change, and when their password is reset', async () => {
  const [selected, unselected] = [await invite(), await invite('user')]
  const items = [{ kind: 'invitation', id: selected.id }]
  await post('/auth/password', { current_password: TEST_PASSWORD, new_password: PASSWORD, end_access: items }).expect(
    204,
  )
  await accept(selected.token).expect(404)
  const reset = { ...admin.user, password: 'amber-violin-harvest-77', current_password: TEST_PASSWORD }
  await put(`/admin/users/${admin.user.id}`, reset).expect(200)
  await accept(unselected.token).expect(404)
})
