import type { StorageUse } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import type { StorageStore } from './storage.store.ts'

export type StorageService = ReturnType<typeof createStorageService>

/** Storage use and limits of users. */
export function createStorageService({ store, settings }: { store: StorageStore; settings: SettingsReader }) {
  const defaultLimitBytes = () => settings.current().limits.storage_bytes_per_user
  return {
    usedBytes: store.usedBytes,

    /** Used and permitted bytes; null without a limit. */
    async spaceOf(userId: string): Promise<{ usedBytes: number; limitBytes: number } | null> {
      const limitBytes = (await store.ownLimitBytes(userId)) ?? defaultLimitBytes()
      return limitBytes === null ? null : { limitBytes, usedBytes: await store.usedBytes(userId) }
    },

    /** @throws NotFoundError when there is no such account. */
    async useOf(userId: string): Promise<StorageUse> {
      const [used, own] = await Promise.all([store.usedBytes(userId), store.ownLimitBytes(userId)])
      if (own === undefined) throw new NotFoundError('There is no such user.')
      const fallback = defaultLimitBytes()
      return { used_bytes: used, limit_bytes: own ?? fallback, own_limit_bytes: own, default_limit_bytes: fallback }
    },
  }
}
