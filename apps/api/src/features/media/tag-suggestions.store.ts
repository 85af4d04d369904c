import type { Database } from '../../db/client.ts'

export type TagSuggestionsStore = ReturnType<typeof createTagSuggestionsStore>

/** What was learnt of the tags of each person, as the automation keeps it. */
export function createTagSuggestionsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** When it was learnt; null while nothing was learnt of theirs. */
    async learntAt(userId: string): Promise<Date | null> {
      const { rows } = await pool.query<{ learntAt: Date }>(
        'SELECT created_at AS "learntAt" FROM tag_models WHERE user_id = $1',
        [userId],
      )
      return rows[0]?.learntAt ?? null
    },

    async modelOf(userId: string): Promise<{ learntAt: Date; model: unknown } | null> {
      const { rows } = await pool.query<{ learntAt: Date; model: unknown }>(
        'SELECT created_at AS "learntAt", model FROM tag_models WHERE user_id = $1',
        [userId],
      )
      return rows[0] ?? null
    },
  }
}
