import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

export type TagSuggestionsStore = ReturnType<typeof createTagSuggestionsStore>

/** Access to the users' tag models, which the automation trains. */
export function createTagSuggestionsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Training time; null while the user has no model. */
    async learntAt(userId: string): Promise<Date | null> {
      const { rows } = await pool.query<{ learntAt: Date }>(
        sql`SELECT created_at AS "learntAt" FROM tag_models WHERE user_id = ${userId}`,
      )
      return rows[0]?.learntAt ?? null
    },

    async modelOf(userId: string): Promise<{ learntAt: Date; model: unknown } | null> {
      const { rows } = await pool.query<{ learntAt: Date; model: unknown }>(
        sql`SELECT created_at AS "learntAt", model FROM tag_models WHERE user_id = ${userId}`,
      )
      return rows[0] ?? null
    },
  }
}
