import type { ImproveFilter } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { join, sql } from '../../../platform/database/sql.ts'
import { libraryFilters } from '../items/library.store.ts'

/** Items of a user to process again: the ids, or those that match a filter. */
export interface ImproveTarget {
  user_id: string
  ids?: string[] | undefined
  filter?: ImproveFilter | undefined
}

/** Progress of a running improvement, in items. */
interface Improvement {
  total: number
  /** Enqueued so far, including finished ones. */
  asked: number
  begun_at: string
}

/** A running improvement with the time of its last progress. */
interface RunningImprovement extends Improvement {
  touchedAt: Date
}

export type ImprovingStore = ReturnType<typeof createImprovingStore>

const keyOf = (userId: string) => `improving.${userId}`

/** Access to the items to improve, and the stored progress. */
export function createImprovingStore({ prisma, pool }: Pick<Database, 'prisma' | 'pool'>) {
  const conditionOf = ({ user_id, ids, filter }: ImproveTarget) => {
    const idCondition = ids === undefined ? [] : [sql`m.id = ANY (${ids}::uuid[])`]
    return join([...libraryFilters(user_id, filter ?? {}), ...idCondition], ' AND ')
  }

  return {
    async count(filter: ImproveTarget): Promise<number> {
      const { rows } = await pool.query<{ count: number }>(
        sql`SELECT count(*)::int AS count FROM media_items m WHERE ${conditionOf(filter)}`,
      )
      return rows[0]?.count ?? 0
    },

    /** In the order of their ids. */
    async next(filter: ImproveTarget, after: string, limit: number): Promise<{ id: string; mediaType: string }[]> {
      const { rows } = await pool.query<{ id: string; mediaType: string }>(
        sql`SELECT m.id, m.media_type AS "mediaType" FROM media_items m
         WHERE ${conditionOf(filter)} AND m.id > ${after} ORDER BY m.id LIMIT ${limit}`,
      )
      return rows
    },

    /** Number of a user's unfinished items. */
    async countUnfinished(userId: string, addedBefore?: Date): Promise<number> {
      return prisma.mediaItem.count({
        where: {
          userId,
          processingStatus: { in: ['pending', 'processing'] },
          ...(addedBefore === undefined ? {} : { createdAt: { lte: addedBefore } }),
        },
      })
    },

    async read(userId: string): Promise<RunningImprovement | null> {
      const row = await prisma.setting.findUnique({ where: { key: keyOf(userId) } })
      return row && { ...(row.value as unknown as Improvement), touchedAt: row.updatedAt }
    },

    async write(userId: string, improvement: Improvement): Promise<void> {
      const { total, asked, begun_at } = improvement
      const [key, value] = [keyOf(userId), { total, asked, begun_at }]
      await prisma.setting.upsert({ where: { key }, create: { key, value }, update: { value } })
    },

    async forget(userId: string): Promise<void> {
      await prisma.setting.deleteMany({ where: { key: keyOf(userId) } })
    },
  }
}
