import type { ReprocessFilter } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { join, sql } from '../../../platform/database/sql.ts'
import { libraryFilters } from '../items/library.store.ts'

/** Items of a user to process again, limited by ids, by a filter, or both. */
export interface BulkTarget {
  user_id: string
  ids?: string[] | undefined
  filter?: ReprocessFilter | undefined
}

/** Progress of bulk reprocessing, in items. */
interface ReprocessingProgress {
  total: number
  /** Items that have got a job so far, including finished ones. */
  enqueued: number
  startedAt: Date
}

/** Progress as stored in the settings. */
interface StoredProgress {
  total: number
  /** Items enqueued so far. */
  asked: number
  begun_at: string
}

export type BulkReprocessingStore = ReturnType<typeof createBulkReprocessingStore>

const keyOf = (userId: string) => `improving.${userId}`

/** Access to the items to process again, and to the stored progress. */
export function createBulkReprocessingStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const conditionOf = ({ user_id, ids, filter }: BulkTarget) => {
    const idCondition = ids === undefined ? [] : [sql`m.id = ANY (${ids}::uuid[])`]
    return join([...libraryFilters(user_id, filter ?? {}), ...idCondition], ' AND ')
  }

  return {
    async count(filter: BulkTarget): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        sql`SELECT count(*)::int AS count FROM media_items m WHERE ${conditionOf(filter)}`,
      )
      return rows[0]?.count ?? 0
    },

    /** The next items after an id, in the order of their ids. */
    async next(filter: BulkTarget, after: string, limit: number): Promise<{ id: string; mediaType: string }[]> {
      const { rows } = await pool.query<{ id: string; mediaType: string }>(
        sql`SELECT m.id, m.media_type AS "mediaType" FROM media_items m
         WHERE ${conditionOf(filter)} AND m.id > ${after} ORDER BY m.id LIMIT ${limit}`,
      )
      return rows
    },

    /** Number of a user's unfinished items, by default regardless of when they were added. */
    async countUnfinished(userId: string, addedBefore?: Date): Promise<number> {
      return prisma.mediaItem.count({
        where: {
          userId,
          processingStatus: { in: ['pending', 'processing'] },
          ...(addedBefore === undefined ? {} : { createdAt: { lte: addedBefore } }),
        },
      })
    },

    async read(userId: string): Promise<(ReprocessingProgress & { touchedAt: Date }) | null> {
      const row = await prisma.setting.findUnique({ where: { key: keyOf(userId) } })
      if (row === null) return null
      const { total, asked, begun_at } = row.value as unknown as StoredProgress
      return { total, enqueued: asked, startedAt: new Date(begun_at), touchedAt: row.updatedAt }
    },

    async write(userId: string, { total, enqueued, startedAt }: ReprocessingProgress): Promise<void> {
      const [key, value] = [keyOf(userId), { total, asked: enqueued, begun_at: startedAt.toISOString() }]
      await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } })
    },

    async forget(userId: string): Promise<void> {
      await prisma.setting.deleteMany({ where: { key: keyOf(userId) } })
    },
  }
}
