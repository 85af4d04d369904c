import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPublicAddress } from './public-address.ts'
import { createSafeFetcher } from './safe-fetcher.ts'
import type { FetchOptions, WebFetcher } from './web-fetcher.ts'

let listed: Server
let hidden: Server
let listedPort: number
let hiddenPort: number
let fetcher: WebFetcher
const requests: { url: string | undefined; headers: Record<string, unknown> }[] = []
let hiddenRequests = 0
/** DNS answers by name, returned one after the other; the last repeats. */
const names: Record<string, string[][]> = {
  'listed.test': [['127.0.0.1']],
  'private.test': [['10.0.0.1']],
  'both.test': [['93.184.216.34', '127.0.0.1']],
  'metadata.test': [['169.254.169.254']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'nothing.test': [[]],
}

const text = { 'content-type': 'text/plain' }
const handlers: Record<string, (response: ServerResponse) => void> = {
  '/ok': (response) =>
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'set-cookie': 'a=b' }).end('hello'),
  '/gzip': (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end(gzipSync('packed')),
  '/brotli': (response) =>
    response.writeHead(200, { ...text, 'content-encoding': 'br' }).end(brotliCompressSync('packed')),
  '/bomb': (response) =>
    response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(30_000_000))),
  '/not-gzip': (response) => response.writeHead(200, { ...text, 'content-encoding': 'gzip' }).end('this is no gzip'),
  '/inherited-packing': (response) => response.writeHead(200, { ...text, 'content-encoding': 'constructor' }).end('x'),
  '/strange-packing': (response) => response.writeHead(200, { ...text, 'content-encoding': 'zip, gzip' }).end('x'),
  '/html': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  '/no-type': (response) => response.writeHead(200).end('x'),
  '/gone': (response) => response.writeHead(404, text).end('x'),
  '/announced': (response) => response.writeHead(200, { ...text, 'content-length': 100_000_000 }).write('x'),
  '/endless': (response) => {
    response.writeHead(200, text)
    const write = () => {
      if (!response.destroyed) response.write(Buffer.alloc(16_384), () => setImmediate(write))
    }
    write()
  },
  '/slow': (response) => {
    response.writeHead(200, text)
    const timer = setInterval(() => response.write('x'), 20)
    response.once('close', () => clearInterval(timer))
  },
  '/silent': () => {},
  '/cut': (response) => {
    response.writeHead(200, { ...text, 'content-length': 10 }).write('x')
    setTimeout(() => response.destroy(), 20)
  },
  '/once': (response) => response.writeHead(302, { location: '/ok' }).end(),
  '/thrice': (response) => response.writeHead(302, { location: '/twice' }).end(),
  '/twice': (response) => response.writeHead(307, { location: '/once' }).end(),
  '/fourth': (response) => response.writeHead(302, { location: '/thrice' }).end(),
  '/fifth': (response) => response.writeHead(308, { location: '/fourth' }).end(),
  '/round': (response) => response.writeHead(301, { location: '/round' }).end(),
  '/to-hidden': (response) => response.writeHead(302, { location: `http://127.0.0.1:${hiddenPort}/ok` }).end(),
  '/to-decimal': (response) => response.writeHead(302, { location: `http://2130706433:${hiddenPort}/ok` }).end(),
  '/to-name': (response) => response.writeHead(302, { location: `http://both.test:${hiddenPort}/ok` }).end(),
  '/to-letters': (response) => response.writeHead(302, { location: Buffer.from('/größe').toString('latin1') }).end(),
  '/to-latin-letters': (response) => response.writeHead(302, { location: '/größe' }).end(),
  '/gr%C3%B6%C3%9Fe': (response) => response.writeHead(200, { 'content-type': 'text/x-markdown' }).end('hello'),
  '/to-file': (response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
}

const listen = async (server: Server) => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  listed = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers })
    handlers[request.url ?? '']?.(response)
  })
  hidden = createServer((_request, response) => {
    hiddenRequests++
    response.writeHead(200, text).end('secret')
  })
  listedPort = await listen(listed)
  hiddenPort = await listen(hidden)
  fetcher = createSafeFetcher({
    allowedHosts: [`127.0.0.1:${listedPort}`, `Listed.test:${listedPort}`],
    userAgent: 'Mira/1.2.3',
    resolve: async (name) => {
      const queue = names[name]
      if (!queue) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' })
      return (queue.length > 1 ? queue.shift() : queue[0]) ?? []
    },
  })
})
afterAll(async () => {
  await fetcher.close()
  listed.closeAllConnections()
  hidden.closeAllConnections()
  listed.close()
  hidden.close()
})

const options: FetchOptions = { types: ['text/plain'], maxBytes: 64 * 1024, timeoutMs: 10_000 }
const get = async (path: string, changes: Partial<FetchOptions> = {}) => {
  const url = path.startsWith('/')
    ? `http://127.0.0.1:${listedPort}${path}`
    : path.replace('HIDDEN', String(hiddenPort))
  const result = await fetcher.get(url, { ...options, ...changes })
  return result.isOk ? result.body.toString() : [result.problem, result.status].filter(Boolean).join(' ')
}

describe('a public page', () => {
  test.each([
    ['/ok', 'hello'],
    ['/gzip', 'packed'],
    ['/brotli', 'packed'],
    ['/once', 'hello'],
    ['/fifth', 'hello'],
  ])('%s is fetched', async (path, body) => {
    expect(await get(path)).toBe(body)
  })

  test('is fetched when redirects have letters outside ASCII, and its type has a wrong name', async () => {
    for (const path of ['/to-letters', '/to-latin-letters'])
      expect(await get(path, { types: ['text/markdown'] })).toBe('hello')
  })

  test('is requested with the name of the product, without cookies or credentials, also the second time', async () => {
    await get('/ok')
    await get(`http://listed.test:${listedPort}/ok`)
    const headers = requests.slice(-2).map((request) => request.headers)
    expect(headers[0]).toEqual({
      host: `127.0.0.1:${listedPort}`,
      connection: 'keep-alive',
      'user-agent': 'Mira/1.2.3',
      accept: 'text/plain, */*;q=0.1',
      'accept-encoding': 'gzip, br',
    })
    expect(headers[1]).toEqual({ ...headers[0], host: `listed.test:${listedPort}` })
  })
})

test('a listed host is found by a name that only the operating system knows, others are not', async () => {
  const port = listedPort
  const homeFetcher = createSafeFetcher({
    ...{ allowedHosts: [`home.local:${port}`], userAgent: 'Mira/1.2.3' },
    resolve: () => Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })),
    resolveListed: async () => ['127.0.0.1'],
  })
  expect(await homeFetcher.get(`http://home.local:${port}/ok`, options)).toMatchObject({ isOk: true })
  expect(
    await homeFetcher.post(`http://home.local:${port}/ok`, { headers: {}, body: '', timeoutMs: 10_000 }),
  ).toMatchObject({
    isOk: true,
  })
  expect(await homeFetcher.get(`http://printer.local:${port}/ok`, options)).toMatchObject({ problem: 'unreachable' })
  await homeFetcher.close()
})

describe('private addresses are not reached', () => {
  test.each([
    'http://127.0.0.1:HIDDEN/ok',
    'http://2130706433:HIDDEN/ok',
    'http://0x7f000001:HIDDEN/ok',
    'http://0177.0.0.1:HIDDEN/ok',
    'http://127.1:HIDDEN/ok',
    'http://0.0.0.0:HIDDEN/ok',
    'http://[::1]:HIDDEN/ok',
    'http://[::ffff:127.0.0.1]:HIDDEN/ok',
    'http://[::ffff:7f00:1]:HIDDEN/ok',
    'http://[64:ff9b::7f00:1]:HIDDEN/ok',
    'http://private.test:HIDDEN/ok',
    'http://both.test:HIDDEN/ok',
    'http://metadata.test/latest/meta-data',
    'http://mapped.test:HIDDEN/ok',
    'http://listed.test:HIDDEN/ok',
    '/to-hidden',
    '/to-decimal',
    '/to-name',
  ])('%s', async (url) => {
    expect(await get(url)).toBe('private')
    expect(hiddenRequests).toBe(0)
  })

  test.each([
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'http://a:b@listed.test/',
    'gopher://x',
    'hello',
    '',
    '/to-file',
  ])('%s is not a valid address', async (url) => {
    expect(await get(url)).toBe('address')
  })

  test('by a name that is public when checked and private afterwards', async () => {
    names['rebinding.test'] = [['127.0.0.1'], ['93.184.216.34']]
    expect(await get('http://rebinding.test:HIDDEN/ok')).toBe('private')
    names['changing.test'] = [['192.0.2.1'], ['127.0.0.1']]
    // The name isn't resolved again for the same connection, whatever the first result leads to.
    expect(await get('http://changing.test:HIDDEN/ok', { timeoutMs: 200 })).toBe('private')
    expect(names['changing.test']).toEqual([['127.0.0.1']])
    expect(hiddenRequests).toBe(0)
  })
})

describe('failures are reported', () => {
  test.each<[string, string, Partial<FetchOptions>?]>([
    ['/bomb', 'too_large'],
    ['/announced', 'too_large'],
    ['/endless', 'too_large'],
    ['/not-gzip', 'broken'],
    ['/strange-packing', 'broken'],
    ['/inherited-packing', 'broken'],
    ['/html', 'type'],
    ['/no-type', 'type'],
    ['/gone', 'status 404'],
    ['/round', 'redirects'],
    ['/cut', 'unreachable'],
    ['/slow', 'timeout', { timeoutMs: 150 }],
    ['/silent', 'timeout', { timeoutMs: 150 }],
    ['http://unknown.test/', 'unreachable'],
    ['http://nothing.test/', 'unreachable'],
  ])('%s: %s', async (path, problem, changes) => {
    expect(await get(path, changes)).toBe(problem)
  })

  test('in time, even when the name server is silent', { timeout: 8_000 }, async () => {
    const silent = createSafeFetcher({
      allowedHosts: [],
      userAgent: 'Mira/1.2.3',
      resolve: () => new Promise(() => {}),
    })
    expect(await silent.get('http://silent.test/', { ...options, timeoutMs: 100 })).toEqual({
      isOk: false,
      problem: 'timeout',
    })
    const controller = new AbortController()
    const pending = silent.get('http://silent.test/', { ...options, signal: controller.signal })
    controller.abort(new Error('given up'))
    await expect(pending).rejects.toThrow('given up')
    await expect(silent.get('http://silent.test/', { ...options, signal: controller.signal })).rejects.toThrow(
      'given up',
    )
    await silent.close()
  })

  test('with the reason of a caller that aborts', async () => {
    const controller = new AbortController()
    const pending = get('/silent', { signal: controller.signal })
    controller.abort(new Error('given up'))
    await expect(pending).rejects.toThrow('given up')
  })
})

test.each([
  ['93.184.216.34', true],
  ['2606:2800:220:1:248:1893:25c8:1946', true],
  ['10.1.2.3', false],
  ['172.31.0.1', false],
  ['192.168.1.1', false],
  ['100.64.0.1', false],
  ['169.254.169.254', false],
  ['192.0.0.192', false],
  ['168.63.129.16', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['0.1.2.3', false],
  ['fe80::1', false],
  ['fd00:ec2::254', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['::', false],
  ['::127.0.0.1', false],
  ['::ffff:8.8.8.8', false],
  ['2002:7f00:1::', false],
  ['2001:0:7f00:1::', false],
  ['64:ff9b:1::1', false],
  ['64:ff9b::5db8:d822', true],
  ['64:ff9b::a00:1', false],
  ['fe80::1%eth0', false],
  ['localhost', false],
])('%s is public: %s', (address, isPublic) => {
  expect(isPublicAddress(address)).toBe(isPublic)
})
