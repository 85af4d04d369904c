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

test('servers that share a database must share the secret, until they are told that it changed', async () => {
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

test('the only server of a database goes on with a new secret, and everybody signs in again', async () => {
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

describe('a request whose session ends while it is under way', () => {
  const NEW_PASSWORD = 'amber-lantern-gable-37'

  /** Changes a password while something happens between the look at the current one and the new one. */
  const changeWhile = async (happens: (userId: string) => Promise<unknown>) => {
    const { id: userId } = await insertUser(database)
    const { id: sessionId } = await insertAuthSession(database, userId)
    const passwords = createPasswordHasher(4)
    const hash = async (password: string) => {
      await happens(userId)
      return passwords.hash(password)
    }
    const change = { currentPassword: TEST_PASSWORD, newPassword: NEW_PASSWORD, end: [] }
    const actor = { userId, sessionId, address: '::1', inAnalytics: true }
    await createAuth({ ...passwords, hash }).changePassword(actor, change)
    return userId
  }
  const ended = { status: 401, message: 'Your session has ended. Sign in again.' }

  test('changes a password that nobody else changed', async () => {
    const notify = vi.spyOn(database, 'notify')
    const userId = await changeWhile(async () => {})
    // other servers forget what had access
    expect(notify).toHaveBeenCalledWith(MCP_SERVERS_CHANNEL, '')
    notify.mockRestore()
    expect((await database.prisma.user.findUniqueOrThrow({ where: { id: userId } })).passwordHash).toBeTypeOf('string')
    expect(await database.prisma.activity.count({ where: { userId } })).toBe(1)
  })

  test('does not undo the password that an administrator set', async () => {
    let userId = ''
    const changing = changeWhile(async (id) => {
      userId = id
      await database.prisma.user.update({ where: { id }, data: { passwordHash: 'of the administrator' } })
    })
    await expect(changing).rejects.toMatchObject(ended)
    const user = await database.prisma.user.findUniqueOrThrow({ where: { id: userId } })
    expect(user.passwordHash).toBe('of the administrator')
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['its session is gone', (id) => database.prisma.authSession.deleteMany({ where: { userId: id } })],
    ['its account is disabled', (id) => database.prisma.user.update({ where: { id }, data: { isActive: false } })],
    ['its account is deleted', (id) => database.prisma.user.delete({ where: { id } })],
  ])('is told so when %s', async (_title, happens) => {
    await expect(changeWhile(happens)).rejects.toMatchObject(ended)
  })

  test('makes no token', async () => {
    const { id: userId } = await insertUser(database)
    const { id: sessionId } = await insertAuthSession(database, userId)
    const token = { name: 'a script', scopes: ['read' as const], expiresAt: null }
    const actor = { userId, sessionId, address: '::1', inAnalytics: true }
    await openTestAccounts(database).apiTokens.create(actor, token)
    await database.prisma.authSession.delete({ where: { id: sessionId } })
    await expect(openTestAccounts(database).apiTokens.create(actor, token)).rejects.toMatchObject(ended)
    await database.prisma.user.delete({ where: { id: userId } })
    await expect(openTestAccounts(database).apiTokens.create(actor, token)).rejects.toMatchObject(ended)
  })
})
