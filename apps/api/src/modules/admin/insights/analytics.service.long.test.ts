import { type Analytics, analyticsPeriods } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ExpectedAnalytics, readExpectedAnalytics } from '../../../../test/analytics-truth.ts'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { recordActivity } from '../../../platform/database/activity.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { createCleanUp } from '../../../platform/queue/clean-up.ts'
import { TIME_CLASS_RATIO } from './hour-rows.ts'
import { buildAnalytics } from './index.ts'
import { createRollupsStore } from './rollups.store.ts'

const NOW = new Date('2025-11-10T15:25:30Z')
/** Ends of consecutive quarters, which cover the year together with the one until NOW. */
const yearsQuarters = ['2025-02-10T15:25:30Z', '2025-05-10T15:25:30Z', '2025-08-10T15:25:30Z'].map(
  (now) => new Date(now),
)
const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Kolkata']
/** The year, and the quarter before it for comparison. */
const DAYS = 458
const ACTIVITIES = 480
/** Days of 23 and of 25 hours. */
const clockChanges = [
  { zone: 'America/New_York', day: new Date('2025-03-09T18:00:00Z') },
  { zone: 'Europe/Berlin', day: new Date('2025-03-30T18:00:00Z') },
  { zone: 'Europe/Berlin', day: new Date('2025-10-26T18:00:00Z') },
  { zone: 'America/New_York', day: new Date('2025-11-02T18:00:00Z') },
] as const
const ON_EACH_CHANGE = 12

let database: TestDatabase
let userIds: string[]
let built: ReturnType<typeof buildAnalytics>
const enqueue = vi.fn(async () => {})

let seed = 7
function random(): number {
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296
  return seed / 4_294_967_296
}
const pick = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)] as One

const kinds = ['chat', 'chat', 'chat', 'chat', 'search', 'search', 'agent', 'upload', 'effect', 'account'] as const

const daysBefore = (moment: Date, days: number) => new Date(moment.getTime() - days * 86_400_000)

/** Records activities in order, as the product does, then sets their times. */
async function record(moments: readonly Date[]): Promise<void> {
  const activities = moments.map((at) => ({ id: newId(), at, userId: pick(userIds), kind: pick(kinds) }))
  const uploaded = activities.filter(({ kind }) => kind === 'upload')
  const files = await processedFiles(uploaded)
  for (const { id, userId, kind } of activities) {
    const sessions = Array.from({ length: 8 }, (_, n) => `${userId.slice(0, -1)}${n}`)
    await recordActivity(database.prisma, {
      id,
      userId,
      kind,
      outcome: kind === 'upload' ? 'completed' : pick(['completed', 'completed', 'completed', 'failed', 'interrupted']),
      subjectId: files.get(id) ?? pick(sessions),
      durationMs: Math.round(Math.exp(3 + 7 * random())),
      ...(kind === 'chat' ? { firstTokenMs: Math.round(Math.exp(2 + 5 * random())) } : {}),
      detail: {
        action: kind === 'search' && random() < 0.3 ? 'opened' : 'done',
        agent: 'CalculatorAgent',
        query: 'a secret',
      },
      countsInAnalytics: random() > 0.1,
    })
  }
  await database.pool.query(
    `UPDATE activities a SET created_at = told.at FROM unnest($1::uuid[], $2::timestamptz[]) AS told (id, at)
     WHERE a.id = told.id`,
    [activities.map(({ id }) => id), activities.map(({ at }) => at)],
  )
}

/** Inserts an item with two timed steps for each upload. @returns ids of the items by activity. */
async function processedFiles(
  uploads: readonly { id: string; userId: string; at: Date }[],
): Promise<Map<string, string>> {
  const files = await Promise.all(
    uploads.map(async ({ id, userId, at }) => ({
      ...{ id, at },
      file: await insertMediaItem(database, userId, { processingStatus: 'completed', createdAt: at }),
    })),
  )
  await database.prisma.mediaStep.createMany({
    data: files.flatMap(({ file, at }) =>
      ['inspect', 'read'].map((name, position) => ({
        ...{ mediaItemId: file.id, name, position, status: 'completed', startedAt: at },
        finishedAt: new Date(at.getTime() + 1 + Math.round(Math.exp(4 + 6 * random()))),
      })),
    ),
  })
  return new Map(files.map(({ id, file }) => [id, file.id]))
}

beforeAll(async () => {
  database = await openTestDatabase()
  userIds = await Promise.all([1, 2, 3].map(async () => (await insertUser(database)).id))
  await database.prisma.user.updateMany({ data: { createdAt: new Date('2024-01-01T00:00:00Z') } })
  built = buildAnalytics({ database, queue: { enqueue }, log: silentLog })
  await record([
    // more of them recently, and some within the last day
    ...Array.from({ length: ACTIVITIES }, (_, n) => daysBefore(NOW, DAYS * random() ** (n % 24 === 0 ? 6 : 1.4))),
    ...clockChanges.flatMap(({ day }) => Array.from({ length: ON_EACH_CHANGE }, () => daysBefore(day, random()))),
  ])
}, 120_000)
afterAll(() => database.close())

const change = (now: number | null, before: number | null) =>
  now === null || before === null || before === 0 ? null : Math.round((1000 * (now - before)) / before) / 10

/** Reported times are the middle of their class. */
function expectClose(reported: number | null | undefined, exact: number | null): void {
  if (exact === null) expect(reported).toBeNull()
  else expect(Math.abs(Math.log((reported as number) / exact))).toBeLessThan(Math.log(TIME_CLASS_RATIO) / 2 + 0.006)
}

function expectAnalytics(analytics: Analytics, truth: ExpectedAnalytics): void {
  const { now, before } = truth
  expect({ from: analytics.from, until: analytics.until }).toEqual({ from: truth.from, until: truth.until })
  const { trends, total_users: users, active_sessions: open, avg_session_time: time, ...counted } = analytics.overview
  expect({ counted, users, open }).toEqual({
    counted: {
      active_users: now.active_users,
      total_sessions: now.sessions,
      chat_messages: now.chat,
      media_uploads: now.upload,
      agent_calls: now.agent,
      search_queries: now.search,
    },
    users: analytics.user_id === null ? userIds.length : 1,
    // no conversation exists
    open: 0,
  })
  if (now.session_seconds === null) expect(time).toBeNull()
  else expect(time).toBeCloseTo(now.session_seconds, 0)
  expect(trends).toMatchObject({
    total_users: 0,
    active_users: change(now.active_users, before.active_users),
    active_sessions: null,
    chat_messages: change(now.chat, before.chat),
    media_uploads: change(now.upload, before.upload),
    agent_calls: change(now.agent, before.agent),
    search_queries: change(now.search, before.search),
  })

  const used = analytics.usage.filter(({ date: _, ...row }) => Object.values(row).some((count) => count > 0))
  const activeDays = truth.days.filter(({ chat, upload, agents, search }) => chat + upload + agents + search > 0)
  // when clocks go back, the repeated hour has one name in the truth and two in the answer
  expect(used.map((row) => ({ ...row, date: row.date.slice(0, activeDays[0]?.date.length) }))).toEqual(activeDays)
  expect(analytics.hourly.filter(({ count }) => count > 0).map(({ hour, count }) => ({ hour, count }))).toEqual(
    truth.hours.map(({ hour, count }) => ({ hour, count })),
  )
  const days = Math.max(1, (truth.until.getTime() - truth.from.getTime()) / 86_400_000)
  for (const { hour, user_hours: userHours } of truth.hours) {
    expect(analytics.hourly[hour]?.users).toBeCloseTo(userHours / days, 2)
  }
  expect(
    analytics.heatmap.filter(({ value }) => value > 0).map(({ day, hour, value }) => ({ day, hour, value })),
  ).toEqual(truth.cells)
  const max = Math.max(...truth.cells.map(({ value }) => value))
  for (const { value, intensity } of analytics.heatmap) expect(intensity).toBeCloseTo(value / Math.max(1, max), 2)

  const four = now.chat + now.upload + now.agent + now.search
  const shares = [now.chat, now.upload, now.agent, now.search].map((n) =>
    four === 0 ? null : Math.round((1000 * n) / four) / 10,
  )
  expect(analytics.features.map(({ value }) => value)).toEqual(shares)

  const measured = Object.fromEntries(analytics.performance.map((row) => [row.metric, row.value]))
  expectClose(measured.response_time_p50, now.p50)
  expectClose(measured.response_time_p95, now.p95)
  expectClose(measured.time_to_first_token, now.first_token)
  expectClose(measured.ingestion_time, now.ingestion)
  const rate = now.completed + now.failed === 0 ? null : (100 * now.failed) / (now.completed + now.failed)
  if (rate === null) expect(measured.error_rate).toBeNull()
  else expect(measured.error_rate).toBeCloseTo(rate, 2)

  const uses = now.chat + now.upload + now.agent + now.search + now.effect
  const usesBefore = before.chat + before.upload + before.agent + before.search + before.effect
  const [peak, growth, , behavior] = analytics.insights
  if (uses > 0) {
    const busiest = Math.max(...truth.hours.map(({ count }) => count))
    expect(peak?.numbers).toMatchObject({ count: busiest, share: Math.round((1000 * busiest) / uses) / 10 })
  }
  if (four > 0) {
    const max = Math.max(now.chat, now.upload, now.agent, now.search)
    expect(behavior?.numbers).toMatchObject({
      share: Math.round((1000 * max) / uses) / 10,
      active_users: now.active_users,
      uses_per_user: Math.round((10 * uses) / now.active_users) / 10,
    })
  }
  const grown = change(uses, usesBefore)
  expect(growth?.numbers ?? null).toEqual(
    grown === null ? null : { current: uses, previous: usesBefore, change: grown },
  )
}

interface Comparison {
  periods?: readonly Analytics['period'][]
  timeZones?: readonly string[]
  now?: Date
}

/** Compares the figures of all users and of one user. */
async function compare({ periods = analyticsPeriods, timeZones = zones, now = NOW }: Comparison): Promise<void> {
  for (const period of periods) {
    for (const zone of timeZones) {
      for (const userId of [null, userIds[0] as string]) {
        const caller = { id: userIds[0] as string, isAdmin: userId === null, timeZone: zone }
        const analytics = await built.analytics.read({ caller, period, now })
        expectAnalytics(analytics, await readExpectedAnalytics(database.pool, { period, zone, userId, now }))
      }
    }
  }
}

test('every figure of every period of a year equals an independent SQL count, rolled up or not, also after changes and removals', {
  timeout: 120_000,
}, async () => {
  // nothing is rolled up yet
  await compare({ periods: ['quarter'], timeZones: zones.slice(0, 1) })

  await built.rollups.run()
  const { rows: sums } = await database.pool.query(
    `SELECT (SELECT rolled_until > $1 FROM activity_rollups) AS is_rolled,
       (SELECT sum(completed + failed + interrupted)::int FROM activity_hours WHERE kind <> 'ingestion')
         = (SELECT count(*)::int FROM activities WHERE in_analytics) AS is_whole,
       (SELECT days_until = date_trunc('day', rolled_until, 'UTC') FROM activity_rollups) AS has_days,
       (SELECT count(*)::int FROM activity_hours h WHERE h::text LIKE '%secret%') AS texts`,
    [NOW],
  )
  expect(sums).toEqual([{ is_rolled: true, is_whole: true, has_days: true, texts: 0 }])
  await compare({})
  for (const now of yearsQuarters) await compare({ periods: ['quarter'], timeZones: zones.slice(0, 2), now })
  for (const { zone, day } of clockChanges) await compare({ periods: ['day', 'week'], timeZones: [zone], now: day })

  // late, changed, excluded from analytics, and removed activities
  await record(Array.from({ length: 20 }, () => daysBefore(NOW, 80 * random())))
  await database.pool.query(
    `UPDATE activities SET in_analytics = false, outcome = 'failed' WHERE id IN (SELECT id FROM activities ORDER BY id LIMIT 40)`,
  )
  await database.pool.query(`DELETE FROM activities WHERE id IN (SELECT id FROM activities ORDER BY id DESC LIMIT 60)`)
  // the job applies the changes; until then the figures have an `as_of`
  const waiting = await countMarks()
  expect((await read('week')).as_of).toBeInstanceOf(Date)
  expect(enqueue).toHaveBeenCalled()
  expect(await countMarks()).toBe(waiting)
  await built.rollups.run()
  expect((await read('week')).as_of).toBeNull()
  await compare({ periods: ['month', 'quarter'], timeZones: zones.slice(1, 2) })
  // an hour marked once per imported item is recomputed once
  await database.pool.query(`DELETE FROM activities WHERE id IN (SELECT id FROM activities ORDER BY id LIMIT 5)`)
  await database.pool.query(
    `INSERT INTO activity_marks (hour, user_id) SELECT hour, user_id FROM activity_marks, generate_series(1, 500)`,
  )
  await createRollupsStore(database).recomputeMarked()
  expect(await countMarks()).toBe(0)
  await compare({ periods: ['quarter'], timeZones: zones.slice(0, 1) })
  const earlier = await read('quarter')
  // recomputing everything changes nothing
  await database.pool.query(
    'INSERT INTO activity_marks (hour, user_id) SELECT DISTINCT hour, user_id FROM activity_hours',
  )
  await built.rollups.run()
  expect(await read('quarter')).toEqual(earlier)

  // as the previous version left it: hours without days
  const days = await readDays()
  await database.pool.query('DELETE FROM activity_days')
  await database.pool.query('DELETE FROM activity_day_totals')
  await database.pool.query('UPDATE activity_rollups SET days_until = NULL')
  expect(await read('quarter')).toEqual(earlier)
  await compare({ periods: ['month'], timeZones: zones.slice(2) })
  await built.rollups.run()
  expect(await read('quarter')).toEqual(earlier)
  expect(await readDays()).toEqual(days)

  // old activities are removed and their hours stay; a deleted account still takes its own along
  await built.rollups.beforeRemoving(7)
  const retention = {
    activity_days: 7,
    agent_run_days: null,
    notification_days: null,
    automation_run_days: null,
    audit_days: null,
    trash_days: null,
  }
  await createCleanUp({ pool: database.pool, retention: () => retention, log: silentLog })()
  expect(await database.prisma.activity.count()).toBe(0)
  await built.rollups.run()
  expect(await read('quarter')).toEqual(earlier)
  const own = await read('quarter', userIds[2])
  await database.prisma.user.delete({ where: { id: userIds[2] as string } })
  await built.rollups.run()
  const after = await read('quarter')
  expect(after.overview.chat_messages).toBe(earlier.overview.chat_messages - own.overview.chat_messages)
  expect(after.overview.total_users).toBe(userIds.length - 1)
})

const countMarks = async () =>
  Number((await database.pool.query('SELECT count(*) AS n FROM activity_marks')).rows[0]?.n)

/** Stored daily rows, per user and in total. */
const readDays = async () => {
  const { rows } = await database.pool.query<{ of_people: unknown[]; of_all: unknown[] }>(
    `SELECT (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.day, d.user_id, d.kind) FROM activity_days d) AS of_people,
       (SELECT jsonb_agg(to_jsonb(d) ORDER BY d.day, d.kind) FROM activity_day_totals d) AS of_all`,
  )
  return rows[0]
}

const read = (period: Analytics['period'], userId?: string) =>
  built.analytics.read({
    caller: { id: userIds[0] as string, isAdmin: true, timeZone: 'America/New_York' },
    period,
    userId,
    now: NOW,
  })
