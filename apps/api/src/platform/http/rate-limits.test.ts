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

const ask = async (path: string, who: string) => {
  const leave = new AbortController()
  const response = await fetch(address + path, { headers: { who }, signal: leave.signal })
  return { status: response.status, wait: response.headers.get('retry-after'), leave: () => leave.abort() }
}

test('three exports of a person begin in a minute, and those of others as well', async () => {
  const statuses: number[] = []
  for (let index = 0; index < 3; index++) {
    statuses.push((await ask('/export', 'ana')).status)
    now += 10_000
  }
  const refused = await ask('/export', 'ana')
  expect([statuses, refused.status, refused.wait]).toEqual([[200, 200, 200], 429, '30'])
  expect((await ask('/export', 'ben')).status).toBe(200)
  now += 30_000
  expect((await ask('/export', 'ana')).status).toBe(200)
  expect((await ask('/export', 'ana')).status).toBe(429)
})

test('a person follows so many streams at once, and another one when one of them is closed', async () => {
  const open = await Promise.all(Array.from({ length: 24 }, () => ask('/stream', 'ana')))
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
  expect((await ask('/stream', 'ana')).status).toBe(429)
  expect((await ask('/stream', 'ben')).status).toBe(200)
  open[0]?.leave()
  await expect.poll(async () => (await ask('/stream', 'ana')).status).toBe(200)
})
