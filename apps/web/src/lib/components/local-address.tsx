import { Banner } from '../../ui/banner.tsx'
import { useText } from '../i18n/i18n.ts'

/** True for a loopback address, which leads every computer to itself. */
export function isLocalAddress(address: string): boolean {
  const { hostname } = new URL(address)
  return (
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.')
  )
}

/** Warning beside an address to share that only this computer can open. */
export function LocalAddressWarning({ address }: { address: string }) {
  const text = useText('app')
  return isLocalAddress(address) ? <Banner tone="warning">{text('common.localAddress')}</Banner> : null
}
