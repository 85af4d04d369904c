import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { insertAuthSession, insertUser } from '../../../test/factories.ts'
import { createLog } from '../../log.ts'
import { createAuthService } from './auth.service.ts'
import { createAuthStore } from './auth.store.ts'
import { createPasswordHasher } from './password.ts'
import { createUsersStore } from './users.store.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const createAuth = () =>
  createAuthService({
    store: createAuthStore(database),
    users: createUsersStore(database),
    passwords: createPasswordHasher(4),
    assistantName: () => 'Mira',
    log: createLog('silent'),
  })

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
