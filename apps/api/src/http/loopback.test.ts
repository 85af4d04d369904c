import { expect, test } from 'vitest'
import { isDirectLoopback, isPublished } from './loopback.ts'

function isDirect(remoteAddress: string, headers: Record<string, string>): boolean {
  const raw = { socket: { remoteAddress } }
  return isDirectLoopback({ headers, raw } as unknown as Parameters<typeof isDirectLoopback>[0])
}

test('a program on this machine is direct', () => {
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
    for (const host of ['127.0.0.1:3000', 'localhost:3000', '[::1]:3000', 'localhost']) {
      expect(isDirect(address, { host }), `${address} ${host}`).toBe(true)
    }
  }
})

test('another machine is not, whatever host it names', () => {
  for (const address of ['192.168.1.7', '::ffff:10.0.0.1', 'fe80::1', '']) {
    expect(isDirect(address, { host: 'localhost:3000' }), address).toBe(false)
  }
})

test('a proxy on this machine speaks for somebody else', () => {
  for (const header of ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']) {
    expect(isDirect('127.0.0.1', { host: 'localhost', [header]: '127.0.0.1' }), header).toBe(false)
  }
})

test('a page that reaches this machine by a name of its own is not direct', () => {
  expect(isDirect('127.0.0.1', { host: 'rebound.example.org:3000' })).toBe(false)
  expect(isDirect('127.0.0.1', {})).toBe(false)
})

test('a server with a public address or a trusted proxy is published', () => {
  expect(isPublished({ publicUrl: undefined, trustProxy: false })).toBe(false)
  expect(isPublished({ publicUrl: 'http://localhost:3000', trustProxy: false })).toBe(false)
  expect(isPublished({ publicUrl: 'https://mira.example.org', trustProxy: false })).toBe(true)
  expect(isPublished({ publicUrl: undefined, trustProxy: 1 })).toBe(true)
  expect(isPublished({ publicUrl: 'http://127.0.0.1:3000', trustProxy: 'loopback' })).toBe(true)
})
