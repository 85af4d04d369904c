import { expect, test } from 'vitest'
import { fetchWithPlainErrors } from '../../engines/remote/plain-errors.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { createOidcClient } from './oidc-client.ts'

const MEGABYTE = 1024 * 1024
const json = { 'content-type': 'application/json' }
/** Fetch function that returns a text in chunks. */
const fetchReturning = (text: string, init: ResponseInit = { headers: json }) =>
  (async () => {
    const bytes = Buffer.from(text)
    let offset = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (offset >= bytes.length) return controller.close()
        controller.enqueue(new Uint8Array(bytes.subarray(offset, offset + 10_007)))
        offset += 10_007
      },
    })
    return new Response(body, init)
  }) as typeof fetch
const list = (element: string, bytes: number) => `[${Array(Math.floor(bytes / (element.length + 1))).fill(element)}]`
const read = async (text: string, bounds = {}) =>
  (await boundedFetch(fetchReturning(text), { maxBytes: 2 * MEGABYTE, ...bounds })('https://example.org')).json()

test.each([
  ['objects', list('{}', 2 * MEGABYTE - 10)],
  ['lists', list('[]', 2 * MEGABYTE - 10)],
  ['numbers', list('0', 2 * MEGABYTE - 10)],
  ['nested lists', '['.repeat(MEGABYTE) + ']'.repeat(MEGABYTE)],
  ['objects after an odd quote in a stream', `: "\\\n: "\ndata: ${list('{}', MEGABYTE)}`],
  ['bytes', JSON.stringify('x'.repeat(3 * MEGABYTE))],
])('a response of too many %s is rejected before it is parsed', async (_name, text) => {
  await expect(read(text)).rejects.toThrow(/^The response (is too large|contains too many values)\.$/)
})

test('strings may contain any characters, and a long list of numbers is accepted where one is expected', async () => {
  const texts = [',[{'.repeat(MEGABYTE / 2), '"'.repeat(10_000), '\\', '\n']
  expect(await read(JSON.stringify(texts))).toEqual(texts)
  expect(await read(list('1', MEGABYTE), { maxValues: MEGABYTE })).toHaveLength(MEGABYTE / 2)
})

test('a response of a sign-in provider with too many values is rejected', async () => {
  const client = createOidcClient({
    ...{ issuer: 'https://id.example.org', clientId: 'mira', clientSecret: undefined, scopes: 'openid' },
    redirectUri: 'https://mira.example.org/back',
    fetch: fetchReturning(list('{}', MEGABYTE - 10)),
  })
  await expect(client.begin()).rejects.toMatchObject({ code: 'oidc_unreachable' })
})

test('a response of a model server with too many values is rejected, vectors and streams are not', async () => {
  const fetchText = async (text: string, init?: ResponseInit) =>
    (await fetchWithPlainErrors({ baseFetch: fetchReturning(text, init) })('https://example.org')).text()
  await expect(fetchText(list('{}', 64 * MEGABYTE - 10))).rejects.toThrow('too many values')
  const vectors = list(list('0.123456789012345', 3072 * 18), 4 * MEGABYTE)
  expect(await fetchText(vectors)).toBe(vectors)
  const stream = list('{}', 4 * MEGABYTE)
  expect(await fetchText(stream, { headers: { 'content-type': 'text/event-stream' } })).toBe(stream)
  const failed = await fetchText('x'.repeat(2 * MEGABYTE), { status: 500 })
  expect(JSON.parse(failed)).toEqual({ error: { message: '' } })
})
