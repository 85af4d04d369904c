import { setTimeout as sleep } from 'node:timers/promises'
import type { UserEvent } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, silentLog, type TestDatabase } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { type Database, openDatabase } from '../../../platform/database/client.ts'
import type { ServerMessages } from '../../../platform/database/server-messages.ts'
import { createEvents } from '../../../platform/events/events.service.ts'
import { buildReminders } from '../index.ts'

/** Builds a server on a database with a clock that the test sets, and records the user's events. */
function startServer(database: Database, userId: string, clock: { now: Date }) {
  const stop = new AbortController()
  const events = createEvents({ ...database, log: silentLog })
  const { reminders, reminderClock, notifications } = buildReminders({
    log: silentLog,
    database,
    events,
    now: () => clock.now,
  })
  const received: UserEvent[] = []
  const listening = (async () => {
    for await (const event of events.subscribe(userId, stop.signal)) received.push(event)
  })()
  return {
    reminders,
    notifications,
    received,
    start: reminderClock.start,
    /** Sets the time and wakes the reminder clock, as its timer would. */
    async wakeAt(iso: string) {
      clock.now = new Date(iso)
      reminderClock.wake()
    },
    dueEvents: () =>
      received.flatMap((event) => (event.type === 'reminder.due' ? [`${event.text} ${event.due_at}`] : [])),
    async close() {
      await reminderClock.close()
      stop.abort()
      await listening
    },
  }
}

describe('a due reminder', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())

  const reminder = (text: string, due_at: string) => ({ text, due_at: new Date(due_at), time_zone: 'UTC' })

  test('is announced once with a notification, again after a snooze, and not when it’s completed or deleted', async () => {
    const { id } = await insertUser(database)
    const server = startServer(database, id, { now: new Date('2026-05-01T10:00:00Z') })
    server.start()
    const tea = await server.reminders.create(id, reminder('tea', '2026-05-01T10:05:00Z'))
    const completed = await server.reminders.create(id, reminder('done', '2026-05-01T10:05:00Z'))
    const deleted = await server.reminders.create(id, reminder('deleted', '2026-05-01T10:05:00Z'))
    await server.reminders.complete(id, completed.id)
    await server.reminders.remove(id, deleted.id)
    await server.wakeAt('2026-05-01T10:05:01Z')
    await expect.poll(server.dueEvents, { timeout: 10_000 }).toEqual(['tea 2026-05-01T10:05:00.000Z'])
    const unreadNotifications = () => server.notifications.list(id, { limit: 10, unread: true })
    await expect
      .poll(async () => (await unreadNotifications()).notifications.map(({ params }) => params))
      .toEqual([{ text: 'tea' }])

    await server.reminders.snooze(id, tea.id, 10)
    expect((await unreadNotifications()).unread_count).toBe(0)
    await server.wakeAt('2026-05-01T10:15:00Z')
    await server.wakeAt('2026-05-01T10:15:02Z')
    await expect.poll(() => server.dueEvents().length, { timeout: 10_000 }).toBe(2)
    await server.reminders.remove(id, tea.id)
    expect(await server.notifications.list(id, { limit: 10, unread: false })).toMatchObject({ notifications: [] })
    await server.close()
    expect(server.dueEvents()).toHaveLength(2)
  })

  test('isn’t blocked by earlier ones that can’t be fired, however many there are', async () => {
    const { id } = await insertUser(database)
    await database.pool.query(`
      CREATE FUNCTION refuse_stuck() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE 'stuck';
      END $$`)
    await database.pool.query(
      `CREATE TRIGGER refuse_stuck BEFORE UPDATE ON reminders FOR EACH ROW WHEN (NEW.text = 'stuck') EXECUTE FUNCTION refuse_stuck()`,
    )
    await database.pool.query(
      `INSERT INTO reminders (id, user_id, text, due_at, time_zone)
       SELECT gen_random_uuid(), $1, 'stuck', '2026-05-01T10:04:00Z', 'UTC' FROM generate_series(1, 100)`,
      [id],
    )
    const server = startServer(database, id, { now: new Date('2026-05-01T10:00:00Z') })
    server.start()
    await server.reminders.create(id, reminder('tea', '2026-05-01T10:05:00Z'))
    await server.wakeAt('2026-05-01T10:05:01Z')
    await expect.poll(server.dueEvents, { timeout: 10_000 }).toEqual(['tea 2026-05-01T10:05:00.000Z'])
    await server.close()
    await database.pool.query('DROP FUNCTION refuse_stuck CASCADE')
    await database.pool.query('DELETE FROM reminders WHERE user_id = $1', [id])
  })

  test('is announced again after a snooze, even if the clock was ahead the first time', async () => {
    const { id } = await insertUser(database)
    const server = startServer(database, id, { now: new Date('2026-05-01T10:00:00Z') })
    server.start()
    const tea = await server.reminders.create(id, reminder('tea', '2026-05-01T12:00:00Z'))
    await server.wakeAt('2026-05-01T14:00:00Z')
    await expect.poll(() => server.dueEvents().length, { timeout: 10_000 }).toBe(1)
    await server.wakeAt('2026-05-01T12:01:00Z')
    await server.reminders.snooze(id, tea.id, 10)
    await server.wakeAt('2026-05-01T12:11:01Z')
    await expect.poll(() => server.dueEvents().length, { timeout: 10_000 }).toBe(2)
    await server.close()
  })

  test('is announced at startup when no server was running, once for a series, which continues in the future', async () => {
    const { id } = await insertUser(database)
    const before = startServer(database, id, { now: new Date('2026-05-01T10:00:00Z') })
    await before.reminders.create(id, reminder('once', '2026-05-02T10:00:00Z'))
    const due = new Date('2026-05-01T10:01:00Z')
    const { id: minutely } = await before.reminders.create(id, {
      ...reminder('minutely', due.toISOString()),
      recurrence: { every: 1, unit: 'minute' },
    })
    await before.close()
    expect(before.dueEvents()).toEqual([])

    const after = startServer(database, id, { now: new Date('2026-05-03T12:00:30Z') })
    after.start()
    await expect
      .poll(() => after.dueEvents().sort(), { timeout: 10_000 })
      .toEqual(['minutely 2026-05-01T10:01:00.000Z', 'once 2026-05-02T10:00:00.000Z'])
    const active = async () => (await after.reminders.list(id, { state: 'active', limit: 10 })).reminders
    expect((await active()).map(({ text, due_at }) => `${text} ${due_at.toISOString()}`)).toEqual([
      'once 2026-05-02T10:00:00.000Z',
      'minutely 2026-05-03T12:01:00.000Z',
    ])
    // Completes the announced occurrence; the next one stays.
    const completed = await after.reminders.complete(id, minutely)
    expect([completed.state, completed.due_at.toISOString()]).toEqual(['active', '2026-05-03T12:01:00.000Z'])
    // Pressed twice.
    const { fired_at, due_at } = completed
    expect(fired_at && (await after.reminders.complete(id, minutely, fired_at))).toEqual(completed)
    const next = await after.reminders.complete(id, minutely, due_at)
    expect(next.due_at.toISOString()).toBe('2026-05-03T12:02:00.000Z')
    expect(await after.reminders.complete(id, minutely, due_at)).toEqual(next)
    await after.close()
  })
})

test('a server that missed messages checks for reminders as soon as it’s reconnected', async () => {
  const database = await openTestDatabase()
  let reconnect = () => {}
  const listen: ServerMessages['listen'] = (_channel, _handler, onReconnected = () => {}) => {
    reconnect = onReconnected
    return () => {}
  }
  const { id } = await insertUser(database)
  const clock = { now: new Date('2026-05-01T10:00:00Z') }
  const disconnected = startServer({ ...database, listen }, id, clock)
  const other = startServer(database, id, clock)
  disconnected.start()
  // It has checked, and sleeps.
  await sleep(500)
  await other.reminders.create(id, { text: 'tea', due_at: new Date('2026-05-01T10:00:30Z'), time_zone: 'UTC' })
  clock.now = new Date('2026-05-01T10:00:31Z')
  reconnect()
  await expect.poll(disconnected.dueEvents, { timeout: 10_000 }).toHaveLength(1)
  await Promise.all([disconnected.close(), other.close()])
  await database.close()
})

describe.skipIf(!process.env.TEST_DATABASE_URL)('two servers with one database', () => {
  test('announce each reminder once', async () => {
    const first = await openTestDatabase()
    const second = await openDatabase({ databaseUrl: first.databaseUrl, dataDir: 'memory://', log: silentLog })
    const { id } = await insertUser(first)
    const clock = { now: new Date('2026-05-01T10:00:00Z') }
    const servers = [first, second].map((database) => startServer(database, id, clock))
    const [here, there] = servers
    for (const server of servers) server.start()
    const names = Array.from({ length: 24 }, (_, n) => `reminder ${String(n).padStart(2, '0')}`)
    for (const [n, text] of names.entries()) {
      await servers[n % 2]?.reminders.create(id, {
        text,
        due_at: new Date('2026-05-01T10:01:00Z'),
        time_zone: 'UTC',
        recurrence: n % 3 === 0 ? { every: 1, unit: 'day' } : null,
      })
    }
    clock.now = new Date('2026-05-01T10:01:00Z')
    await Promise.all(servers.map((server) => server.wakeAt(clock.now.toISOString())))
    const unreadNotifications = () => here?.notifications.list(id, { limit: 100, unread: true })
    await expect.poll(async () => (await unreadNotifications())?.unread_count, { timeout: 15_000 }).toBe(24)
    // Listeners on both servers receive each event once, whichever server announced it.
    const expected = names.map((text) => `${text} 2026-05-01T10:01:00.000Z`)
    await expect.poll(() => here?.dueEvents().length, { timeout: 15_000 }).toBe(24)
    await expect.poll(() => there?.dueEvents().length, { timeout: 15_000 }).toBe(24)
    expect([here?.dueEvents().sort(), there?.dueEvents().sort()]).toEqual([expected, expected])
    expect((await unreadNotifications())?.notifications.every(({ params }) => params.count === undefined)).toBe(true)
    for (const server of servers) await server.close()
    await second.close()
    await first.close()
  })
})
