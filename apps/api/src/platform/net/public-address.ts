import ipaddr from 'ipaddr.js'
import { isForbiddenAddress } from './guarded-fetch.ts'

/** Addresses that DNS64 makes for hosts without IPv6: the last four bytes are that address (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True for addresses of the public internet: not private, loopback, link-local (including the metadata services of
 * clouds), carrier-grade NAT, multicast, reserved, or embedding another address (IPv4-mapped, 6to4, Teredo), because its
 * own range would go unnoticed. One of NAT64 is as public as the address in it.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv6 && address.match(nat64)) {
    return isPublicAddress(ipaddr.fromByteArray(address.toByteArray().slice(-4)).toString())
  }
  // some clouds serve their configuration from an address of the public internet
  if (isForbiddenAddress(text) || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast6)
}
