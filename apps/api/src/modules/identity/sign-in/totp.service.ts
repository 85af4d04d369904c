import { randomInt } from 'node:crypto'
import type { TotpDraft, TotpState } from '@mira/shared'
import { z } from 'zod'
import { ConflictError, NotFoundError, UnauthorizedError, UnavailableError, ValidationError } from '../../../errors.ts'
import type { Seal } from '../../../platform/lib/sealing.ts'
import type { Actor } from '../users/auth.service.ts'
import type { PrismaTransaction, UsersStore } from '../users/users.store.ts'
import type { NewSession, SessionStarter, Visitor } from './session-starter.ts'
import type { Attempt, SignInLimits } from './sign-in-limits.ts'
import type { Tickets } from './sign-in-tickets.ts'
import type { TotpStore } from './totp.store.ts'

const CHALLENGE_SECONDS = 5 * 60
const STEP_SECONDS = 30
/** Codes of the step before and of the next are taken, too: clocks differ. */
const STEPS_BESIDE = 1
const RECOVERY_CODES = 10
const RECOVERY_CODE_CHARACTERS = 10
const READABLE = 'abcdefghjkmnpqrstuvwxyz23456789'

const challengeSchema = z.object({ user_id: z.uuid() })

/** Password confirmation of an action, with its IP address. */
interface Confirmation {
  password: string | undefined
  address: string
  inAnalytics: boolean
}

export type TotpService = ReturnType<typeof createTotpService>

/** Time-based codes of an authenticator app, asked for after the password. */
export function createTotpService(deps: {
  store: TotpStore
  users: UsersStore
  sessionStarter: SessionStarter
  tickets: Tickets
  limits: SignInLimits
  /** Hides the secrets where they are kept. */
  seal: Seal
  assistantName: () => string
}) {
  const { store, users, sessionStarter, tickets, limits, seal, assistantName } = deps

  const userOf = async (userId: string) => {
    const user = await users.find(userId)
    if (user === null) throw new NotFoundError('This account is not there any more.')
    return user
  }

  /** The step whose code it is; null when it is none of now. */
  const stepOf = async (sealed: string, code: string): Promise<number | null> => {
    const secret = seal.open(sealed)
    if (secret === null) {
      throw new UnavailableError(
        'Codes cannot be checked: the server has another JWT_SECRET than when they were set up. An administrator can ' +
          'turn them off for you.',
        { code: 'totp_unreadable' },
      )
    }
    const { TOTP, Secret } = await import('otpauth')
    const now = Date.now()
    const delta = new TOTP({ secret: Secret.fromBase32(secret), period: STEP_SECONDS, digits: 6 }).validate({
      token: code,
      timestamp: now,
      window: STEPS_BESIDE,
    })
    return delta === null ? null : Math.floor(now / 1000 / STEP_SECONDS) + delta
  }

  const makeRecoveryCodes = async (userId: string, tx: PrismaTransaction): Promise<string[]> => {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    await store.replaceRecoveryCodes(
      userId,
      codes.map((code) => recoveryHash(userId, code)),
      tx,
    )
    return codes
  }

  const recoveryHash = (userId: string, code: string) =>
    seal.fingerprint(`${userId}:${code.toLowerCase().replace(/[^a-z\d]/g, '')}`)

  const record = (tx: PrismaTransaction, userId: string, action: string, inAnalytics: boolean) =>
    users.recordActivity(tx, { userId, kind: 'account', detail: { action }, inAnalytics })

  return {
    async state(userId: string): Promise<TotpState> {
      if (!(await store.isOn(userId))) return { enabled: false, recovery_codes_left: 0 }
      return { enabled: true, recovery_codes_left: await store.countRecoveryCodes(userId) }
    },

    /** Challenge that the client exchanges, with a code, for a token. */
    challenge: (userId: string): { challenge: string; expires_in: number } => ({
      challenge: tickets.issue('totp', { user_id: userId }, CHALLENGE_SECONDS),
      expires_in: CHALLENGE_SECONDS,
    }),

    isOn: store.isOn,

    /**
     * Makes a secret for an app; codes are asked for once a first one was confirmed.
     * @throws ForbiddenError when the person must show again who they are; ConflictError when codes are on.
     */
    async begin(actor: Actor, given: Confirmation): Promise<TotpDraft> {
      await sessionStarter.requireFresh(actor, given)
      const user = await userOf(actor.userId)
      const { TOTP, Secret } = await import('otpauth')
      const secret = new Secret({ size: 20 })
      const isKept = await users.transaction((tx) => store.keepDraft(user.id, seal.close(secret.base32), tx))
      if (!isKept) {
        throw new ConflictError('Codes are on already. Turn them off first.', { code: 'totp_on' })
      }
      const totp = new TOTP({ issuer: assistantName(), label: user.username, secret, period: STEP_SECONDS, digits: 6 })
      return { secret: secret.base32, uri: totp.toString() }
    },

    /**
     * Turns codes on once the app has shown that it makes the right ones.
     * @returns the recovery codes, shown this once.
     * @throws ValidationError when the code is wrong; TooManyRequestsError after too many wrong ones.
     */
    async confirm(
      { userId }: Actor,
      { code, address, inAnalytics }: { code: string; address: string; inAnalytics: boolean },
    ): Promise<string[]> {
      const draft = await store.find(userId)
      if (draft === null || draft.isConfirmed) {
        throw new ConflictError('There is nothing to confirm. Set codes up again.', { code: 'totp_not_begun' })
      }
      const attempt: Attempt = { purpose: 'code', username: (await userOf(userId)).username, hasAccount: true, address }
      await limits.require(attempt)
      const step = await stepOf(draft.secret, code)
      if (step === null) {
        await limits.count(attempt)
        const message = 'This code is wrong. Type the one that the app shows now.'
        throw new ValidationError(message, { code: 'wrong_code', errors: [{ path: 'code', message }] })
      }
      return users.transaction(async (tx) => {
        await store.takeStep(userId, step, tx)
        await store.confirm(userId, tx)
        await record(tx, userId, 'totp_on', inAnalytics)
        return makeRecoveryCodes(userId, tx)
      })
    },

    /** Replaces the recovery codes; those before open nothing any more. @throws ForbiddenError as for `begin`. */
    async renewRecoveryCodes(actor: Actor, given: Confirmation): Promise<string[]> {
      await sessionStarter.requireFresh(actor, given)
      return users.transaction(async (tx) => {
        if (!(await store.isOn(actor.userId, tx))) throw new ConflictError('Codes are off.', { code: 'totp_off' })
        await record(tx, actor.userId, 'recovery_codes_made', given.inAnalytics)
        return makeRecoveryCodes(actor.userId, tx)
      })
    },

    /** @throws ForbiddenError as for `begin`. */
    async turnOff(actor: Actor, given: Confirmation): Promise<void> {
      await sessionStarter.requireFresh(actor, given)
      await users.transaction(async (tx) => {
        if (await store.remove(actor.userId, tx)) await record(tx, actor.userId, 'totp_off', given.inAnalytics)
      })
    },

    /**
     * Signs in whose password was right, with a code of the app or a recovery code. Each is taken once.
     * @throws UnauthorizedError when the challenge is over or the code is wrong; TooManyRequestsError.
     */
    async signIn({ challenge, code, ...visitor }: Visitor & { challenge: string; code: string }): Promise<NewSession> {
      const ticket = tickets.read('totp', challengeSchema, challenge)
      const user = await users.find(ticket.data.user_id)
      if (user === null) throw wrongCode()
      const { address } = visitor
      const attempt: Attempt = { purpose: 'code', username: user.username, hasAccount: true, address }
      await limits.require(attempt)
      const kept = await store.find(user.id)
      if (kept?.isConfirmed !== true) throw wrongCode()
      const digits = code.replace(/\s/g, '')
      const isTimed = /^\d{6}$/.test(digits)
      const step = isTimed ? await stepOf(kept.secret, digits) : null
      const session = await users.transaction(async (tx) => {
        await limits.lock(attempt, tx)
        await limits.require(attempt, tx)
        const isTaken = isTimed
          ? step !== null && (await store.takeStep(user.id, step, tx))
          : await store.takeRecoveryCode(user.id, recoveryHash(user.id, code), tx)
        if (!isTaken) {
          await limits.count(attempt, tx)
          return null
        }
        await tickets.take(ticket, tx)
        await limits.forget(attempt, tx)
        return sessionStarter.begin(user.id, { ...visitor, method: 'code' }, tx)
      })
      if (session === null) throw wrongCode()
      return session
    },

    /** For an administrator: turns codes off for somebody who lost what makes them. */
    async turnOffFor(userId: string, tx: PrismaTransaction): Promise<void> {
      await store.remove(userId, tx)
    },
  }
}

function newRecoveryCode(): string {
  const characters = Array.from({ length: RECOVERY_CODE_CHARACTERS }, () => READABLE[randomInt(READABLE.length)])
  return `${characters.slice(0, 5).join('')}-${characters.slice(5).join('')}`
}

function wrongCode(): UnauthorizedError {
  return new UnauthorizedError('This code is wrong or was used already.', { code: 'wrong_code' })
}
