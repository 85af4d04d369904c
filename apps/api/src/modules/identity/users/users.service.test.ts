import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import {
  insertAuthSession,
  insertChatSession,
  insertMediaItem,
  insertMessages,
  insertSignedInUsers,
  insertUser,
} from '../../../../test/factories.ts'
import { openTestAccounts } from '../../../../test/test-accounts.ts'
import { openServerSnapshot } from '../../../platform/database/snapshot.ts'
import { createPasswordHasher } from './password-hash.ts'
import { createUsersService } from './users.service.ts'
import { createUsersStore, type UsersStore } from './users.store.ts'

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
const createUsers = (enqueue: (name: string, data: unknown) => Promise<void> = async () => {}, log = silentLog) =>
  openTestAccounts(database, {
    ...{ passwords, log },
    events: { publish: (userId, event) => published.push([userId, event]) },
    queue: { enqueue },
  }).users

const asAdmin = async () => {
  const { id } = await insertUser(database, { role: 'admin' })
  const { id: sessionId } = await insertAuthSession(database, id)
  return { userId: id, sessionId, address: '127.0.0.1', countsInAnalytics: true } as const
}

describe('an administrator’s change', () => {
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

  test.runIf(process.env.TEST_DATABASE_URL)('doesn’t wait for a running backup', async () => {
    const admin = await asAdmin()
    const { id, values } = toUpdate(await insertUser(database))
    const snapshot = await openServerSnapshot(database.databaseUrl as string)
    await createUsers().update(admin, id, values)
    await snapshot?.close()
  })

  test('notifies the account’s open pages', async () => {
    const admin = await asAdmin()
    const { id, values } = toUpdate(await insertUser(database))
    await createUsers().update(admin, id, values)
    await createUsers().remove(admin, id, { password: undefined, now: true })
    expect(published).toEqual([
      [id, { type: 'account.updated' }],
      [id, { type: 'account.updated' }],
    ])
  })

  test('keeps a full name that isn’t sent, and removes one sent empty', async () => {
    const admin = await asAdmin()
    const { id, values } = toUpdate(await insertUser(database, { full_name: 'Ada Lovelace' }))
    expect((await createUsers().update(admin, id, values)).full_name).toBe('Ada Lovelace')
    expect((await createUsers().update(admin, id, { ...values, full_name: '' })).full_name).toBeNull()
  })

  test('is refused when they stopped being an administrator meanwhile', async () => {
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

  test('that is an interrupted deletion is finished by the clean-up and can’t be restored', async () => {
    const admin = await asAdmin()
    const { id } = await insertUser(database)
    await insertChatSession(database, id)
    const users = createUsers(() => Promise.reject(new Error('the queue is away')))
    await expect(users.remove(admin, id, { password: undefined, now: true })).rejects.toThrow('the queue is away')
    expect(await database.prisma.user.count({ where: { id, isActive: false } })).toBe(1)
    await expect(users.restore(admin, id)).rejects.toMatchObject({ code: 'trash_time_over' })
    await createUsers().emptyTrash(new Date(Date.now() + 1000))
    expect(await database.prisma.user.count({ where: { id } })).toBe(0)
    const lines = await database.prisma.auditEntry.findMany({ where: { subjectId: id }, orderBy: { id: 'asc' } })
    expect(lines.map(({ action, outcome }) => [action, outcome])).toEqual([
      ['account.deleted', 'begun'],
      ['account.purged', 'done'],
    ])
  })
})

test('accounts in the trash that can’t be removed don’t block others, however many there are', async () => {
  await insertSignedInUsers(database, { is_active: false }, 101)
  await database.prisma.user.updateMany({ data: { trashedAt: new Date(0) } })
  const triedIds = new Set<string>()
  const unremovable: Partial<UsersStore> = {
    ...createUsersStore(database),
    find: (id) => {
      triedIds.add(id)
      return Promise.reject(new Error('stuck'))
    },
  }
  const services = { users: unremovable, log: silentLog } as Parameters<typeof createUsersService>[0]
  await createUsersService(services).emptyTrash()
  expect(triedIds.size).toBe(101)
})

describe('an account with many rows', () => {
  const ROW_COUNT = 450
  const tables = ['moments', 'chat_messages']
  const insertLargeUser = async (isTrashed: boolean) => {
    const { id } = await insertUser(database, { is_active: !isTrashed })
    if (isTrashed) await database.prisma.user.update({ where: { id }, data: { trashedAt: new Date(0) } })
    const item = await insertMediaItem(database, id)
    await database.pool.query(
      `INSERT INTO moments (id, media_item_id, user_id, kind, position, body, engine)
       SELECT gen_random_uuid(), $1, $2, 'text', n, 'A word.', 'built-in' FROM generate_series(1, $3::int) n`,
      [item.id, id, ROW_COUNT],
    )
    const session = await database.prisma.chatSession.create({ data: { userId: id, sessionName: 'A long one' } })
    await insertMessages(database, session.id, ROW_COUNT)
    return id
  }
  /** Stands in for the statement timeout. */
  beforeAll(async () => {
    await database.pool.query(`
      CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF (SELECT count(*) FROM removed) > 200 THEN RAISE 'canceling statement due to statement timeout'; END IF;
        RETURN NULL;
      END $$`)
    for (const table of tables) {
      await database.pool.query(
        `CREATE TRIGGER refuse_many AFTER DELETE ON ${table} REFERENCING OLD TABLE AS removed
         FOR EACH STATEMENT EXECUTE FUNCTION refuse_many()`,
      )
    }
  })
  afterAll(async () => {
    await database.pool.query('DROP FUNCTION refuse_many CASCADE')
  })

  test('is deleted in small statements', async () => {
    const admin = await asAdmin()
    const id = await insertLargeUser(false)
    await createUsers().remove(admin, id, { password: undefined, now: true })
    expect(await database.prisma.user.count({ where: { id } })).toBe(0)
    expect(await database.prisma.moment.count()).toBe(0)
  })

  test('is also removed from the trash, and one that can’t be is logged without blocking others', async () => {
    const stuck = await insertLargeUser(true)
    const other = await insertLargeUser(true)
    const errors: unknown[] = []
    const enqueue = (_name: string, data: unknown) =>
      (data as { user_id: string }).user_id === stuck ? Promise.reject(new Error('stuck')) : Promise.resolve()
    const log = { ...silentLog, error: (fields: object) => errors.push(fields) }
    await createUsers(enqueue, log).emptyTrash()
    const remaining = await database.prisma.user.findMany({ where: { id: { in: [stuck, other] } } })
    expect(remaining.map(({ id }) => id)).toEqual([stuck])
    expect(errors).toEqual([{ err: new Error('stuck'), userId: stuck }])
  })
})
