import type { ReminderJson, RemindersResponseJson } from '@mira/shared'
import { DateTime } from 'luxon'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const HOUR_MS = 3_600_000
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

describe('/reminders', () => {
  let mira: TestApp
  let account: TestAccount
  beforeAll(async () => {
    mira = await startTestApp()
    account = await mira.createUser({ can_use_agents: true })
  })
  afterAll(() => mira.close())

  const send = (method: 'get' | 'post' | 'patch' | 'delete', path: string, body?: object) =>
    mira.request[method](`/api/reminders${path}`)
      .auth(account.token, { type: 'bearer' })
      .set('x-time-zone', 'Europe/Madrid')
      .send(body)
  const add = async (body: object) => (await send('post', '', body).expect(201)).body as ReminderJson
  const list = async (query = '') => (await send('get', query).expect(200)).body as RemindersResponseJson

  test('adds, changes, snoozes, completes, lists and deletes a reminder', async () => {
    const call = await add({ text: ' call Anna ', due_at: inHours(2) })
    expect(call).toEqual({
      id: expect.any(String),
      text: 'call Anna',
      due_at: expect.any(String),
      time_zone: 'Europe/Madrid',
      recurrence: null,
      state: 'active',
      fired_at: null,
      completed_at: null,
      created_at: expect.any(String),
    })
    const water = await add({
      text: 'water',
      due_at: inHours(1),
      time_zone: 'UTC',
      recurrence: { every: 2, unit: 'hour' },
    })
    await add({ text: 'rent', due_at: inHours(4), recurrence: { every: 1, unit: 'month' } })
    const first = await list('?limit=2')
    expect(first.reminders.map(({ text }) => text)).toEqual(['water', 'call Anna'])
    const second = await list(`?limit=2&cursor=${first.next_cursor}`)
    expect(second).toMatchObject({ reminders: [{ text: 'rent' }], next_cursor: null })

    const later = inHours(5)
    const changed = (await send('patch', `/${call.id}`, { text: 'call Ana', due_at: later }).expect(200)).body
    expect(changed).toMatchObject({ text: 'call Ana', due_at: later })
    const snoozed = (await send('post', `/${call.id}/snooze`, { minutes: 10 }).expect(200)).body as ReminderJson
    expect(Date.parse(snoozed.due_at) - Date.now()).toBeLessThan(11 * 60_000)
    const completed = (await send('post', `/${call.id}/complete`).expect(200)).body
    expect(completed).toMatchObject({ state: 'completed', completed_at: expect.any(String) })
    // Completing a series early skips its next occurrence.
    const next = (await send('post', `/${water.id}/complete`, { due_at: water.due_at }).expect(200))
      .body as ReminderJson
    expect((await send('post', `/${water.id}/complete`, { due_at: water.due_at }).expect(200)).body).toEqual(next)
    expect([next.state, Date.parse(next.due_at) - Date.parse(water.due_at)]).toEqual(['active', 2 * HOUR_MS])
    expect((await list('?state=completed')).reminders.map(({ text }) => text)).toEqual(['call Ana'])
    // A new due time makes it active again.
    await send('patch', `/${call.id}`, { due_at: later }).expect(200)
    expect((await list()).reminders.map(({ text }) => text)).toEqual(['water', 'rent', 'call Ana'])

    for (const { id } of (await list()).reminders) await send('delete', `/${id}`).expect(204)
    expect(await list()).toEqual({ reminders: [], next_cursor: null })
    await send('delete', `/${call.id}`).expect(404)
  })

  test('ends a series that is completed early until it reaches the last possible date', async () => {
    const { id } = await add({ text: 'comet', due_at: inHours(1), recurrence: { every: 1000, unit: 'year' } })
    const states: string[] = []
    while (states.at(-1) !== 'completed' && states.length < 10) {
      const { body } = await send('post', `/${id}/complete`).expect(200)
      states.push(body.state)
      await send('patch', `/${id}`, { time_zone: 'UTC' }).expect(200)
    }
    expect(states.filter((state) => state === 'completed')).toHaveLength(1)
    await send('delete', `/${id}`).expect(204)
  })

  test('a series keeps a new time of day, and becomes a single reminder without its recurrence', async () => {
    const daily = await add({ text: 'walk', due_at: inHours(2), recurrence: { every: 1, unit: 'day', time: '09:00' } })
    const noon = DateTime.now()
      .setZone('Europe/Madrid')
      .plus({ days: 2 })
      .set({ hour: 12, minute: 15 })
      .startOf('minute')
    const moved = (await send('patch', `/${daily.id}`, { due_at: noon.toUTC().toISO() }).expect(200)).body
    expect(moved).toMatchObject({
      due_at: noon.toUTC().toISO(),
      recurrence: { every: 1, unit: 'day', time: '12:15' },
    })
    const once = (await send('patch', `/${daily.id}`, { recurrence: null }).expect(200)).body
    expect(once).toMatchObject({ due_at: noon.toUTC().toISO(), recurrence: null })
  })

  test('another time of day leaves a series its days, and another day moves its weekday', async () => {
    const zone = 'Europe/Madrid'
    const dueIn = ({ due_at }: ReminderJson) => DateTime.fromISO(due_at, { zone })
    const change = async ({ id }: ReminderJson, due: DateTime) =>
      (await send('patch', `/${id}`, { due_at: due.toUTC().toISO() }).expect(200)).body as ReminderJson
    const skip = async ({ id }: ReminderJson) =>
      (await send('post', `/${id}/complete`).expect(200)).body as ReminderJson
    const january = DateTime.fromObject({ year: DateTime.now().year + 1, month: 1, day: 31, hour: 9 }, { zone })
    const monthly = await add({
      text: 'rent',
      due_at: january.toUTC().toISO(),
      recurrence: { every: 1, unit: 'month' },
    })
    const february = await skip(monthly)
    expect(dueIn(february).day).toBeLessThan(30)
    const later = await change(february, dueIn(february).set({ hour: 10 }))
    expect(dueIn(later)).toEqual(dueIn(february).set({ hour: 10 }))
    expect(dueIn(await skip(later)).toFormat('d.M. HH:mm')).toBe('31.3. 10:00')

    const monday = DateTime.now().setZone(zone).plus({ weeks: 2 }).startOf('week').set({ hour: 9 })
    const weekly = {
      text: 'bins',
      due_at: monday.toUTC().toISO(),
      recurrence: { every: 1, unit: 'week', weekdays: [1] },
    }
    const moved = await change(await add(weekly), monday.plus({ days: 1 }).set({ hour: 10 }))
    expect(moved.recurrence).toMatchObject({ weekdays: [2], time: '10:00' })
    expect(dueIn(moved).toISODate()).toBe(monday.plus({ days: 1 }).toISODate())

    const { id } = await add({ ...weekly, recurrence: { every: 1, unit: 'week', weekdays: [1, 3] } })
    const tuesday = { due_at: monday.plus({ days: 1 }).toUTC().toISO() }
    const { body } = await send('patch', `/${id}`, tuesday).expect(422)
    expect(body).toMatchObject({ code: 'reminder_weekday', errors: [{ path: 'due_at' }] })
    for (const reminder of (await list()).reminders) await send('delete', `/${reminder.id}`).expect(204)
  })

  test.each<[string, object, string]>([
    ['no text', { text: ' ', due_at: inHours(1) }, 'text'],
    ['a text of 501 characters', { text: 'x'.repeat(501), due_at: inHours(1) }, 'text'],
    ['a time that has passed', { text: 'x', due_at: inHours(-1) }, 'due_at'],
    ['a time in 300 years', { text: 'x', due_at: '2326-01-01T00:00:00Z' }, 'due_at'],
    ['an unknown time zone', { text: 'x', due_at: inHours(1), time_zone: 'Mars/Olympus' }, 'time_zone'],
    [
      'an interval of 0',
      { text: 'x', due_at: inHours(1), recurrence: { every: 0, unit: 'minute' } },
      'recurrence.every',
    ],
    [
      'an interval of seconds',
      { text: 'x', due_at: inHours(1), recurrence: { every: 5, unit: 'second' } },
      'recurrence.unit',
    ],
    [
      'weekdays in a monthly recurrence',
      { text: 'x', due_at: inHours(1), recurrence: { every: 1, unit: 'month', weekdays: [1] } },
      'recurrence.weekdays',
    ],
    [
      'a time of day in an hourly recurrence',
      { text: 'x', due_at: inHours(1), recurrence: { every: 1, unit: 'hour', time: '09:00' } },
      'recurrence.time',
    ],
  ])('rejects %s', async (_name, body, path) => {
    const { body: refusal } = await send('post', '', body).expect(422)
    expect(refusal.errors).toEqual([{ path, message: expect.any(String) }])
  })

  test('rejects more than 1000 active reminders', async () => {
    const { id: userId } = account.user
    await mira.context.database.pool.query(
      `INSERT INTO reminders (id, user_id, text, due_at, time_zone)
       SELECT gen_random_uuid(), $1, 'x', now() + interval '1 day', 'UTC' FROM generate_series(1, 1000)`,
      [userId],
    )
    const { body } = await send('post', '', { text: 'one more', due_at: inHours(1) }).expect(409)
    expect(body.code).toBe('too_many_reminders')
    await mira.context.database.prisma.reminder.deleteMany({ where: { userId } })
  })
})
