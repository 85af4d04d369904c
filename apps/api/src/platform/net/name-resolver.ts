import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ResolveOptions {
  /** Cancels the lookup, even while it's queued. */
  signal?: AbortSignal | undefined
  /** Id of the requesting user: each has their own queue, and so does each name without a user. */
  caller?: string | undefined
}

/** Returns every address of a host name, at least one. */
export type ResolveName = (hostname: string, options?: ResolveOptions) => Promise<string[]>

export interface NameResolverOptions {
  /** `address` or `address:port` of name servers; by default those of the system. */
  servers?: readonly string[]
  hostsFile?: string
  resolvConfFile?: string
  timeoutMs?: number
  /** Asks the operating system about names that the name servers don't know (mDNS and the like). */
  lookUpInSystem?: ((hostname: string) => Promise<string[]>) | undefined
}

const TIMEOUT_MS = 5_000
const TRY_TIMEOUT_MS = 1_500
/** Time to wait for the other address family once one has responded. */
const OTHER_FAMILY_MS = 300
const MAX_AT_ONCE_PER_CALLER = 4
const MAX_WAITING_PER_CALLER = 64
const FILES_FRESH_MS = 5_000
const MAX_SEARCH_DOMAINS = 3
const LOCALHOST = ['127.0.0.1', '::1']
/**
 * Errors after which another form of the name, or another source, is tried. systemd-resolved responds with SERVFAIL for names
 * that it doesn't handle (mDNS, a single label).
 */
const unknownCodes = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ECONNREFUSED', 'EREFUSED', 'EBADNAME'])

interface SystemFiles {
  hosts: Map<string, string[]>
  searchDomains: string[]
  minDots: number
}

/**
 * Resolves names with c-ares instead of `getaddrinfo`, which occupies two of the shared threads and can't be cancelled. Uses
 * the hosts file, search domains and both address families; each lookup has its own time limit and socket.
 */
export function createNameResolver(options: NameResolverOptions = {}): ResolveName {
  const { servers, hostsFile = '/etc/hosts', resolvConfFile = '/etc/resolv.conf' } = options
  const { timeoutMs = TIMEOUT_MS, lookUpInSystem } = options
  const runInTurn = createCallerQueues()
  let files: { read: Promise<SystemFiles>; readAt: number } | undefined

  const readFiles = (): Promise<SystemFiles> => {
    if (files === undefined || performance.now() - files.readAt > FILES_FRESH_MS) {
      files = { read: readSystemFiles(hostsFile, resolvConfFile), readAt: performance.now() }
    }
    return files.read
  }

  const query = async (hostname: string, signal: AbortSignal): Promise<string[]> => {
    const resolver = new Resolver({ timeout: TRY_TIMEOUT_MS, tries: 2 })
    if (servers !== undefined) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      signal.throwIfAborted()
      return await addressesOf([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
      resolver.cancel()
    }
  }

  const search = async (hostname: string, { searchDomains, minDots }: SystemFiles, signal: AbortSignal) => {
    const errors: unknown[] = []
    for (const candidate of candidatesOf(hostname, searchDomains, minDots)) {
      try {
        return await query(candidate, signal)
      } catch (error) {
        if (!isUnknown(error)) throw error
        errors.push(error)
      }
    }
    if (lookUpInSystem !== undefined) return lookUpInSystem(hostname)
    // a failing server is more informative: the name may well exist
    throw errors.find((error) => (error as { code?: unknown }).code === 'ESERVFAIL') ?? errors.at(-1)
  }

  return async (name, { signal: abort, caller = name } = {}) => {
    const hostname = name.toLowerCase().replace(/^\[|\]$/g, '')
    if (isIP(hostname) !== 0) return [hostname]
    const plain = hostname.replace(/\.$/, '')
    const systemFiles = await readFiles()
    const listed = systemFiles.hosts.get(plain)
    if (listed !== undefined) return listed
    if (plain === 'localhost' || plain.endsWith('.localhost')) return LOCALHOST
    return runInTurn(caller, abort, () => {
      const timeout = AbortSignal.timeout(timeoutMs)
      return search(hostname, systemFiles, abort ? AbortSignal.any([abort, timeout]) : timeout)
    })
  }
}

/** Resolver for users' URLs, shared by all fetchers so that a user's lookups are limited together. */
export const resolveForUsers = createNameResolver()

/** @throws the more informative of both errors when neither family has an address. */
async function addressesOf(families: Promise<string[]>[]): Promise<string[]> {
  const addresses: string[] = []
  const errors: unknown[] = []
  const settled = families.map((family) =>
    family.then(
      (resolved) => {
        addresses.push(...resolved)
      },
      (error: unknown) => {
        errors.push(error)
      },
    ),
  )
  await Promise.race(settled)
  const others = Promise.all(settled)
  // a router's broken resolver may never respond for one of the families
  if (addresses.length > 0) await Promise.race([others, sleep(OTHER_FAMILY_MS, undefined, { ref: false })])
  else await others
  if (addresses.length > 0) return addresses
  throw errors.find((error) => !isUnknown(error)) ?? errors[0]
}

function isUnknown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unknownCodes.has(String(error.code))
}

/** Full names to try, in the order of resolv.conf(5). */
function candidatesOf(hostname: string, searchDomains: readonly string[], minDots: number): string[] {
  if (hostname.endsWith('.')) return [hostname]
  const searched = searchDomains.map((domain) => `${hostname}.${domain}`)
  const dots = hostname.split('.').length - 1
  return dots >= minDots ? [hostname, ...searched] : [...searched, hostname]
}

async function readSystemFiles(hostsFile: string, resolvConfFile: string): Promise<SystemFiles> {
  // a container may have neither
  const [hostsText, resolvConf] = await Promise.all(
    [hostsFile, resolvConfFile].map((file) => readFile(file, 'utf8').catch(() => '')),
  )
  const hosts = new Map<string, string[]>()
  for (const [address = '', ...names] of wordsOfLines(hostsText ?? '')) {
    if (isIP(address) === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      hosts.set(key, [...(hosts.get(key) ?? []), address])
    }
  }
  const lines = wordsOfLines(resolvConf ?? '')
  const domains = lines.findLast(([key]) => key === 'search' || key === 'domain')?.slice(1) ?? []
  const ndots = lines.flat().find((word) => word.startsWith('ndots:'))
  const minDots = Number(ndots?.slice('ndots:'.length) ?? 1)
  return { hosts, searchDomains: domains.slice(0, MAX_SEARCH_DOMAINS), minDots: Number.isFinite(minDots) ? minDots : 1 }
}

const wordsOfLines = (text: string): string[][] =>
  text
    .split('\n')
    .map((line) => line.replace(/[#;].*/, '').trim())
    .filter((line) => line !== '')
    .map((line) => line.split(/\s+/))

/** Runs a few lookups per caller at a time; waiting ones leave the queue when aborted. */
function createCallerQueues() {
  const callers = new Map<string, { running: number; waiting: Set<() => void> }>()
  return async <T>(caller: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> => {
    signal?.throwIfAborted()
    const queue = callers.get(caller) ?? { running: 0, waiting: new Set() }
    callers.set(caller, queue)
    if (queue.running < MAX_AT_ONCE_PER_CALLER) queue.running++
    else {
      if (queue.waiting.size >= MAX_WAITING_PER_CALLER) {
        throw Object.assign(new Error('too many names are being looked up'), { code: 'EBUSY' })
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const leave = () => {
        queue.waiting.delete(resolve)
        reject(signal?.reason)
      }
      queue.waiting.add(resolve)
      signal?.addEventListener('abort', leave, { once: true })
      await promise.finally(() => signal?.removeEventListener('abort', leave))
    }
    try {
      return await work()
    } finally {
      const [next] = queue.waiting
      if (next === undefined) queue.running--
      else {
        queue.waiting.delete(next)
        next()
      }
      if (queue.running === 0) callers.delete(caller)
    }
  }
}
