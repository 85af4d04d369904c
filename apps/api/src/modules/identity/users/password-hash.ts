import { randomInt } from 'node:crypto'
import { PASSWORD_MAX_BYTES } from '@mira/shared'
import bcrypt from 'bcrypt'
import { UnavailableError, ValidationError } from '../../../errors.ts'

/** bcrypt's cost. Each step doubles the time; at 12, hashing takes about a fifth of a second. */
export const BCRYPT_COST = 12

/** Number of hashes at a time: half of libuv's threads, so that sign-ins don't block file reads. */
const MAX_CONCURRENT_HASHES = 2
const MAX_WAITING_HASHES = 200
/** Queue places reserved for users without recent failures. */
const RESERVED_PLACES = 100

/** Hashes and compares passwords off the event loop. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** Compares a password with a hash. Without a hash, returns false after the same time as a comparison. */
  matches(password: string, hash: string | null, options?: { isSuspect?: boolean }): Promise<boolean>
}

/** Hashes at most two passwords at a time; others wait in a queue of limited length. */
export function createPasswordHasher(cost: number = BCRYPT_COST): PasswordHasher {
  const enqueue = createHashQueue()
  // Compared when an account has no hash: well-formed, but no known password has this hash.
  const dummyHash = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
  return {
    hash: (password) => enqueue(() => bcrypt.hash(password, cost)),
    async matches(password, hash, { isSuspect = false } = {}) {
      const isEqual = await enqueue(() => bcrypt.compare(password, hash ?? dummyHash), { isSuspect })
      // bcrypt ignores everything after the first 72 bytes.
      return isEqual && hash !== null && Buffer.byteLength(password) <= PASSWORD_MAX_BYTES
    },
  }
}

function createHashQueue() {
  const waiting: (() => void)[] = []
  /** Attempts after recent failures, in a separate queue, so that guesses don't delay other users. */
  const suspectsWaiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>, { isSuspect = false } = {}): Promise<T> => {
    if (running >= MAX_CONCURRENT_HASHES) {
      const maxWaiting = isSuspect ? MAX_WAITING_HASHES - RESERVED_PLACES : MAX_WAITING_HASHES
      if (waiting.length + suspectsWaiting.length >= maxWaiting) {
        throw new UnavailableError('Too many people are signing in right now. Try again in a moment.', {
          code: 'busy',
          retryAfterSeconds: 5,
        })
      }
      await new Promise<void>((resolve) => (isSuspect ? suspectsWaiting : waiting).push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift() ?? suspectsWaiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** Personal data that a password must not be built from. */
export interface PasswordOwner {
  username: string
  email: string
  assistantName: string
}

/** Required strength of a password, and the field that errors refer to. */
export interface PasswordRule {
  path: string
  /** zxcvbn score, 0 to 4: 2 withstands online guessing; 3 withstands offline cracking of a stolen hash. */
  minScore: 2 | 3
}

/** Rule for passwords set by an administrator or a script. */
export const ASSIGNED_PASSWORD: PasswordRule = { path: 'password', minScore: 2 }
/** Rule for passwords that users set for themselves. */
export const OWN_PASSWORD: PasswordRule = { path: 'password', minScore: 3 }

const advice = 'Use a few unrelated words, or let a password manager create one.'

/** Reasons for a weak password, by zxcvbn's code. */
const weaknesses: Record<string, string> = {
  straightRow: 'Rows of keys are easy to guess.',
  keyPattern: 'Short patterns on the keyboard are easy to guess.',
  simpleRepeat: 'Repeated characters are easy to guess.',
  extendedRepeat: 'Repeated patterns are easy to guess.',
  sequences: 'Sequences such as “abc” or “6543” are easy to guess.',
  recentYears: 'Years are easy to guess.',
  dates: 'Dates are easy to guess.',
  topTen: 'It is one of the ten most used passwords.',
  topHundred: 'It is one of the hundred most used passwords.',
  common: 'It is a commonly used password.',
  similarToCommon: 'It is close to a commonly used password.',
  wordByItself: 'Single words are easy to guess.',
  userInputs: 'It is built from the username, the email address or the name of the assistant.',
  pwned: 'It is known from a data leak.',
}

/** @throws ValidationError for a password that is easy to guess, with the reason and advice. */
export async function requireStrongPassword(
  password: string,
  owner: PasswordOwner,
  { path, minScore }: PasswordRule = ASSIGNED_PASSWORD,
): Promise<void> {
  const weakness = await weaknessOf(password, owner, minScore)
  if (weakness === null) return
  const message = `This password is too easy to guess. ${weakness} ${advice}`
  throw new ValidationError(message, { code: 'weak_password', errors: [{ path, message }] })
}

async function weaknessOf(password: string, owner: PasswordOwner, minScore: number): Promise<string | null> {
  const { username, email, assistantName } = owner
  const words = [username, email, email.split('@')[0] ?? '', assistantName].filter((word) => word.length >= 3)
  if (words.some((word) => containsWord(password, word))) return weaknesses.userInputs ?? null
  const { score, feedback } = (await loadEstimator()).check(password.slice(0, ESTIMATED_CHARACTERS), words)
  if (score >= minScore) return null
  return weaknesses[feedback.warning ?? ''] ?? 'A computer could guess it quickly.'
}

/** True when a password contains a whole word, such as “mira” in “mira-2026”, but not in “admirable”. */
function containsWord(password: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<!\\p{L})${escaped}(?!\\p{L})`, 'iu').test(password)
}

/**
 * Limits for estimating a password's strength, which blocks the event loop: only the beginning is read, with few leetspeak
 * substitutions.
 */
const ESTIMATED_CHARACTERS = 40
const MAX_LEET_SUBSTITUTIONS = 20

let estimator: Promise<{ check: (password: string, words: string[]) => Estimate }> | undefined

interface Estimate {
  score: number
  feedback: { warning: string | null }
}

/** Loads the estimator on first use, since its word lists are large and most processes never set a password. */
function loadEstimator() {
  estimator ??= Promise.all([import('@zxcvbn-ts/core'), import('@zxcvbn-ts/language-common')]).then(
    ([{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }]) =>
      new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, l33tMaxSubstitutions: MAX_LEET_SUBSTITUTIONS }),
  )
  return estimator
}

const UNAMBIGUOUS_CHARACTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

/** A password that is easy to read and type: four groups of five characters, 99 bits. */
export function generatePassword(): string {
  const group = () =>
    Array.from({ length: 5 }, () => UNAMBIGUOUS_CHARACTERS[randomInt(UNAMBIGUOUS_CHARACTERS.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
