import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type MediaItemJson, mediaItemSchema, type PaperPreview, type SearchResponse } from '@mira/shared'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { writtenPdf } from '../../../../test/pdf-files.ts'
import { plainPicture } from '../../../../test/pictures.ts'
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

const answers: Record<string, (response: ServerResponse) => unknown> = {}
const requests: string[] = []
const web = createServer((request, response) => {
  requests.push(request.url ?? '')
  const answer = answers[request.url ?? '']
  if (answer) answer(response)
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
// nobody has kept anything, also where a test is tried again
beforeEach(async () => {
  anna = await mira.createUser({ can_upload: true })
  requests.length = 0
})
afterAll(async () => {
  await mira.close()
  web.closeAllConnections()
  web.close()
})

const keep = (url: string, more: object = {}, { token } = anna) =>
  mira.request
    .post('/api/pages')
    .auth(token, { type: 'bearer' })
    .send({ url, wait: 30, ...more })
/** An item of a new page, once all is known of it. */
async function keepPage(path: string, more: object = {}): Promise<MediaItemJson> {
  const { status, body } = await keep(`http://${host}${path}`, more)
  if (status === 201) return body
  // a slow machine is not done in the time that one may wait
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

test('a page is kept as what it is about, with its title, date, author and address, and its file never runs', async () => {
  answers['/lease?id=7'] = send('text/html; charset=utf-8', article)
  const item = await keepPage('/lease?id=7#part')
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
  const preview = (await mira.request.get(item.preview_url ?? '').expect(200)).body as PaperPreview
  expect(JSON.stringify(preview)).toContain('mooring')
  const search = await mira.request
    .get('/api/media/search')
    .auth(anna.token, { type: 'bearer' })
    .query({ query: 'mooring' })
  expect((search.body as SearchResponse).results[0]?.media_id).toBe(item.id)
  // nothing that the page names was loaded
  expect(requests).toEqual(['/lease?id=7'])
})

test('the same page again says that it is there, and is fetched anew when that is wanted', async () => {
  answers['/news'] = send('text/html', article.replace('October', 'November'))
  answers['/old'] = (response) => response.writeHead(301, { location: '/news' }).end()
  const first = await keepPage('/news')
  const before = requests.length
  expect((await keep(`http://${host}/news#comments`).expect(200)).body.id).toBe(first.id)
  expect(requests).toHaveLength(before)
  expect((await keep(`http://${host}/old`).expect(200)).body.id).toBe(first.id)
  answers['/news'] = send('text/html', article.replace('October', 'December'))
  const newer = await keepPage('/news', { again: true })
  expect(newer.id).not.toBe(first.id)
  expect(newer.content).toContain('December')
})

test('PDFs, pictures and texts at an address become such items', async () => {
  answers['/a/lease.php'] = send('application/pdf', await writtenPdf([{ lines: ['The lease ends.'] } as never]))
  answers['/photo'] = send('image/jpeg', await plainPicture({}))
  answers['/read.md'] = send('text/markdown', '# Boats\n\nThree of them.')
  answers['/download?id=7'] = send('binary/octet-stream', await writtenPdf([{ lines: ['The lease began.'] } as never]))
  answers['/pier.JPG'] = send('application/octet-stream', await plainPicture({ width: 91 }))
  expect(await keepPage('/download?id=7')).toMatchObject({
    metadata: { content_type: 'application/pdf', original_filename: '127.0.0.1 download.pdf' },
  })
  expect(await keepPage('/pier.JPG')).toMatchObject({ media_type: 'image' })
  expect(await keepPage('/a/lease.php')).toMatchObject({
    media_type: 'document',
    metadata: { content_type: 'application/pdf', original_filename: '127.0.0.1 lease.pdf' },
  })
  expect(await keepPage('/photo')).toMatchObject({ media_type: 'image', metadata: { source: { kind: 'page' } } })
  expect(await keepPage('/read.md')).toMatchObject({ content: expect.stringContaining('Three of them.') })
})

test('a page without an article is kept with all that it says, in the encoding that its server tells', async () => {
  answers['/short'] = send('text/html; charset=iso-8859-1', Buffer.from('<html><body><p>Café Größe</p>', 'latin1'))
  expect((await keepPage('/short')).content).toBe('Café Größe')
})

test('what cannot be had is refused with the reason, and nothing is kept', async () => {
  answers['/json'] = send('application/json', '{"a":1}')
  answers['/zip'] = send('application/zip', 'PK')
  answers['/large'] = send('text/html', `<p>${'x'.repeat(400_000)}</p>`)
  answers['/endless'] = (response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'identity' })
    const timer = setInterval(() => response.write('x'.repeat(100_000)), 10)
    response.on('close', () => clearInterval(timer))
  }
  answers['/slow'] = (response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>a')
  answers['/loop'] = (response) => response.writeHead(302, { location: '/loop' }).end()
  answers['/broken'] = (response) => response.writeHead(500).end()
  answers['/inward'] = (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end()
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
    const { body } = await keep(`http://${host}${path}`, {}, ben).expect(status)
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
    expect([url, (await keep(url as string, {}, ben).expect(422)).body.code]).toEqual([url, code])
  }
  expect(await mira.context.database.prisma.mediaItem.count({ where: { userId: ben.user.id } })).toBe(0)
})

test('a page is shown by the picture that it names as its own, which is asked for as the page was', async () => {
  const page = (picture: string) => article.replace('<head>', `<head><meta property="og:image" content="${picture}">`)
  answers['/harbour'] = send('text/html', page('/pictures/harbour.jpg?a=1&amp;b=2'))
  answers['/pictures/harbour.jpg?a=1&b=2'] = send('image/jpeg', await plainPicture({ width: 40, height: 20 }))
  const item = await keepPage('/harbour')
  expect(item.thumbhash).not.toBeNull()
  const { body, headers } = await mira.request.get(item.thumbnail ?? '').expect(200)
  expect([headers['content-type'], body.length > 0]).toEqual(['image/webp', true])
  answers['/inside'] = send('text/html', page('http://127.0.0.1:9/admin.png').replace('October', 'May'))
  answers['/trick'] = send('text/html', page('/pictures/none.jpg').replace('October', 'June'))
  answers['/pictures/none.jpg'] = send('image/jpeg', 'no picture at all')
  for (const path of ['/inside', '/trick']) {
    expect(await keepPage(path)).toMatchObject({ processing_status: 'completed', thumbnail: null })
  }
})
