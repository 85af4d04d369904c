import { afterAll, beforeAll, expect, test, vi } from 'vitest'
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

const entriesOf = async (content: string | Buffer, type = 'application/atom+xml') => {
  server.responders['/feed'] = (response) => response.writeHead(200, { 'content-type': type }).end(content)
  const response = await read('/feed')
  return response.isOk ? response.value : response.problem
}

test('reads the contents of entries without a description or a title', async () => {
  const content = '<content:encoded><![CDATA[<p>The <b>marmot</b> sleeps</p>]]></content:encoded>'
  const rss = `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Paper</title>
    <item>${content}</item><item><title>News</title><description></description>${content}</item></channel></rss>`
  expect(await entriesOf(rss)).toMatchObject([
    { title: 'The marmot sleeps', summary: 'The marmot sleeps' },
    { title: 'News', summary: 'The marmot sleeps' },
  ])
  const video = `<feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><title>V</title>
    <entry><id>1</id><title>Film</title><media:group><media:description>Marmots &lt;3</media:description></media:group></entry></feed>`
  expect(await entriesOf(video)).toMatchObject([{ title: 'Film', summary: 'Marmots <3' }])
})

test('keeps angle brackets in the plain texts of Atom', async () => {
  const entry = (title: string) => `<entry><id>1</id>${title}</entry>`
  const titles = [
    '<title>History of the &lt;blink&gt; tag &amp;amp; more</title>',
    '<title type="text">a &lt; b</title>',
    '<title type="html">a &lt;b&gt;bold&lt;/b&gt; move</title>',
    '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">a <b>bold</b> move</div></title>',
  ]
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>V</title>${titles.map(entry).join('')}</feed>`
  const entries = await entriesOf(atom)
  expect(Array.isArray(entries) && entries.map(({ title }) => title)).toEqual([
    'History of the <blink> tag &amp; more',
    'a < b',
    'a bold move',
    'a bold move',
  ])
})

test('reads a feed by its byte order mark rather than by its charset', async () => {
  const rss = '<rss version="2.0"><channel><title>Paper</title><item><title>Café</title></item></channel></rss>'
  expect(await entriesOf(`\ufeff${rss}`, 'text/xml; charset=iso-8859-1')).toMatchObject([{ title: 'Café' }])
  const declared = Buffer.from(`\ufeff<?xml version="1.0" encoding="utf-16"?>${rss}`, 'utf16le')
  expect(await entriesOf(declared)).toMatchObject([{ title: 'Café' }])
  expect(await entriesOf(declared.swap16())).toMatchObject([{ title: 'Café' }])
})

test('keeps UTF-8 with a character that was cut, and UTF-16 without a mark', async () => {
  const rss = (description: string) =>
    `<rss version="2.0"><channel><title>Paper</title><item><title>Café</title><description>${description}</description></item></channel></rss>`
  const [before = '', after = ''] = rss('It|s').split('|')
  const cut = Buffer.concat([Buffer.from(before), Buffer.from([0xe2, 0x80]), Buffer.from(after)])
  expect(await entriesOf(cut, 'text/xml; charset=utf-8')).toMatchObject([{ title: 'Café' }])
  const wide = Buffer.from(rss('x').replace('é', 'e'), 'utf16le')
  expect(await entriesOf(wide, 'text/xml; charset=utf-16')).toMatchObject([{ title: 'Cafe' }])
})

test('reads times without a zone as UTC, wherever the server is', async () => {
  vi.stubEnv('TZ', 'America/New_York')
  const times = [
    '2026-11-30T10:00:00',
    'Mon, 30 Nov 2026 10:00:00',
    '2026-11-30T10:00:00-05:00',
    '2026-11-30',
    '30 Nov 2026',
  ]
  const entries = await entriesOf(feed(...times)).finally(() => vi.unstubAllEnvs())
  expect(Array.isArray(entries) && entries.map(({ publishedAt }) => publishedAt?.slice(0, 16))).toEqual([
    '2026-11-30T10:00',
    '2026-11-30T10:00',
    '2026-11-30T15:00',
    '2026-11-30T00:00',
    '2026-11-30T00:00',
  ])
})

test('resolves links by the base of the entry and the feed', async () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.org/blog/"><title>V</title>
    <entry xml:base="2026/"><id>1</id><title>a</title><link href="first"/></entry>
    <entry><id>2</id><title>b</title><link href="second"/></entry></feed>`
  expect(await entriesOf(atom)).toMatchObject([
    { url: 'https://example.org/blog/2026/first' },
    { url: 'https://example.org/blog/second' },
  ])
})

test('reads a feed in its real encoding when none is declared, or a wrong one', async () => {
  const rss = (declared: string) =>
    `<?xml version="1.0"${declared}?><rss version="2.0"><channel><title>Journal</title><item><title>Été à Orléans</title>
     <description>Les élèves ont déjà mangé près de la forêt</description></item></channel></rss>`
  for (const declared of ['', ' encoding="utf-8"', " encoding = 'ISO-8859-1'"])
    expect(await entriesOf(Buffer.from(rss(declared), 'latin1'))).toMatchObject([{ title: 'Été à Orléans' }])
  const wrong = Buffer.from(rss(' encoding="iso-8859-1"'))
  expect(await entriesOf(wrong, 'text/xml; charset=iso-8859-1')).toMatchObject([{ title: 'Été à Orléans' }])
})

test('reads titles, texts, times and links of items from other namespaces', async () => {
  const namespaces = Object.entries({
    atom: 'http://www.w3.org/2005/Atom',
    dc: 'http://purl.org/dc/elements/1.1/',
    dcterms: 'http://purl.org/dc/terms/',
    itunes: 'http://www.itunes.com/dtds/podcast-1.0.dtd',
    media: 'http://search.yahoo.com/mrss/',
  }).map(([prefix, url]) => `xmlns:${prefix}="${url}"`)
  const items = [
    `<dc:title>One</dc:title><dc:description>First</dc:description><dcterms:issued>2026-11-30</dcterms:issued>
     <atom:link href="https://example.org/1"/>`,
    `<itunes:title>Two</itunes:title><itunes:summary>Second</itunes:summary><atom:updated>2026-11-29T10:00:00Z</atom:updated>
     <guid>episode-2</guid><enclosure url="https://example.org/2.mp3" type="audio/mpeg"/>`,
    `<media:title>3 &lt; 4</media:title><media:description>Third</media:description><guid>https://example.org/3</guid>`,
    '<title>Four</title><guid>4</guid>',
  ]
  const rss = `<rss version="2.0" ${namespaces.join(' ')}><channel><title>Paper</title>${items
    .map((item) => `<item>${item}</item>`)
    .join('')}</channel></rss>`
  expect(await entriesOf(rss)).toEqual([
    { title: 'One', summary: 'First', url: 'https://example.org/1', publishedAt: '2026-11-30T00:00:00.000Z' },
    { title: 'Two', summary: 'Second', url: 'https://example.org/2.mp3', publishedAt: '2026-11-29T10:00:00.000Z' },
    { title: '3 < 4', summary: 'Third', url: 'https://example.org/3', publishedAt: null },
    { title: 'Four', summary: null, url: null, publishedAt: null },
  ])
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom"><title>V</title><entry><id>https://example.org/5</id><title>a</title>
    <link rel="replies" href="https://example.org/5/replies"/></entry></feed>`
  expect(await entriesOf(atom)).toMatchObject([{ url: 'https://example.org/5' }])
  const item = { id: 'https://example.org/6', content_text: 'Six', date_modified: '2026-11-30T10:00:00Z' }
  const json = JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'Paper', items: [item] })
  expect(await entriesOf(json, 'application/feed+json')).toMatchObject([
    { title: 'Six', url: 'https://example.org/6', publishedAt: '2026-11-30T10:00:00.000Z' },
  ])
})
