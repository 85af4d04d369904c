import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../../test/database-template.ts'
import { insertAuthSession, insertUser } from '../../../../test/factories.ts'
import { openTestAccounts } from '../../../../test/test-accounts.ts'
import { createPasswordHasher } from './password-hash.ts'

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
const createUsers = (enqueue: () => Promise<void> = async () => {}) =>
  openTestAccounts(database, {
    passwords,
    events: { publish: (userId, event) => published.push([userId, event]) },
    queue: { enqueue },
  }).users

describe('what an administrator changes', () => {
  const asAdmin = async () => {
    const { id } = await insertUser(database, { role: 'admin' })
    const { id: sessionId } = await insertAuthSession(database, id)
    return { userId: id, sessionId, address: '127.0.0.1', inAnalytics: true } as const
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
    await createUsers().remove(admin, id, { password: undefined, now: true })
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
    await expect(createUsers().remove(admin, id, { password: undefined, now: true })).rejects.toMatchObject({
      status: 403,
    })
    expect(published).toEqual([])
  })

  test('is undone as a whole when the job for the files cannot be enqueued', async () => {
    const admin = await asAdmin()
    const { id } = await insertUser(database)
    const users = createUsers(() => Promise.reject(new Error('the queue is away')))
    await expect(users.remove(admin, id, { password: undefined, now: true })).rejects.toThrow('the queue is away')
    expect(await database.prisma.user.count({ where: { id } })).toBe(1)
    expect(published).toEqual([])
  })
})
