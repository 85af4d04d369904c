import { afterEach, expect, test } from 'vitest'
import { resetClocks, setClockBack } from '../../../test/clocks.ts'
import { createClientAddressOf, createUntrustedProxies } from './client-address.ts'

afterEach(resetClocks)

const warnings: unknown[] = []
const log = { warn: (...entry: unknown[]) => warnings.push(entry) } as unknown as Parameters<
  typeof createClientAddressOf
>[0]['log']

const clientAddress = (
  addressOf: ReturnType<typeof createClientAddressOf>,
  remoteAddress: string,
  forwarded?: string,
) =>
  addressOf({
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
    ip: remoteAddress,
    raw: { socket: { remoteAddress } },
  } as unknown as Parameters<typeof addressOf>[0])

test('an untrusted proxy counts as the client, is remembered for a day, and is logged once with the solution', () => {
  const untrustedProxies = createUntrustedProxies()
  const addressOf = createClientAddressOf({ trustsProxy: false, untrustedProxies, log })
  for (const proxy of [
    '127.0.0.1',
    '::ffff:172.18.0.1',
    '::1',
    '10.1.2.3',
    '100.101.2.3',
    '192.168.0.1',
    'fd00::1',
    'fe80::1%eth0',
  ]) {
    expect(clientAddress(addressOf, proxy, '203.0.113.7'), proxy).toBe(proxy)
  }
  expect([untrustedProxies.has('172.18.0.1'), untrustedProxies.has('172.18.0.2')]).toEqual([true, false])
  setClockBack(24 * 60 * 60 * 1000)
  expect(untrustedProxies.list()).toEqual([])
  expect(warnings).toEqual([[{}, expect.stringContaining('TRUST_PROXY')]])
})

test('clients without a proxy, from public addresses or behind a trusted proxy have an address, and no proxy is listed as untrusted', () => {
  const untrustedProxies = createUntrustedProxies()
  const addressOf = createClientAddressOf({ trustsProxy: false, untrustedProxies, log })
  expect(clientAddress(addressOf, '127.0.0.1')).toBe('127.0.0.1')
  expect(clientAddress(addressOf, '203.0.113.7', '198.51.100.1')).toBe('203.0.113.7')
  expect(clientAddress(addressOf, '172.32.0.1', '198.51.100.1')).toBe('172.32.0.1')
  expect(
    clientAddress(createClientAddressOf({ trustsProxy: true, untrustedProxies, log }), '127.0.0.1', '198.51.100.1'),
  ).toBe('127.0.0.1')
  expect(untrustedProxies.list()).toEqual([])
})

test('an address that a proxy forwards with its port is counted without it', () => {
  const untrustedProxies = createUntrustedProxies()
  const addressOf = createClientAddressOf({ trustsProxy: true, untrustedProxies, log })
  expect(clientAddress(addressOf, '203.0.113.7:51008')).toBe('203.0.113.7')
  expect(clientAddress(addressOf, '[2001:db8::1]:443')).toBe('2001:db8::1')
  expect(clientAddress(addressOf, '2001:db8::1')).toBe('2001:db8::1')
})
