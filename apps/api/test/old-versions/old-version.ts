import type { Database } from '../../src/platform/database/client.ts'
import { newId } from '../../src/platform/database/new-id.ts'

/** Rows that a version left, and what the upgrade from it to this one owes them. */
export interface OldVersion {
  /** The newest migration that the version had. */
  lastMigration: string
  promise: string
  /** Adds rows in the columns that the version had. */
  add(database: Pick<Database, 'pool'>): Promise<void>
  expectUpgraded(database: Database): Promise<void>
}

/** Adds an account as every version can store one. @returns its id. */
export async function addOldUser({ pool }: Pick<Database, 'pool'>, name: string, role = 'user'): Promise<string> {
  const id = newId()
  await pool.query(
    `INSERT INTO users (id, username, email, password_hash, role) VALUES ($1, $2, $2 || '@example.org', 'none', $3)`,
    [id, name, role],
  )
  return id
}
