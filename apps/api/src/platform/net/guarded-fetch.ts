import dns from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { FormData as FormDataClass, fetch as undiciFetch } from 'undici'
import { loadOnce } from '../lib/load-once.ts'
import { createNameResolver } from './name-resolver.ts'

/** Error code of a connection to a forbidden address, for which there is a message. */
const FORBIDDEN = 'ERR_ADDRESS_FORBIDDEN'

/** Metadata services of clouds, which serve credentials: link-local addresses, and those of single providers. */
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
/**
 * Networks whose addresses embed an IPv4 address, with the positions of its bytes; a 48-bit prefix may also be used as a
 * 96-bit one.
 */
const embeddingNetworks = (
  [
    ['64:ff9b::/96', LAST_BYTES],
    ['64:ff9b:1::/48', LAST_BYTES],
    ['64:ff9b:1::/48', [6, 7, 9, 10]],
    ['2002::/16', [2, 3, 4, 5]],
    ['::/96', LAST_BYTES],
  ] as const
).map(([range, bytes]) => ({ network: ipaddr.parseCIDR(range), bytes }))

/** True for an address that no connection may reach, also when it's embedded in another address. */
export function isForbiddenAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const ownAddress = ipaddr.process(text)
  const all = ownAddress.toByteArray()
  const embeddedIpv4 = embeddingNetworks
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
 * Resolver for servers that administrators configure, separate from users' fetches: names unknown to the name servers are
 * looked up in the operating system (mDNS, containers). Concurrent lookups of the same name share one.
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
 * A `fetch` for servers that administrators connect: they may be on this machine or its network, but not a cloud's metadata
 * service. Names are checked by the very addresses that are connected to; redirects aren't followed, because key and headers
 * are only for the configured server.
 * @param isForbidden true for addresses that must not be reached.
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
        const records = addresses.map((address) => ({ address, family: isIP(address) }))
        const first = records[0]
        if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '')
        return options.all ? callback(null, records) : callback(null, first.address, first.family)
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
      // calls have their own timeouts
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
    const target = URL.parse(to, String(url))
    const message =
      target === null ? 'It redirects.' : `It redirects to ${target.origin}${target.pathname}: connect that.`
    return Response.json({ error: { message } }, { status: response.status })
  }
  // the `openai` package checks here whether forms can be sent
  return Object.assign(guarded, { Response })
}

/** Converts a form to undici's own class, the only one that its `fetch` accepts. */
function ownBody(OwnFormData: typeof FormDataClass, body: RequestInit['body']): unknown {
  if (!(body instanceof FormData)) return body
  const form = new OwnFormData()
  for (const [name, value] of body.entries()) {
    if (typeof value === 'string') form.append(name, value)
    else form.append(name, value, value.name)
  }
  return form
}
