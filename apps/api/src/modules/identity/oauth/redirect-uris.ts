const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost']

const isLoopback = ({ protocol, hostname }: URL): boolean => protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname)

/** True for allowed redirect addresses: https, or http on the user's own machine, without ambiguous characters. */
export function isAllowedRedirectUri(text: string): boolean {
  if (text.length > 2000 || /[\s\p{C}\\<>"'`{}|^]/u.test(text) || !URL.canParse(text)) return false
  const url = new URL(text)
  if (url.hash !== '' || text.includes('#') || url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopback(url)
}

/**
 * True when a program registered exactly this address; on the user's own machine the port may vary each time (RFC 8252,
 * 7.3).
 */
export function isRegisteredRedirectUri(text: string, registered: readonly string[]): boolean {
  if (registered.includes(text)) return true
  const address = withoutPort(text)
  return address !== null && registered.some((uri) => withoutPort(uri) === address)
}

function withoutPort(text: string): string | null {
  if (!isAllowedRedirectUri(text)) return null
  const url = new URL(text)
  if (!isLoopback(url)) return null
  url.port = ''
  return url.href
}
