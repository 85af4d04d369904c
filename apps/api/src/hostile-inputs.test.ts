import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentRoutes } from '../test/document-routes.ts'
import { type HostileRequest, hostileRequestsOf } from '../test/hostile-inputs.ts'
import { startTestApp, type TestApp } from '../test/test-app.ts'
import type { OpenApiDocument } from './http/openapi.ts'

/** How many inputs all routes together are sent. */
const INPUTS = process.env.TEST_LONG ? 10_000 : 800
const everyFlag = { can_chat: true, can_upload: true, can_use_voice: true, can_use_agents: true }
/**
 * What a person does a few times in a minute: after that each answer is 429 before the input is looked at, and one that gets through
 * ends the session, or all that the person has. Their inputs are tried in tests of their own.
 */
const leftOut = ['POST /api/auth/login', 'POST /api/auth/logout', 'POST /api/auth/password', 'DELETE /api/me/data']
const MEBIBYTE = 1024 * 1024

let mira: TestApp
let address: string
let token: string
beforeAll(async () => {
  mira = await startTestApp()
  address = await mira.app.listen({ port: 0, host: '127.0.0.1' })
  token = (await mira.createUser({ role: 'admin', ...everyFlag })).token
})
afterAll(() => mira.close())

/** Sends a request and leaves as soon as its status is known: streams have no end. */
async function send({ method, url, headers, body }: HostileRequest): Promise<{ status: number; text: string }> {
  const leave = new AbortController()
  const response = await fetch(address + url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    signal: leave.signal,
  })
  const text = response.status >= 500 ? await response.text() : ''
  leave.abort()
  return { status: response.status, text }
}

const heapBytes = () => {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test(`none of ${INPUTS} hostile requests over all routes makes the server fail`, {
  timeout: process.env.TEST_LONG ? 1_800_000 : 120_000,
}, async () => {
  const document = (await mira.request.get('/api/openapi.json')).body as OpenApiDocument
  const routes = documentRoutes(document).filter(({ name }) => !leftOut.includes(name))
  const each = Math.ceil(INPUTS / routes.length)
  // the first requests load what is loaded when it is needed
  for (const route of routes)
    await Promise.all(fc.sample(hostileRequestsOf(route, document), { numRuns: 1, seed: 1 }).map(send))
  const before = heapBytes()
  const failed: Record<string, unknown> = {}
  let sent = 0
  for (const route of routes) {
    for (const request of fc.sample(hostileRequestsOf(route, document), { numRuns: each, seed: 20_261_122 })) {
      const { status, text } = await send(request)
      sent++
      // 502, 503 and 507 say that an engine or room is lacking, which is no failure of the server
      if (status === 500 || status === 504) failed[`${route.name} ${request.url.slice(0, 300)}`] = { ...request, text }
    }
  }
  expect(failed).toEqual({})
  expect(sent).toBeGreaterThanOrEqual(INPUTS)
  expect(await (await fetch(`${address}/api/health`)).json()).toMatchObject({ status: 'ok' })
  expect((heapBytes() - before) / MEBIBYTE).toBeLessThan(64)
})
