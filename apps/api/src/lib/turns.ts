import { UnavailableError } from '../errors.ts'

/** Does work when its turn comes. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Lets some work be done at once, and a bounded number wait.
 * @throws UnavailableError from the turn when too many wait already.
 */
export function createTurns({
  atOnce,
  waiting: mostWaiting,
  busy = 'Too many pictures are being read right now. Try again in a moment.',
}: {
  atOnce: number
  waiting: number
  /** What those are told for whom there is no room left. */
  busy?: string
}): TakeTurn {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= mostWaiting) {
        throw new UnavailableError(busy, { code: 'busy', retryAfterSeconds: 5 })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
