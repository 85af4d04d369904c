import { contract } from '@mira/shared/contract'
import type { RouteSpec } from '@mira/shared/contract/route'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE
/** Longest text that is parsed on the main thread. */
const PARSED_CHARACTERS = 64 * KILOBYTE
/** Larger limits are for files, which aren't JSON. */
const LARGEST_BYTES = 48 * MEGABYTE

const FORM = 'application/x-www-form-urlencoded'
/** OAuth responds with 400 to every invalid request. */
const REFUSED = [413, 400]

let mira: TestApp
beforeAll(async () => {
  mira = await startTestApp()
})
afterAll(() => mira.close())

/** Repeats a text up to the maximum size of a body. */
const filled = (piece: string, bytes: number) => piece.repeat(Math.floor((bytes - 10) / piece.length))

const hostile: [name: string, body: (bytes: number) => string][] = [
  ['empty objects', (bytes) => `[${filled('{},', bytes)}{}]`],
  ['keys', (bytes) => `{${filled('"a":1,', bytes)}"b":1}`],
  ['nested lists', (bytes) => `${'['.repeat(Math.floor(bytes / 2))}${']'.repeat(Math.floor(bytes / 2))}`],
  ['nested schemas', (bytes) => `{"tools":[${filled('{"properties":', bytes)}`],
]

/** Lengths of the long texts that were parsed on the main thread meanwhile. */
async function longParsesDuring(work: () => Promise<void>): Promise<number[]> {
  const parse = vi.spyOn(JSON, 'parse')
  await work()
  const lengths = parse.mock.calls.map(([text]) => String(text).length)
  parse.mockRestore()
  return lengths.filter((length) => length > PARSED_CHARACTERS)
}

const limitOf = (route: string): number => {
  if (route.includes('/mcp')) return LARGEST_BYTES
  const { bodyLimit = MEGABYTE, access }: RouteSpec =
    contract[route.replace(' /api', ' ') as keyof typeof contract] ?? ({ access: 'user' } as RouteSpec)
  return Math.min(LARGEST_BYTES, access === 'public' ? 64 * KILOBYTE : bodyLimit)
}

const send = async (route: string, contentType: string, payload: string | Buffer) => {
  const [method, url] = route.split(' ') as ['POST', string]
  const { statusCode } = await mira.app.inject({
    method,
    url: url.replace(/:\w+/g, '0192f0c1-2b3c-7d4e-8f5a-6b7c8d9e0f1a'),
    headers: { 'content-type': contentType, authorization: `Bearer ${mira.admin.token}` },
    payload,
  })
  return statusCode
}

const routes = () =>
  mira.app.declaredRoutes
    .filter(({ method }) => ['POST', 'PUT', 'PATCH', 'DELETE'].includes(method))
    .map(({ method, url }) => `${method} ${url}`)

describe.each(hostile)('a body of very many %s', (_name, body) => {
  test('is refused by every route without being parsed on the main thread', async () => {
    const payloads = new Map<number, Buffer>()
    const statuses = new Map<string, number>()
    const parsedLengths = await longParsesDuring(async () => {
      for (const route of routes()) {
        const bytes = limitOf(route)
        const payload = payloads.get(bytes) ?? Buffer.from(body(bytes))
        payloads.set(bytes, payload)
        statuses.set(route, await send(route, 'application/json', payload))
      }
    })
    expect(parsedLengths).toEqual([])
    expect([...statuses].filter(([, status]) => status < 400 || status >= 500)).toEqual([])
    expect(statuses.get('POST /mcp')).toBe(413)
  }, 120_000)
})

test('public routes refuse a large body', async () => {
  const publicRoutes = mira.app.declaredRoutes.filter(
    ({ access, method }) => access === 'public' && !['GET', 'HEAD'].includes(method),
  )
  expect(publicRoutes.length).toBeGreaterThan(5)
  const payload = JSON.stringify({ username: 'x'.repeat(MEGABYTE / 2) })
  const statuses: [route: string, status: number][] = []
  const parsedLengths = await longParsesDuring(async () => {
    for (const { method, url } of publicRoutes) {
      statuses.push([url, await send(`${method} ${url}`, 'application/json', payload)])
    }
  })
  expect(parsedLengths).toEqual([])
  expect(statuses.filter(([, status]) => !REFUSED.includes(status))).toEqual([])
})

test('every route refuses a large form', async () => {
  const form = 'a&'.repeat(MEGABYTE / 4)
  for (const route of ['POST /api/auth/login', 'POST /mcp', 'POST /api/notes', 'POST /oauth/token']) {
    expect([route, REFUSED]).toEqual([route, expect.arrayContaining([await send(route, FORM, form)])])
  }
})
