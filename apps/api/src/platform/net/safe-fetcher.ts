import { isIP, type LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Agent as AgentClass } from 'undici'
import { AppError } from '../../errors.ts'
import { unlessAborted } from '../lib/abort.ts'
import { loadOnce } from '../lib/load-once.ts'
import { createAddressJudge, Problem } from './address-judge.ts'
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
 * A `fetch` for servers that people connect for themselves: public addresses alone, judged by the very ones that are connected
 * to, and hosts that an administrator listed, wherever these are. Redirects are not followed.
 */
export function createSafeFetch({ allowedHosts }: { allowedHosts: readonly string[] }) {
  const judge = createAddressJudge(allowedHosts)
  const listed = createGuardedFetch()
  const others = createGuardedFetch({
    resolve: (hostname) => resolveForUsers(hostname),
    isForbidden: (address) => isForbiddenAddress(address) || !isPublicAddress(address),
  })

  const mayAsk = (url: string): boolean => {
    try {
      judge(url)
      return true
    } catch (error) {
      if (error instanceof Problem) return false
      throw error
    }
  }

  return {
    fetch: (async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (!mayAsk(url))
        throw Object.assign(new Error('the address may not be reached'), { code: 'ERR_ADDRESS_FORBIDDEN' })
      const { isTrusted } = judge(url)
      return (isTrusted ? listed : others)(input, init)
    }) satisfies typeof fetch,

    /** Checks a URL without resolving it; host names are checked on resolution. */
    mayAsk,
  }
}

interface SafeFetcherOptions {
  /** Hosts (on the ports 80 and 443), or host:port, allowed at any address; services that an administrator runs next to Mira. */
  allowedHosts: readonly string[]
  /** Names the product to those who are asked. */
  userAgent: string
  resolve?: ResolveName
  /** Resolves the names of listed hosts, which may be ones that only the operating system knows. */
  resolveListed?: ResolveName
}

/** Short links and counters of newsletters come before http, https and www of the page itself. */
const MAX_REDIRECTS = 10
/** Time in which a connection uses the addresses that its request has just looked up. */
const LOOKUP_FRESH_MS = 2_000
const redirectStatuses = new Set([301, 302, 303, 307, 308])
const unpackers: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/**
 * A fetcher for addresses that people and their feeds name. Only http and https; a name is resolved once, all of its
 * addresses are judged, and the connection goes to those very addresses, so that a name cannot change its mind between;
 * every redirect is judged like a first address; it reaches a listed host only from another one, as does what a page
 * names; size counts after unpacking; nothing is sent that says who asks.
 */
export function createSafeFetcher({ allowedHosts, userAgent, ...deps }: SafeFetcherOptions): WebFetcher {
  const { resolve = resolveForUsers, resolveListed = deps.resolve ?? resolveForAdministrators } = deps
  const judge = createAddressJudge(allowedHosts)
  const [listedNames, otherNames] = [createLookups(resolveListed), createLookups(resolve)]
  const lookupsOf = (isTrusted: boolean) => (isTrusted ? listedNames : otherNames)
  const agentFor = (Agent: typeof AgentClass, isTrusted: boolean) => {
    const lookup: LookupFunction = (hostname, options, callback) => {
      lookupsOf(isTrusted)
        .addressesOf(hostname)
        .then(
          (addresses) => {
            if (!isTrusted && !addresses.every(isPublicAddress)) return callback(new Problem('private'), '')
            const answers = addresses.map((address) => ({ address, family: isIP(address) }))
            const first = answers[0]
            if (!first) return callback(new Problem('unreachable'), '')
            return options.all ? callback(null, answers) : callback(null, first.address, first.family)
          },
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
        )
    }
    return new Agent({
      connect: { lookup },
      // to one host: more than one user may have under way, whose files would keep others waiting otherwise
      connections: 16,
      keepAliveTimeout: 4_000,
      maxHeaderSize: 32 * 1024,
      headersTimeout: 30_000,
      bodyTimeout: 30_000,
    })
  }
  // most fetchers are never asked for anything
  const load = loadOnce(async () => {
    const { Agent, request } = await import('undici')
    // connections are kept: those to listed hosts must not serve anybody else
    return { request, agents: { trusted: agentFor(Agent, true), untrusted: agentFor(Agent, false) } }
  })

  const follow = async <Body>(
    text: string,
    options: FetchOptions,
    { signal, take }: { signal: AbortSignal; take: (pieces: AsyncIterable<Buffer>) => Promise<Body> },
  ): Promise<Fetched<Body>> => {
    let judged = judge(text, options.from === undefined ? undefined : judge(options.from))
    const { request, agents } = await load()
    for (let redirects = 0; ; redirects++) {
      const { url, isTrusted } = judged
      await lookupsOf(isTrusted).prepare(url.hostname, { signal, caller: options.caller })
      const { statusCode, headers, body } = await request(url, {
        dispatcher: isTrusted ? agents.trusted : agents.untrusted,
        signal,
        headers: {
          'user-agent': userAgent,
          accept: `${options.types.filter(Boolean).join(', ')}, */*;q=0.1`,
          // deflate has two forms, and servers send either
          'accept-encoding': 'gzip, br',
        },
      })
      // a body that is not read would hold its connection
      const leave = (problem: FetchProblem, status?: number): Problem => {
        body.on('error', () => {}).destroy()
        return new Problem(problem, status)
      }
      if (redirectStatuses.has(statusCode) && typeof headers.location === 'string') {
        const problem = leave('redirects')
        if (redirects >= MAX_REDIRECTS) throw problem
        judged = judge(headers.location, judged)
        continue
      }
      if (statusCode !== 200) throw leave('status', statusCode)
      const contentType = textOf(headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? ''
      if (!options.types.includes(contentType)) throw leave('type')
      if (Number(headers['content-length'] ?? 0) > options.maxBytes) throw leave('too_large')
      const encoding = textOf(headers['content-encoding']).trim().toLowerCase()
      const unpack = unpackers[encoding]
      if (encoding !== '' && encoding !== 'identity' && !unpack) throw leave('broken')
      const charset = /charset="?([\w-]+)/i.exec(textOf(headers['content-type']))?.[1] ?? null
      const taken = await take(piecesOf(body, unpack, options.maxBytes))
      return { isOk: true, body: taken, contentType, charset, url: url.href }
    }
  }

  /** Sends a body once; what comes back is only looked at for its status. */
  const send = async (text: string, options: PostOptions, signal: AbortSignal): Promise<Posted> => {
    const { url, isTrusted } = judge(text)
    const { request, agents } = await load()
    await lookupsOf(isTrusted).prepare(url.hostname, { signal, caller: options.caller })
    const { statusCode, body } = await request(url, {
      method: 'POST',
      dispatcher: isTrusted ? agents.trusted : agents.untrusted,
      signal,
      headers: { ...options.headers, 'user-agent': userAgent },
      body: options.body,
    })
    body.on('error', () => {}).destroy()
    if (redirectStatuses.has(statusCode)) throw new Problem('redirects', statusCode)
    if (statusCode < 200 || statusCode > 299) throw new Problem('status', statusCode)
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
      // a request hears that it is given up only once it is connected, and a silent name server delays that for long
      return await unlessAborted(work(signal), signal)
    } catch (error) {
      callerSignal?.throwIfAborted()
      if (error instanceof AppError) throw error
      if (error instanceof Problem) return failureOf(error)
      if (timeout.aborted) return { isOk: false, problem: 'timeout' }
      const cause = error instanceof Error ? error.cause : undefined
      if (cause instanceof Problem) return failureOf(cause)
      return { isOk: false, problem: isUnpackingError(error) ? 'broken' : 'unreachable' }
    }
  }

  return {
    get: (url, options) => attempt((signal) => follow(url, options, { signal, take: whole }), options),
    receive: (url, options, take) => attempt((signal) => follow(url, options, { signal, take }), options),
    post: (url, options) => attempt((signal) => send(url, options, signal), options),
    judge(url) {
      try {
        judge(url)
        return null
      } catch (error) {
        if (error instanceof Problem) return error.problem
        throw error
      }
    },
    async close() {
      const agents = (await load.loaded)?.agents
      await Promise.all([agents?.trusted.destroy(), agents?.untrusted.destroy()])
    },
  }
}

function failureOf({ problem, status }: Problem): FetchFailure {
  return { isOk: false, problem, ...(status === undefined ? {} : { status }) }
}

/** Pieces of a body, unpacked, and not more than allowed: neither of what arrives nor of what it unpacks to. */
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
      if (length > maxBytes) throw new Problem('too_large')
      yield piece
    }
  } finally {
    body.on('error', () => {}).destroy()
  }
}

async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const body: Buffer[] = []
  for await (const piece of pieces) body.push(piece)
  return Buffer.concat(body)
}

/**
 * Looks names up before connections are made, because only the request knows its caller and signal; the connection then
 * goes to those very addresses.
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

/** As zlib names what it cannot unpack, and its part for Brotli. */
function isUnpackingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_(BROTLI|_ERROR))/.test(String(error.code))
}
