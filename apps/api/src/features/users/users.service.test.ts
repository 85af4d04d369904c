import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { insertAuthSession, insertUser } from '../../../test/factories.ts'
import { openTestAccounts } from '../../../test/test-accounts.ts'
import { createPasswordHasher } from './password.ts'

let database: TestDatabase
const published: unknown[] = []
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(async () => {
  await database.prisma.user.deleteMany()
  await database.prisma.loginFailure.deleteMany()
  published.length = 0
})
afterAll(() => database.close())

const passwords = createPasswordHasher(4)
const createUsers = (removeFilesOf: () => Promise<void> = async () => {}) =>
  openTestAccounts(database, {
    passwords,
    publish: (userId, event) => published.push([userId, event]),
    removeFilesOf,
  }).users

const given = { username: 'admin', password: 'violet-harbour-teapot-91' }
const readUsers = () => database.prisma.user.findMany({ orderBy: { id: 'asc' } })

describe('the first administrator', () => {
  test('is made with the given name and password and may do everything', async () => {
    expect(await createUsers().ensureFirstAdmin(given)).toEqual({ username: 'admin', generatedPassword: undefined })
    const [admin] = await readUsers()
    expect(admin).toMatchObject({
      username: 'admin',
      email: 'admin@mira.local',
      fullName: null,
      role: 'admin',
      canChat: true,
      canUpload: true,
      canUseVoice: true,
      canUseAgents: true,
      isActive: true,
    })
    expect(await passwords.matches(given.password, admin?.passwordHash ?? null)).toBe(true)
  })

  test('gets a password when none is given', async () => {
    const { generatedPassword } = await createUsers().ensureFirstAdmin({ ...given, password: undefined })
    const [admin] = await readUsers()
    expect(generatedPassword?.length).toBeGreaterThanOrEqual(20)
    expect(await passwords.matches(generatedPassword ?? '', admin?.passwordHash ?? null)).toBe(true)
  })

  test('is made once: a later start keeps it, whatever it is told', async () => {
    const first = await createUsers().ensureFirstAdmin(given)
    const [before] = await readUsers()
    expect(await createUsers().ensureFirstAdmin({ username: 'root', password: 'password12' })).toEqual(first)
    expect(await readUsers()).toEqual([before])
  })

  test('is one when several servers start at once', async () => {
    const starts = Array.from({ length: 4 }, () => createUsers().ensureFirstAdmin({ ...given, password: undefined }))
    const answers = await Promise.all(starts)
    expect(await readUsers()).toHaveLength(1)
    expect(answers.filter(({ generatedPassword }) => generatedPassword !== undefined)).toHaveLength(1)
    expect(new Set(answers.map(({ username }) => username))).toEqual(new Set(['admin']))
  })

  test.each([
    ['short', 'ADMIN_PASSWORD cannot be used. Use at least 10 characters.'],
    ['x'.repeat(73), 'ADMIN_PASSWORD cannot be used. Use at most 72 bytes (about 72 plain characters).'],
    [
      'password12',
      'ADMIN_PASSWORD cannot be used. This password is too easy to guess. It is a commonly used password. Use a few unrelated words, or let a password manager make one.',
    ],
  ])('stops the start with the password %s', async (password, message) => {
    await expect(createUsers().ensureFirstAdmin({ ...given, password })).rejects.toMatchObject({
      name: 'StartupError',
      message,
    })
    expect(await readUsers()).toEqual([])
  })

  test.each([
    ['jörg', 'admin@mira.local'],
    ['ada@example.org', 'ada@example.org'],
    ['ada', 'ada@mira.local'],
  ])('named %s has the address %s', async (username, email) => {
    await createUsers().ensureFirstAdmin({ ...given, username })
    expect(await readUsers()).toMatchObject([{ username, email }])
  })
})

describe('resetting a password', () => {
  test('gives a new one, makes the account active, and ends its sessions and failures', async () => {
    const user = await insertUser(database, { username: 'Ada', is_active: false })
    await insertAuthSession(database, user.id)
    await database.prisma.loginFailure.create({ data: { username: 'ada', address: '203.0.113.1' } })
    const { username, password } = await createUsers().resetPassword('ADA')
    expect(username).toBe('Ada')
    const [row] = await readUsers()
    expect(row?.isActive).toBe(true)
    expect(await passwords.matches(password, row?.passwordHash ?? null)).toBe(true)
    expect(await database.prisma.authSession.count()).toBe(0)
    expect(await database.prisma.loginFailure.count()).toBe(0)
  })

  test('is for the first administrator when no name is given', async () => {
    await insertUser(database)
    await insertUser(database, { username: 'boss', role: 'admin' })
    await insertUser(database, { username: 'second', role: 'admin' })
    expect((await createUsers().resetPassword(undefined)).username).toBe('boss')
  })

  test('says when there is no such account', async () => {
    await expect(createUsers().resetPassword('nobody')).rejects.toThrow('There is no user “nobody”.')
    await expect(createUsers().resetPassword(undefined)).rejects.toThrow('There is no administrator yet')
  })
})

describe('what an administrator changes', () => {
  const asAdmin = async () => {
    const { id } = await insertUser(database, { role: 'admin' })
    return { userId: id, sessionId: id, address: '127.0.0.1', inAnalytics: true } as const
  }
  const toUpdate = ({ id, username, email }: Awaited<ReturnType<typeof insertUser>>) => ({
    id,
    values: {
      username,
      email,
      role: 'user' as const,
      can_chat: true,
      can_upload: true,
      can_use_voice: false,
      can_use_agents: false,
      is_active: true,
    },
  })

  test('is told to the open pages of the account', async () => {
    const admin = await asAdmin()
    const { id, values } = toUpdate(await insertUser(database))
    await createUsers().update(admin, id, values)
    await createUsers().remove(admin, id)
    expect(published).toEqual([
      [id, { type: 'account.updated' }],
      [id, { type: 'account.updated' }],
    ])
  })

  test('keeps the full name that is not sent, and removes the one that is empty', async () => {
    const admin = await asAdmin()
    const { id, values } = toUpdate(await insertUser(database, { full_name: 'Ada Lovelace' }))
    expect((await createUsers().update(admin, id, values)).full_name).toBe('Ada Lovelace')
    expect((await createUsers().update(admin, id, { ...values, full_name: '' })).full_name).toBeNull()
  })

  test('is not done when they stopped being one while they asked', async () => {
    const admin = await asAdmin()
    await insertUser(database, { role: 'admin' })
    const { id, values } = toUpdate(await insertUser(database))
    await database.prisma.user.update({ where: { id: admin.userId }, data: { role: 'user' } })
    await expect(createUsers().update(admin, id, values)).rejects.toMatchObject({ status: 403 })
    await expect(createUsers().remove(admin, id)).rejects.toMatchObject({ status: 403 })
    expect(published).toEqual([])
  })

  test('is undone as a whole when the job for the files cannot be enqueued', async () => {
    const admin = await asAdmin()
    const { id } = await insertUser(database)
    const users = createUsers(() => Promise.reject(new Error('the queue is away')))
    await expect(users.remove(admin, id)).rejects.toThrow('the queue is away')
    expect(await database.prisma.user.count({ where: { id } })).toBe(1)
    expect(published).toEqual([])
  })
})
