import { afterEach, expect, test } from 'vitest'
import { resetClocks, setClockBack } from '../../../test/clocks.ts'
import { createClientAddressOf, createUntrustedProxies } from './client-address.ts'

afterEach(resetClocks)

const warnings: unknown[] = []
const log = { warn: (...words: unknown[]) => warnings.push(words) } as unknown as Parameters<
  typeof createClientAddressOf
>[0]['log']

const ask = (addressOf: ReturnType<typeof createClientAddressOf>, remoteAddress: string, forwarded?: string) =>
  addressOf({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    ip: remoteAddress,
    raw: { socket: { remoteAddress } },
  } as unknown as Parameters<typeof addressOf>[0])

test('a proxy that is not trusted is the client, which is remembered for a day, and the log says once how to fix that', () => {
  const untrustedProxies = createUntrustedProxies()
  const addressOf = createClientAddressOf({ trustsProxy: false, untrustedProxies, log })
  for (const proxy of ['127.0.0.1', '::ffff:172.18.0.1', '::1', '10.1.2.3', '192.168.0.1', 'fd00::1', 'fe80::1%eth0']) {
    expect(ask(addressOf, proxy, '203.0.113.7'), proxy).toBe(proxy)
  }
  expect([untrustedProxies.has('172.18.0.1'), untrustedProxies.has('172.18.0.2')]).toEqual([true, false])
  setClockBack(24 * 60 * 60 * 1000)
  expect(untrustedProxies.list()).toEqual([])
  expect(warnings).toEqual([[{}, expect.stringContaining('TRUST_PROXY')]])
})

test('who comes without a proxy, from far away, or through a trusted one, has an address', () => {
  const untrustedProxies = createUntrustedProxies()
  const addressOf = createClientAddressOf({ trustsProxy: false, untrustedProxies, log })
  expect(ask(addressOf, '127.0.0.1')).toBe('127.0.0.1')
  expect(ask(addressOf, '203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
  expect(ask(addressOf, '172.32.0.1', '198.51.100.1')).toBe('172.32.0.1')
  expect(ask(createClientAddressOf({ trustsProxy: true, untrustedProxies, log }), '127.0.0.1', '198.51.100.1')).toBe(
    '127.0.0.1',
  )
  expect(untrustedProxies.list()).toEqual([])
})
