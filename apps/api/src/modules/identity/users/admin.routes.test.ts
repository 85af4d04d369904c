import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { UpdateUserJson, UserJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertApiToken, insertHook, insertUser } from '../../../../test/factories.ts'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

const asAdmin = (method: 'get' | 'post' | 'put' | 'delete', path: string) =>
  mira.request[method](`/api/admin${path}`).auth(mira.admin.token, { type: 'bearer' })

const newUser = () => {
  const username = `user-${randomUUID().slice(0, 8)}`
  return { username, email: `${username}@example.org`, password: 'quiet-lantern-orchard-52' }
}

const update = (user: UserJson, changes: Partial<UpdateUserJson>, token = mira.admin.token) =>
  mira.request
    .put(`/api/admin/users/${user.id}`)
    .auth(token, { type: 'bearer' })
    .send({ ...user, current_password: TEST_PASSWORD, ...changes })

const isSignedIn = async (token: string) =>
  (await mira.request.get('/api/auth/me').auth(token, { type: 'bearer' })).status === 200

describe('creating a user', () => {
  test('uses the defaults of the form, and the user can sign in', async () => {
    const fields = newUser()
    const { body } = await asAdmin('post', '/users').send(fields).expect(201)
    expect(body).toEqual({
      id: expect.any(String),
      username: fields.username,
      email: fields.email,
      full_name: null,
      role: 'user',
      can_chat: true,
      can_upload: false,
      can_use_voice: false,
      can_use_agents: false,
      is_active: true,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      last_active_at: null,
    })
    await mira.signIn(fields.username, fields.password)
  })

  test('stores every given field, and ignores unknown ones', async () => {
    const fields = {
      ...newUser(),
      full_name: ' Ada Lovelace ',
      role: 'guest',
      can_chat: false,
      can_upload: true,
      can_use_voice: true,
      can_use_agents: true,
    }
    const id = randomUUID()
    const { body } = await asAdmin('post', '/users')
      .send({ ...fields, id, is_active: false, password_hash: 'x' })
      .expect(201)
    const { password: _password, ...stored } = fields
    expect(body).toMatchObject({ ...stored, full_name: 'Ada Lovelace', is_active: true })
    expect(body.id).not.toBe(id)
  })

  test('reports a taken username or email address, ignoring case', async () => {
    const first = newUser()
    await asAdmin('post', '/users').send(first).expect(201)
    const username = first.username.toUpperCase()
    const byName = await asAdmin('post', '/users')
      .send({ ...newUser(), username })
      .expect(409)
    const nameIsTaken = `The username “${username}” is taken.`
    expect(byName.body).toEqual({
      detail: nameIsTaken,
      code: 'username_taken',
      errors: [{ path: 'username', message: nameIsTaken }],
    })
    const email = first.email.toUpperCase()
    const byEmail = await asAdmin('post', '/users')
      .send({ ...newUser(), email })
      .expect(409)
    const emailIsTaken = `The email address “${email}” is taken.`
    expect(byEmail.body).toEqual({
      detail: emailIsTaken,
      code: 'email_taken',
      errors: [{ path: 'email', message: emailIsTaken }],
    })
  })

  test('concurrently with the same name creates one', async () => {
    const fields = newUser()
    const responses = await Promise.all(Array.from({ length: 4 }, () => asAdmin('post', '/users').send(fields)))
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  test.each([
    ['username', { username: '' }],
    ['username', { username: 'two words' }],
    ['username', { username: 'x'.repeat(65) }],
    ['email', { email: 'nowhere' }],
    ['full_name', { full_name: 'x'.repeat(121) }],
    ['role', { role: 'root' }],
    ['can_chat', { can_chat: 'yes' }],
    ['password', { password: 'short' }],
    ['password', { password: 'password12' }],
    ['password', { password: null }],
  ])('refuses an invalid %s', async (path, invalid) => {
    const { body } = await asAdmin('post', '/users')
      .send({ ...newUser(), ...invalid })
      .expect(422)
    expect(body.errors).toEqual([{ path, message: expect.any(String) }])
  })
})

describe('listing users', () => {
  test('is paged, oldest first', async () => {
    const all = (await asAdmin('get', '/users?limit=500').expect(200)).body as UserJson[]
    const pages: string[] = []
    let cursor: string | undefined
    do {
      const page = await asAdmin('get', `/users?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`).expect(200)
      expect(page.body.length).toBeLessThanOrEqual(2)
      pages.push(...(page.body as UserJson[]).map(({ id }) => id))
      cursor = page.headers['x-next-cursor']
    } while (cursor !== undefined)
    expect(pages).toEqual(all.map(({ id }) => id))
    expect(all[0]?.id).toBe(mira.admin.user.id)
  })

  test('finds words in username, email and full name, literally', async () => {
    const { database } = mira.context
    const grace = await insertUser(database, {
      username: 'grace_h',
      email: 'g@navy.example',
      full_name: 'Grace Hopper',
    })
    const gracex = await insertUser(database, { username: 'gracexh', full_name: 'Somebody 100%' })
    const find = async (query: string) => {
      const { body } = await asAdmin('get', '/users').query({ query }).expect(200)
      return (body as UserJson[]).map(({ id }) => id)
    }
    expect(await find('HOPPER')).toEqual([grace.id])
    expect(await find('navy.ex')).toEqual([grace.id])
    expect(await find('grace_h')).toEqual([grace.id])
    expect(await find('100%')).toEqual([gracex.id])
    expect(await find('%')).toEqual([gracex.id])
    expect(await find('\\')).toEqual([])
    expect(await find('nobody at all')).toEqual([])
  })

  test.each(['limit=0', 'limit=1001', 'limit=x', 'cursor=x'])('refuses %s', async (query) => {
    await asAdmin('get', `/users?${query}`).expect(422)
  })

  test('never shows a password or its hash', async () => {
    const { text } = await asAdmin('get', '/users?limit=500').expect(200)
    expect(text).not.toMatch(/\$2b\$|password/)
  })
})

describe('changing a user', () => {
  test('accepts a complete user, changes every editable field, and ignores the others', async () => {
    const { user } = await mira.createUser()
    const changes = {
      username: `${user.username}-2`,
      email: `new-${user.email}`,
      full_name: 'New Name',
      role: 'guest' as const,
      can_chat: false,
      can_upload: true,
      can_use_voice: true,
      can_use_agents: true,
    }
    const ignored = { id: randomUUID(), created_at: '2001-01-01T00:00:00Z', last_active_at: null, password_hash: 'x' }
    const { body } = await update(user, { ...ignored, ...changes }).expect(200)
    // the id of the path counts, not the one in the body
    expect(body).toEqual({ ...user, ...changes, updated_at: body.updated_at, last_active_at: body.last_active_at })
    expect(body.updated_at > user.updated_at).toBe(true)
  })

  test('leaves fields that aren’t sent as another administrator has changed them', async () => {
    const { user } = await mira.createUser()
    await update(user, { is_active: false, full_name: 'Ada' }).expect(200)
    const send = (changes: UpdateUserJson) => asAdmin('put', `/users/${user.id}`).send(changes)
    const { body } = await send({ can_use_voice: true }).expect(200)
    const meanwhile = { is_active: false, full_name: 'Ada', can_use_voice: true }
    expect(body).toEqual({ ...user, ...meanwhile, updated_at: body.updated_at, last_active_at: body.last_active_at })
    await send({ role: 'admin' }).expect(403)
  })

  test('takes effect on the next request', async () => {
    const { user, token } = await mira.createUser()
    await update(user, { role: 'admin' }).expect(200)
    await mira.request.get('/api/admin/users').auth(token, { type: 'bearer' }).expect(200)
    await update(user, { role: 'user' }).expect(200)
    await mira.request.get('/api/admin/users').auth(token, { type: 'bearer' }).expect(403)
  })

  test('ends the sessions permanently when it disables the account', async () => {
    const { user, token } = await mira.createUser()
    await update(user, { is_active: false }).expect(200)
    expect(await isSignedIn(token)).toBe(false)
    await update(user, { is_active: true }).expect(200)
    expect(await isSignedIn(token)).toBe(false)
    await mira.signIn(user.username, TEST_PASSWORD)
  })

  test('ends the sessions and tokens when it sets a password, which then works', async () => {
    const { user, token } = await mira.createUser()
    await insertApiToken(mira.context.database, user.id)
    await update(user, { password: 'quiet-lantern-orchard-52' }).expect(200)
    expect(await isSignedIn(token)).toBe(false)
    expect(await mira.context.database.prisma.apiToken.count({ where: { userId: user.id } })).toBe(0)
    await mira.signIn(user.username, 'quiet-lantern-orchard-52')
  })

  test('keeps the current session of administrators who set their own password, and ends all other access', async () => {
    const { user, token } = await mira.createUser({ role: 'admin' })
    const elsewhere = await mira.signIn(user.username, TEST_PASSWORD)
    await insertHook(mira.context.database, user.id)
    await update(user, { password: 'quiet-lantern-orchard-52' }, token).expect(200)
    expect([await isSignedIn(token), await isSignedIn(elsewhere)]).toEqual([true, false])
    expect(await mira.context.database.prisma.hook.count({ where: { userId: user.id } })).toBe(0)
    await update(user, { role: 'user' }).expect(200)
  })

  test('requires the administrator’s own password for a new password or role, and for nothing else', async () => {
    const { user } = await mira.createUser()
    const updateOutcome = async (changes: Partial<UpdateUserJson>) => {
      const { status, body } = await update(user, changes)
      return [status, body.code]
    }
    const withoutPassword = { current_password: undefined }
    const withWrongPassword = { current_password: 'wrong-harbour-teapot-91' }
    const password = 'quiet-lantern-orchard-52'
    expect(await updateOutcome({ ...withoutPassword, password })).toEqual([403, 'password_required'])
    expect(await updateOutcome({ ...withoutPassword, role: 'admin' })).toEqual([403, 'password_required'])
    expect(await updateOutcome({ ...withWrongPassword, password })).toEqual([403, 'wrong_password'])
    expect(await updateOutcome({ ...withWrongPassword, role: 'guest' })).toEqual([403, 'wrong_password'])
    expect(await updateOutcome({ current_password: password, password })).toEqual([403, 'wrong_password'])
    await mira.signIn(user.username, TEST_PASSWORD)
    await update(user, { ...withoutPassword, can_upload: true, full_name: 'Somebody', is_active: false }).expect(200)
    await update(user, { ...withoutPassword, role: user.role }).expect(200)
  })

  test('is refused to an administrator’s API token, as are creating and deleting one', async () => {
    const { user, token } = await mira.createUser({ role: 'admin' })
    const { body: apiToken } = await mira.request
      .post('/api/auth/tokens')
      .auth(token, { type: 'bearer' })
      .send({ name: 'script' })
    const otherAccount = await mira.createUser()
    const expectRefused = async (response: PromiseLike<{ status: number; body: { code: string } }>) => {
      const { status, body } = await response
      expect([status, body.code]).toEqual([403, 'token_not_allowed'])
    }
    const asScript = (method: 'post' | 'delete', path: string) =>
      mira.request[method](`/api/admin${path}`).auth(apiToken.token, { type: 'bearer' })
    await expectRefused(asScript('post', '/users').send({ ...newUser(), role: 'admin' }))
    await expectRefused(update(user, { password: 'quiet-lantern-orchard-52' }, apiToken.token))
    await expectRefused(update(otherAccount.user, { role: 'admin' }, apiToken.token))
    await expectRefused(asScript('delete', `/users/${otherAccount.user.id}`))
    await update(user, { role: 'user' }).expect(200)
  })

  test('reports a taken username or email address', async () => {
    const { user } = await mira.createUser()
    const otherAccount = await mira.createUser()
    expect((await update(user, { username: otherAccount.user.username }).expect(409)).body.code).toBe('username_taken')
    expect((await update(user, { email: otherAccount.user.email }).expect(409)).body.code).toBe('email_taken')
  })

  test('that doesn’t exist gives 404', async () => {
    const { user } = await mira.createUser()
    await update({ ...user, id: randomUUID() }, {}).expect(404)
    await asAdmin('put', '/users/not-an-id').send(user).expect(404)
  })
})

describe('the last active administrator', () => {
  /** On a server, blocks changes of users until all have arrived; the embedded database runs one at a time anyway. */
  const lockUsers = async () => {
    const { engine, pool } = mira.context.database
    if (engine === 'embedded') return async () => {}
    const client = await pool.connect()
    await client.query('BEGIN')
    await client.query('SELECT FROM users FOR UPDATE')
    return async () => {
      await sleep(500)
      await client.query('COMMIT')
      client.release()
    }
  }

  test('can be neither disabled nor demoted', async () => {
    const { user } = mira.admin
    expect((await update(user, { is_active: false }).expect(409)).body).toEqual({
      detail: '“admin” is the last active administrator and cannot be disabled.',
      code: 'last_admin',
    })
    expect((await update(user, { role: 'user' }).expect(409)).body).toEqual({
      detail: '“admin” is the last active administrator and cannot be demoted.',
      code: 'last_admin',
    })
  })

  test('is still the last one when the other administrator is disabled', async () => {
    const other = await insertUser(mira.context.database, { role: 'admin', is_active: false })
    await update(mira.admin.user, { role: 'user' }).expect(409)
    await mira.context.database.prisma.user.delete({ where: { id: other.id } })
  })

  test('remains when two administrators demote each other concurrently', async () => {
    const otherAccount = await mira.createUser({ role: 'admin' })
    const release = await lockUsers()
    const pending = Promise.all([
      update(otherAccount.user, { role: 'user' }),
      update(mira.admin.user, { role: 'user' }, otherAccount.token),
    ])
    await release()
    const responses = await pending
    const { prisma } = mira.context.database
    const admins = await prisma.user.findMany({ where: { role: 'admin', isActive: true } })
    expect(admins).toHaveLength(1)
    expect(responses.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)])
    await prisma.user.update({ where: { id: mira.admin.user.id }, data: { role: 'admin' } })
  })
})

test('what administrators do to accounts is recorded as their own activity', async () => {
  const { user, token } = await mira.createUser({ role: 'admin' })
  const act = (method: 'post' | 'put' | 'delete', path: string) =>
    mira.request[method](`/api/admin${path}`).auth(token, { type: 'bearer' }).set('x-analytics', 'off')
  const { body: newAccount } = await act('post', '/users').send(newUser()).expect(201)
  await act('put', `/users/${newAccount.id}`).send(newAccount).expect(200)
  await act('delete', `/users/${newAccount.id}`).expect(204)
  await act('post', `/users/${newAccount.id}/restore`).expect(200)
  await act('delete', `/users/${newAccount.id}?now=true`).expect(204)
  const activities = await mira.context.database.prisma.activity.findMany({
    where: { userId: user.id, subjectId: newAccount.id },
    orderBy: { id: 'asc' },
  })
  expect(activities.map(({ kind, detail, countsInAnalytics }) => [kind, detail, countsInAnalytics])).toEqual([
    ['account', { action: 'user_created' }, false],
    ['account', { action: 'user_updated' }, false],
    ['account', { action: 'user_trashed' }, false],
    ['account', { action: 'user_restored' }, false],
    ['account', { action: 'user_deleted' }, false],
  ])
  await update(user, { role: 'user' }).expect(200)
})
