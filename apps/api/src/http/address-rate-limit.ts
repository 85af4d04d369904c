import { TooManyRequestsError } from '../errors.ts'
import { addressGroup } from './address-group.ts'

const MINUTE_MS = 60_000

export interface AddressRateLimitOptions {
  perMinute: number
  /** What is answered beyond that, to a person. */
  sentence: string
  now?: () => number
}

/** Counts calls that anybody may make and that nothing is stored of, per address and minute. */
export function createAddressRateLimit({ perMinute, sentence, now = Date.now }: AddressRateLimitOptions) {
  let began = 0
  let counts = new Map<string, number>()
  /** @throws TooManyRequestsError once an address has made as many as it may in this minute. */
  return (address: string): void => {
    if (now() - began >= MINUTE_MS) {
      began = now()
      counts = new Map()
    }
    const group = addressGroup(address)
    const count = (counts.get(group) ?? 0) + 1
    counts.set(group, count)
    if (count <= perMinute) return
    const retryAfterSeconds = Math.max(1, Math.ceil((began + MINUTE_MS - now()) / 1000))
    throw new TooManyRequestsError(sentence, { retryAfterSeconds })
  }
}
