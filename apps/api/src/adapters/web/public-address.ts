import ipaddr from 'ipaddr.js'

const globalUnicast6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address is one of the public internet: not private, loopback, link-local (with the metadata services of
 * clouds), shared by carriers, multicast, reserved, or one that carries another address inside it (IPv4-mapped, NAT64,
 * 6to4, Teredo), whose own range nobody would see.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || address.match(globalUnicast6)
}
