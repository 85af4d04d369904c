import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'

const page = `<!doctype html><html><head><meta name="mira-assistant-name" content="Mira" />
<meta name="csp-nonce" content="" /></head><body><span data-assistant-name="Mira"></span>
<script type="module" src="/assets/index-abc.js"></script></body></html>`

const code = `export const words = '${'lighthouse '.repeat(500)}'`

let folder: string
let distDir: string
let mira: TestApp

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-web-'))
  distDir = join(folder, 'dist')
  await mkdir(join(distDir, 'assets'), { recursive: true })
  await writeFile(join(distDir, 'index.html'), page)
  await writeFile(join(distDir, 'assets/index-abc.js'), code)
  await writeFile(join(distDir, 'assets/index-abc.js.br'), brotliCompressSync(code))
  await writeFile(join(distDir, 'assets/index-abc.js.gz'), gzipSync(code))
  await writeFile(join(distDir, 'worker.js'), code)
  await writeFile(join(distDir, 'sandbox.html'), code)
  await writeFile(join(distDir, 'assets/voice-activity-worker-Ab_1.js'), code)
  await writeFile(join(distDir, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await writeFile(join(folder, 'secret.txt'), 'secret')
  mira = await startTestApp({
    config: {
      webDistDir: distDir,
      assistantName: `"><script>alert('$&')</script>`,
      corsOrigins: ['https://elsewhere.example'],
    },
  })
})
afterAll(async () => {
  await mira.close()
  await rm(folder, { recursive: true, force: true })
})

const open = (path: string, accept = 'text/html,application/xhtml+xml') => mira.request.get(path).set('accept', accept)

describe('the page', () => {
  test('is served at every path of the web app, uncached, with a policy that allows only its own files', async () => {
    for (const path of ['/', '/dashboard', '/chat?session=1', '/admin/']) {
      const { status, headers, text } = await open(path).expect(200)
      expect({ path, status }).toEqual({ path, status: 200 })
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['cache-control']).toBe('no-store')
      const nonce = /<meta name="csp-nonce" content="([^"]+)"/.exec(text)?.[1]?.replaceAll('&#43;', '+')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' blob: data:; ` +
          `media-src 'self' blob: data:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; ` +
          `manifest-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; ` +
          `require-trusted-types-for 'script'; trusted-types default`,
      )
    }
  })

  test('has a different nonce each time', async () => {
    const policies = await Promise.all([open('/'), open('/'), open('/')])
    expect(new Set(policies.map(({ headers }) => headers['content-security-policy'])).size).toBe(3)
  })

  test('allows its inline scripts by hash, and is compressed when it is long', async () => {
    const script = `document.title = '${'$& '.repeat(2_000)}'`
    try {
      await writeFile(
        join(distDir, 'index.html'),
        page.replace('<head>', () => `<head><script>${script}</script>`),
      )
      const { headers, rawPayload } = await mira.app.inject({
        url: '/chat',
        headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' },
      })
      const hash = createHash('sha256').update(script).digest('base64')
      // The assistant's name looks like a script, but isn't one.
      expect(headers['content-security-policy']).toContain(`; script-src 'self' 'sha256-${hash}'; style-src`)
      expect(headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(rawPayload).toString()).toContain(`<script>${script}</script>`)
    } finally {
      await writeFile(join(distDir, 'index.html'), page)
    }
  })

  test('has the assistant’s name as text, whatever it is', async () => {
    const { text } = await open('/').expect(200)
    const name = '&#34;&#62;&#60;script&#62;alert(&#39;$&#38;&#39;)&#60;/script&#62;'
    expect(text).toContain(`<meta name="mira-assistant-name" content="${name}" />`)
    expect(text).toContain(`<span data-assistant-name="${name}">`)
    expect(text).not.toContain('<script>alert')
  })

  test('redirects files shared by another app that no service worker has received', async () => {
    const response = await mira.request.post('/share').attach('files', Buffer.alloc(2_000_000), 'film.mp4').redirects(0)
    expect([response.status, response.headers.location]).toEqual([303, '/upload?shared=too-early'])
  })

  test('is not sent to clients that ask for something else', async () => {
    await open('/dashboard', 'application/json').expect(404, {
      detail: 'There is nothing at this address.',
      code: 'not_found',
    })
    await mira.request.post('/dashboard').expect(404)
  })

  test('says what to do when it is not built yet', async () => {
    const unbuilt = await startTestApp({ config: { webDistDir: join(folder, 'nowhere') } })
    try {
      const { body } = await unbuilt.request.get('/').set('accept', 'text/html').expect(503)
      expect(body).toMatchObject({ code: 'unavailable', detail: expect.stringContaining('npm run build') })
    } finally {
      await unbuilt.close()
    }
  })
})

describe('files', () => {
  test('with a hash in their name are cached forever, others for minutes, all with their own type', async () => {
    const script = await open('/assets/index-abc.js', '*/*').expect(200)
    expect(script.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringContaining('javascript; charset=utf-8'),
      'x-content-type-options': 'nosniff',
    })
    const icon = await open('/favicon.svg', '*/*').expect(200)
    expect(icon.headers).toMatchObject({ 'cache-control': 'public, max-age=300', 'content-type': 'image/svg+xml' })
    expect(icon.headers['content-security-policy']).toContain('sandbox')
  })

  test('include the sandbox document, which runs scripts without an origin or network access', async () => {
    const { headers } = await open('/sandbox.html').expect(200)
    const policy = String(headers['content-security-policy'])
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; /)
    expect(policy).toContain("frame-ancestors 'self'")
    // It allows no connections to this server or others, and no further sandbox permissions.
    expect(policy).not.toMatch(/allow-same-origin|connect-src|http|script-src[^;]*'self'/)
    expect(headers['x-frame-options']).toBe('SAMEORIGIN')
    // Scripts of a page run only with the query of a clicked "Run", and only Python may compile.
    expect(policy).not.toContain("script-src 'unsafe-inline'")
    const scriptsOf = async (query: string) => {
      const { headers } = await open(`/sandbox.html?${query}`).expect(200)
      return /script-src([^;]*)/.exec(String(headers['content-security-policy']))?.[1]?.trim()
    }
    expect(await scriptsOf('run')).toBe("'unsafe-inline'")
    expect(await scriptsOf('diagram')).toMatch(/^('sha256-[^']+' )*blob:$/)
    expect(await scriptsOf('python')).toMatch(/^('sha256-[^']+' )*blob: 'wasm-unsafe-eval'$/)
    expect(await scriptsOf('constructor')).toBe(await scriptsOf(''))
    expect(policy).not.toContain('eval')
  })

  test('let the service worker connect only to this server', async () => {
    const { headers } = await open('/worker.js', '*/*').expect(200)
    expect(headers['content-security-policy']).toBe("default-src 'none'; connect-src 'self'")
    expect(headers['content-type']).toMatch(/javascript/)
  })

  test('let the voice activity worker compile WebAssembly, and connect only to this server', async () => {
    const { headers } = await open('/assets/voice-activity-worker-Ab_1.js', '*/*').expect(200)
    const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
    expect(headers['content-security-policy']).toBe(policy)
  })

  test('with a hash in their name are sent compressed to clients that accept it, with the same content', async () => {
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
      ['gzip, deflate', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
      ['identity', undefined, (content: Buffer) => content],
      ['', undefined, (content: Buffer) => content],
    ] as const) {
      const { headers, rawPayload } = await mira.app.inject({
        url: '/assets/index-abc.js',
        headers: { 'accept-encoding': accepted },
      })
      expect({ accepted, sent: headers['content-encoding'], vary: headers.vary }).toEqual({
        accepted,
        sent: encoding,
        vary: expect.stringMatching(/accept-encoding/i),
      })
      expect(decode(rawPayload).toString() === code, accepted).toBe(true)
      if (encoding !== undefined) expect(rawPayload.length).toBeLessThan(200)
    }
  })

  test.each(['/api/admin/settings', '/api/openapi.json'])(
    'and long responses of the API are compressed, with the same content: %s',
    async (url) => {
      const authorization = `Bearer ${mira.admin.token}`
      const ask = (accepted: string) =>
        mira.app.inject({ url, headers: { authorization, 'accept-encoding': accepted } })
      const plain = await ask('gzip;q=0, identity')
      expect(plain.headers).not.toHaveProperty('content-encoding')
      expect(plain.headers.vary).toMatch(/accept-encoding/i)
      const { headers, rawPayload } = await ask('gzip, deflate')
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(rawPayload.length) })
      expect(gunzipSync(rawPayload).toString() === plain.payload).toBe(true)
      expect(rawPayload.length).toBeLessThan(plain.payload.length / 4)
      const short = await mira.app.inject({ url: '/api/health', headers: { 'accept-encoding': 'gzip' } })
      expect(short.headers).not.toHaveProperty('content-encoding')
    },
  )

  test('that are missing or outside of the folder get an uncached 404, also in a browser', async () => {
    const paths = [
      '/assets/old-1.js',
      '/assets/..%2f..%2fsecret.txt',
      '/..%2fsecret.txt',
      '/assets/..%5c..%5csecret.txt',
      '/assets/%2e%2e/favicon.svg',
      '/assets%2f..%2ffavicon.svg',
      `/assets/${'x'.repeat(300)}`,
    ]
    for (const path of paths) {
      const { status, headers, text } = await open(path, '*/*')
      expect({ path, status, cached: headers['cache-control'] }).toEqual({ path, status: 404, cached: 'no-store' })
      expect(text).not.toContain('secret')
    }
    // A browser gets the page for anything like a path of the web app, never a file from outside.
    const { text } = await open('/..%2fsecret.txt').expect(200)
    expect(text).toContain('<!doctype html>')
    await open('/assets/old-1.js').expect(404)
  })

  test('that an update replaced while the server runs get 404, and the new ones are served', async () => {
    const old = join(distDir, 'assets/page-old.js')
    const openOld = () => open('/assets/page-old.js', '*/*').set('accept-encoding', 'gzip')
    const updated = page.replace('index-abc', 'index-def')
    try {
      await writeFile(old, code)
      await writeFile(`${old}.gz`, gzipSync(code))
      await openOld().expect(200)
      await rm(old)
      await rm(`${old}.gz`)
      const { headers, body } = await openOld().expect(404)
      expect({ cached: headers['cache-control'], ...body }).toEqual({
        cached: 'no-store',
        code: 'not_found',
        detail: 'There is nothing at this address.',
      })
      await writeFile(join(distDir, 'assets/index-def.js'), code)
      await writeFile(join(distDir, 'index.html'), updated)
      expect((await open('/').expect(200)).text).toContain('/assets/index-def.js')
      await open('/assets/index-def.js', '*/*').expect(200)

      await rm(join(distDir, 'index.html'))
      const { body: bodyDuringUpdate } = await open('/').expect(503)
      expect(bodyDuringUpdate.code).toBe('unavailable')
    } finally {
      await writeFile(join(distDir, 'index.html'), page)
    }
  })

  test('with a malformed name get 400', async () => {
    for (const path of ['/%E0%A4%A', '/%', '/assets/%zz']) {
      const { status, body } = await open(path)
      expect({ path, status, code: body.code }).toEqual({ path, status: 400, code: 'bad_request' })
    }
  })

  test('are looked up on this server despite a leading double slash', async () => {
    await open('//').expect(200)
    await open('//elsewhere.example/favicon.svg', 'application/json').expect(404)
  })
})

test('only the consent page and the redirect to it stay connected to the program that opened them', async () => {
  const policyOf = async (path: string) =>
    (await mira.request.get(path).set('accept', 'text/html')).headers['cross-origin-opener-policy']
  for (const path of ['/oauth/authorize?client_id=x', '/connect?client_id=x']) {
    expect(await policyOf(path), path).toBe('unsafe-none')
  }
  for (const path of ['/', '/login', '/login/oidc', '/chat', '/connect/more', '/api/health']) {
    expect(await policyOf(path), path).toBe('same-origin')
  }
})

describe('responses of the API', () => {
  test('run nothing, and are never cached, sniffed or framed', async () => {
    const { headers } = await mira.request.get('/api/health').expect(200)
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    expect(headers['x-powered-by']).toBeUndefined()
    expect(headers.server).toBeUndefined()
  })

  test('are JSON errors with the same headers for unknown paths, also in a browser', async () => {
    for (const path of ['/api', '/api/', '/api/nothing', '/api/health/more']) {
      const { headers, body } = await open(path).expect(404)
      expect(body).toEqual({ detail: 'There is nothing at this address.', code: 'not_found' })
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['cache-control']).toBe('no-store')
    }
    await mira.request.delete('/api/health').expect(405)
  })

  test('are open only to the configured origins', async () => {
    const ask = (origin: string) => mira.request.get('/api/health').set('origin', origin)
    expect((await ask('https://elsewhere.example')).headers['access-control-allow-origin']).toBe(
      'https://elsewhere.example',
    )
    expect((await ask('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined()
    expect((await ask('https://elsewhere.example')).headers['access-control-allow-credentials']).toBeUndefined()
  })
})

describe('a body', () => {
  const send = () => mira.request.post('/api/auth/tokens').auth(mira.admin.token, { type: 'bearer' })

  test.each([
    ['broken JSON', 'application/json', '{"a":'],
    ['an empty string', 'application/json', ''],
    ['a poisoned prototype', 'application/json', '{"__proto__":{"admin":true}}'],
  ])('of %s gets 400', async (_name, type, body) => {
    const response = await send().set('content-type', type).send(body).expect(400)
    expect(response.body).toEqual({ detail: 'The request body is not valid JSON.', code: 'invalid_json' })
  })

  test('of an unsupported type is refused', async () => {
    const response = await send().set('content-type', 'text/csv').send('a,b').expect(415)
    expect(response.body.code).toBe('unsupported_type')
  })

  test('over the limit is refused', async () => {
    const response = await send()
      .set('content-type', 'application/json')
      .send(JSON.stringify({ a: 'x'.repeat(1024 * 1024) }))
      .expect(413)
    expect(response.body.code).toBe('payload_too_large')
  })
})
