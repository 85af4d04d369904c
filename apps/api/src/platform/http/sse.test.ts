import { request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DatabaseGoneError } from '../database/availability.ts'
import { endWithAccess } from './end-with-access.ts'
import { setErrorHandler } from './error-handler.ts'
import { type SseOptions, sendSse, sseEvent } from './sse.ts'

let app: FastifyInstance
let lines: string[]

beforeEach(() => {
  lines = []
})

afterEach(() => app.close())

async function serve(
  open: (closed: AbortSignal) => AsyncIterable<string>,
  options?: SseOptions,
  isStillAllowed?: () => Promise<boolean>,
): Promise<string> {
  app = Fastify({ forceCloseConnections: true, logger: { stream: { write: (line) => void lines.push(line) } } })
  setErrorHandler(app)
  if (isStillAllowed) app.addHook('onRequest', async (request) => Object.assign(request, { isStillAllowed }))
  endWithAccess(app, { intervalMs: 50 })
  app.get('/', (_request, reply) => sendSse(reply, open, options))
  app.post('/', (_request, reply) => sendSse(reply, open, options))
  app.register((protocol, _options, done) => {
    protocol.setErrorHandler((_error, _request, reply) => reply.code(502).send({ error: 'of a protocol' }))
    protocol.get('/protocol', (_request, reply) => sendSse(reply, open, options))
    done()
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/`
}

test('events arrive at once, with headers against buffering', async () => {
  const url = await serve(async function* () {
    yield sseEvent({ type: 'a' }, 1)
    await sleep(200)
    yield sseEvent({ type: 'b' }, 2)
  })
  const response = await fetch(url)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  const startedAt = performance.now()
  const pieces: { text: string; ms: number }[] = []
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    pieces.push({ text: piece, ms: performance.now() - startedAt })
  }
  expect(pieces.map(({ text }) => text)).toEqual(['id: 1\ndata: {"type":"a"}\n\n', 'id: 2\ndata: {"type":"b"}\n\n'])
  expect(pieces[0]?.ms).toBeLessThan(150)
})

test('pings are comments without an empty line, which some parsers would take for an event', async () => {
  const url = await serve(
    async function* () {
      await sleep(250)
      yield 'data: x\n\n'
    },
    { pingIntervalMs: 100 },
  )
  expect(await (await fetch(url)).text()).toBe(': ping\n: ping\ndata: x\n\n')
})

test('the source is aborted when the client disconnects', async () => {
  let closedSignal: AbortSignal | undefined
  const url = await serve(async function* (closed) {
    closedSignal = closed
    yield 'data: x\n\n'
    await sleep(10_000, undefined, { signal: closed }).catch(() => {})
  })
  const stop = new AbortController()
  const response = await fetch(url, { signal: stop.signal })
  await response.body!.getReader().read()
  stop.abort()
  await expect.poll(() => closedSignal?.aborted).toBe(true)
})

test('a client that reads nothing is disconnected, and its buffer stays bounded', async () => {
  let chunkCount = 0
  const url = await serve(
    async function* () {
      for (;;) {
        chunkCount++
        yield `data: ${'x'.repeat(10_000)}\n\n`
      }
    },
    { stallTimeoutMs: 200 },
  )
  const isBroken = await new Promise((resolve) => {
    const request = httpRequest(url, (response) => {
      response.pause()
      response.on('close', () => resolve(!response.complete))
      setTimeout(() => response.resume(), 800)
    })
    request.on('error', () => resolve(true))
    request.end()
  })
  expect(isBroken).toBe(true)
  expect(chunkCount).toBeLessThan(2000)
})

test('an error of the source breaks the connection instead of ending the stream', async () => {
  const url = await serve(async function* () {
    yield 'data: x\n\n'
    await sleep(20)
    throw new Error('no database')
  })
  const response = await fetch(url)
  await expect(response.text()).rejects.toThrow()
})

test.each([
  ['at once', 0],
  ['later', 50],
])('a source that fails %s, before its first byte, gets the usual error response', async (_title, delayMs) => {
  // biome-ignore lint/correctness/useYield: it fails before its first event
  const url = await serve(async function* () {
    if (delayMs > 0) await sleep(delayMs)
    throw new DatabaseGoneError('stopped')
  })
  const response = await fetch(url)
  expect(response.status).toBe(503)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('retry-after')).toBe('2')
  expect(await response.json()).toEqual({
    detail: 'The database can’t be reached right now. Try again in a moment.',
    code: 'database_unavailable',
  })
  const protocolResponse = await fetch(`${url}protocol`)
  expect(protocolResponse.status).toBe(502)
  expect(protocolResponse.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(await protocolResponse.json()).toEqual({ error: 'of a protocol' })
})

test('a client that disconnects before the first byte causes no error', async () => {
  let isOpen = false
  const url = await serve(async function* (closed) {
    isOpen = true
    await sleep(10_000, undefined, { signal: closed }).catch(() => {})
  })
  const stop = new AbortController()
  const response = fetch(url, { method: 'POST', body: 'a question', signal: stop.signal })
  await expect.poll(() => isOpen).toBe(true)
  stop.abort()
  await expect(response).rejects.toThrow()
  await sleep(200)
  expect(lines.filter((line) => JSON.parse(line).level >= 40)).toEqual([])
})

test('a stream ends soon after its token becomes invalid', async () => {
  let isAllowed = true
  const url = await serve(
    async function* (closed) {
      yield 'data: x\n\n'
      await sleep(20_000, undefined, { signal: closed }).catch(() => {})
    },
    {},
    async () => isAllowed,
  )
  const response = await fetch(url)
  const text = response.text()
  await sleep(200)
  isAllowed = false
  await expect(text).rejects.toThrow()
})
