import type { Database } from '../../db/client.ts'

export type TagSuggestionsStore = ReturnType<typeof createTagSuggestionsStore>

/** The trained suggester of tags, as the automation keeps it. */
export function createTagSuggestionsStore({ pool }: Pick<Database, 'pool'>) {
  return {
    /** Null while none was trained. */
    async currentVersion(): Promise<number | null> {
      const { rows } = await pool.query<{ version: number }>(
        `SELECT version FROM classifiers WHERE kind = 'tag' AND is_current`,
      )
      return rows[0]?.version ?? null
    },

    async current(): Promise<{ version: number; model: unknown } | null> {
      const { rows } = await pool.query<{ version: number; model: unknown }>(
        `SELECT version, model FROM classifiers WHERE kind = 'tag' AND is_current`,
      )
      return rows[0] ?? null
    },
  }
}
