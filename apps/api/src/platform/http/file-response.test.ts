// biome-ignore-all lint/nursery/noMisusedPromises: Fastify awaits its plugins; the rule sees only their older form with a callback
import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type FileResponse, sendFile } from './file-response.ts'

const content = Buffer.from('0123456789')
const file: FileResponse = {
  etag: 'abc',
  contentType: 'image/png',
  name: 'a picture.png',
  async open() {
    opened++
    return {
      sizeBytes: content.length,
      async read({ start, end }) {
        const part = content.subarray(start, end + 1)
        return isStream ? Readable.from([part]) : part
      },
    }
  },
}

let app: FastifyInstance
let fileResponse: FileResponse
let opened: number
let isStream: boolean
beforeAll(async () => {
  app = Fastify()
  app.get('/file', (request, reply) => sendFile(request, reply, fileResponse))
  await app.ready()
})
afterAll(() => app.close())
beforeEach(() => {
  fileResponse = file
  opened = 0
  isStream = true
})

const get = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: '/file', headers })

describe.each([true, false])('a file (as a stream: %s)', (asStream) => {
  beforeEach(() => {
    isStream = asStream
  })

  test('is sent completely, with headers for a private cache', async () => {
    const { statusCode, headers, body } = await get()
    expect([statusCode, body]).toEqual([200, '0123456789'])
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'content-disposition': `inline; filename="a picture.png"; filename*=UTF-8''a%20picture.png`,
      'accept-ranges': 'bytes',
      etag: '"abc"',
      'cache-control': 'private, max-age=31536000, immutable',
      vary: 'Authorization',
    })
  })

  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=9-1000', '9', 'bytes 9-9/10'],
  ])('is sent in part for %s', async (range, part, contentRange) => {
    const { statusCode, headers, body } = await get({ range })
    expect([statusCode, body, headers['content-range'], headers['content-length']]).toEqual([
      206,
      part,
      contentRange,
      String(part.length),
    ])
  })
})

test.each(['bytes=0-1,3-4', 'bytes=4-2', 'bytes=-', 'bytes=a-b', 'lines=1-2', ''])(
  'an unsupported range (%s) gets the whole file',
  async (range) => {
    const { statusCode, headers, body } = await get({ range })
    expect([statusCode, body, headers['content-range']]).toEqual([200, '0123456789', undefined])
  },
)

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('a range outside the file (%s) gets 416', async (range) => {
  const response = await get({ range })
  expect(response.statusCode).toBe(416)
  expect(response.headers).toMatchObject({ 'content-range': 'bytes */10' })
  expect(response.json()).toEqual({ detail: 'The file ends before that range begins.', code: 'range_not_satisfiable' })
  for (const name of ['content-disposition', 'cache-control', 'etag']) expect(response.headers).not.toHaveProperty(name)
})

test.each(['"abc"', 'W/"abc"', '"x", "abc"', '*'])(
  'a matching ETag (%s) gets 304 without opening the file',
  async (tag) => {
    const { statusCode, headers, body } = await get({ 'if-none-match': tag })
    expect([statusCode, body, headers.etag, opened]).toEqual([304, '', '"abc"', 0])
  },
)

test('a different ETag gets the whole file', async () => {
  expect((await get({ 'if-none-match': '"abcd"' })).statusCode).toBe(200)
  expect((await get({ range: 'bytes=2-4', 'if-range': '"old"' })).body).toBe('0123456789')
  expect((await get({ range: 'bytes=2-4', 'if-range': '"abc"' })).body).toBe('234')
})

test('HEAD gets the headers without reading the file', async () => {
  fileResponse = {
    ...file,
    open: async () => ({ sizeBytes: 10, read: () => Promise.reject(new Error('it was read')) }),
  }
  const { statusCode, headers, body } = await get({}, 'HEAD')
  expect([statusCode, headers['content-length'], headers['content-type'], body]).toEqual([200, '10', 'image/png', ''])
})

test('an error is not cached like the file', async () => {
  for (const open of [
    () => Promise.reject(new Error('it is gone')),
    async () => ({ sizeBytes: 10, read: () => Promise.reject(new Error('it is gone')) }),
  ]) {
    fileResponse = { ...file, open }
    const { statusCode, headers } = await get()
    expect(statusCode).toBe(500)
    for (const name of ['cache-control', 'etag', 'content-disposition']) expect(headers).not.toHaveProperty(name)
  }
})

test.each([
  ['text/html', 'attachment'],
  ['image/svg+xml', 'attachment'],
  ['application/pdf', 'attachment'],
  ['image/tiff', 'attachment'],
  ['text/plain', 'attachment'],
  ['image/webp', 'inline'],
  ['video/mp4', 'inline'],
])('%s is sent as %s', async (contentType, kind) => {
  fileResponse = { ...file, contentType }
  expect((await get()).headers['content-disposition']).toMatch(new RegExp(`^${kind}; `))
})

test('a file name with any characters stays within one header', async () => {
  fileResponse = { ...file, name: `"Größe";\r\nX: 1 🙂${'\ud800'}.png` }
  expect((await get()).headers['content-disposition']).toBe(
    `inline; filename="_Gr__e____X_ 1 ___.png"; filename*=UTF-8''%22Gr%C3%B6%C3%9Fe%22%3B%0D%0AX%3A%201%20%F0%9F%99%82%EF%BF%BD.png`,
  )
})

test('a long file name is cut between characters', async () => {
  fileResponse = { ...file, name: `${'x'.repeat(254)}🙂🙂` }
  const { statusCode, headers } = await get()
  const [, name] = headers['content-disposition']?.split("filename*=UTF-8''") ?? []
  expect([statusCode, name]).toEqual([200, 'x'.repeat(254)])
})
