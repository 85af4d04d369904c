import { createECDH, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decrypt } from 'http_ece'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { insertMediaItem } from '../../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

interface Received {
  path: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}
const received: Received[] = []
const statuses: Record<string, number> = {}
const service = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const path = request.url ?? ''
  received.push({ path, headers: request.headers, body: Buffer.concat(pieces) })
  response.writeHead(statuses[path] ?? 201).end()
})

/** A browser: what it says of itself, and how it reads what it is sent. */
function newBrowser(path: string) {
  const keys = createECDH('prime256v1')
  const p256dh = keys.generateKeys().toString('base64url')
  const auth = randomBytes(16).toString('base64url')
  return {
    subscription: { endpoint: `http://${host}${path}`, expirationTime: null, keys: { p256dh, auth } },
    read: ({ body }: Received) =>
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
afterEach(() => received.splice(0))
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
const arrived = (path: string) =>
  vi.waitFor(() => {
    const [message] = received.filter((one) => one.path === path)
    if (message === undefined) throw new Error('nothing has arrived')
    return message
  }, 15_000)

test('a reminder that is due reaches the device encrypted, and signed with the key that it subscribed with', async () => {
  const browser = newBrowser('/anna')
  const { body: key } = await call('get', '/push/key').expect(200)
  await call('post', '/push/subscriptions').send(browser.subscription).expect(201)
  await remind('Tea is ready')
  const message = await arrived('/anna')
  const payload = { title: 'Reminder', body: 'Tea is ready', link: expect.any(String), renotify: true }
  expect(browser.read(message)).toMatchObject(payload)
  expect(message.body.toString('latin1')).not.toContain('Tea')
  // a phone that saves its battery keeps others back
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

test('an answer is told with the conversation that it opens', async () => {
  const ben = await mira.createUser({ can_chat: true })
  const browser = newBrowser('/ben')
  await call('post', '/push/subscriptions', ben).send(browser.subscription).expect(201)
  await call('post', '/chat/message', ben).send({ content: 'Good morning', has_images: false, images: [] }).expect(200)
  const { body } = await call('get', '/chat/sessions', ben).expect(200)
  expect((await arrived('/ben')).headers.urgency).toBe('normal')
  expect(browser.read(await arrived('/ben'))).toMatchObject({
    title: expect.stringContaining('has answered'),
    link: `/chat?session=${body[0].id}`,
    renotify: false,
  })
})

test('only uploads that took long are told, also where their notification joins others', async () => {
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
  const titles = () => received.filter(({ path }) => path === '/finn').map((message) => browser.read(message).title)
  for (let count = 0; count < 3; count++) await finish(1000)
  await remind('Tea is ready', finn)
  await arrived('/finn')
  expect(titles()).toEqual(['Reminder'])
  await finish(120_000)
  await vi.waitFor(() => expect(titles()).toEqual(['Reminder', expect.stringContaining('4')]), 15_000)
  const { body } = await call('get', '/notifications?unread=true', finn).expect(200)
  expect(body.notifications).toContainEqual(expect.objectContaining({ kind: 'media_done', params: { count: 4 } }))
})

test('a device that its push service does not know any more is forgotten', async () => {
  const cleo = await mira.createUser({ can_use_agents: true })
  const { prisma } = mira.context.database
  for (const [path, status] of [
    ['/gone', 410],
    ['/missing', 404],
  ] as const) {
    statuses[path] = status
    await call('post', '/push/subscriptions', cleo).send(newBrowser(path).subscription).expect(201)
  }
  const there = newBrowser('/there')
  await call('post', '/push/subscriptions', cleo).send(there.subscription).expect(201)
  await remind('Water the plants', cleo)
  await arrived('/there')
  const count = () => prisma.pushSubscription.count({ where: { userId: cleo.user.id } })
  await vi.waitFor(async () => expect(await count()).toBe(1), 10_000)
})

test('a device is told no more when its person says so, signs out, or another one signs in on it', async () => {
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
  const noticed = () =>
    prisma.notification.count({ where: { userId: dora.user.id, params: { path: ['access'], equals: 'push' } } })
  const noticedBefore = await noticed()
  await call('post', '/push/subscriptions').send(subscription).expect(201)
  expect(await count(dora)).toBe(0)
  await call('post', '/push/subscriptions', dora).send(subscription).expect(201)
  // it's new to her, although it was known
  expect(await noticed()).toBe(noticedBefore + 1)
  await call('post', '/auth/logout', dora).expect(204)
  expect(await count(dora)).toBe(0)
})

test('what reaches a device lies sealed, and addresses that lead inward are refused', async () => {
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
