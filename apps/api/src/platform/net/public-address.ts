import ipaddr from 'ipaddr.js'

const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True for addresses of the public internet: not private, loopback, link-local (including the metadata services of
 * clouds), carrier-grade NAT, multicast, reserved, or embedding another address (IPv4-mapped, NAT64, 6to4, Teredo),
 * because its own range would go unnoticed.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast6)
}
