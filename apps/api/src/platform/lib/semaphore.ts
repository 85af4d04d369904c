import { TooManyRequestsError, UnavailableError } from '../../errors.ts'
import { currentUserKey } from './current-user.ts'

export interface SemaphoreOptions {
  /** Maximum number of holders. */
  permits: number
  /** Maximum number of holders that belong to one user; `permits` by default. */
  perUser?: number
  /** Additional permits for users who hold none, so that nobody waits for another user's long work; 0 by default. */
  reserve?: number
  /** Maximum number of waiters; unlimited by default, for callers that are limited elsewhere. */
  maxWaiting?: number
  /** Maximum number of waiters that belong to one user; `maxWaiting` by default. */
  maxWaitingPerUser?: number
  /** Error message when there are too many waiters. */
  busy?: string
}

/**
 * Order of one user's own waiters. `urgent` ones (a user is waiting at the screen) also go before other users' waiters that
 * aren't urgent; `low` ones only yield to the same user's other waiters.
 */
export type Urgency = 'urgent' | 'normal' | 'low'

interface AcquireOptions {
  /** Leaves the queue when aborted. */
  signal?: AbortSignal | undefined
  urgency?: Urgency
  /** Defaults to the user on whose behalf the code runs. */
  userId?: string
}

export interface Semaphore {
  /**
   * Runs work once a permit is free.
   * @throws UnavailableError or TooManyRequestsError when too many are waiting; the signal's reason.
   */
  run<T>(work: () => Promise<T>, options?: AcquireOptions): Promise<T>
  /** Waits for a permit, which is released when disposed. Throws as `run` does. */
  acquire(options?: AcquireOptions): Promise<Disposable>
}

interface Waiter {
  urgency: Urgency
  admit(): void
}

interface Share {
  heldPermits: number
  waiters: Waiter[]
  /** Sequence number of the user's last permit. A new user gets one just below the current number, to go before the latest user. */
  lastPermitNumber: number
}

const RETRY_AFTER_SECONDS = 5
const urgencies: readonly Urgency[] = ['urgent', 'normal', 'low']

/**
 * Semaphore that is fair between users: a free permit goes to the user who holds the fewest, round-robin among equals, so
 * that one user's queue never delays another user's first item by more than the running work. A single user gets all permits.
 */
export function createSemaphore({
  permits,
  perUser = permits,
  reserve = 0,
  maxWaiting = Number.POSITIVE_INFINITY,
  maxWaitingPerUser = maxWaiting,
  busy = 'Too much of this is under way right now. Try again in a moment.',
}: SemaphoreOptions): Semaphore {
  const shares = new Map<string, Share>()
  let permitsGiven = 0
  let totalHeld = 0
  let totalWaiting = 0

  const mayHold = ({ heldPermits }: Share) =>
    heldPermits < perUser && (totalHeld < permits || (heldPermits === 0 && totalHeld < permits + reserve))

  const isUrgent = ({ waiters }: Share) => waiters.some(({ urgency }) => urgency === 'urgent')

  /** Sort order of waiting users: urgent work, then fewer permits, then the longer wait. */
  const compareWaiters = (one: Share, other: Share) =>
    Number(isUrgent(other)) - Number(isUrgent(one)) ||
    one.heldPermits - other.heldPermits ||
    one.lastPermitNumber - other.lastPermitNumber

  const nextShare = (): [string, Share] | undefined => {
    let best: [string, Share] | undefined
    for (const entry of shares) {
      const [, share] = entry
      if (share.waiters.length === 0 || !mayHold(share)) continue
      if (best === undefined || compareWaiters(share, best[1]) < 0) best = entry
    }
    return best
  }

  const hold = (userId: string, share: Share) => {
    share.heldPermits++
    totalHeld++
    share.lastPermitNumber = ++permitsGiven
    shares.set(userId, share)
  }

  const admitNext = () => {
    for (let next = nextShare(); next !== undefined; next = nextShare()) {
      const [userId, share] = next
      const urgency = urgencies.find((urgency) => share.waiters.some((waiter) => waiter.urgency === urgency))
      const [waiter] = share.waiters.splice(
        share.waiters.findIndex((waiter) => waiter.urgency === urgency),
        1,
      )
      totalWaiting--
      hold(userId, share)
      waiter?.admit()
    }
  }

  const forgetIdle = (userId: string, { heldPermits, waiters }: Share) => {
    if (heldPermits === 0 && waiters.length === 0) shares.delete(userId)
  }

  const permitOf = (userId: string, share: Share): Disposable => {
    let isHeld = true
    return {
      [Symbol.dispose]() {
        if (!isHeld) return
        isHeld = false
        share.heldPermits--
        totalHeld--
        admitNext()
        forgetIdle(userId, share)
      },
    }
  }

  const requireSpace = ({ waiters }: Share) => {
    const options = { code: 'busy', retryAfterSeconds: RETRY_AFTER_SECONDS }
    if (totalWaiting >= maxWaiting) throw new UnavailableError(busy, options)
    if (waiters.length >= maxWaitingPerUser) throw new TooManyRequestsError(busy, options)
  }

  const acquire: Semaphore['acquire'] = async ({ signal, urgency = 'normal', userId = currentUserKey() } = {}) => {
    signal?.throwIfAborted()
    const share = shares.get(userId) ?? { heldPermits: 0, waiters: [], lastPermitNumber: permitsGiven - 0.5 }
    // nobody with priority is waiting, because released permits are passed on immediately
    if (mayHold(share)) {
      hold(userId, share)
      return permitOf(userId, share)
    }
    requireSpace(share)
    shares.set(userId, share)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { urgency, admit: resolve }
    share.waiters.push(waiter)
    totalWaiting++
    const leave = () => {
      const index = share.waiters.indexOf(waiter)
      if (index === -1) return
      share.waiters.splice(index, 1)
      totalWaiting--
      forgetIdle(userId, share)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    await promise.finally(() => signal?.removeEventListener('abort', leave))
    return permitOf(userId, share)
  }

  return {
    acquire,
    async run(work, options) {
      using _permit = await acquire(options)
      return await work()
    },
  }
}
