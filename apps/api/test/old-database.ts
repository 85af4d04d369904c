import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../src/platform/database/client.ts'
import { listMigrations, MIGRATIONS_DIR } from '../src/platform/database/migrate.ts'
import { createServerDatabase, silentLog } from './database-template.ts'

/**
 * An empty place for a database of an earlier version, on the database that the tests run on.
 * @param lastMigration the newest that the earlier version had.
 */
export async function createOldDatabase(lastMigration: string) {
  const work = mkdtempSync(join(tmpdir(), 'mira-old-'))
  const [migrationsDir, dataDir] = [join(work, 'migrations'), join(work, 'data')]
  for (const folder of [migrationsDir, dataDir]) mkdirSync(folder)
  for (const name of await listMigrations(MIGRATIONS_DIR)) {
    if (name <= lastMigration) cpSync(join(MIGRATIONS_DIR, name), join(migrationsDir, name), { recursive: true })
  }
  const serverUrl = process.env.TEST_DATABASE_URL
  const server = serverUrl ? await createServerDatabase(serverUrl) : null
  const where = { dataDir, log: silentLog, ...(server ? { databaseUrl: server.databaseUrl } : {}) }
  return {
    /** Opens it as the earlier version. */
    open: () => openDatabase({ ...where, migrationsDir }),
    /** Opens it as this version, which migrates it. */
    upgrade: () => openDatabase(where),
    async [Symbol.asyncDispose]() {
      await server?.drop()
      rmSync(work, { recursive: true, force: true })
    },
  }
}
