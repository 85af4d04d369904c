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
 * A name server that knows `addresses`, leaves `*.local` to others, says of the rest that it doesn't exist, and never answers
 * about `*.silent`.
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

test('names come from the hosts file, the name servers and the search domains, as people expect', async () => {
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
  // a server that fails isn't one that knows no such name, whatever is said of the name in a search domain
  await expect(resolve('printer.local')).rejects.toMatchObject({ code: 'ESERVFAIL' })
})

test('the operating system is asked only about names that no name server knows, and only for administrators', async () => {
  const lookUpInSystem = vi.fn(async () => ['10.0.0.9'])
  const resolve = createNameResolver({ ...options, timeoutMs: 50, lookUpInSystem })
  expect(await resolve('printer.lan')).toEqual(['10.0.0.9'])
  // as systemd-resolved answers where mDNS is another program's
  expect(await resolve('printer.local')).toEqual(['10.0.0.9'])
  await expect(resolve('models.silent')).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(lookUpInSystem.mock.calls).toEqual([['printer.lan'], ['printer.local']])
})

test('a lookup that waits for its turn leaves the queue when it is given up, and others are not in it', async () => {
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

test('with a name server that never answers, users’ fetches leave the threads of the system alone', async () => {
  const model = createServer((_request, response) => response.end('hello'))
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve))
  const system = vi.spyOn(dns, 'lookup')
  const giveUp = new AbortController()
  try {
    const fetcher = createSafeFetcher({
      allowedHosts: [],
      userAgent: 'Mira/test',
      resolve: createNameResolver(options),
    })
    const wish = { types: ['text/html'], maxBytes: 1000, timeoutMs: 60_000, signal: giveUp.signal, caller: 'ada' }
    const fetches = Array.from({ length: 40 }, (_, n) => fetcher.get(`https://page${n}.silent/`, wish))
    const ended = Promise.allSettled(fetches)
    // the model server is found meanwhile, by a name of the hosts file
    const url = `http://localhost:${(model.address() as AddressInfo).port}/`
    expect(await (await createGuardedFetch()(url)).text()).toBe('hello')
    expect(system).not.toHaveBeenCalled()
    giveUp.abort(new Error('given up'))
    await ended
    await fetcher.close()
  } finally {
    system.mockRestore()
    model.close()
    model.closeAllConnections()
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
