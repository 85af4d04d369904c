import { ForbiddenError, NotFoundError } from '../../../errors.ts'
import type { Actor } from '../actor.ts'
import type { PasswordHasher } from '../users/password-hash.ts'
import type { Account, PrismaTransaction, UsersStore } from '../users/users.store.ts'
import type { SignInStore } from './sign-in.store.ts'
import type { Attempt, SignInLimits } from './sign-in-limits.ts'

/** Time after signing in during which sign-in methods can be changed without entering the password again. */
const FRESH_MS = 10 * 60 * 1000

export type Confirmation = ReturnType<typeof createConfirmation>

/** Password checks, when signing in and before sensitive actions of a signed-in user. */
export function createConfirmation(deps: {
  users: UsersStore
  signIns: SignInStore
  passwords: PasswordHasher
  limits: SignInLimits
}) {
  const { users, signIns, passwords, limits } = deps

  /**
   * Checks a password, counts a failure, and runs `onSuccess` in the same transaction. The result is only revealed while
   * the account is below its limit, so that concurrent guesses gain nothing.
   * @param attempt.isPermitted false treats a correct password like a wrong one: it counts as a failure and takes as long.
   * @returns null when the password was wrong.
   */
  const checkPassword = async <T>(
    {
      password,
      account,
      isPermitted = true,
      ...rest
    }: Omit<Attempt, 'hasAccount'> & { password: string; account: Account | null; isPermitted?: boolean },
    onSuccess: (account: Account, tx: PrismaTransaction) => Promise<T>,
  ): Promise<T | null> => {
    const attempt = { ...rest, username: account?.user.username ?? rest.username, hasAccount: account !== null }
    await limits.requireBelowLimit(attempt)
    const isSuspect = await limits.isSuspect(attempt)
    const isCorrect = await limits.withConcurrencyLimit(attempt, () =>
      passwords.matches(password, account?.passwordHash ?? null, { isSuspect }),
    )
    return users.transaction(async (tx) => {
      await limits.lock(attempt, tx)
      await limits.requireBelowLimit(attempt, tx)
      // The account may have been changed while its password was compared.
      if (!isCorrect || !isPermitted || account === null || !(await users.isUsable(account, tx))) {
        await limits.countFailure(attempt, tx)
        return null
      }
      await limits.clearFailures(attempt, tx)
      return onSuccess(account, tx)
    })
  }

  /** @throws ForbiddenError when the password is wrong; TooManyRequestsError after too many wrong ones. */
  const confirmPassword = async (
    { userId, address }: Pick<Actor, 'userId' | 'address'>,
    password: string,
  ): Promise<void> => {
    const account = await users.findAccount(userId)
    if (account === null) throw new NotFoundError('This account no longer exists.')
    const attempt = { purpose: 'confirmation', username: account.user.username, address, password, account } as const
    const isCorrect = await checkPassword(attempt, async () => true)
    if (!isCorrect) throw new ForbiddenError('The password is wrong.', { code: 'wrong_password' })
  }

  /**
   * Makes sure that the user is present, not somebody else at a page left open.
   * @throws ForbiddenError unless the sign-in is at most ten minutes old or the right password is given;
   *   TooManyRequestsError after too many wrong ones.
   */
  const requireFresh = async (actor: Actor, password: string | undefined): Promise<void> => {
    const { userId, sessionId } = actor
    const beganAt = await signIns.findSessionStart(userId, sessionId)
    // The absolute difference, since a clock that was ahead may have dated the sign-in in the future.
    if (beganAt !== null && Math.abs(Date.now() - beganAt.getTime()) < FRESH_MS) return
    if (password !== undefined) return confirmPassword(actor, password)
    const methods = await signIns.findSignInMethods(userId)
    throw new ForbiddenError(
      methods?.has_password === false
        ? 'Sign out and in again first: your sign-in is more than ten minutes old.'
        : 'Enter your password as well: your sign-in is more than ten minutes old.',
      { code: methods?.has_password === false ? 'sign_in_again' : 'confirmation_required' },
    )
  }

  return {
    checkPassword,
    requireFresh,

    /**
     * Requires the password even soon after signing in. An account without one needs a sign-in that is at most ten
     * minutes old.
     * @param missingPasswordError creates the error for a missing password of an account that has one.
     * @throws ForbiddenError as `requireFresh`; TooManyRequestsError after too many wrong passwords.
     */
    async requirePassword(
      actor: Actor,
      password: string | undefined,
      missingPasswordError: () => Error,
    ): Promise<void> {
      const methods = await signIns.findSignInMethods(actor.userId)
      if (methods?.has_password === false) return requireFresh(actor, undefined)
      if (password === undefined) throw missingPasswordError()
      return confirmPassword(actor, password)
    },
  }
}
