import { randomInt } from 'node:crypto'
import type { TotpDraft, TotpState } from '@mira/shared'
import { z } from 'zod'
import { ConflictError, NotFoundError, UnauthorizedError, UnavailableError, ValidationError } from '../../../errors.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { say } from '../../../sentences.ts'
import type { Actor, Visitor } from '../actor.ts'
import type { AuthStore } from '../users/auth.store.ts'
import type { Account, PrismaTransaction, UsersStore } from '../users/users.store.ts'
import { beginSession, type NewSession } from './begin-session.ts'
import type { Confirmation } from './confirmation.ts'
import type { Attempt, SignInLimits } from './sign-in-limits.ts'
import { signInExpired, type Tickets } from './sign-in-tickets.ts'
import type { TotpStore } from './totp.store.ts'

const CHALLENGE_SECONDS = 5 * 60
const STEP_SECONDS = 30
/** Number of steps before and after the current one whose codes are also accepted, since clocks differ. */
const NEIGHBOURING_STEPS = 1
const RECOVERY_CODE_COUNT = 10
const RECOVERY_CODE_CHARACTERS = 10
const UNAMBIGUOUS_CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** Contents of a challenge. `password` is a fingerprint of the password, so that a new password invalidates the challenge. */
const challengeSchema = z.object({ user_id: z.uuid(), password: z.string() })

export type TotpService = ReturnType<typeof createTotpService>

/** Time-based codes of an authenticator app, required after the password. */
export function createTotpService(deps: {
  store: TotpStore
  users: UsersStore
  auth: AuthStore
  confirmation: Confirmation
  tickets: Tickets
  limits: SignInLimits
  /** Encrypts the secrets. */
  seal: Seal
  settings: SettingsReader
}) {
  const { store, users, confirmation, tickets, limits, seal, settings } = deps

  const requireUser = async (userId: string) => {
    const user = await users.find(userId)
    if (user === null) throw new NotFoundError('This account no longer exists.')
    return user
  }

  /** Time step of a code; null when the code is wrong. @throws UnavailableError when the secret can't be decrypted. */
  const stepOf = async (sealed: string, code: string): Promise<number | null> => {
    const secret = seal.decrypt(sealed)
    if (secret === null) {
      throw new UnavailableError(say('totp_unreadable', {}), { code: 'totp_unreadable' })
    }
    const { TOTP, Secret } = await import('otpauth')
    const now = Date.now()
    const delta = new TOTP({ secret: Secret.fromBase32(secret), period: STEP_SECONDS, digits: 6 }).validate({
      token: code,
      timestamp: now,
      window: NEIGHBOURING_STEPS,
    })
    return delta === null ? null : Math.floor(now / 1000 / STEP_SECONDS) + delta
  }

  const makeRecoveryCodes = async (userId: string, tx: PrismaTransaction): Promise<string[]> => {
    const codes = Array.from({ length: RECOVERY_CODE_COUNT }, newRecoveryCode)
    await store.replaceRecoveryCodes(
      userId,
      codes.map((code) => recoveryHash(userId, code)),
      tx,
    )
    return codes
  }

  const recoveryHash = (userId: string, code: string) =>
    seal.fingerprint(`${userId}:${code.toLowerCase().replace(/[^a-z\d]/g, '')}`)

  const passwordFingerprint = ({ passwordHash }: Account) => seal.fingerprint(`password:${passwordHash ?? ''}`)

  const record = (tx: PrismaTransaction, { userId, countsInAnalytics }: Actor, action: string) =>
    users.recordActivity(tx, { userId, kind: 'account', detail: { action }, countsInAnalytics })

  return {
    async state(userId: string): Promise<TotpState> {
      if (!(await store.isOn(userId))) return { enabled: false, recovery_codes_left: 0 }
      return { enabled: true, recovery_codes_left: await store.countRecoveryCodes(userId) }
    },

    /** Challenge that the client exchanges for a token, together with a code. */
    challenge: (account: Account): { challenge: string; expires_in: number } => ({
      challenge: tickets.issue(
        'totp',
        { user_id: account.user.id, password: passwordFingerprint(account) },
        CHALLENGE_SECONDS,
      ),
      expires_in: CHALLENGE_SECONDS,
    }),

    isOn: store.isOn,

    /**
     * Creates a secret for an app; sign-ins require codes once the first code is confirmed.
     * @throws ForbiddenError as `requireFresh`; ConflictError when codes are already on.
     */
    async begin(actor: Actor, password: string | undefined): Promise<TotpDraft> {
      await confirmation.requireFresh(actor, password)
      const user = await requireUser(actor.userId)
      const { TOTP, Secret } = await import('otpauth')
      const secret = new Secret({ size: 20 })
      const isStored = await users.transaction((tx) => store.storeDraft(user.id, seal.encrypt(secret.base32), tx))
      if (!isStored) {
        throw new ConflictError('Codes are already on. Turn them off first.', { code: 'totp_on' })
      }
      const totp = new TOTP({
        issuer: settings.current().assistant_name,
        label: user.username,
        secret,
        period: STEP_SECONDS,
        digits: 6,
      })
      return { secret: secret.base32, uri: totp.toString() }
    },

    /**
     * Turns codes on, after a first correct code of the app.
     * @returns the recovery codes, which aren't shown again.
     * @throws ValidationError when the code is wrong; TooManyRequestsError after too many wrong ones.
     */
    async confirm(actor: Actor, code: string): Promise<string[]> {
      const { userId, address } = actor
      const draft = await store.find(userId)
      if (draft === null || draft.isConfirmed) {
        throw nothingToConfirm()
      }
      const attempt: Attempt = {
        purpose: 'code',
        username: (await requireUser(userId)).username,
        hasAccount: true,
        address,
      }
      await limits.requireBelowLimit(attempt)
      const step = await stepOf(draft.secret, code)
      if (step === null) {
        await limits.countFailure(attempt)
        const message = 'This code is wrong. Enter the code that the app shows now.'
        throw new ValidationError(message, { code: 'wrong_code', errors: [{ path: 'code', message }] })
      }
      return users.transaction(async (tx) => {
        if (!(await store.confirm(userId, draft.secret, tx))) throw nothingToConfirm()
        await store.takeStep(userId, step, tx)
        await record(tx, actor, 'totp_on')
        return makeRecoveryCodes(userId, tx)
      })
    },

    /** Replaces the recovery codes. @throws ForbiddenError as `requireFresh`. */
    async renewRecoveryCodes(actor: Actor, password: string | undefined): Promise<string[]> {
      await confirmation.requireFresh(actor, password)
      return users.transaction(async (tx) => {
        if (!(await store.isOn(actor.userId, tx))) throw new ConflictError('Codes are off.', { code: 'totp_off' })
        await record(tx, actor, 'recovery_codes_made')
        return makeRecoveryCodes(actor.userId, tx)
      })
    },

    /** @throws ForbiddenError as `requireFresh`. */
    async turnOff(actor: Actor, password: string | undefined): Promise<void> {
      await confirmation.requireFresh(actor, password)
      await users.transaction(async (tx) => {
        if (await store.remove(actor.userId, tx)) await record(tx, actor, 'totp_off')
      })
    },

    /**
     * Signs in with a code of the app or a recovery code, after the password. Each code works once.
     * @throws UnauthorizedError when the challenge has expired or the code is wrong; TooManyRequestsError.
     */
    async signIn({ challenge, code, ...visitor }: Visitor & { challenge: string; code: string }): Promise<NewSession> {
      const ticket = tickets.read('totp', challengeSchema, challenge)
      const account = await users.findAccount(ticket.data.user_id)
      if (account === null || passwordFingerprint(account) !== ticket.data.password) throw signInExpired()
      const { user } = account
      const { address } = visitor
      const attempt: Attempt = { purpose: 'code', username: user.username, hasAccount: true, address }
      await limits.requireBelowLimit(attempt)
      const stored = await store.find(user.id)
      if (stored?.isConfirmed !== true) throw wrongCode()
      const digits = code.replace(/\s/g, '')
      const isTotp = /^\d{6}$/.test(digits)
      const step = isTotp ? await stepOf(stored.secret, digits) : null
      const session = await users.transaction(async (tx) => {
        await limits.lock(attempt, tx)
        await limits.requireBelowLimit(attempt, tx)
        const isValid = isTotp
          ? step !== null && (await store.takeStep(user.id, step, tx))
          : await store.takeRecoveryCode(user.id, recoveryHash(user.id, code), tx)
        if (!isValid) {
          await limits.countFailure(attempt, tx)
          return null
        }
        if (!(await users.isUsable(account, tx))) throw signInExpired()
        await tickets.useUp(ticket, tx)
        await limits.clearFailures(attempt, tx)
        return beginSession(deps, user.id, { ...visitor, method: 'code' }, tx)
      })
      if (session === null) throw wrongCode()
      return session
    },
  }
}

function newRecoveryCode(): string {
  const characters = Array.from(
    { length: RECOVERY_CODE_CHARACTERS },
    () => UNAMBIGUOUS_CHARACTERS[randomInt(UNAMBIGUOUS_CHARACTERS.length)],
  )
  return `${characters.slice(0, 5).join('')}-${characters.slice(5).join('')}`
}

function wrongCode(): UnauthorizedError {
  return new UnauthorizedError('This code is wrong or was used already.', { code: 'wrong_code' })
}

const nothingToConfirm = () =>
  new ConflictError('There is nothing to confirm. Set codes up again.', { code: 'totp_not_begun' })
