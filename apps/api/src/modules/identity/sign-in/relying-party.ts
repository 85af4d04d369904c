import { isIP } from 'node:net'

/** Host of passkeys, and the page origin that may use them. */
export interface RelyingParty {
  /** The host, as passkeys know it. */
  id: string
  /** The page's origin. */
  origin: string
}

/**
 * The host that passkeys are made for: that of the public address. On the machine itself also `localhost` at the port
 * that the server listens on, a fact that no request can choose.
 * @param publicUrl null when the operator named none: passkeys would then be made for whatever host a request names.
 */
export function relyingPartyOf(
  publicUrl: string | null,
  request: { host: string; localPort: number | undefined },
): RelyingParty | null {
  const local = `localhost:${request.localPort}`
  if (request.localPort !== undefined && request.host === local) return { id: 'localhost', origin: `http://${local}` }
  if (publicUrl === null) return null
  const { protocol, hostname, origin } = new URL(publicUrl)
  // browsers make passkeys for names over TLS, and for the machine itself
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null
}
