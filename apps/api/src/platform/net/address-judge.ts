import { isIP } from 'node:net'
import { isPublicAddress } from './public-address.ts'
import type { FetchProblem } from './web-fetcher.ts'

/** Reason for a failed fetch, thrown where it's detected. */
export class Problem extends Error {
  readonly problem: FetchProblem
  readonly status: number | undefined
  constructor(problem: FetchProblem, status?: number) {
    super(problem)
    this.problem = problem
    this.status = status
  }
}

/** An address that may be fetched by its form; names are judged when they are resolved. */
interface JudgedAddress {
  url: URL
  /** True for addresses listed by an administrator, which may resolve to any network. */
  isTrusted: boolean
}

/**
 * Makes the check of addresses: http and https alone, no passwords, and nothing that is not public unless it is listed.
 * A redirect reaches a listed host only from another one: a stranger's answer must not lead to what an administrator
 * runs beside Mira.
 * @param allowedHosts hosts, on the ports that their protocols have anyway, or host:port.
 */
export function createAddressJudge(allowedHosts: readonly string[]) {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()))
  const isListed = ({ hostname, protocol, port }: URL) =>
    (port === '' && allowed.has(hostname)) || allowed.has(`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`)

  /** @throws Problem */
  return (text: string, from?: JudgedAddress): JudgedAddress => {
    const url = URL.parse(text, from?.url.href)
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
      throw new Problem('address')
    }
    const isTrusted = from?.isTrusted !== false && isListed(url)
    const literal = url.hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) !== 0 && !isPublicAddress(literal) && !isTrusted) throw new Problem('private')
    return { url, isTrusted }
  }
}
