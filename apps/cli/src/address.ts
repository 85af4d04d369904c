import { Failure } from './failure.ts'

/** Address of a server as users enter it: the scheme and a final slash are optional. @throws Failure */
export function addressOf(text: string): string {
  const address = /^https?:\/\//.test(text) ? text : `http://${text}`
  if (!URL.canParse(address)) throw new Failure(`${text} isn’t an address. Enter one such as http://localhost:3000.`)
  const url = new URL(address)
  return url.origin + url.pathname.replace(/\/+$/, '')
}
