import { TooManyRequestsError } from '../../../errors.ts'
import { addressGroup } from '../../../http/address-group.ts'
import type { Log } from '../../../log.ts'
import type { AuthStore, FailurePurpose } from '../auth.store.ts'
import type { PrismaTransaction } from '../users.store.ts'

const WINDOW_MS = 15 * 60 * 1000
const PER_ACCOUNT_AND_ADDRESS = 10
const PER_ADDRESS = 100
const PER_ACCOUNT = 300
/** The first wait of an account at an address; each try in spite of it doubles the next, up to the window. */
const FIRST_WAIT_MS = 60 * 1000
/** Attempts from one address that are being compared or wait for it. */
const AT_ONCE_PER_ADDRESS = 20

/** An attempt to prove who one is. */
export interface Attempt {
  /** Signing in, or confirming an act of somebody who is signed in, which is counted apart. */
  purpose: FailurePurpose
  /** As typed, or the account's. */
  username: string
  address: string
}

export type SignInLimits = ReturnType<typeof createSignInLimits>

/**
 * Counts failed attempts of 15 minutes, so that nobody guesses for long, and nobody who guesses keeps the owner out:
 * for each account and address group, for each address, and, far higher, for each account.
 */
export function createSignInLimits({ store, log }: { store: AuthStore; log: Log }) {
  const atOnce = new Map<string, number>()

  const keyOf = ({ username, address }: Attempt) => ({
    username: username.toLowerCase(),
    address: addressGroup(address),
  })

  const waitOfPair = async (attempt: Attempt, tx?: PrismaTransaction): Promise<number> => {
    const { username, address } = keyOf(attempt)
    const { purpose } = attempt
    // whoever is signed in, or knows the password, is counted wherever they are: their address is theirs to choose
    const key = purpose === 'sign_in' ? { username, address } : { username }
    const range = { since: windowStart(), limit: PER_ACCOUNT_AND_ADDRESS + MOST_DOUBLINGS }
    const times = await store.listFailures({ purpose, ...key }, range, tx)
    const over = times.length - PER_ACCOUNT_AND_ADDRESS
    const newest = times[0]
    if (newest === undefined || over < 0) return 0
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** over, WINDOW_MS)
    return newest.getTime() + waitMs - Date.now()
  }

  /** Until the oldest of as many as are allowed is forgotten. */
  const waitOf = async (key: { username: string } | { address: string }, limit: number, tx?: PrismaTransaction) => {
    const range = { since: windowStart(), limit }
    const times = await store.listFailures({ purpose: 'sign_in', isRefused: false, ...key }, range, tx)
    const oldest = times[limit - 1]
    return oldest === undefined ? 0 : oldest.getTime() + WINDOW_MS - Date.now()
  }

  return {
    /**
     * Lets an attempt go on.
     * @throws TooManyRequestsError after too many failures; asking again doubles the wait.
     */
    async require(attempt: Attempt, tx?: PrismaTransaction): Promise<void> {
      const { username, address } = keyOf(attempt)
      const pairWait = await waitOfPair(attempt, tx)
      // in a transaction the refusal would be undone with it
      if (pairWait > 0 && tx === undefined) {
        await store.insertFailure({ username, address, purpose: attempt.purpose, isRefused: true })
      }
      const waits = [pairWait]
      if (attempt.purpose === 'sign_in' && pairWait <= 0) {
        waits.push(await waitOf({ username }, PER_ACCOUNT, tx))
        if (tx === undefined) waits.push(await waitOf({ address }, PER_ADDRESS))
      }
      const waitMs = Math.max(...waits)
      if (waitMs <= 0) return
      log.warn({ remoteAddress: attempt.address }, 'Refused sign-in')
      throw tooManyFailures(Math.max(1, Math.ceil(waitMs / 1000)))
    },

    /** Whether the account or the address has failed lately; whoever has not is let into a queue first. */
    async isSuspect(attempt: Attempt): Promise<boolean> {
      const { username, address } = keyOf(attempt)
      const range = { since: windowStart(), limit: 1 }
      const found = [await store.listFailures({ username }, range), await store.listFailures({ address }, range)]
      return found.some((times) => times.length > 0)
    },

    /** Does something for an address that may do so many things at once. @throws TooManyRequestsError */
    async atOnce<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
      const { address } = keyOf(attempt)
      const running = atOnce.get(address) ?? 0
      if (running >= AT_ONCE_PER_ADDRESS) {
        const sentence = 'Too many people sign in from your network right now. Try again in a moment.'
        throw new TooManyRequestsError(sentence, { retryAfterSeconds: 5 })
      }
      atOnce.set(address, running + 1)
      try {
        return await work()
      } finally {
        const left = (atOnce.get(address) ?? 1) - 1
        if (left > 0) atOnce.set(address, left)
        else atOnce.delete(address)
      }
    },

    /** Makes others who try the same account wait until this transaction ends. */
    lock: (attempt: Attempt, tx: PrismaTransaction): Promise<void> => store.lockFailures(keyOf(attempt).username, tx),

    /** Counts a failure, in a line of the log as well, which tools such as fail2ban read. */
    async count(attempt: Attempt, tx?: PrismaTransaction): Promise<void> {
      const message = attempt.purpose === 'confirmation' ? 'Failed confirmation with a password' : 'Failed sign-in'
      log.warn({ remoteAddress: attempt.address }, message)
      await store.insertFailure({ ...keyOf(attempt), purpose: attempt.purpose, isRefused: false }, tx)
      const action = attempt.purpose === 'sign_in' ? 'sign_in.failed' : 'password.refused'
      const via = attempt.purpose === 'sign_in' ? 'none' : 'session'
      const { address, username } = attempt
      await store.recordAudit({ action, actorId: null, via, outcome: 'failed', address, account: username }, tx)
    },

    /** Forgets what an account failed at this address: it was its owner. */
    async forget(attempt: Attempt, tx?: PrismaTransaction): Promise<void> {
      const { username, address } = keyOf(attempt)
      const { purpose } = attempt
      await store.removeFailures(purpose === 'sign_in' ? { username, address, purpose } : { username, purpose }, tx)
    },
  }
}

const MOST_DOUBLINGS = Math.ceil(Math.log2(WINDOW_MS / FIRST_WAIT_MS))

const windowStart = () => new Date(Date.now() - WINDOW_MS)

function tooManyFailures(waitSeconds: number): TooManyRequestsError {
  const minutes = Math.ceil(waitSeconds / 60)
  return new TooManyRequestsError(
    `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { code: 'too_many_attempts', retryAfterSeconds: waitSeconds },
  )
}
