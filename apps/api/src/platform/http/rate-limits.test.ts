import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Principal } from './access.ts'
import { setErrorHandler } from './error-handler.ts'
import { limitUsers } from './rate-limits.ts'

let app: FastifyInstance
let address: string
let now = 0

beforeEach(async () => {
  now = 0
  app = Fastify({ forceCloseConnections: true })
  setErrorHandler(app)
  app.decorateRequest('principal', null)
  app.addHook('onRequest', async (request) => {
    const { who } = request.headers
    request.principal = { user: { id: who } } as unknown as Principal
  })
  limitUsers(app, () => now)
  app.get('/export', { config: { userLimit: 'whole_export' } }, async () => 'all of it')
  app.get('/stream', { config: { userLimit: 'stream' } }, (_request, reply) => {
    reply.send(new Readable({ read() {} }))
    reply.raw.write('hello')
  })
  address = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())

const call = async (path: string, who: string) => {
  const controller = new AbortController()
  const response = await fetch(address + path, { headers: { who }, signal: controller.signal })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), close: () => controller.abort() }
}

test('a user may start three exports a minute, independently of other users', async () => {
  const statuses: number[] = []
  for (let index = 0; index < 3; index++) {
    statuses.push((await call('/export', 'ana')).status)
    now += 10_000
  }
  const refused = await call('/export', 'ana')
  expect([statuses, refused.status, refused.retryAfter]).toEqual([[200, 200, 200], 429, '30'])
  expect((await call('/export', 'ben')).status).toBe(200)
  now += 30_000
  expect((await call('/export', 'ana')).status).toBe(200)
  expect((await call('/export', 'ana')).status).toBe(429)
})

test('a user may open a limited number of streams, and another one after closing one', async () => {
  const open = await Promise.all(Array.from({ length: 24 }, () => call('/stream', 'ana')))
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await call('/stream', 'ana')).status).toBe(429)
  expect((await call('/stream', 'ben')).status).toBe(200)
  open[0]?.close()
  await expect.poll(async () => (await call('/stream', 'ana')).status).toBe(200)
})
