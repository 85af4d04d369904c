import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../test/factories.ts'
import { createCleanUp, createDeleteFiles } from './clean-up.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

test('cleaning up removes expired rows, and nothing else', async () => {
  const { prisma } = database
  const user = await prisma.user.create({ data: { username: 'ada', email: 'ada@example.org', passwordHash: 'x' } })
  const session = await prisma.chatSession.create({ data: { userId: user.id, sessionName: 'Chat' } })
  const insertAnswer = async (finishedAt: Date | null) => {
    const { id } = await prisma.chatMessage.create({ data: { sessionId: session.id, role: 'assistant' } })
    const fields = { sessionId: session.id, userId: user.id, serverId: randomUUID(), finishedAt }
    await prisma.chatAnswer.create({ data: { messageId: id, ...fields, events: { create: { seq: 1, event: {} } } } })
    return id
  }
  await insertAnswer(minutesAgo(61))
  const keptAnswers = [await insertAnswer(minutesAgo(59)), await insertAnswer(null)]
  await prisma.authSession.create({ data: { userId: user.id, expiresAt: minutesAgo(1) } })
  const validSession = await prisma.authSession.create({ data: { userId: user.id, expiresAt: minutesAgo(-1) } })
  await prisma.loginFailure.create({ data: { username: 'ada', address: '::1', createdAt: minutesAgo(16) } })
  const failure = await prisma.loginFailure.create({
    data: { username: 'ada', address: '::1', createdAt: minutesAgo(14) },
  })
  // Of each kind, one that is too old and one that isn't; activities are kept.
  const retentionDays = {
    activity_days: null,
    agent_run_days: 30,
    notification_days: 30,
    automation_run_days: 30,
    audit_days: 30,
    trash_days: 30,
  }
  for (const days of [29, 31]) {
    const createdAt = minutesAgo(days * 24 * 60)
    const run = { userId: user.id, input: '1 + 1', output: '2', durationMs: 1, origin: 'page', createdAt }
    await prisma.agentRun.create({ data: { agentName: `${days} days ago`, outcome: 'completed', ...run } })
    await prisma.notification.create({ data: { userId: user.id, kind: `${days} days ago`, params: {}, createdAt } })
    await prisma.activity.create({ data: { userId: user.id, kind: 'chat', detail: { action: 'asked' }, createdAt } })
    const reminder = { userId: user.id, dueAt: createdAt, timeZone: 'UTC', createdAt }
    await prisma.reminder.create({ data: { text: `open since ${days} days`, ...reminder } })
    // Created before the retention period, but completed at the given time.
    const completed = { state: 'completed', completedAt: createdAt, createdAt: minutesAgo(99 * 24 * 60) }
    await prisma.reminder.create({ data: { ...reminder, text: `completed ${days} days ago`, ...completed } })
    for (const status of ['completed', 'running']) {
      const data = { taskType: `${status} ${days} days ago`, trigger: 'manual', status, createdAt }
      await prisma.automationRun.create({ data })
    }
  }

  await createCleanUp({ pool: database.pool, retention: () => retentionDays, log: silentLog })()

  const selectId = { select: { id: true } }
  const answers = await prisma.chatAnswer.findMany({ select: { messageId: true } })
  expect(new Set(answers.map(({ messageId }) => messageId))).toStrictEqual(new Set(keptAnswers))
  expect(await prisma.chatAnswerEvent.count()).toBe(2)
  expect(await prisma.chatMessage.count()).toBe(3)
  expect(await prisma.authSession.findMany(selectId)).toStrictEqual([{ id: validSession.id }])
  expect(await prisma.loginFailure.findMany(selectId)).toStrictEqual([{ id: failure.id }])
  expect((await prisma.agentRun.findMany()).map(({ agentName }) => agentName)).toEqual(['29 days ago'])
  expect((await prisma.notification.findMany()).map(({ kind }) => kind)).toEqual(['29 days ago'])
  expect((await prisma.reminder.findMany()).map(({ text }) => text).sort()).toEqual([
    'completed 29 days ago',
    'open since 29 days',
    'open since 31 days',
  ])
  expect(await prisma.activity.count()).toBe(2)
  expect((await prisma.automationRun.findMany()).map(({ taskType }) => taskType).sort()).toEqual([
    'completed 29 days ago',
    'running 29 days ago',
    'running 31 days ago',
  ])
})

test('a table that can’t be cleaned up doesn’t hold up the others', async () => {
  const { id: userId } = await insertUser(database)
  await database.prisma.usedTicket.create({ data: { id: randomUUID(), expiresAt: minutesAgo(1) } })
  await database.prisma.notification.create({
    data: { userId, kind: 'old', params: {}, createdAt: minutesAgo(31 * 24 * 60) },
  })
  const pool = {
    query: (statement: string | { text: string }) =>
      String(typeof statement === 'string' ? statement : statement.text).includes('auth_sessions')
        ? Promise.reject(new Error('refused'))
        : database.pool.query(statement as string),
  }
  const days = { activity_days: null, agent_run_days: null, notification_days: 30, audit_days: null }
  const retention = () => ({ ...days, automation_run_days: null, trash_days: null })
  const cleanUp = createCleanUp({ pool: pool as never, retention, log: silentLog })
  await expect(cleanUp()).rejects.toThrow('refused')
  expect(await database.prisma.usedTicket.count()).toBe(0)
  expect(await database.prisma.notification.count({ where: { userId } })).toBe(0)
})

// Needs two sessions, and the embedded database has one.
test.runIf(process.env.TEST_DATABASE_URL)(
  'an item that is restored while the trash is emptied stays, and the others are deleted',
  async () => {
    const { id: userId } = await insertUser(database)
    const [restored, gone] = [await insertMediaItem(database, userId), await insertMediaItem(database, userId)]
    await database.prisma.mediaItem.updateMany({
      where: { userId },
      data: { userId: null, trashedFrom: userId, trashedAt: minutesAgo(31 * 24 * 60) },
    })
    const client = await database.pool.connect()
    await client.query('BEGIN')
    await client.query(`UPDATE media_items SET user_id = $1, trashed_from = NULL, trashed_at = NULL WHERE id = $2`, [
      userId,
      restored.id,
    ])
    const days = { activity_days: null, agent_run_days: null, notification_days: null, audit_days: null }
    const retention = () => ({ ...days, automation_run_days: null, trash_days: 30 })
    let isDone = false
    const cleaning = createCleanUp({ pool: database.pool, retention, log: silentLog })().then(() => {
      isDone = true
    })
    await vi.waitFor(async () => {
      const { rows } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      expect(isDone || rows.length > 0).toBe(true)
    }, 30_000)
    await client.query('COMMIT')
    client.release()
    await cleaning
    const ids = { id: { in: [restored.id, gone.id] } }
    expect(await database.prisma.mediaItem.findMany({ where: ids, select: { id: true, userId: true } })).toEqual([
      { id: restored.id, userId },
    ])
  },
)

test('deleting files removes the given ones, all of a user, or those that no row names', async () => {
  const files = { delete: vi.fn(async () => {}), deleteAll: vi.fn(async () => {}), check: vi.fn(async () => {}) }
  const unreferencedFiles = { deleteDue: vi.fn(async () => {}) }
  const deleteFiles = createDeleteFiles({ files, unreferencedFiles })
  const run = { id: 'x', attempt: 1, isLastAttempt: false, signal: new AbortController().signal }
  const userId = randomUUID()
  await deleteFiles({ paths: ['a', 'b'] }, run)
  await deleteFiles({ user_id: userId }, run)
  expect(unreferencedFiles.deleteDue).not.toHaveBeenCalled()
  await deleteFiles({ loose: true }, run)
  expect(unreferencedFiles.deleteDue.mock.calls).toStrictEqual([[files.delete, run.signal]])
  files.check.mockRejectedValueOnce(new Error('the store is away'))
  await expect(deleteFiles({ loose: true }, run)).rejects.toThrow('the store is away')
  expect(unreferencedFiles.deleteDue).toHaveBeenCalledTimes(1)
  expect(files.delete.mock.calls).toStrictEqual([['a'], ['b']])
  files.delete.mockRejectedValueOnce(new Error('not this one'))
  await expect(deleteFiles({ paths: ['c', 'd'] }, run)).rejects.toThrow('not this one')
  expect(files.delete).toHaveBeenLastCalledWith('d')
  expect(files.deleteAll.mock.calls).toStrictEqual([[userId]])
})
