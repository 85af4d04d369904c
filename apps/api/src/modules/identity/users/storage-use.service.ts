import type { StorageUse } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import { prepared } from '../../../platform/database/prepared.ts'
import { sql } from '../../../platform/database/sql.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'

/** SQL for the files that a user has added or generated, including trash. UNION counts a file with several rows only once. */
const filesOf = (userId: string) => sql`
  SELECT path, size_bytes::bigint FROM media_items WHERE user_id = ${userId} OR trashed_from = ${userId}
  UNION SELECT c.path, c.size_bytes::bigint FROM media_copies c JOIN media_items m ON m.id = c.media_item_id
    WHERE (m.user_id = ${userId} OR m.trashed_from = ${userId}) AND c.kind = 'motion'
  UNION SELECT path, size_bytes::bigint FROM effect_images WHERE user_id = ${userId}
  UNION SELECT a.path, a.size_bytes::bigint FROM chat_message_images a
    JOIN chat_messages m ON m.id = a.message_id JOIN chat_sessions s ON s.id = m.session_id
    WHERE s.user_id = ${userId} OR s.trashed_from = ${userId}`

/** Bytes of the files that a user has added or generated, without thumbnails and other derived files. */
async function usedBytesOf({ pool }: Database, userId: string): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    sql`SELECT coalesce(sum(size_bytes), 0)::float8 AS bytes FROM (${filesOf(userId)}) files`,
  )
  return rows[0]?.bytes ?? 0
}

/** Storage limit of an account in bytes: null for the default, undefined when there's no such account. */
async function ownLimitBytesOf({ pool }: Database, userId: string) {
  const { rows } = await pool.query<{ bytes: number | null }>(
    prepared(sql`SELECT storage_limit_bytes::float8 AS bytes FROM users WHERE id = ${userId}`),
  )
  return rows[0]?.bytes
}

export type StorageUseService = ReturnType<typeof createStorageUse>

/** Storage use and limits of users. */
export function createStorageUse({ database, settings }: { database: Database; settings: SettingsReader }) {
  const defaultLimitBytes = () => settings.current().limits.storage_bytes_per_user
  return {
    usedBytes: (userId: string) => usedBytesOf(database, userId),

    /** Used and permitted bytes; null when the user has no limit. */
    async spaceOf(userId: string): Promise<{ usedBytes: number; limitBytes: number } | null> {
      const limitBytes = (await ownLimitBytesOf(database, userId)) ?? defaultLimitBytes()
      return limitBytes === null ? null : { limitBytes, usedBytes: await usedBytesOf(database, userId) }
    },

    /** Storage use and limits of a user. @throws NotFoundError when there is no such account. */
    async useOf(userId: string): Promise<StorageUse> {
      const [used, ownLimit] = await Promise.all([usedBytesOf(database, userId), ownLimitBytesOf(database, userId)])
      if (ownLimit === undefined) throw new NotFoundError('There is no such user.')
      const defaultLimit = defaultLimitBytes()
      return {
        used_bytes: used,
        limit_bytes: ownLimit ?? defaultLimit,
        own_limit_bytes: ownLimit,
        default_limit_bytes: defaultLimit,
      }
    },
  }
}
