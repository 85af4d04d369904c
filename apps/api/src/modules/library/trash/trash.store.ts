import type { ProcessingStatus } from '@mira/shared'
import { retryOnConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { lockedInOrder } from '../../../platform/database/locked-in-order.ts'
import { forgetItemsCtes } from '../../../platform/database/own-items.ts'
import { inTransaction, raw, type SqlTransaction, sql } from '../../../platform/database/sql.ts'

export type MediaTrashStore = ReturnType<typeof createMediaTrashStore>

/** SQL assignments that restore an item from the trash. */
export const RESTORE_ASSIGNMENTS = 'user_id = trashed_from, trashed_from = NULL, trashed_at = NULL'

/**
 * Access to the trash. The row of an item in the trash has no owner, and a trigger also removes the owner from all its
 * findings, so that queries by user don't return them.
 */
export function createMediaTrashStore({ pool }: Pick<Database, 'pool'>) {
  return {
    transaction: <T>(work: (tx: SqlTransaction) => Promise<T>): Promise<T> => inTransaction(pool, work),

    /** Moves a user's items to the trash and removes their notifications. @returns the moved ids. */
    async trash(userId: string, ids: string[]): Promise<string[]> {
      const { rows } = await retryOnConflict(() =>
        pool.query<{ id: string }>(
          sql`WITH trashed AS (
             UPDATE media_items SET user_id = NULL, trashed_from = user_id, trashed_at = now()
             WHERE id IN (${lockedInOrder('media_items', ids, sql`user_id = ${userId}`)}) RETURNING id
           ), ${forgetItemsCtes(userId, 'trashed')}
           SELECT id FROM trashed`,
        ),
      )
      return rows.map(({ id }) => id)
    },

    /** Restores a user's items. @returns the items that were in the trash. */
    async restore(
      tx: SqlTransaction,
      userId: string,
      ids: string[],
    ): Promise<{ id: string; processingStatus: ProcessingStatus }[]> {
      const { rows } = await tx.query<{
        id: string
        processingStatus: ProcessingStatus
      }>(sql`UPDATE media_items SET ${raw(RESTORE_ASSIGNMENTS)} WHERE id IN (${lockedInOrder('media_items', ids, sql`trashed_from = ${userId}`)})
               RETURNING id, processing_status AS "processingStatus"`)
      return rows
    },
  }
}
