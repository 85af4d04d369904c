import type { ProcessingStatus } from '@mira/shared'
import type { Database } from '../../../platform/database/client.ts'
import { forgetItems } from '../../../platform/database/forget-items.ts'
import { inTransaction, type SqlTransaction } from '../../../platform/database/sql.ts'

export type MediaTrashStore = ReturnType<typeof createMediaTrashStore>

/** Assignments that take an item out of the trash. */
export const RESTORED = 'user_id = trashed_from, trashed_from = NULL, trashed_at = NULL'

/**
 * Items in the trash: their rows lose the owner, and a trigger removes it from all their findings, so that queries by
 * user don't see them.
 */
export function createMediaTrashStore({ pool }: Pick<Database, 'pool'>) {
  return {
    transaction: <T>(work: (sql: SqlTransaction) => Promise<T>): Promise<T> => inTransaction(pool, work),

    /** Moves a user's items to the trash and removes their notifications. @returns the moved ids. */
    async trash(userId: string, ids: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(
        `WITH gone AS (
           UPDATE media_items SET user_id = NULL, trashed_from = user_id, trashed_at = now()
           WHERE user_id = $1 AND id = ANY($2::uuid[]) RETURNING id
         ), ${forgetItems('gone')}
         SELECT id FROM gone`,
        [userId, ids],
      )
      return rows.map(({ id }) => id)
    },

    /** Restores a user's items. @returns those that were in the trash. */
    async restore(
      sql: SqlTransaction,
      userId: string,
      ids: string[],
    ): Promise<{ id: string; processingStatus: ProcessingStatus }[]> {
      const { rows } = await sql.query<{ id: string; processingStatus: ProcessingStatus }>({
        text: `UPDATE media_items SET ${RESTORED} WHERE trashed_from = $1 AND id = ANY($2::uuid[])
               RETURNING id, processing_status AS "processingStatus"`,
        values: [userId, ids],
      })
      return rows
    },
  }
}
