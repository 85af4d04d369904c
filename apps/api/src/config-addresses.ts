import { isIP } from 'node:net'
import { z } from 'zod'
import type { SyslogTarget } from './platform/net/syslog.ts'

/** A trimmed text; an empty one counts as not set. */
export const optionalText = z
  .string()
  .trim()
  .transform((text) => text || undefined)
  .optional()

export const isHttpUrl = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && URL.canParse(text)

export const originsRule =
  'must be origins such as https://chat.example.org or app://obsidian.md, separated by commas, without * and paths'

export const originsOf = (text: string): string[] =>
  text
    .split(',')
    .map((origin) => origin.trim().replace(/(?<!\/)\/+$/, ''))
    .filter(Boolean)

export function areOrigins(text: string): boolean {
  return originsOf(text).every((origin) => /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@*]+$/i.test(origin) && URL.canParse(origin))
}

/** Normalises an origin to the form that browsers send. `URL` can't: it has no origin for apps and extensions (`app://obsidian.md`). */
export function asSentOrigin(origin: string): string {
  return /^https?:/i.test(origin) ? new URL(origin).origin : origin.toLowerCase()
}

export const rootRule =
  'must be an address without a path: Mira needs a host of its own, such as https://mira.example.org'

export function isAtRoot(text: string | undefined): boolean {
  if (text === undefined || !URL.canParse(text)) return true
  const { pathname, search, hash } = new URL(text)
  return /^\/+$/.test(pathname) && search === '' && hash === ''
}

export const hostsRule = 'must be hosts such as 192.168.1.20 or feeds.lan:8080, separated by commas'

export const hostsOf = (text: string): string[] =>
  text
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter(Boolean)

export function areHosts(text: string): boolean {
  return hostsOf(text).every((host) => /^[^\s/?#@*]+$/.test(host) && URL.canParse(`http://${host}`))
}

export const trustProxyRule = 'must be true, false, a number of proxies, or addresses separated by commas'

export function isTrustProxy(text: string): boolean {
  if (/^(true|false|\d{0,2})$/.test(text)) return true
  return text.split(',').every((part) => {
    const [address = '', bits, ...rest] = part.trim().split('/')
    if (['loopback', 'linklocal', 'uniquelocal'].includes(address)) return bits === undefined
    const maxBits = isIP(address) === 6 ? 128 : 32
    const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits)
    return isIP(address) !== 0 && isRange && rest.length === 0
  })
}

export function readTrustProxy(text: string): false | number | string {
  if (text === '' || text === 'false' || /^0+$/.test(text)) return false
  // One proxy, since trusting every hop would let clients forge their address.
  if (text === 'true') return 1
  return /^\d+$/.test(text) ? Number(text) : text
}

export const databaseRule =
  'must be an address that begins with postgresql:// (leave it out to use the embedded database)'

export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(withHost(text, 'localhost'))
}

/** Adds a host to a database URL without one, since a socket folder may replace the host: //user@/name?host=/run/postgresql */
function withHost(databaseUrl: string, host: string): string {
  return databaseUrl.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)(?=\/)/, `$1${host}`)
}

/** Inserts a password into a database URL. */
export function withPassword(databaseUrl: string, password: string): string {
  const placeholder = 'socket.invalid'
  const url = new URL(withHost(databaseUrl, placeholder))
  url.password = encodeURIComponent(password)
  return url.href.replace(`${placeholder}/`, '/')
}

/** Parses `udp://host:port` or `tcp://host:port`, with 514 as the default port; undefined for any other text. */
export function readSyslog(text: string): SyslogTarget | undefined {
  const match = /^(udp|tcp):\/\/(?:\[([0-9a-f:]+)\]|([a-z0-9.-]+))(?::(\d{1,5}))?\/?$/i.exec(text)
  const host = match?.[2] ?? match?.[3]
  const port = Number(match?.[4] ?? 514)
  if (match === null || host === undefined || port < 1 || port > 65_535) return undefined
  return { protocol: match[1]?.toLowerCase() === 'tcp' ? 'tcp' : 'udp', host, port }
}
