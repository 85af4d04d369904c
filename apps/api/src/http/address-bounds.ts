import { TooManyRequestsError } from '../errors.ts'

const MINUTE_MS = 60_000
const MOST_ADDRESSES = 10_000

/** Lets an address do something so often in a minute. @throws TooManyRequestsError. */
export function createAddressBound({ perMinute, sentence }: { perMinute: number; sentence: string }, now = Date.now) {
  let began = 0
  let counts = new Map<string, number>()
  return (address: string): void => {
    if (now() - began >= MINUTE_MS || counts.size > MOST_ADDRESSES) {
      began = now()
      counts = new Map()
    }
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    if (count <= perMinute) return
    const retryAfterSeconds = Math.max(1, Math.ceil((began + MINUTE_MS - now()) / 1000))
    throw new TooManyRequestsError(sentence, { retryAfterSeconds })
  }
}
