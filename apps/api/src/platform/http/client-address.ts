import { BlockList, isIP, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Log } from '../../log.ts'

/**
 * Key for counting calls from an address: an IPv4 address, or the first 64 bits of an IPv6 address, because one internet
 * connection has all addresses with that prefix; 48 bits to count a whole site, which has many such prefixes, as one.
 */
export function addressGroup(address: string, bits: 48 | 64 = 64): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(16))
  return `${groups.slice(0, bits / 16).join(':')}::/${bits}`
}

/** Networks of local proxies: this machine and private networks. */
const nearby = new BlockList()
nearby.addSubnet('127.0.0.0', 8)
nearby.addSubnet('10.0.0.0', 8)
nearby.addSubnet('172.16.0.0', 12)
nearby.addSubnet('192.168.0.0', 16)
nearby.addSubnet('169.254.0.0', 16)
// Tailscale
nearby.addSubnet('100.64.0.0', 10)
nearby.addAddress('::1', 'ipv6')
nearby.addSubnet('fc00::', 7, 'ipv6')
nearby.addSubnet('fe80::', 10, 'ipv6')

/** Returns the address that a request is counted by. */
export type ClientAddressOf = (request: Pick<FastifyRequest, 'headers' | 'ip' | 'raw'>) => string

const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'forwarded']
const MAX_PROXIES = 20
const REMEMBERED_MS = 24 * 60 * 60 * 1000

export type UntrustedProxies = ReturnType<typeof createUntrustedProxies>

/** Nearby addresses that sent proxy headers within the last day although TRUST_PROXY isn't set. */
export function createUntrustedProxies() {
  const lastSeenAt = new Map<string, number>()
  const has = (address: string): boolean =>
    performance.now() - (lastSeenAt.get(addressGroup(address)) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS
  return {
    has,
    list: (): string[] => [...lastSeenAt.keys()].filter(has),
    add(address: string): void {
      const group = addressGroup(address)
      if (!lastSeenAt.has(group) && lastSeenAt.size >= MAX_PROXIES) return
      lastSeenAt.set(group, performance.now())
    },
  }
}

/**
 * Creates the function that returns the address by which a request is counted. Behind an untrusted proxy that's the proxy's
 * address for all clients, because anyone could forge a header with another one; health and the log say how to fix that.
 */
export function createClientAddressOf(options: {
  trustsProxy: boolean
  untrustedProxies: UntrustedProxies
  log: Log
}): ClientAddressOf {
  const { trustsProxy, untrustedProxies, log } = options
  let isWarned = false
  return ({ headers, ip, raw }) => {
    const isForwarded = forwardingHeaders.some((name) => headers[name] !== undefined)
    if (!trustsProxy && isForwarded && isNearby(raw.socket.remoteAddress ?? '')) {
      untrustedProxies.add(ip)
      if (!isWarned) {
        log.warn(
          {},
          'requests come through a proxy: set TRUST_PROXY, or everybody counts as one address when they sign in',
        )
      }
      isWarned = true
    }
    return withoutPort(ip)
  }
}

/** An address as some proxies forward it, with the port of the connection: `203.0.113.7:51008`, `[2001:db8::1]:443`. */
export function withoutPort(address: string): string {
  const match = /^(?:(\d+\.\d+\.\d+\.\d+):\d+|\[([\da-f:.]+)\](?::\d+)?)$/i.exec(address)
  return match?.[1] ?? match?.[2] ?? address
}

/** True for addresses of this machine or a private network, where a proxy may run. */
export function isNearby(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%')[0] ?? ''
  const family = isIP(plain)
  return family !== 0 && nearby.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}
