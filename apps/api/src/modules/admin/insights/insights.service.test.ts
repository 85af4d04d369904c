import { createHash } from 'node:crypto'
import type { ActivityKind } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import { insightsServiceOn } from '../../../../test/insights-service.ts'
import { recordActivity } from '../../../platform/database/activity.ts'
import { buildAnalytics } from './index.ts'
import { createInsightsStore } from './insights.store.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const MINUTE_DAYS = 1 / (24 * 60)
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 24 * 60 * 60 * 1000)

let database: TestDatabase
let userId: string
let otherId: string
let users = 0

beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(async () => {
  await database.close()
})

async function createUser(createdAt: Date): Promise<string> {
  users += 1
  const name = `insights${users}`
  const { id } = await database.prisma.user.create({
    data: { username: name, email: `${name}@example.org`, passwordHash: 'x', createdAt },
  })
  return id
}

beforeEach(async () => {
  userId = await createUser(daysAgo(100))
  otherId = await createUser(daysAgo(100))
})

async function addActivity(
  owner: string,
  kind: ActivityKind,
  outcome: 'completed' | 'failed' | 'interrupted',
  days: number,
  action = 'test',
): Promise<void> {
  await database.prisma.activity.create({
    data: { userId: owner, kind, outcome, createdAt: daysAgo(days), detail: { action } },
  })
}

const insights = () => insightsServiceOn(database, { now: NOW })

describe('overview', () => {
  test('counts only the user’s sessions and agent calls, and compares the last 7 days with the 7 before', async () => {
    for (const [owner, days] of [
      [userId, 1],
      [userId, 2],
      [userId, 8],
      [userId, 40],
      [otherId, 1],
    ] as const) {
      await database.prisma.chatSession.create({
        data: { userId: owner, sessionName: 'x', createdAt: daysAgo(days), updatedAt: daysAgo(days) },
      })
    }
    await addActivity(userId, 'agent', 'completed', 9)
    await addActivity(userId, 'agent', 'failed', 10)
    await addActivity(otherId, 'agent', 'completed', 1)

    expect(await insights().overview(userId)).toEqual({
      chat_sessions: 4,
      media_items: 0,
      agent_calls: 2,
      efficiency: 50,
      change: { chat_sessions: 1, media_items: 0, agent_calls: -2, efficiency: null },
    })
  })

  test('the stored counts match the rows after inserts, updates and deletions', async () => {
    const { prisma } = database
    const sizes = { image: [10, 20], video: [1000], document: [5, 6, 7] }
    const rows = Object.entries(sizes).flatMap(([mediaType, values]) =>
      values.map((sizeBytes, index) => ({
        ...{
          userId,
          mediaType,
          sizeBytes,
          sha256: createHash('sha256').update(`${mediaType}${index}`).digest('hex'),
          path: `${mediaType}${index}`,
        },
        ...{ originalFilename: 'x', contentType: 'text/plain', processingStatus: 'completed' },
      })),
    )
    await prisma.mediaItem.createMany({ data: rows })
    await prisma.mediaItem.createMany({ data: rows.slice(0, 2).map((row) => ({ ...row, userId: otherId })) })
    await prisma.chatSession.createMany({ data: ['one', 'two'].map((sessionName) => ({ userId, sessionName })) })
    await prisma.mediaItem.updateMany({
      where: { userId, path: 'document0' },
      data: { sizeBytes: 50, caption: 'longer' },
    })
    await prisma.mediaItem.deleteMany({ where: { userId, path: { in: ['image0', 'document1'] } } })
    await prisma.chatSession.deleteMany({ where: { userId, sessionName: 'one' } })

    const storedSizes = async (owner: string) =>
      Object.fromEntries(
        (await prisma.userCount.findMany({ where: { userId: owner } })).map(({ subject, count, bytes }) => [
          subject,
          [count, Number(bytes)],
        ]),
      )
    expect(await storedSizes(userId)).toEqual({
      image: [1, 20],
      video: [1, 1000],
      document: [2, 57],
      conversation: [1, 0],
    })
    expect(await storedSizes(otherId)).toEqual({ image: [2, 30] })

    await prisma.user.delete({ where: { id: userId } })
    expect(await storedSizes(userId)).toEqual({})
    expect(await storedSizes(otherId)).toEqual({ image: [2, 30] })
  })

  test('efficiency is the completed share of the last 30 days’ requests, without those the user interrupted', async () => {
    await addActivity(userId, 'chat', 'completed', 1)
    await addActivity(userId, 'search', 'completed', 2)
    await addActivity(userId, 'effect', 'failed', 3)
    await addActivity(userId, 'chat', 'interrupted', 3)
    await addActivity(userId, 'upload', 'completed', 8)
    await addActivity(userId, 'chat', 'failed', 9)
    // not requests, too old, somebody else's
    await addActivity(userId, 'account', 'failed', 1)
    await addActivity(userId, 'automation', 'failed', 1)
    // opening a result isn't a request
    await addActivity(userId, 'search', 'completed', 2, 'opened')
    await addActivity(userId, 'chat', 'failed', 31)
    await addActivity(otherId, 'chat', 'failed', 1)

    const { efficiency, change } = await insights().overview(userId)
    expect(efficiency).toBe(60)
    // 2 of 3 against 1 of 2, in percentage points
    expect(change.efficiency).toBe(16.7)
  })

  test('gives null for a figure without measurements', async () => {
    const { efficiency, change } = await insights().overview(userId)
    expect(efficiency).toBeNull()
    expect(change).toEqual({ chat_sessions: 0, media_items: 0, agent_calls: 0, efficiency: null })
  })

  test('a young account has no change, except in figures with earlier activity', async () => {
    const young = await createUser(daysAgo(10))
    await addActivity(young, 'agent', 'completed', 1)
    await addActivity(young, 'agent', 'completed', 9)
    const { change } = await insights().overview(young)
    expect(change).toEqual({ chat_sessions: null, media_items: null, agent_calls: 0, efficiency: 0 })
  })

  test('doesn’t read old activities, however many there are', async () => {
    await database.pool.query(
      `INSERT INTO activities (id, user_id, kind, created_at)
       SELECT gen_random_uuid(), $1, 'chat', $2::timestamptz FROM generate_series(1, 5000)`,
      [userId, daysAgo(200)],
    )
    await addActivity(userId, 'agent', 'completed', 300)
    await addActivity(userId, 'agent', 'completed', 1)
    const { figures, rowsRead } = await database.prisma.$transaction(async (tx) => {
      const rows = async () => {
        const [read] = await tx.$queryRaw<{ rows: bigint }[]>`
          SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'activities'`
        return Number(read?.rows)
      }
      const before = await rows()
      const read = await createInsightsStore({ prisma: tx }).overview(userId, NOW)
      return { figures: read, rowsRead: (await rows()) - before }
    })
    expect(figures).toMatchObject({ agentCalls: { total: 2, recent: 1 } })
    expect(rowsRead).toBeLessThan(100)
  })

  test('gives the same counts from hourly sums as from single activities, also after changes and removals', async () => {
    const now = new Date()
    const at = (days: number) => new Date(now.getTime() - days * 24 * 60 * 60 * 1000)
    const kinds = ['chat', 'search', 'agent', 'upload', 'effect', 'account'] as const
    const outcomes = ['completed', 'completed', 'failed', 'interrupted'] as const
    const rangeStarts = [7, 14, 30, 0.01]
    const rowOf = (n: number) => ({
      userId: n % 7 === 0 ? otherId : userId,
      kind: kinds[n % 6]!,
      outcome: outcomes[Math.floor(n / 6) % 4]!,
      countsInAnalytics: n % 5 !== 0,
      detail: { action: n % 6 === 1 && n % 4 === 1 ? 'opened' : 'done', agent: 'CalculatorAgent' },
      // some a minute before and after the weeks begin, and some within this hour
      createdAt: at((rangeStarts[n % 12] ?? ((n * 7919) % 3500) / 100 + 0.01) + ((n % 5) - 2) * MINUTE_DAYS),
    })
    await database.prisma.activity.createMany({ data: Array.from({ length: 900 }, (_, n) => rowOf(n)) })
    const { rollups } = buildAnalytics({ database, queue: { enqueue: async () => {} }, log: silentLog })
    const store = createInsightsStore({ prisma: database.prisma })

    const expectCounted = async () => {
      const all = await database.prisma.activity.findMany({ where: { userId } })
      const uses = all.filter(
        ({ kind, detail }) => kind !== 'account' && (detail as { action: string }).action !== 'opened',
      )
      const between = (from: number, until: number) =>
        uses.filter(({ createdAt }) => createdAt > at(from) && createdAt <= at(until))
      const outcomesOf = (some: typeof uses) => ({
        completed: some.filter(({ outcome }) => outcome === 'completed').length,
        failed: some.filter(({ outcome }) => outcome === 'failed').length,
      })
      const agentCalls = (some: typeof uses) => some.filter(({ kind }) => kind === 'agent').length
      expect(await store.overview(userId, now)).toMatchObject({
        agentCalls: {
          total: agentCalls(uses),
          recent: agentCalls(between(7, -1)),
          previous: agentCalls(between(14, 7)),
        },
        requests: {
          month: outcomesOf(between(30, -1)),
          recent: outcomesOf(between(7, -1)),
          previous: outcomesOf(between(14, 7)),
        },
      })
    }
    await expectCounted()
    await rollups.run()
    await expectCounted()

    const some = await database.prisma.activity.findMany({ where: { userId }, orderBy: { id: 'asc' }, take: 300 })
    const ids = some.map(({ id }) => id)
    await database.prisma.activity.deleteMany({ where: { id: { in: ids.slice(0, 60) } } })
    await database.prisma.activity.updateMany({
      where: { id: { in: ids.slice(60, 120) } },
      data: { outcome: 'failed' },
    })
    await database.prisma.activity.createMany({ data: Array.from({ length: 100 }, (_, n) => rowOf(n + 1000)) })
    expect(await rollups.missingSince()).not.toBeNull()
    await expectCounted()
    await rollups.run()
    await expectCounted()

    await rollups.beforeRemoving(10)
    await database.prisma.activity.deleteMany({ where: { userId, createdAt: { lt: at(11) } } })
    await expectCounted()
    await rollups.run()
    await expectCounted()
  })

  test('gives 404 for an account deleted meanwhile', async () => {
    await expect(insights().overview('00000000-0000-4000-8000-000000000000')).rejects.toMatchObject({ status: 404 })
  })
})

describe('activity', () => {
  test('is the user’s own, newest first, named after the conversation and linked to it', async () => {
    const session = await database.prisma.chatSession.create({ data: { userId, sessionName: 'Plans for June' } })
    await recordActivity(database.prisma, {
      userId,
      kind: 'agent',
      subjectId: session.id,
      detail: { action: 'called', agent: 'CalculatorAgent' },
    })
    await recordActivity(database.prisma, {
      userId,
      kind: 'account',
      detail: { action: 'signed_in' },
    })
    await recordActivity(database.prisma, { userId: otherId, kind: 'chat', detail: { action: 'answered' } })

    const activity = await insights().activity(userId, 8)
    expect(activity).toEqual([
      {
        id: expect.any(String),
        type: 'account',
        outcome: 'completed',
        title: '',
        action: 'signed_in',
        detail: '',
        created_at: expect.any(Date),
        link: null,
      },
      {
        id: expect.any(String),
        type: 'agent',
        outcome: 'completed',
        title: 'Plans for June',
        action: 'called',
        detail: 'CalculatorAgent',
        created_at: expect.any(Date),
        link: `/chat?session=${session.id}`,
      },
    ])
    expect(await insights().activity(userId, 1)).toEqual(activity.slice(0, 1))
  })

  test('has the account or API token it is about as its title while that exists', async () => {
    const { prisma } = database
    const token = await prisma.apiToken.create({ data: { userId, name: 'Backup script', secretHash: 'x' } })
    const other = await prisma.user.findUniqueOrThrow({ where: { id: otherId } })
    const foreign = await prisma.apiToken.create({ data: { userId: otherId, name: 'Secret', secretHash: 'x' } })
    for (const [subjectId, action] of [
      [token.id, 'token_created'],
      [other.id, 'user_updated'],
      [foreign.id, 'token_created'],
    ] as const) {
      await recordActivity(prisma, { userId, kind: 'account', subjectId, detail: { action } })
    }
    const titles = async () => (await insights().activity(userId, 8)).map(({ title, link }) => ({ title, link }))
    expect(await titles()).toEqual([
      { title: '', link: null },
      { title: other.username, link: null },
      { title: 'Backup script', link: null },
    ])
    await prisma.apiToken.delete({ where: { id: token.id } })
    expect((await titles())[2]).toEqual({ title: '', link: null })
  })

  test('links neither to a deleted conversation nor to somebody else’s', async () => {
    const foreign = await database.prisma.chatSession.create({ data: { userId: otherId, sessionName: 'Secret' } })
    const deletedSession = await database.prisma.chatSession.create({ data: { userId, sessionName: 'Gone' } })
    for (const subjectId of [foreign.id, deletedSession.id]) {
      await recordActivity(database.prisma, { userId, kind: 'chat', subjectId, detail: { action: 'answered' } })
    }
    await database.prisma.chatSession.delete({ where: { id: deletedSession.id } })
    const activity = await insights().activity(userId, 8)
    expect(activity.map(({ title, link }) => ({ title, link }))).toEqual([
      { title: '', link: null },
      { title: '', link: null },
    ])
  })
})
