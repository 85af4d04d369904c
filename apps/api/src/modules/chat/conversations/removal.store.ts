import { againAfterConflict } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { type SqlText, sql } from '../../../platform/database/sql.ts'

export type RemovalStore = ReturnType<typeof createRemovalStore>

/**
 * Conversations on their way out, and back. In the trash their owner is taken from them, and by a trigger from their
 * figures and calls, so that whatever reads by the user doesn't see them.
 */
export function createRemovalStore({ pool }: Pick<Database, 'pool'>) {
  const idsOf = async (statement: SqlText): Promise<string[]> => {
    const { rows } = await againAfterConflict(() => pool.query<{ id: string }>(statement))
    return rows.map(({ id }) => id)
  }

  return {
    /** The user's conversations among the ids, including the trash. */
    owned: (userId: string, ids: string[]) =>
      idsOf(sql`
        SELECT id FROM chat_sessions WHERE ${userId} IN (user_id, trashed_from) AND id = ANY(${ids}::uuid[])`),

    /** Deletes a user's conversations with everything in them, including the trash; returns the ids of existing ones. */
    remove: (userId: string, ids: string[]) =>
      idsOf(sql`
        DELETE FROM chat_sessions WHERE ${userId} IN (user_id, trashed_from) AND id = ANY(${ids}::uuid[]) RETURNING id`),

    /** Moves them to the trash; the ids of those that weren't there. */
    trash: (userId: string, ids: string[]) =>
      idsOf(sql`
        UPDATE chat_sessions SET user_id = NULL, trashed_from = user_id, trashed_at = now()
        WHERE user_id = ${userId} AND id = ANY(${ids}::uuid[]) RETURNING id`),

    /** Takes them out of it as they were; the ids of those that were there. */
    restore: (userId: string, ids: string[]) =>
      idsOf(sql`
        UPDATE chat_sessions SET user_id = trashed_from, trashed_from = NULL, trashed_at = NULL
        WHERE trashed_from = ${userId} AND id = ANY(${ids}::uuid[]) RETURNING id`),
  }
}
