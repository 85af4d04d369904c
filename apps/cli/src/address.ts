import { Failure } from './failure.ts'

/** Address of a server as users enter it: the scheme and a final slash are optional. @throws Failure */
export function addressOf(entered: string): string {
  const text = entered.trim()
  const address = hasScheme(text) ? text : `http://${text}`
  if (!URL.canParse(address)) throw new Failure(`${text} isn’t an address. Enter one such as http://localhost:3000.`)
  const url = new URL(address)
  return url.origin + url.pathname.replace(/\/+$/, '')
}

/**
 * Address of a server to which a token is sent at once, so that it has to begin with https:// or http:// unless it's this machine.
 * @throws Failure
 */
export function addressForToken(entered: string): string {
  const address = addressOf(entered)
  const isThisMachine = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(address).hostname)
  if (!hasScheme(entered.trim()) && !isThisMachine)
    throw new Failure(`MIRA_URL has to begin with https:// or http://: ${entered}`)
  return address
}

const hasScheme = (text: string) => /^https?:\/\//i.test(text)
