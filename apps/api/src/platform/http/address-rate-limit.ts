import { TooManyRequestsError } from '../../errors.ts'
import { addressGroup } from './client-address.ts'

const MINUTE_MS = 60_000

export interface AddressRateLimitOptions {
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
  now = Date.now,
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
