import type { Database } from '../../../platform/database/client.ts'
import { sql } from '../../../platform/database/sql.ts'

/** Last response of a public source. */
export interface SourceAnswer {
  key: string
  value: unknown
  fetchedAt: Date
}

export type SourceAnswersStore = ReturnType<typeof createSourceAnswersStore>

/** Keeps what public sources answered, for everyone; nothing that a user wrote is in it. */
export function createSourceAnswersStore({ pool }: Pick<Database, 'pool'>) {
  return {
    async find(keys: string[]): Promise<SourceAnswer[]> {
      const { rows } = await pool.query<SourceAnswer>(
        sql`SELECT key, value, fetched_at AS "fetchedAt" FROM source_answers WHERE key = ANY(${keys}::text[])`,
      )
      return rows
    },

    /** The newest answer whose `names` hold a name, of the keys that begin in a way. */
    async findNamed(prefix: string, name: string): Promise<SourceAnswer | null> {
      const { rows } = await pool.query<SourceAnswer>(
        sql`SELECT key, value, fetched_at AS "fetchedAt" FROM source_answers
         WHERE starts_with(key, ${prefix}) AND value->'names' ? ${name} ORDER BY fetched_at DESC LIMIT 1`,
      )
      return rows[0] ?? null
    },

    async save({ key, value, fetchedAt }: SourceAnswer): Promise<void> {
      const text = JSON.stringify(value, (_name, one) =>
        typeof one === 'string' ? one.replaceAll('\0', '').toWellFormed() : one,
      )
      await pool.query(
        sql`INSERT INTO source_answers (key, value, fetched_at) VALUES (${key}, ${text}::jsonb, ${fetchedAt})
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, fetched_at = excluded.fetched_at
         WHERE source_answers.fetched_at < excluded.fetched_at`,
      )
    },
  }
}
