import type { Database } from '../../../platform/database/client.ts'

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
        'SELECT key, value, fetched_at AS "fetchedAt" FROM source_answers WHERE key = ANY($1::text[])',
        [keys],
      )
      return rows
    },

    /** The newest answer whose `names` hold a name, of the keys that begin in a way. */
    async findNamed(prefix: string, name: string): Promise<SourceAnswer | null> {
      const { rows } = await pool.query<SourceAnswer>(
        `SELECT key, value, fetched_at AS "fetchedAt" FROM source_answers
         WHERE starts_with(key, $1) AND value->'names' ? $2 ORDER BY fetched_at DESC LIMIT 1`,
        [prefix, name],
      )
      return rows[0] ?? null
    },

    async save({ key, value, fetchedAt }: SourceAnswer): Promise<void> {
      const text = JSON.stringify(value, (_name, one) =>
        typeof one === 'string' ? one.replaceAll('\0', '').toWellFormed() : one,
      )
      await pool.query(
        `INSERT INTO source_answers (key, value, fetched_at) VALUES ($1, $2::jsonb, $3)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value, fetched_at = excluded.fetched_at
         WHERE source_answers.fetched_at < excluded.fetched_at`,
        [key, text, fetchedAt],
      )
    },
  }
}
