import { createSocket, type Socket } from 'node:dgram'
import dns from 'node:dns/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createGuardedFetch } from './guarded-fetch.ts'
import { createNameResolver, type NameResolverOptions } from './name-resolver.ts'
import { createSafeFetcher } from './safe-fetcher.ts'

const A = 1
const SERVFAIL = 0x8182
const addresses: Record<string, number[]> = {
  'models.example': [192, 0, 2, 1],
  'ollama.home.example': [192, 0, 2, 2],
}

/**
 * Name server that knows `addresses`, fails for `*.local`, never responds for `*.silent`, and reports all other names as
 * unknown.
 */
let nameServer: Socket
let folder: string
let options: NameResolverOptions
const questions: string[] = []
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mira-names-'))
  const [hostsFile, resolvConfFile] = [join(folder, 'hosts'), join(folder, 'resolv.conf')]
  writeFileSync(hostsFile, '127.0.0.1 localhost\n10.0.0.5  NAS.lan nas # the one in the cellar\nfd00::5 nas\n')
  writeFileSync(resolvConfFile, 'nameserver 127.0.0.1\nsearch home.example\noptions ndots:1\n')
  nameServer = createSocket('udp4')
  nameServer.on('message', (message, from) => {
    const { name, type, end } = readQuestion(message)
    questions.push(name)
    if (name.endsWith('.silent')) return
    const address = type === A ? addresses[name] : undefined
    const answer = answerTo(message.subarray(0, end), addresses[name] !== undefined, address)
    if (name.endsWith('.local')) answer.writeUInt16BE(SERVFAIL, 2)
    nameServer.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve))
  options = { servers: [`127.0.0.1:${nameServer.address().port}`], hostsFile, resolvConfFile }
})
beforeEach(() => {
  questions.length = 0
})
afterAll(() => {
  nameServer.close()
  rmSync(folder, { recursive: true })
})

test('names are resolved by the hosts file, the name servers and the search domains', async () => {
  const resolve = createNameResolver(options)
  expect(await resolve('nas')).toEqual(['10.0.0.5', 'fd00::5'])
  expect(await resolve('nas.lan')).toEqual(['10.0.0.5'])
  expect(await resolve('127.0.0.9')).toEqual(['127.0.0.9'])
  expect(await resolve('[::1]')).toEqual(['::1'])
  expect(await resolve('mira.localhost')).toEqual(['127.0.0.1', '::1'])
  expect(questions).toEqual([])
  expect(await resolve('models.example')).toEqual(['192.0.2.1'])
  expect(await resolve('ollama')).toEqual(['192.0.2.2'])
  await expect(resolve('unknown.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
  // A failing server doesn't mean an unknown name, whatever the result in a search domain.
  await expect(resolve('printer.local')).rejects.toMatchObject({ code: 'ESERVFAIL' })
})

test('the operating system is asked only about names that no name server resolves', async () => {
  const lookUpInSystem = vi.fn(async () => ['10.0.0.9'])
  const resolve = createNameResolver({ ...options, timeoutMs: 50, lookUpInSystem })
  expect(await resolve('printer.lan')).toEqual(['10.0.0.9'])
  // As systemd-resolved responds when another program handles mDNS.
  expect(await resolve('printer.local')).toEqual(['10.0.0.9'])
  await expect(resolve('models.silent')).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(lookUpInSystem.mock.calls).toEqual([['printer.lan'], ['printer.local']])
})

test('a waiting lookup leaves the queue when aborted, and other callers have their own queue', async () => {
  const resolve = createNameResolver({ ...options, timeoutMs: 60_000 })
  const stuck = new AbortController()
  const lookups = Array.from({ length: 20 }, (_, n) => resolve(`n${n}.silent`, { signal: stuck.signal, caller: 'ada' }))
  const ended = Promise.allSettled(lookups)
  const waiting = new AbortController()
  const queued = resolve('models.example', { signal: waiting.signal, caller: 'ada' })
  waiting.abort(new Error('given up'))
  await expect(queued).rejects.toThrow('given up')
  expect(await resolve('models.example', { caller: 'ben' })).toEqual(['192.0.2.1'])
  expect(new Set(questions.filter((name) => name.endsWith('.silent'))).size).toBeLessThanOrEqual(4)
  stuck.abort(new Error('given up'))
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
  expect(await resolve('models.example', { caller: 'ada' })).toEqual(['192.0.2.1'])
})

test('with a name server that never responds, fetches for users occupy no threads of the system resolver', async () => {
  const modelServer = createServer((_request, response) => response.end('hello'))
  await new Promise<void>((resolve) => modelServer.listen(0, '127.0.0.1', resolve))
  const systemLookup = vi.spyOn(dns, 'lookup')
  const controller = new AbortController()
  try {
    const fetcher = createSafeFetcher({
      allowedHosts: [],
      userAgent: 'Mira/test',
      resolve: createNameResolver(options),
    })
    const fetchOptions = {
      types: ['text/html'],
      maxBytes: 1000,
      timeoutMs: 60_000,
      signal: controller.signal,
      caller: 'ada',
    }
    const fetches = Array.from({ length: 40 }, (_, n) => fetcher.get(`https://page${n}.silent/`, fetchOptions))
    const ended = Promise.allSettled(fetches)
    // The model server is found meanwhile, by a name in the hosts file.
    const url = `http://localhost:${(modelServer.address() as AddressInfo).port}/`
    expect(await (await createGuardedFetch()(url)).text()).toBe('hello')
    expect(systemLookup).not.toHaveBeenCalled()
    controller.abort(new Error('given up'))
    await ended
    await fetcher.close()
  } finally {
    systemLookup.mockRestore()
    modelServer.close()
    modelServer.closeAllConnections()
  }
})

/** Reads the first question of a DNS message (RFC 1035, 4.1.2). */
function readQuestion(message: Buffer) {
  const labels: string[] = []
  let index = 12
  for (let length = message[index] ?? 0; length > 0; length = message[index] ?? 0) {
    labels.push(message.toString('latin1', index + 1, index + 1 + length))
    index += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(index + 1), end: index + 5 }
}

/** A response to a question, with one IPv4 address if there is one. */
function answerTo(question: Buffer, exists: boolean, address: number[] | undefined): Buffer {
  const header = Buffer.from(question.subarray(0, 12))
  header.writeUInt16BE(exists ? 0x8180 : 0x8183, 2)
  header.writeUInt16BE(address === undefined ? 0 : 1, 6)
  header.writeUInt32BE(0, 8)
  const record = Buffer.from([0xc0, 0x0c, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, ...(address ?? [])])
  return Buffer.concat([header, question.subarray(12), ...(address === undefined ? [] : [record])])
}
