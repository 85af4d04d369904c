import { TooManyRequestsError } from '../../../errors.ts'
import { addressGroup } from '../address-group.ts'

const WINDOW_MS = 60_000

/** Counts calls that anybody may make and that nothing is stored of, per address and minute. */
export function createCallLimit({ perMinute, now = Date.now }: { perMinute: number; now?: () => number }) {
  let counts = new Map<string, number>()
  let window = 0
  /** @throws TooManyRequestsError once an address has made as many as it may in this minute. */
  return (address: string): void => {
    const current = Math.floor(now() / WINDOW_MS)
    if (current !== window) {
      window = current
      counts = new Map()
    }
    const group = addressGroup(address)
    const count = (counts.get(group) ?? 0) + 1
    counts.set(group, count)
    if (count <= perMinute) return
    throw new TooManyRequestsError('Too many sign-ins were begun from your network. Try again in a minute.', {
      retryAfterSeconds: Math.ceil(((current + 1) * WINDOW_MS - now()) / 1000),
    })
  }
}
