import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFeedServer } from '../../../test/feed-server.ts'
import { createSafeFetcher } from '../../platform/net/safe-fetcher.ts'
import type { WebFetcher } from '../../platform/net/web-fetcher.ts'
import { createFeedReader } from './feed-reader.ts'

let server: Awaited<ReturnType<typeof startFeedServer>>
let fetcher: WebFetcher
beforeAll(async () => {
  server = await startFeedServer()
  fetcher = createSafeFetcher({ allowedHosts: [server.host], userAgent: 'Mira/test' })
})
afterAll(async () => {
  await fetcher.close()
  server.close()
})

const read = (path: string) => createFeedReader({ fetcher }).read(`${server.url}${path}`, { timeoutMs: 20_000 })
const feed = (...dates: string[]) =>
  `<rss version="2.0"><channel><title>Paper</title>${dates
    .map((date, index) => `<item><title>${index}</title><pubDate>${date}</pubDate></item>`)
    .join('')}</channel></rss>`

test.each(['text/html; charset=utf-8', 'application/octet-stream', 'application/rss', undefined])(
  'reads a feed with the content type %s, and refuses a page',
  async (type) => {
    server.responders['/feed'] = (response) =>
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(feed(''))
    expect(await read('/feed')).toMatchObject({ isOk: true, value: [{ title: '0' }] })
    server.responders['/page'] = (response) =>
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end('<!doctype html><p>Welcome')
    expect(await read('/page')).toMatchObject({ isOk: false, problem: 'type' })
  },
)

test('reads times with abbreviated time zones', async () => {
  const zones = ['GMT', 'CET', 'CEST', 'BST', 'JST', 'EST', '+0100', 'XYZ']
  const dates = zones.map((zone) => `Mon, 23 Nov 2026 10:00:00 ${zone}`)
  server.responders['/feed'] = server.send('application/rss+xml', feed(...dates))
  const response = await read('/feed')
  const hours = response.isOk ? response.value.map(({ publishedAt }) => publishedAt?.slice(11, 13) ?? null) : []
  expect(hours).toEqual(['10', '09', '08', '09', '01', '15', '09', null])
})
