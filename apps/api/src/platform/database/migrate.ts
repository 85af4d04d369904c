import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'
import { StartupError } from '../../errors.ts'
import { advisoryLocks } from './advisory-locks.ts'
import { isDatabaseUnavailable } from './availability.ts'
import { BASELINE, currentName, formerNames, isFormerText, type Migration, readHistory } from './history.ts'
import { sql } from './sql.ts'

export const MIGRATIONS_DIR: string = resolve(import.meta.dirname, '../../../../../prisma/migrations')

/** Maximum wait for a table in use, and the pause between attempts. */
const LOCK_TIMEOUT_MS = 2_000
const LOCK_PAUSE_MS = 1_000
const MAX_LOCK_ATTEMPTS = 200
const LOCK_NOT_AVAILABLE = '55P03'
const IN_FAILED_TRANSACTION = '25P02'

interface PendingMigration extends Migration {
  checksum: string
  isInTransaction: boolean
}

interface AppliedMigration {
  migration_name: string
  checksum: string
  finished_at: Date | null
}

export interface MigrateOptions {
  /** Migrate to the state of a database with only these migrations. */
  only?: readonly string[]
  /** True when the caller has begun a transaction, in which all migrations are applied. */
  isInTransaction?: boolean
  /** Awaited before the first migration of an existing database, with the lock held; must not throw. */
  beforeApplying?: (pending: string[]) => Promise<void>
}

/** The migrations of a folder, preceded by the history if the baseline is one of them. */
export async function readMigrations(migrationsDir: string): Promise<Migration[]> {
  const entries = await readdir(migrationsDir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const migrations = await Promise.all(
    names
      .sort()
      .map(async (name) => ({ name, text: await readFile(join(migrationsDir, name, 'migration.sql'), 'utf8') })),
  )
  if (!names.includes(BASELINE)) return migrations
  const [oldest = BASELINE] = names
  if (oldest < BASELINE) {
    throw new StartupError(`The migration ${oldest} is older than ${BASELINE}, so most databases would never get it.`)
  }
  return [...(await readHistory()).migrations, ...migrations]
}

/** Names of all migrations that a database or an archive may have. */
export async function listMigrations(migrationsDir: string): Promise<string[]> {
  return [...Object.keys(formerNames), ...(await readMigrations(migrationsDir)).map(({ name }) => name)]
}

/**
 * Chooses the migrations that bring a database up to date, including the applied ones. Migrations before the baseline are
 * only for databases that have some of them, and for archives that lack some.
 */
export function chooseMigrations(names: readonly string[], applied: readonly string[], only = names): string[] {
  const history = names.filter((name) => name < BASELINE)
  const isComplete = only.includes(BASELINE) || history.every((name) => only.includes(name))
  const isNew = isComplete && names.includes(BASELINE) && !hasHistory(applied)
  return names.filter((name) => {
    if (name < BASELINE) return !isNew && (isComplete || only.includes(name))
    return name === BASELINE ? isComplete : only.includes(name)
  })
}

const hasHistory = (applied: readonly string[]) => applied.some((name) => name < BASELINE)

/**
 * Applies the migrations that the database lacks, each in a separate transaction, and records them exactly as
 * `prisma migrate deploy` does. Servers that start together wait for each other, so the connection must have no
 * statement timeout.
 * @returns the names of the migrations applied.
 */
export async function migrate(
  client: Pick<ClientBase, 'query'>,
  migrationsDir: string,
  { only, isInTransaction = false, beforeApplying }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = await readMigrations(migrationsDir)
  const known = migrations.map(({ name }) => name)
  await client.query(sql`SELECT pg_advisory_lock(${advisoryLocks.migrations})`)
  try {
    const applied = await appliedMigrations(client)
    const appliedNames = [...applied.keys()]
    requireNoneNewer(appliedNames, known)
    for (const migration of migrations) requireIntact(migration, applied.get(migration.name))
    const names = chooseMigrations(known, appliedNames, only?.map(currentName))
    const pending = migrations.filter(({ name }) => names.includes(name) && !applied.has(name))
    const pendingNames = pending.map(({ name }) => name)
    if (applied.size > 0 && pending.length > 0) await beforeApplying?.(pendingNames)
    for (const migration of pending) {
      const hasTables = migration.name === BASELINE && hasHistory(appliedNames)
      await apply(client, {
        ...migration,
        ...(hasTables ? { text: await repairsOf(applied) } : {}),
        checksum: checksumOf(migration.text),
        isInTransaction,
      })
    }
    return pendingNames
  } finally {
    await release(client)
  }
}

const checksumOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** @throws StartupError when a migration was applied in part, or with another text. */
function requireIntact({ name, text }: Migration, applied: AppliedMigration | undefined): void {
  if (applied === undefined) return
  if (!applied.finished_at) {
    throw new StartupError(`The migration ${name} failed earlier. Resolve it before you start the server.`)
  }
  if (applied.checksum !== checksumOf(text) && !isFormerText(applied.checksum)) {
    throw new StartupError(`The migration ${name} was edited after it was applied. Restore its file.`)
  }
}

/** Statements in place of the baseline for a database whose tables were created by earlier migrations. */
async function repairsOf(applied: Map<string, AppliedMigration>): Promise<string> {
  const isFormer = [...applied.values()].some(({ checksum }) => isFormerText(checksum))
  return isFormer ? (await readHistory()).repairs : ''
}

/** @throws StartupError when a newer version has changed the database: this one could damage what it doesn't know. */
function requireNoneNewer(applied: string[], knownMigrations: string[]): void {
  const unknown = applied.filter((name) => !knownMigrations.includes(name)).sort()
  if (unknown.length === 0) return
  throw new StartupError(
    `The database was used by a newer version of Mira: this one doesn't know ${unknown.at(-1)}. Start that version ` +
      'again, or restore a backup made before the update (docs/backup.md). Nothing was changed.',
  )
}

async function release(client: Pick<ClientBase, 'query'>): Promise<void> {
  try {
    await client.query(sql`SELECT pg_advisory_unlock(${advisoryLocks.migrations})`)
  } catch (error) {
    // A lost connection has already released the lock; a failed transaction does so when its connection ends. Both have
    // their own, more informative error.
    const isAborted = (error as { code?: string }).code === IN_FAILED_TRANSACTION
    if (!isAborted && !isDatabaseUnavailable(error)) throw error
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
  return new Map(rows.map((row) => [currentName(row.migration_name), row]))
}

/**
 * Applies one migration. Other servers may be running, whose statements would queue behind a change that waits for a table;
 * so the change gives up after a moment and is tried again.
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
    if (text !== '') await client.query(text)
    await client.query(
      sql`INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       VALUES (${randomUUID()}, ${checksum}, ${name}, clock_timestamp(), clock_timestamp(), 1)`,
    )
    if (!isInTransaction) await client.query('COMMIT')
  } catch (error) {
    if (!isInTransaction) await client.query('ROLLBACK')
    throw new StartupError(describeFailure(name, (error as Error).message), { cause: error })
  }
}

/** Says what to do about a missing extension, which most newcomers to PostgreSQL meet. */
function describeFailure(name: string, reason: string): string {
  const [, unavailable] = /^extension "(\w+)" is not available/.exec(reason) ?? []
  if (unavailable === 'vector')
    return 'The database server lacks pgvector. Install it there (Debian: postgresql-NN-pgvector, with the server’s version).'
  const [, denied] = /^permission denied to create extension "(\w+)"/.exec(reason) ?? []
  if (denied !== undefined)
    return `Mira’s account may not create the extension ${denied}. Run CREATE EXTENSION ${denied} in its database as superuser.`
  return `The migration ${name} failed: ${reason}`
}
