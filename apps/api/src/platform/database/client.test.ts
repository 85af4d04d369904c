import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database-template.ts'
import { Prisma } from './generated/client.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  await database.close()
})

const addUser = (fields: Partial<Prisma.UserCreateInput> = {}) => {
  const name = `user-${randomUUID()}`
  return database.prisma.user.create({
    data: { username: name, email: `${name}@example.org`, passwordHash: 'x', ...fields },
  })
}

async function addSession() {
  const user = await addUser()
  const session = await database.prisma.chatSession.create({ data: { userId: user.id, sessionName: 'Holiday' } })
  const message = await database.prisma.chatMessage.create({
    data: { sessionId: session.id, role: 'user', content: 'Where did we swim?' },
  })
  return { user, session, message }
}

const codeOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof Prisma.PrismaClientKnownRequestError ? error.code : error
}

describe('rows', () => {
  test('a row comes back as it was stored', async () => {
    const user = await addUser({ fullName: 'Ada Łovelace 🌊', role: 'admin' })
    expect(await database.prisma.user.findUniqueOrThrow({ where: { id: user.id } })).toStrictEqual(user)
  })

  test('a username is unique without regard to case', async () => {
    const { username } = await addUser()
    expect(await codeOf(addUser({ username: username.toUpperCase() }))).toBe('P2002')
  })

  test('an email address is unique without regard to case', async () => {
    const { email } = await addUser()
    expect(await codeOf(addUser({ email: email.toUpperCase() }))).toBe('P2002')
  })

  test.each([
    ['users', 'role'],
    ['chat_sessions', 'session_name_by'],
    ['chat_sessions', 'sentiment'],
    ['chat_messages', 'role'],
    ['chat_messages', 'state'],
    ['chat_messages', 'rating'],
    ['activities', 'kind'],
    ['activities', 'outcome'],
  ])('%s.%s rejects values that are not on its list', async (table, column) => {
    const { user } = await addSession()
    await database.prisma.activity.create({ data: { userId: user.id, kind: 'chat' } })
    const update = database.pool.query(`UPDATE ${table} SET ${column} = 'nonsense'`)
    await expect(update).rejects.toMatchObject({ code: '23514', constraint: `${table}_${column}_check` })
  })

  test('deleting a user deletes their sessions, messages and answers', async () => {
    const { user, session, message } = await addSession()
    await database.prisma.chatSession.update({ where: { id: session.id }, data: { currentMessageId: message.id } })
    await database.prisma.chatAnswer.create({
      data: {
        messageId: message.id,
        sessionId: session.id,
        userId: user.id,
        serverId: randomUUID(),
        events: { create: { seq: 1, event: { type: 'chunk' } } },
      },
    })
    await database.prisma.user.delete({ where: { id: user.id } })
    expect(await database.prisma.chatSession.count({ where: { id: session.id } })).toBe(0)
    expect(await database.prisma.chatMessage.count({ where: { id: message.id } })).toBe(0)
    expect(await database.prisma.chatAnswerEvent.count({ where: { messageId: message.id } })).toBe(0)
  })

  test('deleting the shown message keeps its session', async () => {
    const { session, message } = await addSession()
    await database.prisma.chatSession.update({ where: { id: session.id }, data: { currentMessageId: message.id } })
    await database.prisma.chatMessage.delete({ where: { id: message.id } })
    const storedSession = await database.prisma.chatSession.findUniqueOrThrow({ where: { id: session.id } })
    expect(storedSession.currentMessageId).toBeNull()
  })

  test('a session has at most one running answer', async () => {
    const { user, session, message } = await addSession()
    const second = await database.prisma.chatMessage.create({ data: { sessionId: session.id, role: 'assistant' } })
    const start = (messageId: string) =>
      database.prisma.chatAnswer.create({
        data: { messageId, sessionId: session.id, userId: user.id, serverId: randomUUID() },
      })
    await start(message.id)
    expect(await codeOf(start(second.id))).toBe('P2002')
    await database.prisma.chatAnswer.update({ where: { messageId: message.id }, data: { finishedAt: new Date() } })
    await start(second.id)
  })

  test('a client id is unique within a session', async () => {
    const { session } = await addSession()
    const send = () =>
      database.prisma.chatMessage.create({ data: { sessionId: session.id, role: 'user', clientId: 'tab-1' } })
    await send()
    expect(await codeOf(send())).toBe('P2002')
  })
})

describe('search', () => {
  test('words are found by their stem in the language of the message, and by part of the word', async () => {
    const { message } = await addSession()
    await database.prisma.$executeRaw`UPDATE chat_messages SET lang = 'english' WHERE id = ${message.id}::uuid`
    const byStem = await database.prisma.$queryRaw<{ id: string }[]>`
      SELECT id FROM chat_messages WHERE tsv @@ websearch_to_tsquery('english', 'swimming') AND id = ${message.id}::uuid`
    const byPart = await database.prisma.$queryRaw<{ id: string }[]>`
      SELECT id FROM chat_messages WHERE content ILIKE ${'%SWI%'} AND id = ${message.id}::uuid`
    expect([byStem, byPart]).toStrictEqual([[{ id: message.id }], [{ id: message.id }]])
  })

  test('vectors can be stored and compared', async () => {
    const [row] = await database.prisma.$queryRaw<
      { distance: number }[]
    >`SELECT '[1,0]'::vector <=> '[0,1]' AS distance`
    expect(row?.distance).toBe(1)
  })
})

describe('transactions', () => {
  test('a transaction that throws leaves nothing behind', async () => {
    const id = randomUUID()
    const failing = database.prisma.$transaction(async (tx) => {
      await tx.setting.create({ data: { key: id, value: 1 } })
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await database.prisma.setting.count({ where: { key: id } })).toBe(0)
  })

  test('a transaction whose connection is dropped is rolled back', async () => {
    const id = randomUUID()
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query(`INSERT INTO settings (key, value) VALUES ($1, '1')`, [id])
    client.release(true)
    expect(await database.prisma.setting.count({ where: { key: id } })).toBe(0)
  })

  test('fifty concurrent updates are all applied', async () => {
    const key = randomUUID()
    await database.prisma.setting.create({ data: { key, value: 0 } })
    const add = () =>
      database.prisma.$executeRaw`UPDATE settings SET value = to_jsonb(value::int + 1) WHERE key = ${key}`
    await Promise.all(Array.from({ length: 50 }, add))
    expect((await database.prisma.setting.findUniqueOrThrow({ where: { key } })).value).toBe(50)
  })

  test('results and errors never reach another caller', async () => {
    const ask = async (n: number) => {
      if (n % 5 === 0) {
        await expect(database.pool.query('SELECT no_such_column')).rejects.toMatchObject({ code: '42703' })
        return n
      }
      const { rows } = await database.pool.query('SELECT $1::int AS n', [n])
      return rows[0].n
    }
    const numbers = Array.from({ length: 200 }, (_, n) => n)
    expect(await Promise.all(numbers.map(ask))).toStrictEqual(numbers)
  })
})

test('a database that responds is healthy', async () => {
  expect(await database.isHealthy()).toBe(true)
})
