import ipaddr from 'ipaddr.js'
import { isForbiddenAddress } from './guarded-fetch.ts'

/** Addresses that DNS64 creates for hosts without IPv6: the last four bytes are the IPv4 address (RFC 6052). */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True for addresses of the public internet: not private, loopback, link-local (including clouds' metadata services),
 * carrier-grade NAT, multicast, reserved, or embedding another address (IPv4-mapped, 6to4, Teredo), whose range would go
 * unnoticed. A NAT64 address is as public as its embedded address.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address instanceof ipaddr.IPv6 && address.match(nat64)) {
    return isPublicAddress(ipaddr.fromByteArray(address.toByteArray().slice(-4)).toString())
  }
  // some clouds serve metadata at a public address
  if (isForbiddenAddress(text) || address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast6)
}
