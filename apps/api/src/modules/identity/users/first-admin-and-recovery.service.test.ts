import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertAuthSession, insertUser } from '../../../../test/factories.ts'
import { openTestAccounts } from '../../../../test/test-accounts.ts'
import { createPasswordHasher } from './password-hash.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
beforeEach(async () => {
  await database.prisma.user.deleteMany()
  await database.prisma.loginFailure.deleteMany()
})
afterAll(() => database.close())

const passwords = createPasswordHasher(4)
const createOperator = () => openTestAccounts(database, { passwords }).operator

const credentials = { username: 'admin', password: 'violet-harbour-teapot-91' }
const readUsers = () => database.prisma.user.findMany({ orderBy: { id: 'asc' } })

describe('the first administrator', () => {
  test('is created with the given name and password and all permissions', async () => {
    expect(await createOperator().ensureFirstAdmin(credentials)).toEqual({
      username: 'admin',
      generatedPassword: undefined,
    })
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
    expect(await passwords.matches(credentials.password, admin?.passwordHash ?? null)).toBe(true)
  })

  test('gets a generated password when none is given', async () => {
    const { generatedPassword } = await createOperator().ensureFirstAdmin({ ...credentials, password: undefined })
    const [admin] = await readUsers()
    expect(generatedPassword?.length).toBeGreaterThanOrEqual(20)
    expect(await passwords.matches(generatedPassword ?? '', admin?.passwordHash ?? null)).toBe(true)
  })

  test('is created once: later starts keep it, whatever their credentials', async () => {
    const first = await createOperator().ensureFirstAdmin(credentials)
    const [before] = await readUsers()
    expect(await createOperator().ensureFirstAdmin({ username: 'root', password: 'password12' })).toEqual(first)
    expect(await readUsers()).toEqual([before])
  })

  test('is created once when several servers start concurrently', async () => {
    const starts = Array.from({ length: 4 }, () =>
      createOperator().ensureFirstAdmin({ ...credentials, password: undefined }),
    )
    const results = await Promise.all(starts)
    expect(await readUsers()).toHaveLength(1)
    expect(results.filter(({ generatedPassword }) => generatedPassword !== undefined)).toHaveLength(1)
    expect(new Set(results.map(({ username }) => username))).toEqual(new Set(['admin']))
  })

  test.each([
    ['short', 'ADMIN_PASSWORD cannot be used. Use at least 10 characters.'],
    ['x'.repeat(73), 'ADMIN_PASSWORD cannot be used. Use at most 72 bytes (about 72 plain characters).'],
    [
      'password12',
      'ADMIN_PASSWORD cannot be used. This password is too easy to guess. It is a commonly used password. Use a few unrelated words, or let a password manager create one.',
    ],
  ])('stops the start with the password %s', async (password, message) => {
    await expect(createOperator().ensureFirstAdmin({ ...credentials, password })).rejects.toMatchObject({
      name: 'StartupError',
      message,
    })
    expect(await readUsers()).toEqual([])
  })

  test.each([
    ['jörg', 'jörg@mira.local'],
    ['ada@home', 'admin@mira.local'],
    ['ada@example.org', 'ada@example.org'],
    ['ada', 'ada@mira.local'],
  ])('named %s has the email address %s', async (username, email) => {
    await createOperator().ensureFirstAdmin({ ...credentials, username })
    expect(await readUsers()).toMatchObject([{ username, email }])
  })
})

describe('resetting a password', () => {
  test('generates one, activates the account, and deletes its sessions and failures', async () => {
    const user = await insertUser(database, { username: 'Ada', is_active: false })
    await insertAuthSession(database, user.id)
    await database.prisma.loginFailure.create({ data: { username: 'ada', address: '203.0.113.1' } })
    const { username, password } = await createOperator().resetPassword('ADA')
    expect(username).toBe('Ada')
    const [row] = await readUsers()
    expect(row?.isActive).toBe(true)
    expect(await passwords.matches(password, row?.passwordHash ?? null)).toBe(true)
    expect(await database.prisma.authSession.count()).toBe(0)
    expect(await database.prisma.loginFailure.count()).toBe(0)
  })

  test('applies to the first administrator when no name is given', async () => {
    await insertUser(database)
    await insertUser(database, { username: 'boss', role: 'admin' })
    await insertUser(database, { username: 'second', role: 'admin' })
    expect((await createOperator().resetPassword(undefined)).username).toBe('boss')
  })

  test('restores an account from the trash, but not one whose data is being deleted', async () => {
    const { id, username } = await insertUser(database)
    const trashedAt = (at: Date) =>
      database.prisma.user.update({ where: { id }, data: { trashedAt: at, isActive: false } })
    await trashedAt(new Date())
    await createOperator().resetPassword(username)
    expect(await readUsers()).toMatchObject([{ trashedAt: null, isActive: true }])
    await trashedAt(new Date(0))
    await expect(createOperator().resetPassword(username)).rejects.toThrow('is being deleted')
    expect(await readUsers()).toMatchObject([{ trashedAt: new Date(0), isActive: false }])
  })

  test('reports a missing account', async () => {
    await expect(createOperator().resetPassword('nobody')).rejects.toThrow('There is no user “nobody”.')
    await expect(createOperator().resetPassword(undefined)).rejects.toThrow('There is no administrator yet')
  })
})
