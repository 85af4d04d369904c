// biome-ignore-all lint/nursery/noMisusedPromises: Fastify awaits its plugins; the rule sees only their older form with a callback
import { request as httpRequest } from 'node:http'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Principal } from './access.ts'
import { setErrorHandler } from './error-handler.ts'
import { readJson } from './large-json.ts'

const MEGABYTE = 1024 * 1024
let app: FastifyInstance
let address: string
beforeAll(async () => {
  app = Fastify({ bodyLimit: MEGABYTE, forceCloseConnections: true })
  setErrorHandler(app)
  app.addHook('onRequest', async (request) => {
    const id = request.headers['x-user']
    request.principal = id === undefined ? null : ({ user: { id } } as unknown as Principal)
  })
  await app.register(async (scope) => {
    readJson(scope)
    scope.post('/large', { bodyLimit: 20 * MEGABYTE }, async (request) => summaryOf(request.body))
    scope.post('/small', async (request) => summaryOf(request.body))
  })
  address = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

const summaryOf = (body: unknown) => ({
  keys: Object.keys(body as object),
  characters: JSON.stringify(body).length,
})
const post = async (body: string | Buffer, path = '/large', headers: Record<string, string> = {}) => {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  })
  return { status: response.status, body: await response.json() }
}
const malformed = { status: 400, body: { detail: 'The request body is not valid JSON.', code: 'invalid_json' } }
const padding = 'x'.repeat(2 * MEGABYTE)

test('a large body is parsed correctly, with characters of any kind', async () => {
  const body = JSON.stringify({ content: 'Grüße 🙂', images: [padding, padding], nested: { list: [1, null, true] } })
  expect(await post(body)).toEqual({
    status: 200,
    body: { keys: ['content', 'images', 'nested'], characters: body.length },
  })
})

test('text in an older encoding, as sent by PowerShell 5, is refused before characters are lost', async () => {
  const notUtf8 = { status: 400, body: { code: 'invalid_json', detail: expect.stringContaining('UTF-8') } }
  for (const suffix of ['', padding]) {
    const body = Buffer.from(JSON.stringify({ text: `café ${suffix}` }), 'latin1')
    expect(await post(body)).toEqual(notUtf8)
    expect(await post(body, '/large', { 'content-type': 'application/json; charset=iso-8859-1' })).toEqual(notUtf8)
  }
})

test('a small body is parsed as usual', async () => {
  expect(await post('{"a":1}')).toEqual({ status: 200, body: { keys: ['a'], characters: 7 } })
  expect(await post('{"a":1}', '/large', { 'content-type': 'application/json; charset=utf-8' })).toMatchObject({
    status: 200,
  })
  expect(await post('{"a":')).toEqual(malformed)
  expect(await post('{"__proto__":{}}')).toEqual(malformed)
})

test.each([
  ['is cut off', `{"images":["${padding}"`],
  ['is not JSON', padding],
  ['names __proto__', `{"images":["${padding}"],"deep":[{"__proto__":{"role":"admin"}}]}`],
  ['names the constructor’s prototype', `{"images":["${padding}"],"constructor":{"prototype":{}}}`],
])('a large body that %s is refused', async (_name, body) => {
  expect(await post(body)).toEqual(malformed)
})

test.each([
  ['nested a million times', `${'['.repeat(MEGABYTE)}${']'.repeat(MEGABYTE)}`],
  ['of a million objects', `[${Array(MEGABYTE).fill('{}').join()}]`],
  ['of a million numbers', `{"images":[${Array(MEGABYTE).fill(0).join()}]}`],
])('a large body %s is refused, and the server keeps running', async (_name, body) => {
  expect(await post(body)).toEqual({
    status: 413,
    body: { detail: 'What you sent contains too many values, or nests them too deeply.', code: 'payload_too_large' },
  })
  expect((await post('{"a":1}')).status).toBe(200)
})

test.each([
  ['of too many values', `[${Array(10_001).fill(0).join()}]`],
  ['of too many empty lists', `{"a":[${Array(5_001).fill('{"a":[]}').join()}]}`],
  ['nested too deeply', `${'[{"a":'.repeat(33)}1${'}]'.repeat(33)}`],
  ['nested too deeply after a string', `{"a":"\\"[","b":${'['.repeat(64)}${']'.repeat(64)}}`],
])('a small body %s is refused before it is parsed', async (_name, body) => {
  const parse = vi.spyOn(JSON, 'parse')
  const response = await app.inject({
    method: 'POST',
    url: '/small',
    headers: { 'content-type': 'application/json' },
    payload: body,
  })
  expect(parse).not.toHaveBeenCalled()
  parse.mockRestore()
  expect([response.statusCode, response.json().code]).toEqual([413, 'payload_too_large'])
})

test('a body with the maximum number of values or depth is accepted', async () => {
  const max = `{"numbers":[${Array(9999).fill(0).join()}]}`
  const deepest = `${'['.repeat(64)}"${'[{,'.repeat(20_000)}"${']'.repeat(64)}`
  for (const body of [max, deepest]) expect((await post(body, '/small')).status).toBe(200)
})

test('a body that is larger than its route allows is refused', async () => {
  const tooLarge = { status: 413, body: { detail: 'What you sent is too large.', code: 'payload_too_large' } }
  expect(await post(JSON.stringify('x'.repeat(21 * MEGABYTE)))).toEqual(tooLarge)
  expect(await post(JSON.stringify(padding), '/small')).toEqual(tooLarge)
})

test('more than four large bodies at once are all accepted', async () => {
  const body = JSON.stringify({ images: Array(8).fill(padding) })
  const responses = await Promise.all(
    Array.from({ length: 8 }, (_, n) => post(body, '/large', { 'x-user': `user-${n}` })),
  )
  expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200))
})

/** Starts requests of one client that never end; `bytes` is their Content-Length. */
async function sendSlowly(headers: Record<string, string>, count: number, bytes = 5 * MEGABYTE) {
  const slow = Array.from({ length: count }, () =>
    httpRequest(`${address}/large`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': bytes, expect: '100-continue', ...headers },
    }),
  )
  for (const request of slow) {
    request.on('error', () => {})
    const accepted = new Promise((resolve) => request.once('continue', resolve))
    request.flushHeaders()
    await accepted
  }
  return {
    stop: () => {
      for (const request of slow) request.destroy()
    },
  }
}

test('slow bodies of some users do not block other users', async () => {
  const slow = await Promise.all(['one', 'two', 'three'].map((user) => sendSlowly({ 'x-user': user }, 2)))
  const body = JSON.stringify({ images: [padding] })
  await expect
    .poll(() => post(body, '/large', { 'x-user': 'one' }))
    .toMatchObject({ status: 503, body: { code: 'busy' } })
  expect((await post(body, '/large', { 'x-user': 'another' })).status).toBe(200)
  for (const { stop } of slow) stop()
  await expect.poll(async () => (await post(body, '/large', { 'x-user': 'one' })).status).toBe(200)
})

test.each(['application/json', 'Application/JSON', ' APPLICATION/json; charset=utf-8'])(
  'two slow bodies of one client block only that client, with the content type %s',
  async (contentType) => {
    const slowUser = `slow-${contentType.length}`
    const slow = await sendSlowly({ 'x-user': slowUser, 'content-type': contentType }, 2)
    const body = JSON.stringify({ images: [padding] })
    const busy = { status: 503, body: { code: 'busy' } }
    await expect
      .poll(() => post(body, '/large', { 'x-user': slowUser, 'content-type': contentType }))
      .toMatchObject(busy)
    expect((await post(body, '/large', { 'x-user': 'other' })).status).toBe(200)
    slow.stop()
    await expect.poll(async () => (await post(body, '/large', { 'x-user': slowUser })).status).toBe(200)
  },
)
