import type { Database } from '../../src/platform/database/client.ts'
import { newId } from '../../src/platform/database/new-id.ts'

/** Rows of an earlier version, and their expected state after an upgrade to this one. */
export interface OldVersion {
  /** The newest migration that the version had. */
  lastMigration: string
  /** Completes the title "after an upgrade, …". */
  outcome: string
  /** Adds rows in the columns that the version had. */
  add(database: Pick<Database, 'pool'>): Promise<void>
  expectUpgraded(database: Database): Promise<void>
}

/** Adds a user with the columns that every version has. @returns the id. */
export async function addOldUser({ pool }: Pick<Database, 'pool'>, name: string, role = 'user'): Promise<string> {
  const id = newId()
  await pool.query(
    `INSERT INTO users (id, username, email, password_hash, role) VALUES ($1, $2, $2 || '@example.org', 'none', $3)`,
    [id, name, role],
  )
  return id
}
