import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '../src/platform/database/client.ts'
import { BASELINE, type Migration } from '../src/platform/database/history.ts'
import { MIGRATIONS_DIR, migrate, readMigrations } from '../src/platform/database/migrate.ts'
import { createServerDatabase, silentLog } from './database-template.ts'

/**
 * Writes the migrations folder of a version.
 * @param lastMigration the version's newest migration.
 * @param asLanded returns a migration as it was at the time.
 */
export async function writeMigrations(
  migrationsDir: string,
  lastMigration: string,
  asLanded = (migration: Migration) => migration,
): Promise<void> {
  const isOfVersion = (name: string) => name <= lastMigration && name >= BASELINE === lastMigration >= BASELINE
  const migrations = (await readMigrations(MIGRATIONS_DIR)).filter(({ name }) => isOfVersion(name))
  for (const { name, text } of migrations.map(asLanded)) {
    mkdirSync(join(migrationsDir, name), { recursive: true })
    writeFileSync(join(migrationsDir, name, 'migration.sql'), text)
  }
}

/**
 * Opens a database as an earlier version left it, on the engine that the tests use.
 * @param lastMigration the version's newest migration.
 */
export async function openOldDatabase(lastMigration: string, asLanded?: (migration: Migration) => Migration) {
  const work = mkdtempSync(join(tmpdir(), 'mira-old-'))
  const serverUrl = process.env.TEST_DATABASE_URL
  const server = serverUrl ? await createServerDatabase(serverUrl) : null
  const migrationsOf = async (version: string) => {
    const migrationsDir = join(work, version)
    await writeMigrations(migrationsDir, version, asLanded)
    return migrationsDir
  }
  const options = { dataDir: join(work, 'data'), databaseUrl: server?.databaseUrl, log: silentLog }
  const database = await openDatabase({ ...options, migrationsDir: await migrationsOf(lastMigration) })
  const migrateTo = async (migrationsDir: string) => {
    const client = await database.connectUnlimited()
    try {
      return await migrate(client, migrationsDir)
    } finally {
      await client.end()
    }
  }
  return {
    ...(database satisfies Database),
    databaseUrl: server?.databaseUrl,
    /** Migrates it to a later version, by default this one. @returns the names of the migrations applied. */
    upgrade: async (version?: string) =>
      migrateTo(version === undefined ? MIGRATIONS_DIR : await migrationsOf(version)),
    async close() {
      await database.close()
      await server?.drop()
      rmSync(work, { recursive: true, force: true })
    },
  }
}
