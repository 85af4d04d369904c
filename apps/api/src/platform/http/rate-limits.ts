import type { UserLimit } from '@mira/shared/contract/route'
import type { FastifyInstance } from 'fastify'
import { TooManyRequestsError } from '../../errors.ts'
import { addressGroup } from './client-address.ts'

/** Unlike the time of day it's never set back, which would leave a window open for as long. */
const monotonicMs = () => performance.now()

interface AddressRateLimitOptions {
  maxCalls: number
  /** A minute by default. */
  windowMs?: number
  /** The answer to further calls. */
  sentence: string
  now?: () => number
}

/** Counts calls that anybody may make, in memory, per address group and window. */
export function createAddressRateLimit({
  maxCalls,
  windowMs = MINUTE_MS,
  sentence,
  now = monotonicMs,
}: AddressRateLimitOptions) {
  let began = 0
  let counts = new Map<string, number>()
  /** @throws TooManyRequestsError once an address group has made as many as it may in this window. */
  return (address: string): void => {
    if (now() - began >= windowMs) {
      began = now()
      counts = new Map()
    }
    const group = addressGroup(address)
    const count = (counts.get(group) ?? 0) + 1
    counts.set(group, count)
    if (count <= maxCalls) return
    const retryAfterSeconds = Math.max(1, Math.ceil((began + windowMs - now()) / 1000))
    throw new TooManyRequestsError(sentence, { retryAfterSeconds })
  }
}

/** Limits of one user: open at once, and started per minute. */
interface Bound {
  open: number
  startsPerMinute?: number
  sentence: string
}

const bounds = {
  /** Everything that is a person's, read from end to end. */
  whole_export: {
    open: 3,
    startsPerMinute: 3,
    sentence: 'You have begun three exports within a minute. Wait for them, and try again in a minute.',
  },
  export: { open: 3, sentence: 'Three exports of yours are being written. Wait until one has arrived.' },
  import: {
    open: 2,
    startsPerMinute: 20,
    sentence: 'You have begun many imports within a minute. Wait for them, and try again in a minute.',
  },
  /** Reads the document in which a program describes itself. */
  consent: {
    open: 3,
    startsPerMinute: 30,
    sentence: 'You have opened many requests of programs within a minute. Try again in a minute.',
  },
  hook_test: {
    open: 3,
    startsPerMinute: 20,
    sentence: 'Many hooks were tried within a minute. Try again in a minute.',
  },
  stream: { open: 24, sentence: 'Too many open event streams. Close some pages or programs.' },
} as const satisfies Record<UserLimit, Bound>

const MINUTE_MS = 60_000
const RETRY_SECONDS = 10

/** Applies the routes' limits per user; registered after `requireAccess`, which identifies the caller. */
export function limitUsers(app: FastifyInstance, now: () => number = monotonicMs): void {
  /** By bound and person: how many are open, and when the last ones began. */
  const going = new Map<string, { open: number; begunAt: number[] }>()

  app.addHook('onRequest', async (request, reply) => {
    const { userLimit: name } = request.routeOptions.config
    if (name === undefined || request.principal === null) return
    const { open, sentence, ...rest }: Bound = bounds[name]
    const key = `${name} ${request.principal.user.id}`
    const own = going.get(key) ?? { open: 0, begunAt: [] }
    const begunAt = own.begunAt.filter((at) => now() - at < MINUTE_MS)
    const [oldest = 0] = begunAt
    if (rest.startsPerMinute !== undefined && begunAt.length >= rest.startsPerMinute) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + MINUTE_MS - now()) / 1000))
      throw new TooManyRequestsError(sentence, { retryAfterSeconds })
    }
    if (own.open >= open) throw new TooManyRequestsError(sentence, { retryAfterSeconds: RETRY_SECONDS })
    own.open++
    own.begunAt = rest.startsPerMinute === undefined ? [] : [...begunAt, now()]
    going.set(key, own)
    reply.raw.once('close', () => {
      own.open--
      if (own.open === 0 && own.begunAt.every((at) => now() - at >= MINUTE_MS)) going.delete(key)
    })
  })
}
