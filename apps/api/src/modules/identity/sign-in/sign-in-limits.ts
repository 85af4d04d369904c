import { TooManyRequestsError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { addressGroup, type UntrustedProxies } from '../../../platform/http/client-address.ts'
import { createFailureSampling } from '../../../platform/http/failure-sampling.ts'
import { createAddressRateLimit } from '../../../platform/http/rate-limits.ts'
import type { AuthStore, FailurePurpose } from '../users/auth.store.ts'
import type { PrismaTransaction } from '../users/users.store.ts'

const WINDOW_MS = 15 * 60 * 1000
const MAX_FAILURES_PER_ACCOUNT_AND_ADDRESS = 10
const MAX_FAILURES_PER_ADDRESS = 100
/** Limit per address for a proxy that isn't trusted, since all users behind it have its address. */
const MAX_FAILURES_PER_SHARED_ADDRESS = 1_000
const MAX_FAILURES_PER_ACCOUNT = 300
/** First wait for an account and an address. Each attempt during a wait doubles it, up to `WINDOW_MS`. */
const FIRST_WAIT_MS = 60 * 1000
/** Maximum number of an address group's attempts that run or are queued at the same time. */
const MAX_CONCURRENT_PER_ADDRESS = 20
/** Maximum number of attempts with secrets that can't be guessed (256 random bits, signatures), to limit the server's work. */
const SECRETS_PER_MINUTE = 30

/** An attempt to prove an identity with a secret that can be guessed. */
export interface Attempt {
  /** Purpose of the attempt; failures are counted separately for each. */
  purpose: FailurePurpose
  /** Username of the account, or as typed when there's no such account. */
  username: string
  hasAccount: boolean
  address: string
}

/** Sign-in methods whose secrets can't be guessed. */
type SecretMethod = 'invitation' | 'passkey' | 'oidc'

export const TOO_MANY_SIGN_INS = 'Too many sign-in attempts from your network. Try again in a minute.'

export type SignInLimits = ReturnType<typeof createSignInLimits>

/**
 * Limits on failed attempts within 15 minutes: per account and address group, per address group and, far higher, per
 * account, so that guessing passwords doesn't lock out the owner. There's no limit on all sign-ins together.
 */
export function createSignInLimits(deps: { store: AuthStore; untrustedProxies: UntrustedProxies; log: Log }) {
  const { store, untrustedProxies, log } = deps
  const runningByAddress = new Map<string, number>()
  const sampleFailure = createFailureSampling()
  const secretLimit = () => createAddressRateLimit({ maxCalls: SECRETS_PER_MINUTE, sentence: TOO_MANY_SIGN_INS })
  const secretLimits = { invitation: secretLimit(), passkey: secretLimit(), oidc: secretLimit() }

  const recordFailure = async (
    { address, account, purpose }: { address: string; account: string | null; purpose: FailurePurpose },
    tx?: PrismaTransaction,
  ) => {
    const action = purpose === 'sign_in' ? 'sign_in.failed' : 'password.refused'
    const attempts = sampleFailure({ action, account, addressGroup: addressGroup(address) })
    if (attempts === null) return
    const via = purpose === 'sign_in' ? 'none' : 'session'
    const subject = account === null ? {} : { account }
    const detail = attempts === 1 ? {} : { attempts }
    await store.recordAudit({ action, actorId: null, via, outcome: 'failed', address, ...subject, detail }, tx)
  }

  // Addresses are grouped by /48, since one site may own as much: with a limit per /64, it alone could lock out an
  // account's owner.
  const keyOf = ({ username, address }: Pick<Attempt, 'username' | 'address'>) => ({
    username: username.toLowerCase(),
    address: addressGroup(address, 48),
  })

  const accountWaitOf = async (attempt: Attempt, tx?: PrismaTransaction) => {
    const { username, address } = keyOf(attempt)
    const { purpose } = attempt
    // Other purposes count by account only: a signed-in user, or one who knows the password, could change their address.
    const key = purpose === 'sign_in' ? { username, address } : { username }
    const range = { since: windowStart(), limit: MAX_FAILURES_PER_ACCOUNT_AND_ADDRESS + MAX_DOUBLINGS }
    const times = await store.listFailures({ purpose, ...key }, range, tx)
    const excess = times.length - MAX_FAILURES_PER_ACCOUNT_AND_ADDRESS
    const newest = times[0]
    if (newest === undefined || excess < 0) return { remainingMs: 0, isLongestWait: false }
    const waitMs = Math.min(FIRST_WAIT_MS * 2 ** excess, WINDOW_MS)
    return { remainingMs: newest.getTime() + waitMs - Date.now(), isLongestWait: waitMs === WINDOW_MS }
  }

  /** Milliseconds until the number of failures is below the limit; 0 when it already is. */
  const waitMsOf = async (key: { username: string } | { address: string }, limit: number, tx?: PrismaTransaction) => {
    const range = { since: windowStart(), limit }
    const times = await store.listFailures({ purpose: 'sign_in', isRefused: false, ...key }, range, tx)
    const oldest = times[limit - 1]
    return oldest === undefined ? 0 : oldest.getTime() + WINDOW_MS - Date.now()
  }

  return {
    /**
     * Admits an attempt.
     * @throws TooManyRequestsError after too many failures; another attempt doubles the wait, up to 15 minutes.
     */
    async requireBelowLimit(attempt: Attempt, tx?: PrismaTransaction): Promise<void> {
      const { username, address } = keyOf(attempt)
      const { remainingMs, isLongestWait } = await accountWaitOf(attempt, tx)
      // Nothing is inserted in a transaction, which the error rolls back, nor at the longest wait, which more rows can't
      // increase.
      if (remainingMs > 0 && !isLongestWait && tx === undefined) {
        await store.insertFailure({ username, address, purpose: attempt.purpose, isRefused: true })
      }
      const waits = [remainingMs]
      if (attempt.purpose === 'sign_in' && remainingMs <= 0) {
        waits.push(await waitMsOf({ username }, MAX_FAILURES_PER_ACCOUNT, tx))
        if (tx === undefined) {
          waits.push(
            await waitMsOf(
              { address },
              untrustedProxies.has(attempt.address) ? MAX_FAILURES_PER_SHARED_ADDRESS : MAX_FAILURES_PER_ADDRESS,
            ),
          )
        }
      }
      const waitMs = Math.max(...waits)
      if (waitMs <= 0) return
      log.warn({ remoteAddress: attempt.address }, 'Refused sign-in')
      throw tooManyFailures(Math.max(1, Math.ceil(waitMs / 1000)))
    },

    /** True when attempts at the account or from the address failed recently; all other attempts get priority in the queue. */
    async isSuspect(attempt: Attempt): Promise<boolean> {
      const { username, address } = keyOf(attempt)
      const range = { since: windowStart(), limit: 1 }
      const failures = [await store.listFailures({ username }, range), await store.listFailures({ address }, range)]
      return failures.some((times) => times.length > 0)
    },

    /** Runs work for an address. @throws TooManyRequestsError when 20 are already running for its address group. */
    async withConcurrencyLimit<T>(visitor: { address: string }, work: () => Promise<T>): Promise<T> {
      const address = addressGroup(visitor.address, 48)
      const running = runningByAddress.get(address) ?? 0
      if (running >= MAX_CONCURRENT_PER_ADDRESS) {
        const sentence = 'Too many people are signing in from your network right now. Try again in a moment.'
        throw new TooManyRequestsError(sentence, { retryAfterSeconds: 5 })
      }
      runningByAddress.set(address, running + 1)
      try {
        return await work()
      } finally {
        const remaining = (runningByAddress.get(address) ?? 1) - 1
        if (remaining > 0) runningByAddress.set(address, remaining)
        else runningByAddress.delete(address)
      }
    },

    /** Serialises the attempts for an account until the transaction ends. */
    lock: (attempt: Attempt, tx: PrismaTransaction): Promise<void> => store.lockFailures(keyOf(attempt).username, tx),

    /** Counts a failure, and logs it for tools such as fail2ban. */
    async countFailure(attempt: Attempt, tx?: PrismaTransaction): Promise<void> {
      const { purpose, address, username, hasAccount } = attempt
      const message = purpose === 'confirmation' ? 'Failed confirmation with a password' : 'Failed sign-in'
      log.warn({ remoteAddress: address }, message)
      await store.insertFailure({ ...keyOf(attempt), purpose, isRefused: false }, tx)
      await recordFailure({ address, purpose, account: hasAccount ? username : null }, tx)
    },

    /** Admits an attempt with a secret that can't be guessed. @throws TooManyRequestsError above 30 per minute and address group. */
    requireSecretRate(method: SecretMethod, address: string): void {
      secretLimits[method](address)
    },

    /** Logs a wrong secret that can't be guessed; it doesn't count as a failed attempt. */
    async recordWrongSecret(address: string): Promise<void> {
      log.warn({ remoteAddress: address }, 'Failed sign-in')
      await recordFailure({ address, purpose: 'sign_in', account: null })
    },

    /** After a success, deletes the account's failures with this purpose; for signing in, only those from the same address. */
    async clearFailures(attempt: Attempt, tx?: PrismaTransaction): Promise<void> {
      const { username, address } = keyOf(attempt)
      const { purpose } = attempt
      await store.removeFailures(purpose === 'sign_in' ? { username, address, purpose } : { username, purpose }, tx)
    },
  }
}

const MAX_DOUBLINGS = Math.ceil(Math.log2(WINDOW_MS / FIRST_WAIT_MS))

const windowStart = () => new Date(Date.now() - WINDOW_MS)

function tooManyFailures(waitSeconds: number): TooManyRequestsError {
  const minutes = Math.ceil(waitSeconds / 60)
  return new TooManyRequestsError(
    `Too many failed attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`,
    { code: 'too_many_attempts', retryAfterSeconds: waitSeconds },
  )
}
