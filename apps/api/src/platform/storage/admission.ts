import { StorageFullError, TooManyRequestsError, UnavailableError } from '../../errors.ts'
import type { RequireSpace } from './require-space.ts'

export interface AdmissionLimits {
  /** Maximum number of one user's simultaneous operations. */
  perUser: number
  /** Maximum number of all users' simultaneous operations. */
  total: number
  /** Space that stays free on the disk, for the database. */
  keptFreeBytes: number
}

/** Messages for users who can't be admitted now. */
export interface AdmissionTexts {
  perUser: { sentence: string; code: string }
  total: string
}

/**
 * Runs work that stores a file, if there is enough space and the user doesn't have too many operations under way.
 * @param announcedBytes expected size of the file.
 * @throws TooManyRequestsError, UnavailableError, StorageFullError.
 */
export type Admit = <T>(userId: string, announcedBytes: number, work: () => Promise<T>) => Promise<T>

/** Limits simultaneous work per user and in total. */
export function createAdmission(deps: {
  freeBytes(): Promise<number>
  limits: AdmissionLimits
  texts: AdmissionTexts
  requireSpace?: RequireSpace | undefined
}): Admit {
  const { freeBytes, limits, texts, requireSpace } = deps
  const running = new Map<string, { count: number; bytes: number }>()
  let runningCount = 0

  const release = (userId: string, bytes: number) => {
    runningCount--
    const usage = running.get(userId)
    if (usage === undefined || usage.count <= 1) running.delete(userId)
    else running.set(userId, { count: usage.count - 1, bytes: usage.bytes - bytes })
  }

  return async (userId, announcedBytes, work) => {
    const usage = running.get(userId) ?? { count: 0, bytes: 0 }
    if (usage.count >= limits.perUser) {
      throw new TooManyRequestsError(texts.perUser.sentence, { code: texts.perUser.code, retryAfterSeconds: 5 })
    }
    if (runningCount >= limits.total) {
      throw new UnavailableError(texts.total, { code: 'busy', retryAfterSeconds: 10 })
    }
    runningCount++
    const newUsage = { count: usage.count + 1, bytes: usage.bytes + announcedBytes }
    running.set(userId, newUsage)
    try {
      if ((await freeBytes()) < announcedBytes + limits.keptFreeBytes) {
        throw new StorageFullError()
      }
      // counts the user's simultaneous uploads as well
      await requireSpace?.(userId, newUsage.bytes)
      return await work()
    } finally {
      release(userId, announcedBytes)
    }
  }
}
