import { StorageFullError, TooManyRequestsError, UnavailableError } from '../../errors.ts'
import type { RequireSpace } from './storage-limit.ts'

export interface AdmissionLimits {
  /** Most that one person may have under way. */
  perUser: number
  /** Most that all people together may have under way. */
  inAll: number
  /** Room that stays free on the disk, for the database. */
  keptFreeBytes: number
}

/** Messages for users who can't be admitted now. */
export interface AdmissionTexts {
  ofUser: { sentence: string; code: string }
  inAll: string
}

/**
 * Lets work in that takes a file and time, when there is room for it and the person has not too much under way.
 * @param announcedBytes of the file, as far as is known.
 * @throws TooManyRequestsError, UnavailableError, StorageFullError.
 */
export type Admit = <T>(userId: string, announcedBytes: number, work: () => Promise<T>) => Promise<T>

/** Counts who is in, so that one person leaves room for others, and all of them for the server. */
export function createAdmission(deps: {
  freeBytes(): Promise<number>
  limits: AdmissionLimits
  words: AdmissionTexts
  requireSpace?: RequireSpace | undefined
}): Admit {
  const { freeBytes, limits, words, requireSpace } = deps
  const inside = new Map<string, { count: number; bytes: number }>()
  let insideInAll = 0

  const leave = (userId: string, bytes: number) => {
    insideInAll--
    const usage = inside.get(userId)
    if (usage === undefined || usage.count <= 1) inside.delete(userId)
    else inside.set(userId, { count: usage.count - 1, bytes: usage.bytes - bytes })
  }

  return async (userId, announcedBytes, work) => {
    const ofUser = inside.get(userId) ?? { count: 0, bytes: 0 }
    if (ofUser.count >= limits.perUser) {
      throw new TooManyRequestsError(words.ofUser.sentence, { code: words.ofUser.code, retryAfterSeconds: 5 })
    }
    if (insideInAll >= limits.inAll) {
      throw new UnavailableError(words.inAll, { code: 'busy', retryAfterSeconds: 10 })
    }
    insideInAll++
    const arriving = { count: ofUser.count + 1, bytes: ofUser.bytes + announcedBytes }
    inside.set(userId, arriving)
    try {
      if ((await freeBytes()) < announcedBytes + limits.keptFreeBytes) {
        throw new StorageFullError()
      }
      // what arrives at the same moment counts as well
      await requireSpace?.(userId, arriving.bytes)
      return await work()
    } finally {
      leave(userId, announcedBytes)
    }
  }
}
