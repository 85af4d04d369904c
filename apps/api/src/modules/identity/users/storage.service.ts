import type { StorageUse } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { StorageStore } from './storage.store.ts'

export type StorageService = ReturnType<typeof createStorageService>

/** Storage use and limits of users. */
export function createStorageService({
  store,
  defaultLimitBytes,
}: {
  store: StorageStore
  /** For who has no limit of their own; null without one. */
  defaultLimitBytes: () => number | null
}) {
  return {
    /** Storage use with the user's limit; null without one. */
    async roomOf(userId: string): Promise<{ usedBytes: number; limitBytes: number } | null> {
      const limitBytes = (await store.ownLimitBytes(userId)) ?? defaultLimitBytes()
      return limitBytes === null ? null : { limitBytes, usedBytes: await store.usedBytes(userId) }
    },

    /** @throws NotFoundError when there is no such account. */
    async useOf(userId: string): Promise<StorageUse> {
      const [used, own] = await Promise.all([store.usedBytes(userId), store.ownLimitBytes(userId)])
      if (own === undefined) throw new NotFoundError('There is no such user.')
      const standard = defaultLimitBytes()
      return { used_bytes: used, limit_bytes: own ?? standard, own_limit_bytes: own, default_limit_bytes: standard }
    },
  }
}
