import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decrypt } from 'http_ece'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

interface PushRequest {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}
const pushRequests: PushRequest[] = []
const statuses: Record<string, number> = {}
const service = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const path = request.url ?? ''
  pushRequests.push({ path, headers: request.headers, body: Buffer.concat(chunks) })
  response.writeHead(statuses[path] ?? 201).end()
})

/** Fake browser: its push subscription, and a reader of the payloads sent to it. */
function newBrowser(path: string) {
  const keys = createECDH('prime256v1')
  const p256dh = keys.generateKeys().toString('base64url')
  const auth = randomBytes(16).toString('base64url')
  return {
    subscription: { endpoint: `http://${host}${path}`, expirationTime: null, keys: { p256dh, auth } },
    read: ({ body }: PushRequest) =>
      JSON.parse(decrypt(body, { version: 'aes128gcm', privateKey: keys, authSecret: auth }).toString('utf8')),
  }
}

let mira: TestApp
let anna: TestAccount
let host: string
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(service.address() as AddressInfo).port}`
  mira = await startTestApp({ isStarted: true, environment: { FETCH_ALLOWED_HOSTS: host } })
  anna = await mira.createUser({ can_use_agents: true, can_chat: true })
})
afterEach(() => pushRequests.splice(0))
afterAll(async () => {
  await mira.close()
  service.closeAllConnections()
  service.close()
})

const call = (method: 'get' | 'post' | 'delete', path: string, { token } = anna) =>
  mira.request[method](`/api${path}`).auth(token, { type: 'bearer' })
const remind = (text: string, account = anna) =>
  call('post', '/reminders', account)
    .send({ text, due_at: new Date(Date.now() + 300).toISOString() })
    .expect(201)
const waitForPush = (path: string) =>
  vi.waitFor(() => {
    const [message] = pushRequests.filter((request) => request.path === path)
    if (message === undefined) throw new Error('no push request has arrived')
    return message
  }, 15_000)

test('sends a due reminder to the device encrypted, and signed with the key that /push/key returns', async () => {
  const browser = newBrowser('/anna')
  const { body: key } = await call('get', '/push/key').expect(200)
  await call('post', '/push/subscriptions').send(browser.subscription).expect(201)
  await remind('Tea is ready')
  const message = await waitForPush('/anna')
  const payload = { title: 'Reminder', body: 'Tea is ready', link: expect.any(String), renotify: true }
  expect(browser.read(message)).toMatchObject(payload)
  expect(message.body.toString('latin1')).not.toContain('Tea')
  // Phones in battery-saving mode delay less urgent messages.
  expect(message.headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: expect.any(String), urgency: 'high' })
  const [, token = '', senderKey] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(String(message.headers.authorization)) ?? []
  expect(senderKey).toBe(key.public_key)
  const point = Buffer.from(key.public_key, 'base64url')
  const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) }
  const [head, claims = '', signature = ''] = token.split('.')
  const publicKey = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ aud: `http://${host}` })
})

test('announces an answer with a link to its conversation', async () => {
  const ben = await mira.createUser({ can_chat: true })
  const browser = newBrowser('/ben')
  await call('post', '/push/subscriptions', ben).send(browser.subscription).expect(201)
  await call('post', '/chat/message', ben).send({ content: 'Good morning', has_images: false, images: [] }).expect(200)
  const { body } = await call('get', '/chat/sessions', ben).expect(200)
  // The push service keeps only the newest message of a topic for a phone that's away.
  expect((await waitForPush('/ben')).headers).toMatchObject({
    urgency: 'normal',
    topic: String(body[0].id).replaceAll('-', ''),
  })
  expect(browser.read(await waitForPush('/ben'))).toMatchObject({
    title: expect.stringContaining('has answered'),
    link: `/chat?session=${body[0].id}`,
    renotify: false,
  })
})

test('announces only uploads that took long, also when their notification is merged with others', async () => {
  const finn = await mira.createUser({ can_upload: true, can_use_agents: true })
  const browser = newBrowser('/finn')
  await call('post', '/push/subscriptions', finn).send(browser.subscription).expect(201)
  const finish = async (ageMs: number) => {
    const createdAt = new Date(Date.now() - ageMs)
    const { id } = await insertMediaItem(mira.context.database, finn.user.id, { createdAt })
    await mira.context.notifications.notify(finn.user.id, {
      ...{ kind: 'media_done', params: { title: 'pier.png' }, link: `/gallery/${id}`, subjectId: id },
      joins: { by: 'kind', link: '/gallery' },
    })
  }
  const titles = () => pushRequests.filter(({ path }) => path === '/finn').map((message) => browser.read(message).title)
  for (let count = 0; count < 3; count++) await finish(1000)
  await remind('Tea is ready', finn)
  await waitForPush('/finn')
  expect(titles()).toEqual(['Reminder'])
  await finish(120_000)
  await vi.waitFor(() => expect(titles()).toEqual(['Reminder', expect.stringContaining('4')]), 15_000)
  const { body } = await call('get', '/notifications?unread=true', finn).expect(200)
  expect(body.notifications).toContainEqual(expect.objectContaining({ kind: 'media_done', params: { count: 4 } }))
})

test('cuts a long text before an emoji that doesn’t fit', async () => {
  const ella = await mira.createUser({ can_use_agents: true })
  const browser = newBrowser('/ella')
  await call('post', '/push/subscriptions', ella).send(browser.subscription).expect(201)
  await remind(`${'x'.repeat(298)}👨‍👩‍👧`, ella)
  expect(browser.read(await waitForPush('/ella')).body).toBe('x'.repeat(298))
})

test('deletes the subscription of a device that its push service no longer knows', async () => {
  const cleo = await mira.createUser({ can_use_agents: true })
  const { prisma } = mira.context.database
  for (const [path, status] of [
    ['/gone', 410],
    ['/missing', 404],
  ] as const) {
    statuses[path] = status
    await call('post', '/push/subscriptions', cleo).send(newBrowser(path).subscription).expect(201)
  }
  const active = newBrowser('/there')
  await call('post', '/push/subscriptions', cleo).send(active.subscription).expect(201)
  await remind('Water the plants', cleo)
  await waitForPush('/there')
  const count = () => prisma.pushSubscription.count({ where: { userId: cleo.user.id } })
  await vi.waitFor(async () => expect(await count()).toBe(1), 10_000)
})

test('says with which status a push service refuses messages, until it accepts one', async () => {
  const gina = await mira.createUser({ can_use_agents: true })
  const { subscription } = newBrowser('/refused')
  const { body: device } = await call('post', '/push/subscriptions', gina).send(subscription).expect(201)
  const devices = async () => (await call('get', '/push/subscriptions', gina).expect(200)).body.subscriptions
  expect(await devices()).toEqual([{ id: device.id, refused_status: null }])
  statuses['/refused'] = 403
  await remind('Water the plants', gina)
  await expect.poll(devices, { timeout: 15_000 }).toEqual([{ id: device.id, refused_status: 403 }])
  delete statuses['/refused']
  await remind('Water them again', gina)
  await expect.poll(devices, { timeout: 15_000 }).toEqual([{ id: device.id, refused_status: null }])
})

test('keeps trying for most of a day to reach a push service, such as while the internet is away', async () => {
  const hugo = await mira.createUser({ can_use_agents: true })
  statuses['/away'] = 503
  await call('post', '/push/subscriptions', hugo).send(newBrowser('/away').subscription).expect(201)
  await remind('Tea is ready', hugo)
  await waitForPush('/away')
  const { rows } = await mira.context.database.pool.query<{ seconds: number }>(
    `SELECT sum(least(retry_delay_max, retry_delay * 2 ^ least(16, attempt) / 2))::float8 AS seconds
     FROM (SELECT * FROM pgboss.job WHERE name = 'send-push' AND state <> 'completed' LIMIT 1) AS job,
       generate_series(1, retry_limit) AS attempt`,
  )
  expect(rows[0]?.seconds).toBeGreaterThan(20 * 3600)
})

test('deletes a subscription when its user unsubscribes or signs out, or another user subscribes the device', async () => {
  const dora = await mira.createUser({})
  const { prisma } = mira.context.database
  const count = (account: TestAccount) => prisma.pushSubscription.count({ where: { userId: account.user.id } })
  const { subscription } = newBrowser('/dora')
  const { endpoint } = subscription
  await call('post', '/push/subscriptions', dora).send(subscription).expect(201)
  await call('post', '/push/subscriptions', dora).send(subscription).expect(201)
  expect(await count(dora)).toBe(1)
  await call('delete', '/push/subscriptions').send({ endpoint }).expect(404)
  await call('delete', '/push/subscriptions', dora).send({ endpoint }).expect(204)
  expect(await count(dora)).toBe(0)
  await call('post', '/push/subscriptions', dora).send(subscription).expect(201)
  const countNotices = () =>
    prisma.notification.count({ where: { userId: dora.user.id, params: { path: ['access'], equals: 'push' } } })
  const noticesBefore = await countNotices()
  await call('post', '/push/subscriptions').send(subscription).expect(201)
  expect(await count(dora)).toBe(0)
  await call('post', '/push/subscriptions', dora).send(subscription).expect(201)
  // It's new to this user, although it was known.
  expect(await countNotices()).toBe(noticesBefore + 1)
  await call('post', '/auth/logout', dora).expect(204)
  expect(await count(dora)).toBe(0)
})

test('stores subscriptions encrypted, and rejects private addresses and invalid keys', async () => {
  const { prisma } = mira.context.database
  const browser = newBrowser('/sealed')
  await call('post', '/push/subscriptions').send(browser.subscription).expect(201)
  const rows = JSON.stringify([await prisma.pushSubscription.findMany(), await prisma.pushKey.findMany()])
  expect(rows).not.toContain(browser.subscription.keys.auth)
  expect(rows).not.toContain('/sealed')
  for (const endpoint of ['http://127.0.0.1:1/x', 'http://169.254.169.254/', 'file:///etc/passwd', 'nonsense']) {
    const { body } = await call('post', '/push/subscriptions')
      .send({ ...browser.subscription, endpoint })
      .expect(422)
    expect(body.code).toBe('push_address')
  }
  const keys = { p256dh: 'AAAA', auth: 'AAAA' }
  const { body } = await call('post', '/push/subscriptions')
    .send({ ...browser.subscription, keys })
    .expect(422)
  expect(body.code).toBe('push_keys')
})
