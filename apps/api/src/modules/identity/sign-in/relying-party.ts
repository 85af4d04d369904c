import { isIP } from 'node:net'

/** Host of passkeys, and the page origin that may use them. */
export interface RelyingParty {
  /** Host. */
  id: string
  origin: string
}

/**
 * Host of passkeys: the public address's, or `localhost` at the port that the server listens on, which no request can
 * choose.
 * @param publicUrl null when the operator set none; a request's own host can't be trusted.
 */
export function relyingPartyOf(
  publicUrl: string | null,
  request: { host: string; localPort: number | undefined },
): RelyingParty | null {
  const local = `localhost:${request.localPort}`
  if (request.localPort !== undefined && request.host === local) return { id: 'localhost', origin: `http://${local}` }
  if (publicUrl === null) return null
  const { protocol, hostname, origin } = new URL(publicUrl)
  // Browsers create passkeys for names over TLS and for localhost.
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null
}
