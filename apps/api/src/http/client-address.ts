import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Log } from '../log.ts'

/** Where proxies of one's own are: this machine and private networks. */
const nearby = new BlockList()
nearby.addSubnet('127.0.0.0', 8)
nearby.addSubnet('10.0.0.0', 8)
nearby.addSubnet('172.16.0.0', 12)
nearby.addSubnet('192.168.0.0', 16)
nearby.addSubnet('169.254.0.0', 16)
nearby.addAddress('::1', 'ipv6')
nearby.addSubnet('fc00::', 7, 'ipv6')
nearby.addSubnet('fe80::', 10, 'ipv6')

/** Tells the address that a request is counted by. */
export type ClientAddressOf = (request: Pick<FastifyRequest, 'headers' | 'ip' | 'raw'>) => string

/**
 * Behind a proxy that is not trusted all clients have its address, since anybody can write the header that names
 * another; the log says once how to mend that.
 */
export function createClientAddressOf({ trustsProxy, log }: { trustsProxy: boolean; log: Log }): ClientAddressOf {
  let isWarned = false
  return ({ headers, ip, raw }) => {
    const isForwarded = headers['x-forwarded-for'] !== undefined
    if (!trustsProxy && isForwarded && !isWarned && isNearby(raw.socket.remoteAddress ?? '')) {
      log.warn(
        {},
        'requests come through a proxy: set TRUST_PROXY, or everybody counts as one address when they sign in',
      )
      isWarned = true
    }
    return ip
  }
}

/** Whether an address is of this machine or a private network, where a proxy may be. */
export function isNearby(address: string): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').split('%')[0] ?? ''
  const family = isIP(plain)
  return family !== 0 && nearby.check(plain, family === 6 ? 'ipv6' : 'ipv4')
}
