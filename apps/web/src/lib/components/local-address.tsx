import { Banner } from '../../ui/banner.tsx'
import { useText } from '../i18n/i18n.ts'

/** True for the URL of a loopback address, which every computer resolves to itself. */
export function isLocalAddress(address: string): boolean {
  const { hostname } = new URL(address)
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  )
}

/** Warning beside a URL that is meant for sharing, but only works on this computer. */
export function LocalAddressWarning({ address }: { address: string }) {
  const text = useText('app')
  return isLocalAddress(address) ? <Banner tone="warning">{text('common.localAddress')}</Banner> : null
}
