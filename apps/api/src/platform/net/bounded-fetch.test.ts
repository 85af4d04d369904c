import { expect, test } from 'vitest'
import { fetchWithPlainErrors } from '../../engines/remote/plain-errors.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { createOidcClient } from './oidc-client.ts'

const MEGABYTE = 1024 * 1024
const json = { 'content-type': 'application/json' }
/** A fetch of a server that answers this, in chunks. */
const answering = (text: string, init: ResponseInit = { headers: json }) =>
  (async () => {
    const chunks = Buffer.from(text)
    let from = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (from >= chunks.length) return controller.close()
        controller.enqueue(new Uint8Array(chunks.subarray(from, from + 10_007)))
        from += 10_007
      },
    })
    return new Response(body, init)
  }) as typeof fetch
const list = (element: string, bytes: number) => `[${Array(Math.floor(bytes / (element.length + 1))).fill(element)}]`
const read = async (text: string, bounds = {}) =>
  (await boundedFetch(answering(text), { maxBytes: 2 * MEGABYTE, ...bounds })('https://example.org')).json()

test.each([
  ['objects', list('{}', 2 * MEGABYTE - 10)],
  ['lists', list('[]', 2 * MEGABYTE - 10)],
  ['numbers', list('0', 2 * MEGABYTE - 10)],
  ['lists in each other', '['.repeat(MEGABYTE) + ']'.repeat(MEGABYTE)],
  ['objects behind an odd quote of a stream', `: "\\\n: "\ndata: ${list('{}', MEGABYTE)}`],
  ['bytes', JSON.stringify('x'.repeat(3 * MEGABYTE))],
])('an answer of too many %s ends before it is parsed', async (_name, text) => {
  await expect(read(text)).rejects.toThrow(/^The response (is too large|contains too many values)\.$/)
})

test('text holds any characters, and a long list of numbers is read where one is expected', async () => {
  const texts = [',[{'.repeat(MEGABYTE / 2), '"'.repeat(10_000), '\\', '\n']
  expect(await read(JSON.stringify(texts))).toEqual(texts)
  expect(await read(list('1', MEGABYTE), { maxValues: MEGABYTE })).toHaveLength(MEGABYTE / 2)
})

test('a sign-in provider that answers with very many values is not read', async () => {
  const client = createOidcClient({
    ...{ issuer: 'https://id.example.org', clientId: 'mira', clientSecret: undefined, scopes: 'openid' },
    redirectUri: 'https://mira.example.org/back',
    fetch: answering(list('{}', MEGABYTE - 10)),
  })
  await expect(client.begin()).rejects.toMatchObject({ code: 'oidc_unreachable' })
})

test('a model server that answers with very many values is not read, a stream and vectors are', async () => {
  const fetchText = async (text: string, init?: ResponseInit) =>
    (await fetchWithPlainErrors({ baseFetch: answering(text, init) })('https://example.org')).text()
  await expect(fetchText(list('{}', 64 * MEGABYTE - 10))).rejects.toThrow('too many values')
  const vectors = list(list('0.123456789012345', 3072 * 18), 4 * MEGABYTE)
  expect(await fetchText(vectors)).toBe(vectors)
  const stream = list('{}', 4 * MEGABYTE)
  expect(await fetchText(stream, { headers: { 'content-type': 'text/event-stream' } })).toBe(stream)
  const failed = await fetchText('x'.repeat(2 * MEGABYTE), { status: 500 })
  expect(JSON.parse(failed)).toEqual({ error: { message: '' } })
})
