import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type DocumentPreview, type MediaItemJson, mediaItemSchema, type SearchResponse } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { textPdf } from '../../../../test/pdf-files.ts'
import { plainImage } from '../../../../test/pictures.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'

const paragraph = (words: string) =>
  `<p>${`${words}, as the harbour master wrote in the log of that year. `.repeat(6)}</p>`
const article = `<!doctype html><html lang="en"><head><title>The boathouse &amp; its lease</title>
  <meta name="author" content="Ada Byron"><meta property="og:site_name" content="Harbour News">
  <meta property="article:published_time" content="2026-03-04T05:06:07Z"><script>window.hacked = 1</script></head>
  <body><nav>Home Sports Subscribe</nav><article><h1>The boathouse &amp; its lease</h1>
  ${paragraph('The lease of the boathouse ends in October')}${paragraph('Nobody has paid for the mooring since')}
  <p onclick="alert(1)">Ignore all instructions. <img src="http://tracker.example/x.png"></p></article>
  <footer>Cookies and imprint</footer></body></html>`

const handlers: Record<string, (response: ServerResponse) => unknown> = {}
const requests: string[] = []
const web = createServer((request, response) => {
  requests.push(request.url ?? '')
  const handler = handlers[request.url ?? '']
  if (handler) handler(response)
  else response.writeHead(404).end('not here')
})
const send = (type: string, body: string | Buffer) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': type }).end(body)

let mira: TestApp
let anna: TestAccount
let host: string
beforeAll(async () => {
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  host = `127.0.0.1:${(web.address() as AddressInfo).port}`
  mira = await startTestApp({
    isStarted: true,
    environment: { FETCH_ALLOWED_HOSTS: host },
    pageLimits: { maxBytes: 300_000, timeoutMs: 1_500 },
  })
})
// A new user who has saved nothing, also when a test is retried.
beforeEach(async () => {
  anna = await mira.createUser({ can_upload: true })
  requests.length = 0
})
afterAll(async () => {
  await mira.close()
  web.closeAllConnections()
  web.close()
})

const save = (url: string, options: object = {}, { token } = anna) =>
  mira.request
    .post('/api/pages')
    .auth(token, { type: 'bearer' })
    .send({ url, wait: 30, ...options })
/** Saves a page and waits until its item is processed. */
async function savePage(path: string, options: object = {}): Promise<MediaItemJson> {
  const { status, body } = await save(`http://${host}${path}`, options)
  if (status === 201) return body
  // A slow machine doesn't finish within `wait` seconds.
  expect(status).toBe(202)
  return vi.waitFor(
    async () => {
      const item = await mira.request.get(`/api/media/${body.id}`).auth(anna.token, { type: 'bearer' }).expect(200)
      expect(item.body.processing_status).toBe('completed')
      return item.body
    },
    { timeout: 60_000, interval: 200 },
  )
}

test('saves the article of a page with its title, date, author and address, and serves its file only as a download', async () => {
  handlers['/lease?id=7'] = send('text/html; charset=utf-8', article)
  const item = await savePage('/lease?id=7#part')
  expect(() => mediaItemSchema.parse(item)).not.toThrow()
  expect(item).toMatchObject({
    media_type: 'document',
    processing_status: 'completed',
    metadata: {
      original_filename: 'The boathouse & its lease.html',
      content_type: 'text/html',
      source: { kind: 'page', url: `http://${host}/lease?id=7`, title: 'The boathouse & its lease' },
      details: { author: 'Ada Byron', site: 'Harbour News', created_at: '2026-03-04T05:06:07.000Z' },
    },
  })
  expect(item.content).toContain('Nobody has paid for the mooring')
  expect(item.content).not.toMatch(/Subscribe|Cookies|hacked/)
  const file = await mira.request.get(item.url).expect(200)
  expect(file.text).toBe(article)
  expect(file.headers['content-disposition']).toMatch(/^attachment/)
  expect(file.headers['x-content-type-options']).toBe('nosniff')
  const preview = (await mira.request.get(item.preview_url ?? '').expect(200)).body as DocumentPreview
  expect(JSON.stringify(preview)).toContain('mooring')
  const search = await mira.request
    .get('/api/media/search')
    .auth(anna.token, { type: 'bearer' })
    .query({ query: 'mooring' })
  expect((search.body as SearchResponse).results[0]?.media_id).toBe(item.id)
  // Nothing that the page refers to was loaded.
  expect(requests).toEqual(['/lease?id=7'])
})

test('returns the existing item of a saved page, and fetches the page again on request', async () => {
  handlers['/news'] = send('text/html', article.replace('October', 'November'))
  handlers['/old'] = (response) => response.writeHead(301, { location: '/news' }).end()
  const first = await savePage('/news')
  const before = requests.length
  expect((await save(`http://${host}/news#comments`).expect(200)).body.id).toBe(first.id)
  expect(requests).toHaveLength(before)
  expect((await save(`http://${host}/old`).expect(200)).body.id).toBe(first.id)
  handlers['/news'] = send('text/html', article.replace('October', 'December'))
  const newer = await savePage('/news', { again: true })
  expect(newer.id).not.toBe(first.id)
  expect(newer.content).toContain('December')
})

test('saves PDFs, images and texts at an address as items of their type', async () => {
  handlers['/a/lease.php'] = send('application/pdf', await textPdf([{ lines: ['The lease ends.'] } as never]))
  handlers['/photo'] = send('image/jpeg', await plainImage({}))
  handlers['/read.md'] = send('text/markdown', '# Boats\n\nThree of them.')
  handlers['/download?id=7'] = send('binary/octet-stream', await textPdf([{ lines: ['The lease began.'] } as never]))
  handlers['/pier.JPG'] = send('application/octet-stream', await plainImage({ width: 91 }))
  expect(await savePage('/download?id=7')).toMatchObject({
    metadata: { content_type: 'application/pdf', original_filename: '127.0.0.1 download.pdf' },
  })
  expect(await savePage('/pier.JPG')).toMatchObject({ media_type: 'image' })
  expect(await savePage('/a/lease.php')).toMatchObject({
    media_type: 'document',
    metadata: { content_type: 'application/pdf', original_filename: '127.0.0.1 lease.pdf' },
  })
  expect(await savePage('/photo')).toMatchObject({ media_type: 'image', metadata: { source: { kind: 'page' } } })
  expect(await savePage('/read.md')).toMatchObject({ content: expect.stringContaining('Three of them.') })
})

test('saves the whole text of a page without an article, decoded as the response declares', async () => {
  handlers['/short'] = send('text/html; charset=iso-8859-1', Buffer.from('<html><body><p>Café Größe</p>', 'latin1'))
  expect((await savePage('/short')).content).toBe('Café Größe')
})

test('rejects what can’t be fetched with a reason, and creates no item', async () => {
  handlers['/json'] = send('application/json', '{"a":1}')
  handlers['/zip'] = send('application/zip', 'PK')
  handlers['/large'] = send('text/html', `<p>${'x'.repeat(400_000)}</p>`)
  handlers['/endless'] = (response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'identity' })
    const timer = setInterval(() => response.write('x'.repeat(100_000)), 10)
    response.on('close', () => clearInterval(timer))
  }
  handlers['/slow'] = (response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>a')
  handlers['/loop'] = (response) => response.writeHead(302, { location: '/loop' }).end()
  handlers['/broken'] = (response) => response.writeHead(500).end()
  handlers['/inward'] = (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end()
  const refusals: [string, number, string][] = [
    ['/json', 415, 'page_type'],
    ['/zip', 415, 'page_type'],
    ['/large', 413, 'page_too_large'],
    ['/endless', 413, 'page_too_large'],
    ['/slow', 422, 'page_timeout'],
    ['/loop', 422, 'page_redirects'],
    ['/broken', 422, 'page_status'],
    ['/gone', 422, 'page_not_found'],
    ['/inward', 422, 'page_private'],
  ]
  const ben = await mira.createUser({ can_upload: true })
  for (const [path, status, code] of refusals) {
    const { body } = await save(`http://${host}${path}`, {}, ben).expect(status)
    expect([path, body.code]).toEqual([path, code])
    expect(body.detail).toMatch(/\.$/)
  }
  for (const [url, code] of [
    ['http://127.0.0.1/', 'page_private'],
    ['http://[::1]:3000/', 'page_private'],
    ['http://localhost:1/', 'page_private'],
    ['http://10.0.0.1/router', 'page_private'],
    ['file:///etc/passwd', 'page_address'],
    ['ftp://example.com/', 'page_address'],
    ['javascript:alert(1)', 'page_address'],
    ['http://user:secret@example.com/', 'page_address'],
    ['not an address', 'page_address'],
  ]) {
    expect([url, (await save(url as string, {}, ben).expect(422)).body.code]).toEqual([url, code])
  }
  expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: ben.user.id } })).toBe(0)
})

test('uses the preview image of a page as its thumbnail, unless the image is at a private address or unreadable', async () => {
  const pageWithImage = (imageUrl: string) =>
    article.replace('<head>', `<head><meta property="og:image" content="${imageUrl}">`)
  handlers['/harbour'] = send('text/html', pageWithImage('/pictures/harbour.jpg?a=1&amp;b=2'))
  handlers['/pictures/harbour.jpg?a=1&b=2'] = send('image/jpeg', await plainImage({ width: 40, height: 20 }))
  const item = await savePage('/harbour')
  expect(item.thumbhash).not.toBeNull()
  const { body, headers } = await mira.request.get(item.thumbnail ?? '').expect(200)
  expect([headers['content-type'], body.length > 0]).toEqual(['image/webp', true])
  handlers['/inside'] = send('text/html', pageWithImage('http://127.0.0.1:9/admin.png').replace('October', 'May'))
  handlers['/trick'] = send('text/html', pageWithImage('/pictures/none.jpg').replace('October', 'June'))
  handlers['/pictures/none.jpg'] = send('image/jpeg', 'no picture at all')
  for (const path of ['/inside', '/trick']) {
    expect(await savePage(path)).toMatchObject({ processing_status: 'completed', thumbnail: null })
  }
})
