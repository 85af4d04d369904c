import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertAuthSession, insertUser, TEST_PASSWORD } from '../../../../test/factories.ts'
import { openTestAccounts } from '../../../../test/test-accounts.ts'
import { MCP_SERVERS_CHANNEL } from '../access-items/access-items.service.ts'
import { createPasswordHasher } from './password-hash.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const createAuth = (passwords = createPasswordHasher(4)) => openTestAccounts(database, { passwords }).auth

test('servers on one database must share the secret until it’s explicitly replaced', async () => {
  const auth = createAuth()
  const { id } = await insertUser(database)
  await insertAuthSession(database, id)
  await Promise.all(Array.from({ length: 3 }, () => auth.acceptSecret({ fingerprint: 'one', isOnlyServer: false })))
  await expect(auth.acceptSecret({ fingerprint: 'two', isOnlyServer: false })).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringMatching(/all servers on it must share JWT_SECRET.*--new-secret/),
  })
  expect(await database.prisma.authSession.count()).toBe(1)
  await auth.forgetSecret()
  expect(await database.prisma.authSession.count()).toBe(0)
  await auth.acceptSecret({ fingerprint: 'two', isOnlyServer: false })
  await expect(auth.acceptSecret({ fingerprint: 'one', isOnlyServer: false })).rejects.toThrow('JWT_SECRET')
})

test('the only server on a database accepts a new secret and ends all sessions', async () => {
  const auth = createAuth()
  const { id } = await insertUser(database)
  await auth.forgetSecret()
  await auth.acceptSecret({ fingerprint: 'one', isOnlyServer: true })
  await insertAuthSession(database, id)
  await auth.acceptSecret({ fingerprint: 'one', isOnlyServer: true })
  expect(await database.prisma.authSession.count()).toBe(1)
  await auth.acceptSecret({ fingerprint: 'two', isOnlyServer: true })
  expect(await database.prisma.authSession.count()).toBe(0)
  await auth.acceptSecret({ fingerprint: 'two', isOnlyServer: false })
})

describe('a request whose session may end while it runs', () => {
  const NEW_PASSWORD = 'amber-lantern-gable-37'

  /** Changes a password, with `interfere` called between checking the current one and storing the new one. */
  const changePasswordDuring = async (interfere: (userId: string) => Promise<unknown>) => {
    const { id: userId } = await insertUser(database)
    const { id: sessionId } = await insertAuthSession(database, userId)
    const passwords = createPasswordHasher(4)
    const hash = async (password: string) => {
      await interfere(userId)
      return passwords.hash(password)
    }
    const change = { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD, end: [] }
    const actor = { userId, sessionId, address: '::1', countsInAnalytics: true }
    await createAuth({ ...passwords, hash }).changePassword(actor, change)
    return userId
  }
  const sessionEnded = { status: 401, message: 'Your session has ended. Sign in again.' }

  test('changes the password when nothing interferes', async () => {
    const notify = vi.spyOn(database, 'notify')
    const userId = await changePasswordDuring(async () => {})
    // other servers drop cached access
    expect(notify).toHaveBeenCalledWith(MCP_SERVERS_CHANNEL, '')
    notify.mockRestore()
    expect((await database.prisma.user.findUniqueOrThrow({ where: { id: userId } })).passwordHash).toBeTypeOf('string')
    expect(await database.prisma.activity.count({ where: { userId } })).toBe(1)
  })

  test('doesn’t overwrite a password that an administrator set', async () => {
    let userId = ''
    const changing = changePasswordDuring(async (id) => {
      userId = id
      await database.prisma.user.update({ where: { id }, data: { passwordHash: 'of the administrator' } })
    })
    await expect(changing).rejects.toMatchObject(sessionEnded)
    const user = await database.prisma.user.findUniqueOrThrow({ where: { id: userId } })
    expect(user.passwordHash).toBe('of the administrator')
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['its session is deleted', (id) => database.prisma.authSession.deleteMany({ where: { userId: id } })],
    ['its account is disabled', (id) => database.prisma.user.update({ where: { id }, data: { isActive: false } })],
    ['its account is deleted', (id) => database.prisma.user.delete({ where: { id } })],
  ])('fails with 401 when %s', async (_name, interfere) => {
    await expect(changePasswordDuring(interfere)).rejects.toMatchObject(sessionEnded)
  })

  test('creates no token once its session or account is deleted', async () => {
    const { id: userId } = await insertUser(database)
    const { id: sessionId } = await insertAuthSession(database, userId)
    const token = { name: 'a script', scopes: ['read' as const], expiresAt: null }
    const actor = { userId, sessionId, address: '::1', countsInAnalytics: true }
    await openTestAccounts(database).apiTokens.create(actor, token)
    await database.prisma.authSession.delete({ where: { id: sessionId } })
    await expect(openTestAccounts(database).apiTokens.create(actor, token)).rejects.toMatchObject(sessionEnded)
    await database.prisma.user.delete({ where: { id: userId } })
    await expect(openTestAccounts(database).apiTokens.create(actor, token)).rejects.toMatchObject(sessionEnded)
  })
})
