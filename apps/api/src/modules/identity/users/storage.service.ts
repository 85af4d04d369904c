import type { StorageUse } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { ownLimitBytesOf, usedBytesOf } from './storage.store.ts'

export type StorageService = ReturnType<typeof createStorageService>

/** Storage use and limits of users. */
export function createStorageService({ database, settings }: { database: Database; settings: SettingsReader }) {
  const defaultLimitBytes = () => settings.current().limits.storage_bytes_per_user
  return {
    usedBytes: (userId: string) => usedBytesOf(database, userId),

    /** Used and permitted bytes; null without a limit. */
    async spaceOf(userId: string): Promise<{ usedBytes: number; limitBytes: number } | null> {
      const limitBytes = (await ownLimitBytesOf(database, userId)) ?? defaultLimitBytes()
      return limitBytes === null ? null : { limitBytes, usedBytes: await usedBytesOf(database, userId) }
    },

    /** @throws NotFoundError when there is no such account. */
    async useOf(userId: string): Promise<StorageUse> {
      const [used, own] = await Promise.all([usedBytesOf(database, userId), ownLimitBytesOf(database, userId)])
      if (own === undefined) throw new NotFoundError('There is no such user.')
      const fallback = defaultLimitBytes()
      return { used_bytes: used, limit_bytes: own ?? fallback, own_limit_bytes: own, default_limit_bytes: fallback }
    },
  }
}
