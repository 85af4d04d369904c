import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

export type WordIndexStore = ReturnType<typeof createWordIndexStore>

/** Moments whose words were written by the rules of a version before. */
export function createWordIndexStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async hasOld(): Promise<boolean> {
      return (await pool.query('SELECT FROM moments WHERE indexed_as IS NULL LIMIT 1')).rowCount === 1
    },

    /** Writes the words of some of them anew, as the trigger does for every moment; returns how many there were. */
    async renew(limit: number): Promise<number> {
      const { rowCount } = await pool.query(
        sql`UPDATE moments SET lang = lang WHERE id IN (
           SELECT id FROM moments WHERE indexed_as IS NULL ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
         )`,
      )
      return rowCount ?? 0
    },
  }
}
