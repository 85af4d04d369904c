import dns from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { FormData as FormDataClass, fetch as undiciFetch } from 'undici'
import { loadOnce } from '../lib/load-once.ts'
import { createNameResolver } from './name-resolver.ts'

/** The code of the error of a connection that was not made; `connectionReasons` has its words. */
const FORBIDDEN = 'ERR_ADDRESS_FORBIDDEN'

/** Metadata services of clouds, which serve credentials: link-local, and addresses of single providers. */
const forbiddenRanges = [
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::/32',
].map((range) => ipaddr.parseCIDR(range))
const forbiddenNames =
  /^(metadata|metadata\.google\.internal|instance-data(\.[a-z0-9-]+\.internal|\.ec2\.internal)?)\.?$/i
const LAST_BYTES = [12, 13, 14, 15]
/** Networks whose addresses hold an IPv4 address, and in which of their bytes: a prefix of 48 bits may be used as one of 96. */
const holdingIpv4 = (
  [
    ['64:ff9b::/96', LAST_BYTES],
    ['64:ff9b:1::/48', LAST_BYTES],
    ['64:ff9b:1::/48', [6, 7, 9, 10]],
    ['2002::/16', [2, 3, 4, 5]],
    ['::/96', LAST_BYTES],
  ] as const
).map(([range, bytes]) => ({ network: ipaddr.parseCIDR(range), bytes }))

/** True for an address that no connection may reach, even embedded in another address. */
export function isForbiddenAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const ownAddress = ipaddr.process(text)
  const all = ownAddress.toByteArray()
  const embeddedIpv4 = holdingIpv4
    .filter(({ network }) => ownAddress.kind() === 'ipv6' && ownAddress.match(network as never))
    .map(({ bytes }) => ipaddr.fromByteArray(bytes.map((index) => all[index] ?? 0)))
  return [ownAddress, ...embeddedIpv4].some((address) =>
    forbiddenRanges.some(
      ([network, bits]) => network.kind() === address.kind() && address.match([network, bits] as never),
    ),
  )
}

function isForbiddenHost(hostname: string, isForbidden = isForbiddenAddress): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '')
  return isIP(literal) === 0 ? forbiddenNames.test(literal) : isForbidden(literal)
}

/** Returns every address of a name. */
export type Resolve = (hostname: string) => Promise<string[]>

/**
 * For servers that administrators name, apart from what users fetch: a name that no name server knows may be one of the
 * operating system (mDNS, containers). Concurrent lookups of the same name share one.
 */
export const resolveForAdministrators = sharingLookups(
  createNameResolver({
    lookUpInSystem: async (hostname) => (await dns.lookup(hostname, { all: true })).map(({ address }) => address),
  }),
)

function sharingLookups(resolve: Resolve): Resolve {
  const running = new Map<string, Promise<string[]>>()
  return (hostname) => {
    const shared = running.get(hostname)
    if (shared !== undefined) return shared
    const lookup = resolve(hostname).finally(() => running.delete(hostname))
    running.set(hostname, lookup)
    return lookup
  }
}

/** True when a URL leads to a forbidden address; false for a name that doesn't resolve. */
export async function leadsToMetadata(baseUrl: string, resolve: Resolve = resolveForAdministrators): Promise<boolean> {
  const { hostname } = new URL(baseUrl)
  if (isForbiddenHost(hostname)) return true
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return false
  const addresses = await resolve(hostname).catch(() => [])
  return addresses.some(isForbiddenAddress)
}

/**
 * A `fetch` for servers that administrators connect: they may be on this machine and in its network, and never where a
 * cloud keeps secrets. A name is judged by the very addresses that are connected to; redirects are not followed, because
 * key and headers are meant for the server that was named.
 * @param isForbidden further addresses that no connection may reach.
 */
export function createGuardedFetch({
  resolve = resolveForAdministrators,
  isForbidden = isForbiddenAddress,
}: {
  resolve?: Resolve | undefined
  isForbidden?: ((address: string) => boolean) | undefined
} = {}): typeof fetch {
  const forbidden = () => Object.assign(new Error('the address may not be reached'), { code: FORBIDDEN })
  const lookup: LookupFunction = (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        if (addresses.some(isForbidden)) return callback(forbidden(), '')
        const answers = addresses.map((address) => ({ address, family: isIP(address) }))
        const first = answers[0]
        if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '')
        return options.all ? callback(null, answers) : callback(null, first.address, first.family)
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    )
  }
  const load = loadOnce(async () => {
    const { Agent, buildConnector, FormData: OwnFormData, fetch: ownFetch } = await import('undici')
    const connect = buildConnector({ lookup })
    const agent = new Agent({
      connect: (options, callback) => {
        if (isForbiddenHost(options.hostname, isForbidden)) return callback(forbidden(), null)
        return connect(options, callback)
      },
      // calls have times of their own
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    return { agent, OwnFormData, ownFetch }
  })

  const guarded = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof Request ? input.url : input
    const { agent, OwnFormData, ownFetch } = await load()
    const response = (await ownFetch(url, {
      ...(init as object),
      body: ownBody(OwnFormData, init.body),
      dispatcher: agent,
      redirect: 'manual',
    } as Parameters<typeof undiciFetch>[1])) as unknown as Response
    const to = response.headers.get('location')
    if (response.status < 300 || response.status > 399 || to === null) return response
    await response.body?.cancel()
    const place = URL.parse(to, String(url))
    const message = place === null ? 'It redirects.' : `It redirects to ${place.origin}${place.pathname}: connect that.`
    return Response.json({ error: { message } }, { status: response.status })
  }
  // where the `openai` package looks whether forms can be sent
  return Object.assign(guarded, { Response })
}

/** This `fetch` knows its own class of forms only. */
function ownBody(OwnFormData: typeof FormDataClass, body: RequestInit['body']): unknown {
  if (!(body instanceof FormData)) return body
  const form = new OwnFormData()
  for (const [name, value] of body.entries()) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, value.name)
  }
  return form
}
