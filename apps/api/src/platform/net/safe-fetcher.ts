import { isUtf8 } from 'node:buffer'
import { isIP, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Agent as AgentClass } from 'undici'
import { AppError } from '../../errors.ts'
import { unlessAborted } from '../lib/abort.ts'
import { loadOnce } from '../lib/load-once.ts'
import { retryAfterMsOf } from '../lib/retry-after.ts'
import { createUrlCheck, FetchError } from './address-judge.ts'
import { createGuardedFetch, isForbiddenAddress, resolveForAdministrators } from './guarded-fetch.ts'
import { type ResolveName, type ResolveOptions, resolveForUsers } from './name-resolver.ts'
import { isPublicAddress } from './public-address.ts'
import type {
  Fetched,
  FetchFailure,
  FetchOptions,
  FetchProblem,
  Posted,
  PostOptions,
  WebFetcher,
} from './web-fetcher.ts'

/**
 * A `fetch` for servers that users connect for themselves. It only reaches public addresses, and hosts that an administrator
 * listed, whatever their address. It checks the very addresses to which it connects, and doesn't follow redirects.
 */
export function createSafeFetch({ allowedHosts }: { allowedHosts: readonly string[] }) {
  const checkUrl = createUrlCheck(allowedHosts)
  const listedFetch = createGuardedFetch()
  const publicFetch = createGuardedFetch({
    resolve: (hostname) => resolveForUsers(hostname),
    isForbidden: (address) => isForbiddenAddress(address) || !isPublicAddress(address),
  })

  const mayAsk = (url: string): boolean => {
    try {
      checkUrl(url)
      return true
    } catch (error) {
      if (error instanceof FetchError) return false
      throw error
    }
  }

  return {
    fetch: (async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (!mayAsk(url))
        throw Object.assign(new Error('the address may not be reached'), { code: 'ERR_ADDRESS_FORBIDDEN' })
      const { isTrusted } = checkUrl(url)
      return (isTrusted ? listedFetch : publicFetch)(input, init)
    }) satisfies typeof fetch,

    /** Checks a URL without resolving it; host names are checked on resolution. */
    mayAsk,
  }
}

interface SafeFetcherOptions {
  /** Hosts (on the ports 80 and 443), or host:port, allowed at any address; services that an administrator runs next to Mira. */
  allowedHosts: readonly string[]
  /** User-Agent header. */
  userAgent: string
  resolve?: ResolveName
  /** Resolver for listed hosts, whose names may only be known to the operating system. */
  resolveListed?: ResolveName
}

/** Short links and newsletter trackers add redirects to the page's own ones for https and www. */
const MAX_REDIRECTS = 10
/** Time for which a connection may use the addresses that its request has looked up. */
const LOOKUP_FRESH_MS = 2_000
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const unpackers: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Wrong names of content types that servers send. */
const typeAliases: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'application/x-pdf': 'application/pdf',
  'text/x-markdown': 'text/markdown',
}

/**
 * Fetcher for URLs from users and their feeds. Only HTTP and HTTPS. A name is resolved once, all of its addresses are
 * checked, and the connection uses those very addresses, which prevents DNS rebinding. Every redirect is checked like the
 * first URL; redirects and links on pages only lead to a listed host if they're from another listed host. Sizes are limited
 * after unpacking. Requests don't identify the user.
 */
export function createSafeFetcher({ allowedHosts, userAgent, ...deps }: SafeFetcherOptions): WebFetcher {
  const { resolve = resolveForUsers, resolveListed = deps.resolve ?? resolveForAdministrators } = deps
  const checkUrl = createUrlCheck(allowedHosts)
  const [listedNames, otherNames] = [createLookups(resolveListed), createLookups(resolve)]
  const lookupsOf = (isTrusted: boolean) => (isTrusted ? listedNames : otherNames)
  const agentFor = (Agent: typeof AgentClass, isTrusted: boolean) => {
    const lookup: LookupFunction = (hostname, options, callback) => {
      lookupsOf(isTrusted)
        .addressesOf(hostname)
        .then(
          (addresses) => {
            if (!isTrusted && !addresses.every(isPublicAddress)) return callback(new FetchError('private'), '')
            const records = addresses.map((address) => ({ address, family: isIP(address) }))
            const first = records[0]
            if (!first) return callback(new FetchError('unreachable'), '')
            return options.all ? callback(null, records) : callback(null, first.address, first.family)
          },
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
        )
    }
    return new Agent({
      connect: { lookup },
      // per host, more than a single user's limit, so that one user's downloads don't block others
      connections: 16,
      keepAliveTimeout: 4_000,
      maxHeaderSize: 32 * 1024,
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    })
  }
  // loaded on first use, because most fetchers are never used
  const load = loadOnce(async () => {
    const { Agent, request } = await import('undici')
    // separate agents, because kept-alive connections to listed hosts must not be used for others
    return { request, agents: { trusted: agentFor(Agent, true), untrusted: agentFor(Agent, false) } }
  })

  const follow = async <Body>(
    text: string,
    options: FetchOptions,
    { signal, take }: { signal: AbortSignal; take: (pieces: AsyncIterable<Buffer>) => Promise<Body> },
  ): Promise<Fetched<Body>> => {
    let checked = checkUrl(text, options.from === undefined ? undefined : checkUrl(options.from))
    const { request, agents } = await load()
    for (let redirects = 0; ; redirects++) {
      const { url, isTrusted } = checked
      await lookupsOf(isTrusted).prepare(url.hostname, { signal, caller: options.caller })
      const { statusCode, headers, body } = await request(url, {
        dispatcher: isTrusted ? agents.trusted : agents.untrusted,
        signal,
        headers: {
          'user-agent': userAgent,
          accept: `${options.types.filter(Boolean).join(', ')}, */*;q=0.1`,
          // without deflate, which servers send in two different formats
          'accept-encoding': 'gzip, br',
        },
      })
      // discards the body and creates the error: an unread body would block its connection
      const abandon = (problem: FetchProblem, status?: number): FetchError => {
        body.on('error', () => {}).destroy()
        return new FetchError(problem, status)
      }
      if (redirectStatuses.has(statusCode) && typeof headers.location === 'string') {
        const problem = abandon('redirects')
        if (redirects >= MAX_REDIRECTS) throw problem
        checked = checkUrl(asUtf8(headers.location), checked)
        continue
      }
      if (statusCode !== 200) throw abandon('status', statusCode)
      const statedType = textOf(headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? ''
      const contentType = typeAliases[statedType] ?? statedType
      if (!options.types.includes(contentType)) throw abandon('type')
      if (Number(headers['content-length'] ?? 0) > options.maxBytes) throw abandon('too_large')
      const encoding = textOf(headers['content-encoding']).trim().toLowerCase()
      const unpack = Object.hasOwn(unpackers, encoding) ? unpackers[encoding] : undefined
      if (encoding !== '' && encoding !== 'identity' && !unpack) throw abandon('broken')
      const charset = /charset="?([\w-]+)/i.exec(textOf(headers['content-type']))?.[1] ?? null
      const taken = await take(piecesOf(body, unpack, options.maxBytes))
      return { isOk: true, body: taken, contentType, charset, url: url.href }
    }
  }

  /** Sends a body without retries; only the response's status and `Retry-After` are used. */
  const send = async (text: string, options: PostOptions, signal: AbortSignal): Promise<Posted> => {
    const { url, isTrusted } = checkUrl(text)
    const { request, agents } = await load()
    await lookupsOf(isTrusted).prepare(url.hostname, { signal, caller: options.caller })
    const { statusCode, headers, body } = await request(url, {
      method: 'POST',
      dispatcher: isTrusted ? agents.trusted : agents.untrusted,
      signal,
      headers: { ...options.headers, 'user-agent': userAgent },
      body: options.body,
    })
    body.on('error', () => {}).destroy()
    if (redirectStatuses.has(statusCode)) throw new FetchError('redirects', statusCode)
    if (statusCode < 200 || statusCode > 299)
      throw new FetchError('status', statusCode, retryAfterMsOf(textOf(headers['retry-after'])) ?? undefined)
    return { isOk: true, status: statusCode }
  }

  const attempt = async <Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    { timeoutMs, signal: callerSignal }: Pick<FetchOptions, 'timeoutMs' | 'signal'>,
  ): Promise<Result | FetchFailure> => {
    const timeout = AbortSignal.timeout(Math.ceil(timeoutMs))
    const signal = callerSignal ? AbortSignal.any([timeout, callerSignal]) : timeout
    try {
      signal.throwIfAborted()
      // undici only reacts to an abort once it's connected, which an unresponsive name server delays
      return await unlessAborted(work(signal), signal)
    } catch (error) {
      callerSignal?.throwIfAborted()
      if (error instanceof AppError) throw error
      if (error instanceof FetchError) return failureOf(error)
      if (timeout.aborted) return { isOk: false, problem: 'timeout' }
      const cause = error instanceof Error ? error.cause : undefined
      if (cause instanceof FetchError) return failureOf(cause)
      if (isCertificateError(error)) return { isOk: false, problem: 'certificate' }
      return { isOk: false, problem: isUnpackingError(error) ? 'broken' : 'unreachable' }
    }
  }

  return {
    get: (url, options) => attempt((signal) => follow(url, options, { signal, take: collectBody }), options),
    receive: (url, options, take) => attempt((signal) => follow(url, options, { signal, take }), options),
    post: (url, options) => attempt((signal) => send(url, options, signal), options),
    check(url) {
      try {
        checkUrl(url)
        return null
      } catch (error) {
        if (error instanceof FetchError) return error.problem
        throw error
      }
    },
    async close() {
      const agents = (await load.loaded)?.agents
      await Promise.all([agents?.trusted.destroy(), agents?.untrusted.destroy()])
    },
  }
}

function failureOf({ problem, status, retryAfterMs }: FetchError): FetchFailure {
  return {
    isOk: false,
    problem,
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
}

/** Unpacked pieces of a body, limited in size. */
async function* piecesOf(
  body: Readable,
  unpack: (() => NodeJS.ReadWriteStream) | undefined,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const unpacked = unpack ? (pipeline(body, unpack(), () => {}) as unknown as Readable) : body
  let length = 0
  try {
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > maxBytes) throw new FetchError('too_large')
      yield piece
    }
  } finally {
    body.on('error', () => {}).destroy()
  }
}

async function collectBody(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const body: Buffer[] = []
  for await (const piece of pieces) body.push(piece)
  return Buffer.concat(body)
}

/**
 * Looks up names before connecting, because only the request knows its caller and signal; the connection then uses those
 * very addresses.
 */
function createLookups(resolve: ResolveName) {
  const prepared = new Map<string, { addresses: string[]; at: number }>()
  const take = (hostname: string): string[] | null => {
    const entry = prepared.get(hostname)
    prepared.delete(hostname)
    return entry !== undefined && performance.now() - entry.at < LOOKUP_FRESH_MS ? entry.addresses : null
  }
  return {
    async prepare(hostname: string, options: ResolveOptions): Promise<void> {
      if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return
      const addresses = await resolve(hostname, options)
      prepared.set(hostname, { addresses, at: performance.now() })
    },
    addressesOf: async (hostname: string): Promise<string[]> => take(hostname) ?? resolve(hostname),
  }
}

function textOf(header: string | string[] | undefined): string {
  return typeof header === 'string' ? header : ''
}

/** A header, whose bytes HTTP reads as Latin-1 though servers redirect to addresses in UTF-8. */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, 'latin1')
  return isUtf8(bytes) ? bytes.toString() : header
}

const certificateCodes =
  /^(CERT_|ERR_TLS_CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF)_)/

/** True for a certificate that Node refuses. */
function isCertificateError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && certificateCodes.test(String(error.code))
}

/** True for errors of zlib and its Brotli decoder. */
function isUnpackingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_(BROTLI|_ERROR))/.test(String(error.code))
}
