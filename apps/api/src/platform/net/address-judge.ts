import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'
import type { FetchProblem } from './web-fetcher.ts'

/** Reason for a failed fetch, thrown where it's detected. */
export class FetchError extends Error {
  readonly problem: FetchProblem
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined
  constructor(problem: FetchProblem, status?: number, retryAfterMs?: number) {
    super(problem)
    this.problem = problem
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** A URL that may be fetched; host names are checked again when they're resolved. */
interface CheckedUrl {
  url: URL
  /** True for hosts listed by an administrator, which may resolve to any network. */
  isTrusted: boolean
}

/**
 * Creates a check of URLs: only HTTP and HTTPS, without passwords, and only public addresses unless listed. Only a listed
 * host may redirect to a listed host, because untrusted responses must not lead to an administrator's services.
 * @param allowedHosts hosts on their protocol's default port, or host:port.
 */
export function createUrlCheck(allowedHosts: readonly string[]) {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const isListed = ({ hostname, protocol, port }: URL) =>
    (port === '' && allowed.has(hostname)) || allowed.has(`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`)

  /** @throws FetchError */
  return (text: string, from?: CheckedUrl): CheckedUrl => {
    const url = URL.parse(text, from?.url.href)
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
      throw new FetchError('address')
    }
    const isTrusted = from?.isTrusted !== false && isListed(url)
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) !== 0 && !isPublicAddress(literal) && !isTrusted) throw new FetchError('private')
    return { url, isTrusted }
  }
}
