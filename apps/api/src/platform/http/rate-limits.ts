import type { UserLimit } from '@mira/shared/contract/route'
import type { FastifyInstance } from 'fastify'
import { TooManyRequestsError } from '../../errors.ts'
import { addressGroup } from './client-address.ts'

/** Clock of the limits. Unlike the time of day, it's never set back, which would prolong a window. */
const monotonicMs = () => performance.now()

interface AddressRateLimitOptions {
  maxCalls: number
  /** A minute by default. */
  windowMs?: number
  /** Error message for further calls. */
  sentence: string
  now?: () => number
}

/** Limits calls of public routes, in memory, per address group and window. */
export function createAddressRateLimit({
  maxCalls,
  windowMs = MINUTE_MS,
  sentence,
  now = monotonicMs,
}: AddressRateLimitOptions) {
  let windowStart = 0
  let counts = new Map<string, number>()
  /** @throws TooManyRequestsError when an address group has reached the limit of this window. */
  return (address: string): void => {
    if (now() - windowStart >= windowMs) {
      windowStart = now()
      counts = new Map()
    }
    const group = addressGroup(address)
    const count = (counts.get(group) ?? 0) + 1
    counts.set(group, count)
    if (count <= maxCalls) return
    const retryAfterSeconds = Math.max(1, Math.ceil((windowStart + windowMs - now()) / 1000))
    throw new TooManyRequestsError(sentence, { retryAfterSeconds })
  }
}

/** Limits per user: simultaneous requests, and starts per minute. */
interface UserLimits {
  open: number
  startsPerMinute?: number
  sentence: string
}

const userLimits = {
  /** Reads all of a user's data. */
  whole_export: {
    open: 3,
    startsPerMinute: 3,
    sentence: 'You have started three exports within a minute. Wait for them, and try again in a minute.',
  },
  export: { open: 3, sentence: 'Three of your exports are still running. Wait until one has finished.' },
  import: {
    open: 2,
    startsPerMinute: 20,
    sentence: 'You have started many imports within a minute. Wait for them, and try again in a minute.',
  },
  /** Fetches an OAuth client's metadata document. */
  consent: {
    open: 3,
    startsPerMinute: 30,
    sentence: 'You have opened many access requests of programs within a minute. Try again in a minute.',
  },
  hook_test: {
    open: 3,
    startsPerMinute: 20,
    sentence: 'You have tested many webhooks within a minute. Try again in a minute.',
  },
  stream: { open: 24, sentence: 'Too many open event streams. Close some pages or programs.' },
} as const satisfies Record<UserLimit, UserLimits>

const MINUTE_MS = 60_000
const RETRY_SECONDS = 10

/** Applies the routes' limits per user; register after `requireAccess`, which identifies the caller. */
export function limitUsers(app: FastifyInstance, now: () => number = monotonicMs): void {
  /** Open requests and recent start times, by limit and user. */
  const usageByKey = new Map<string, { open: number; startedAt: number[] }>()

  app.addHook('onRequest', async (request, reply) => {
    const { userLimit: name } = request.routeOptions.config
    if (name === undefined || request.principal === null) return
    const { open, sentence, ...rest }: UserLimits = userLimits[name]
    const key = `${name} ${request.principal.user.id}`
    const usage = usageByKey.get(key) ?? { open: 0, startedAt: [] }
    const startedAt = usage.startedAt.filter((at) => now() - at < MINUTE_MS)
    const [oldest = 0] = startedAt
    if (rest.startsPerMinute !== undefined && startedAt.length >= rest.startsPerMinute) {
      const retryAfterSeconds = Math.max(1, Math.ceil((oldest + MINUTE_MS - now()) / 1000))
      throw new TooManyRequestsError(sentence, { retryAfterSeconds })
    }
    if (usage.open >= open) throw new TooManyRequestsError(sentence, { retryAfterSeconds: RETRY_SECONDS })
    usage.open++
    usage.startedAt = rest.startsPerMinute === undefined ? [] : [...startedAt, now()]
    usageByKey.set(key, usage)
    reply.raw.once('close', () => {
      usage.open--
      if (usage.open === 0 && usage.startedAt.every((at) => now() - at >= MINUTE_MS)) usageByKey.delete(key)
    })
  })
}
