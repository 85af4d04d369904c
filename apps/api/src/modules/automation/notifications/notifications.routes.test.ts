import { randomUUID } from 'node:crypto'
import type { NotificationsResponseJson, UserEvent } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

async function list({ token }: TestAccount, query = ''): Promise<NotificationsResponseJson> {
  const response = await mira.request.get(`/api/notifications${query}`).auth(token, { type: 'bearer' }).expect(200)
  return response.body as NotificationsResponseJson
}

function markRead({ token }: TestAccount, body: object) {
  return mira.request.post('/api/notifications/read').auth(token, { type: 'bearer' }).send(body).expect(204)
}

/** Events that a user receives during the work. */
async function eventsDuring(userId: string, work: () => Promise<unknown>): Promise<UserEvent[]> {
  const stop = new AbortController()
  const events: UserEvent[] = []
  const listening = (async () => {
    for await (const event of mira.context.events.subscribe(userId, stop.signal)) events.push(event)
  })()
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  stop.abort()
  await listening
  return events
}

test('stores notifications, sends them as events, lists them page by page and marks them as read', async () => {
  const [account, other] = [await mira.createUser(), await mira.createUser()]
  const { notify } = mira.context.notifications
  const events = await eventsDuring(account.user.id, async () => {
    for (let n = 1; n <= 5; n++) await notify(account.user.id, { kind: 'model_ready', params: { title: `model ${n}` } })
  })
  const failure = {
    kind: 'automation_failed',
    params: { reason: 'It failed.' },
    told: [{ code: 'run_failed', params: {} }],
  }
  const { params, told: sentences } = failure
  await notify(other.user.id, { kind: 'automation_failed', params, sentences, link: '/admin' })
  expect((await list(other)).notifications).toMatchObject([failure])

  const first = await list(account, '?limit=2')
  expect(first).toEqual({
    notifications: ['model 5', 'model 4'].map((title) => ({
      id: expect.any(String),
      kind: 'model_ready',
      params: { title },
      told: [],
      link: null,
      created_at: expect.any(String),
      read_at: null,
    })),
    next_cursor: expect.any(String),
    unread_count: 5,
  })
  expect(events.at(-1)).toEqual({
    type: 'notification',
    notification: { id: first.notifications[0]?.id, kind: 'model_ready', params: { title: 'model 5' }, link: null },
  })
  const second = await list(account, `?limit=3&cursor=${first.next_cursor}`)
  expect(second.notifications.map(({ params }) => params.title)).toEqual(['model 3', 'model 2', 'model 1'])
  expect(second.next_cursor).toBeNull()

  const foreignId = (await list(other)).notifications[0]?.id
  const ids = [...first.notifications.map(({ id }) => id), foreignId, randomUUID()]
  expect(await eventsDuring(account.user.id, () => markRead(account, { ids }))).toEqual([
    { type: 'notifications.read' },
  ])
  // Marking them again changes nothing.
  expect(await eventsDuring(account.user.id, () => markRead(account, { ids }))).toEqual([])
  expect((await list(account, '?unread=true')).notifications.map(({ params }) => params.title)).toEqual([
    'model 3',
    'model 2',
    'model 1',
  ])
  await markRead(account, {})
  expect(await list(account, '?unread=true')).toEqual({ notifications: [], next_cursor: null, unread_count: 0 })
  expect(await list(other)).toMatchObject({ unread_count: 1, notifications: [{ link: '/admin', read_at: null }] })
})

test('cuts a long title before an emoji that doesn’t fit', async () => {
  const account = await mira.createUser()
  const params = { title: `${'x'.repeat(498)}👨‍👩‍👧` }
  await mira.context.notifications.notify(account.user.id, { kind: 'model_ready', params })
  expect((await list(account)).notifications).toMatchObject([{ params: { title: 'x'.repeat(498) } }])
})

test('merges related notifications while they’re unread', async () => {
  const account = await mira.createUser()
  const notify = (title: string, subjectId: string) =>
    mira.context.notifications.notify(account.user.id, {
      kind: 'media_failed',
      params: { title },
      link: `/gallery?item=${subjectId}`,
      subjectId,
      joins: { by: 'kind', link: '/gallery' },
    })
  const remind = (text: string, subjectId: string) =>
    mira.context.notifications.notify(account.user.id, {
      kind: 'reminder_due',
      params: { text },
      subjectId,
      joins: { by: 'subject' },
    })
  const [first, second] = [randomUUID(), randomUUID()]
  await notify('a.pdf', first)
  await notify('b.pdf', second)
  await notify('c.pdf', randomUUID())
  await remind('water', first)
  await remind('water', first)
  await remind('tea', second)
  const unread = async () =>
    (await list(account, '?unread=true')).notifications.map(({ kind, params, link }) => ({ kind, params, link }))
  expect(await unread()).toEqual([
    { kind: 'reminder_due', params: { text: 'tea' }, link: null },
    { kind: 'reminder_due', params: { text: 'water', count: 2 }, link: null },
    { kind: 'media_failed', params: { count: 3 }, link: '/gallery' },
  ])
  await markRead(account, {})
  await notify('d.pdf', first)
  expect(await unread()).toEqual([{ kind: 'media_failed', params: { title: 'd.pdf' }, link: `/gallery?item=${first}` }])
})

test.each([
  ['a malformed cursor', '?cursor=here'],
  ['a cursor of another list', `?cursor=${randomUUID()}`],
  ['a limit of 0', '?limit=0'],
  ['a limit over 100', '?limit=101'],
])('rejects %s', async (_name, query) => {
  await mira.request.get(`/api/notifications${query}`).auth(mira.admin.token, { type: 'bearer' }).expect(422)
})

test('lets one of a user’s devices show a due reminder, once each time it comes due', async () => {
  const [account, other] = [await mira.createUser(), await mira.createUser()]
  const subjectId = randomUUID()
  const due = (text: string, subject = subjectId) =>
    mira.context.notifications.notify(account.user.id, {
      kind: 'reminder_due',
      params: { text },
      subjectId: subject,
      joins: { by: 'subject' },
    })
  const claim = async ({ token }: TestAccount, body: object = {}) => {
    const response = await mira.request.post('/api/notifications/shown').auth(token, { type: 'bearer' }).send(body)
    expect(response.status).toBe(200)
    return (response.body as NotificationsResponseJson).notifications.map(({ params }) => params.text)
  }
  await due('Water the plants')
  await mira.context.notifications.notify(account.user.id, { kind: 'model_ready', params: { title: 'a model' } })
  expect(await claim(other, { subject_id: subjectId })).toEqual([])
  expect(await claim(account, { subject_id: subjectId })).toEqual(['Water the plants'])
  expect(await claim(account, { subject_id: subjectId })).toEqual([])
  expect(await claim(account)).toEqual([])

  await due('Water the plants')
  await due('Call Ann', randomUUID())
  expect(await claim(account)).toEqual(['Call Ann', 'Water the plants'])
  await due('Feed the cat', randomUUID())
  await markRead(account, {})
  expect(await claim(account)).toEqual([])
})
