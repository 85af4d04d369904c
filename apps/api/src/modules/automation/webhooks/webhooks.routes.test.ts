import { createHmac } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { HookDeliveryJson, HooksResponseJson } from '@mira/shared'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertHook, insertUser } from '../../../../test/factories.ts'
import { selfSigned } from '../../../../test/self-signed.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { type WebhookCalls, webhookCallsOf } from '../../../../test/webhook-calls.ts'
import { type ReceivedRequest, startWebhookReceiver, type WebhookReceiver } from '../../../../test/webhook-receiver.ts'
import { createSafeFetcher } from '../../../platform/net/safe-fetcher.ts'
import { say } from '../../../sentences.ts'
import { createWebhookDeliveries, newSecret } from './webhook-deliveries.ts'
import { createWebhooksStore } from './webhooks.store.ts'

/** Jobs start within moments, except on a busy machine. */
const soon = { timeout: 20_000 }

const untrusted = createServer(selfSigned, (_request, response) => response.writeHead(204).end())
let untrustedHost: string
let mira: TestApp
let receiver: WebhookReceiver
let hooks: WebhookCalls
beforeAll(async () => {
  receiver = await startWebhookReceiver()
  await new Promise<void>((resolve) => untrusted.listen(0, '127.0.0.1', resolve))
  untrustedHost = `127.0.0.1:${(untrusted.address() as AddressInfo).port}`
  mira = await startTestApp({
    isStarted: true,
    environment: { FETCH_ALLOWED_HOSTS: `${receiver.host},${untrustedHost}` },
    hookLimits: { timeoutMs: 3_000, pausesSeconds: [0, 0] },
  })
  hooks = webhookCallsOf(mira, receiver)
})
afterAll(async () => {
  await mira.close()
  await receiver.close()
  untrusted.close()
})

/** Verifies a message's signature as specified by Standard Webhooks. */
function isSigned(secret: string, { headers, body }: ReceivedRequest): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

test('delivers an event to a webhook, signed with a secret that is shown once', async () => {
  const account = await mira.createUser({ can_upload: true })
  const { secret, ...hook } = await hooks.add(account, '/told', { name: 'Kitchen' })
  expect(hook).toMatchObject({ name: 'Kitchen', url: `${receiver.url}/told`, last_delivery: null })
  expect(hook.events).toEqual(['media.done', 'media.failed', 'reminder.due', 'chat.answered'])
  expect(JSON.stringify(await hooks.listHooks(account))).not.toContain(secret.slice(6))

  const item = await hooks.finishItem(account)
  await expect.poll(() => receiver.requestsTo('/told'), soon).toHaveLength(1)
  const [delivery] = receiver.requestsTo('/told')
  expect(isSigned(secret, delivery!)).toBe(true)
  expect(Math.abs(Number(delivery?.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60)
  expect(delivery?.headers['content-type']).toBe('application/json')
  expect(JSON.parse(delivery?.body ?? '')).toEqual({
    type: 'media.done',
    timestamp: expect.any(String),
    data: { id: item.id, title: item.originalFilename, media_type: item.mediaType },
  })
  await expect
    .poll(async () => (await hooks.listHooks(account))[0]?.last_delivery, soon)
    .toMatchObject({
      id: delivery?.headers['webhook-id'],
      event: 'media.done',
      state: 'delivered',
      attempts: 1,
      status: 204,
    })
})

test('delivers every kind of event to the webhooks that subscribe to it, and to no others', async () => {
  const [account, other] = [await mira.createUser({ can_upload: true, can_use_agents: true }), await mira.createUser()]
  await hooks.add(account, '/all')
  await hooks.add(account, '/failures', { events: ['media.failed'] })
  await hooks.add(other, '/stranger')
  const item = await hooks.finishItem(account, { error: 'It is damaged.' })
  mira.context.events.publish(account.user.id, { type: 'media.updated', ids: [item.id] })
  await mira.context.reminders.create(account.user.id, { text: 'water', due_at: new Date(), time_zone: 'UTC' })
  const message = await mira.request
    .post('/api/chat/message')
    .auth(account.token, { type: 'bearer' })
    .send({ content: 'Hello', has_images: false, images: [] })
    .expect(200)
  const types = (path: string) =>
    receiver
      .requestsTo(path)
      .map(({ body }) => JSON.parse(body) as { type: string; data: Record<string, unknown> })
      .sort((a, b) => a.type.localeCompare(b.type))
  await expect
    .poll(() => types('/all').map(({ type }) => type), soon)
    .toEqual(['chat.answered', 'media.failed', 'reminder.due'])
  const [answer, failed, due] = types('/all')
  expect(message.text).toContain(answer?.data.session_id)
  expect(message.text).toContain(answer?.data.message_id)
  expect(answer?.data.waiting).toBe(false)
  expect(failed?.data).toMatchObject({ id: item.id, error: 'It is damaged.' })
  expect(due?.data).toMatchObject({ text: 'water' })
  await expect.poll(() => types('/failures').map(({ type }) => type), soon).toEqual(['media.failed'])
  expect(receiver.requestsTo('/stranger')).toEqual([])
})

test('delivers the error of a failed item in its wording for users, even to an administrator', async () => {
  await hooks.add(mira.admin, '/reasons', { events: ['media.failed'] })
  const { text, sentences } = say('no_parser_service', {})
  expect(text).toContain('PARSER_SOCKET')
  const { id } = await hooks.finishItem(mira.admin, { error: text, errorSentences: sentences })
  await expect.poll(() => receiver.requestsTo('/reasons'), soon).toHaveLength(1)
  expect(JSON.parse(receiver.requestsTo('/reasons')[0]?.body ?? '').data).toEqual({
    ...{ id, title: expect.any(String), media_type: expect.any(String) },
    error: 'The file parsing service isn’t responding or isn’t sandboxed. Ask an administrator.',
  })
})

test('delivers ended automation runs to administrators, and rejects other users and API tokens', async () => {
  const { id } = await hooks.add(mira.admin, '/runs', { events: ['automation.run'] })
  const run = { id, task_type: 'memory_update' }
  const { database, events } = mira.context
  await database.prisma.automationRun.create({ data: { id, taskType: run.task_type, trigger: 'manual' } })
  for (const status of ['running', 'completed']) {
    await database.prisma.automationRun.update({ where: { id }, data: { status } })
    events.publish(mira.admin.user.id, { type: 'automation.run', ...run, status })
  }
  await expect
    .poll(() => receiver.requestsTo('/runs').map(({ body }) => JSON.parse(body).data), soon)
    .toEqual([{ ...run, status: 'completed' }])
  const url = `${receiver.url}/runs`
  await hooks.call(await mira.createUser(), 'post', '', { url, events: ['automation.run'] }).expect(403)
  const token = await mira.request
    .post('/api/auth/tokens')
    .auth(mira.admin.token, { type: 'bearer' })
    .send({ name: 'script', scopes: ['write'] })
    .expect(201)
  const script = { token: token.body.token as string }
  await hooks.call(script, 'post', '', { url }).expect(403)
  await hooks.call(script, 'get', '').expect(403)
})

describe('an undelivered event', () => {
  test('waits while its webhook is suspended or its user is deactivated, and fails after a day', async () => {
    const { prisma } = mira.context.database
    const hours = (count: number) => new Date(Date.now() - count * 3_600_000)
    const deliveryOf = async (nextAttemptAt: Date, { suspendedAt = null as Date | null, isActive = true }) => {
      const { id: userId } = await insertUser(mira.context.database, { is_active: isActive })
      const { id: hookId } = await insertHook(mira.context.database, userId)
      await prisma.hook.update({ where: { id: hookId }, data: { suspendedAt } })
      const data = { hookId, event: 'media.done', payload: {}, nextAttemptAt }
      return (await prisma.hookDelivery.create({ data })).id
    }
    const now = new Date()
    const lost = await deliveryOf(hours(24), {})
    const stopped = [await deliveryOf(hours(1), { suspendedAt: now }), await deliveryOf(hours(1), { isActive: false })]
    const account = await mira.createUser()
    const { id: hookId } = await insertHook(mira.context.database, account.user.id)
    await prisma.hook.update({ where: { id: hookId }, data: { suspendedAt: now } })
    const delivery = { hookId, event: 'media.done', payload: {}, nextAttemptAt: hours(24) }
    const old = [
      (await prisma.hookDelivery.create({ data: delivery })).id,
      await deliveryOf(hours(24), { isActive: false }),
    ]
    const enqueued: unknown[] = []
    const deliveries = createWebhookDeliveries({
      store: createWebhooksStore(mira.context.database),
      queue: { enqueue: async (_name: string, job: { delivery_id: string }) => void enqueued.push(job.delivery_id) },
    } as never)
    await deliveries.sweep()
    expect(enqueued).toEqual([lost])
    const stateOf = async (id: string) => {
      const { state, problem } = await prisma.hookDelivery.findUniqueOrThrow({ where: { id } })
      return { state, problem }
    }
    for (const id of stopped) expect(await stateOf(id)).toEqual({ state: 'waiting', problem: null })
    for (const id of old) expect(await stateOf(id)).toEqual({ state: 'failed', problem: null })
    expect((await hooks.deliveryLog(account, hookId)).deliveries).toMatchObject([
      { state: 'failed', problem: 'stopped' },
    ])
    await prisma.hookDelivery.deleteMany({ where: { id: { in: [lost, ...stopped, ...old] } } })
  })

  test('is retried as the same message with a valid signature until it’s delivered', async () => {
    const account = await mira.createUser({ can_upload: true })
    let refusals = 1
    receiver.handlers['/flaky'] = (response) => response.writeHead(refusals-- > 0 ? 503 : 200).end('ok')
    const { id, secret } = await hooks.add(account, '/flaky')
    await hooks.finishItem(account)
    await expect
      .poll(async () => (await hooks.deliveryLog(account, id)).deliveries, soon)
      .toMatchObject([{ state: 'delivered', attempts: 2, status: 200, problem: null, next_attempt_at: null }])
    const [first, second] = receiver.requestsTo('/flaky')
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.body).toBe(first?.body)
    expect(isSigned(secret, second!)).toBe(true)
  })

  test.each([
    ['when the receiver asks for it', '3600', 3600],
    ['after twelve hours at most', '604800', 43_200],
    ['no earlier than usual', '1', 5],
  ])('is retried %s', async (_name, retryAfter, seconds) => {
    const { prisma } = mira.context.database
    const { id: hookId } = await hooks.add(await mira.createUser(), '/busy')
    receiver.handlers['/busy'] = (response) => response.writeHead(429, { 'retry-after': retryAfter }).end()
    const delivery = { hookId, event: 'media.done', payload: {}, nextAttemptAt: new Date() }
    const { id } = await prisma.hookDelivery.create({ data: delivery })
    const enqueue = vi.fn()
    const fetcher = createSafeFetcher({ allowedHosts: [receiver.host], userAgent: 'Mira' })
    const deps = { store: createWebhooksStore(mira.context.database), seal: { decrypt: newSecret }, queue: { enqueue } }
    const startedAt = Date.now()
    await createWebhookDeliveries({ ...deps, fetcher } as never).handleJob(id, new AbortController().signal)
    const { status, nextAttemptAt } = await prisma.hookDelivery.delete({ where: { id } })
    expect([status, enqueue.mock.lastCall?.[2].startAfter]).toEqual([429, nextAttemptAt])
    expect(Number(nextAttemptAt)).toBeGreaterThanOrEqual(startedAt + seconds * 1000)
    expect(Number(nextAttemptAt)).toBeLessThanOrEqual(Date.now() + seconds * 1000)
    await fetcher.close()
  })

  test('fails after the last attempt, and at once when the receiver responds with 410', async () => {
    const account = await mira.createUser({ can_upload: true })
    receiver.handlers['/broken'] = (response) => response.writeHead(500).end()
    receiver.handlers['/gone'] = (response) => response.writeHead(410).end()
    const [broken, removed] = [await hooks.add(account, '/broken'), await hooks.add(account, '/gone')]
    await hooks.finishItem(account)
    const states = async (id: string) => (await hooks.deliveryLog(account, id)).deliveries
    await expect
      .poll(() => states(removed.id), soon)
      .toMatchObject([
        { state: 'failed', attempts: 1, status: 410, problem: 'status', finished_at: expect.any(String) },
      ])
    await expect.poll(() => states(broken.id), soon).toMatchObject([{ state: 'failed', attempts: 3, status: 500 }])
  })
})

describe('a test delivery', () => {
  const sendTest = async (account: TestAccount, id: string): Promise<HookDeliveryJson> =>
    (await hooks.call(account, 'post', `/${id}/test`).expect(200)).body

  test('returns its result at once', async () => {
    const account = await mira.createUser()
    const { id } = await hooks.add(account, '/trial', { name: 'Kitchen' })
    expect(await sendTest(account, id)).toMatchObject({ event: 'test', state: 'delivered', attempts: 1, status: 204 })
    expect(JSON.parse(receiver.requestsTo('/trial')[0]?.body ?? '')).toMatchObject({
      type: 'test',
      data: { id, title: 'Kitchen' },
    })
  })

  test('follows no redirects, and times out', async () => {
    const account = await mira.createUser()
    receiver.handlers['/redirect'] = (response) => response.writeHead(302, { location: '/trial-secret' }).end()
    receiver.handlers['/silent'] = () => {}
    const once = { state: 'failed', attempts: 1, next_attempt_at: null }
    const redirecting = await hooks.add(account, '/redirect')
    expect(await sendTest(account, redirecting.id)).toMatchObject({ ...once, problem: 'redirects', status: 302 })
    expect(receiver.requestsTo('/trial-secret')).toEqual([])
    const silent = await hooks.add(account, '/silent')
    expect(await sendTest(account, silent.id)).toMatchObject({ ...once, problem: 'timeout', status: null })
  })

  test('says that the receiver’s certificate isn’t trusted', async () => {
    const account = await mira.createUser()
    const { id } = await hooks.add(account, '', { url: `https://${untrustedHost}/` })
    expect(await sendTest(account, id)).toMatchObject({ state: 'failed', problem: 'certificate', status: null })
  })

  test('reaches no private address, even by host name', async () => {
    const account = await mira.createUser()
    const { port } = new URL(receiver.url)
    const { id } = await hooks.add(account, '', { url: `http://localhost:${port}/inside` })
    expect(await sendTest(account, id)).toMatchObject({ state: 'failed', problem: 'private' })
    expect(receiver.requestsTo('/inside')).toEqual([])
  })
})

test.each([
  ['a private address', { url: 'http://169.254.169.254/latest' }],
  ['another port of an allowed host', { url: 'http://127.0.0.1:9/' }],
  ['an address that isn’t HTTP', { url: 'file:///etc/passwd' }],
  ['an address with a password', { url: 'https://ada:secret@example.org/' }],
  ['an empty address', { url: ' ' }],
  ['an unknown event', { url: 'https://example.org/', events: ['everything'] }],
  ['no events', { url: 'https://example.org/', events: [] }],
  ['a repeated event', { url: 'https://example.org/', events: ['media.done', 'media.done'] }],
])('rejects %s', async (_name, body) => {
  await hooks.call(await mira.createUser(), 'post', '', body).expect(422)
})

test('lists webhooks and their deliveries page by page, limits the number of webhooks, and deletes them with their deliveries', async () => {
  const account = await mira.createUser()
  const { id } = await hooks.add(account, '/pages')
  for (let n = 0; n < 3; n++) await hooks.call(account, 'post', `/${id}/test`).expect(200)
  const first = await hooks.deliveryLog(account, id, '?limit=2')
  expect(first.deliveries).toHaveLength(2)
  const second = await hooks.deliveryLog(account, id, `?limit=2&cursor=${first.next_cursor}`)
  expect(second).toMatchObject({ deliveries: [{ event: 'test' }], next_cursor: null })
  for (let n = 1; n < 20; n++) await hooks.add(account, `/pages-${n}`)
  const response = await hooks.call(account, 'post', '', { url: receiver.url }).expect(409)
  expect(response.body.code).toBe('too_many_hooks')
  const page = (await hooks.call(account, 'get', '?limit=15').expect(200)).body as HooksResponseJson
  const rest = (await hooks.call(account, 'get', `?limit=15&cursor=${page.next_cursor}`).expect(200))
    .body as HooksResponseJson
  expect([...page.hooks, ...rest.hooks].map(({ url }) => new URL(url).pathname).at(-1)).toBe('/pages')
  expect([page.hooks.length, rest.hooks.length, rest.next_cursor]).toEqual([15, 5, null])
  await hooks.call(account, 'delete', `/${id}`).expect(204)
  await hooks.call(account, 'get', `/${id}/deliveries`).expect(404)
  await hooks.call(account, 'post', `/${id}/test`).expect(404)
})

test('a refused private address comes with what allows it', async () => {
  const body = { name: 'Here', url: 'http://127.0.0.1:9/' }
  const response = await hooks.call(await mira.createUser(), 'post', '', body).expect(422)
  expect(response.body.detail).toContain('FETCH_ALLOWED_HOSTS')
})
