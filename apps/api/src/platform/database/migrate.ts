import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { StartupError } from '../../errors.ts'
import { isDatabaseUnavailable } from './availability.ts'
import { sql } from './sql.ts'

/** The migrations of this repository. */
export const MIGRATIONS_DIR: string = resolve(import.meta.dirname, '../../../../../prisma/migrations')

/** The advisory lock that Prisma's own migrate commands take. */
export const MIGRATIONS_LOCK = 72_707_369

/** Longest wait for a table that others use, and how often it is tried. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_PAUSE_MS = 1_000
const MAX_LOCK_ATTEMPTS = 200
const LOCK_NOT_AVAILABLE = '55P03'

interface PendingMigration {
  name: string
  text: string
  checksum: string
  isInTransaction: boolean
}

interface AppliedMigration {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

/** Differences between a restore and a start. */
export interface MigrateOptions {
  /** Applies no others. */
  only?: readonly string[]
  /** The caller has begun a transaction, in which all of them are applied. */
  isInTransaction?: boolean
  /** Awaited before the first of them, while the lock is held, unless the database is new; it must not throw. */
  beforeApplying?: (pending: string[]) => Promise<void>
}

/** The names of all migrations, in their order. */
export async function listMigrations(migrationsDir: string): Promise<string[]> {
  const entries = await readdir(migrationsDir, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
}

/**
 * Applies the migrations that the database lacks, each in a transaction of its own, and records them exactly as
 * `prisma migrate deploy` does. Servers that start together wait for each other, so the connection must have no
 * statement timeout.
 * @returns the names of the migrations applied.
 */
export async function migrate(
  client: Pick<ClientBase, 'query'>,
  migrationsDir: string,
  { only, isInTransaction = false, beforeApplying }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await listMigrations(migrationsDir)
  const names = migrations.filter((name) => only?.includes(name) ?? true)
  await client.query(sql`SELECT pg_advisory_lock(${MIGRATIONS_LOCK})`)
  try {
    const applied = await appliedMigrations(client)
    requireNoneNewer(applied, migrations)
    const pending = names.filter((name) => !applied.has(name))
    if (applied.size > 0 && pending.length > 0) await beforeApplying?.(pending)
    const newlyApplied: string[] = []
    for (const name of names) {
      const text = await readFile(join(migrationsDir, name, 'migration.sql'), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      const earlier = applied.get(name)
      if (!earlier) {
        await apply(client, { name, text, checksum, isInTransaction })
        newlyApplied.push(name)
      } else if (!earlier.finished_at) {
        throw new StartupError(`The migration ${name} failed earlier. Resolve it before you start the server.`)
      } else if (earlier.checksum !== checksum) {
        throw new StartupError(`The migration ${name} was edited after it was applied. Restore its file.`)
      }
    }
    return newlyApplied
  } finally {
    await release(client)
  }
}

/** @throws StartupError when a newer version has changed the database: this one could damage what it doesn't know. */
function requireNoneNewer(applied: Map<string, AppliedMigration>, knownMigrations: string[]): void {
  const unknown = [...applied.keys()].filter((name) => !knownMigrations.includes(name)).sort()
  if (unknown.length === 0) return
  throw new StartupError(
    `The database was used by a newer version of Mira: this one doesn't know ${unknown.at(-1)}. Start that version ` +
      'again, or restore a backup made before the update (docs/backup.md). Nothing was changed.',
  )
}

async function release(client: Pick<ClientBase, 'query'>): Promise<void> {
  try {
    await client.query(sql`SELECT pg_advisory_unlock(${MIGRATIONS_LOCK})`)
  } catch (error) {
    // A lost connection has given the lock back already, and its own error says more than this one.
    if (!isDatabaseUnavailable(error)) throw error
  }
}

async function appliedMigrations(client: Pick<ClientBase, 'query'>): Promise<Map<string, AppliedMigration>> {
  await client.query(`CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`)
  const { rows } = await client.query<AppliedMigration>(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  )
  return new Map(rows.map((row) => [row.migration_name, row]))
}

/**
 * Applies one migration. Other servers may be working: a change that waits for a table makes everybody wait behind it, so
 * it gives way after a moment and is tried again.
 */
async function apply(client: Pick<ClientBase, 'query'>, migration: PendingMigration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyOnce(client, migration)
    } catch (error) {
      const isLocked = ((error as Error).cause as { code?: string } | undefined)?.code === LOCK_NOT_AVAILABLE
      if (!isLocked || migration.isInTransaction || attempt === MAX_LOCK_ATTEMPTS) throw error
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

async function applyOnce(client: Pick<ClientBase, 'query'>, migration: PendingMigration): Promise<void> {
  const { name, text, checksum, isInTransaction } = migration
  if (!isInTransaction) await client.query(`BEGIN; SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`)
  try {
    await client.query(text)
    await client.query(
      sql`INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (${randomUUID()}, ${checksum}, ${name}, clock_timestamp(), clock_timestamp(), 1)`,
    )
    if (!isInTransaction) await client.query('COMMIT')
  } catch (error) {
    if (!isInTransaction) await client.query('ROLLBACK')
    throw new StartupError(`The migration ${name} failed: ${(error as Error).message}`, { cause: error })
  }
}
