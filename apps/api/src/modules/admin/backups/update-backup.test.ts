import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readArchive } from '../../../../test/archives.ts'
import { createServerDatabase, silentLog } from '../../../../test/database-template.ts'
import { templateFile } from '../../../../test/laid-database.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { createUpdateBackup } from './update-backup.ts'

const serverUrl = process.env.TEST_DATABASE_URL
const UNREACHABLE_STORE = {
  ...{ bucket: 'files', prefix: '', endpoint: 'http://127.0.0.1:1', region: 'us-east-1', encryption: undefined },
  credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
}
const work = mkdtempSync(join(tmpdir(), 'mira-update-backup-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** This version's migrations and one of a future version. */
function laterMigrations(): string {
  const directory = join(work, 'migrations')
  cpSync(MIGRATIONS_DIR, directory, { recursive: true })
  mkdirSync(join(directory, '20990101000000_later'))
  writeFileSync(
    join(directory, '20990101000000_later/migration.sql'),
    'CREATE TABLE later_things (id INT PRIMARY KEY);',
  )
  return directory
}

test('backs up the database once before an update, however often the update fails, and starts even if the folder isn’t writable', async () => {
  const server = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl)
  const location = {
    ...(server ? { databaseUrl: server.databaseUrl } : { templateFile: templateFile() }),
    dataDir: join(work, 'data'),
    log: silentLog,
  }
  const configOf = (backupDir: string) => ({
    ...{ dataDir: location.dataDir, databaseUrl: server?.databaseUrl, backupDir, backupPassphrase: undefined },
    // an unreachable file store doesn't prevent the backup of the database
    fileStore: { s3: UNREACHABLE_STORE, cacheBytes: 0 },
  })
  const open = async (backupDir: string, migrationsDir?: string) => {
    const backup = createUpdateBackup(configOf(backupDir), silentLog)
    const { beforeMigrating } = backup
    const database = await openDatabase({ ...location, beforeMigrating, ...(migrationsDir ? { migrationsDir } : {}) })
    await backup.finish()
    return { database, failed: backup.failure() }
  }
  const backupDir = join(work, 'backups')
  const first = await open(backupDir)
  await first.database.prisma.setting.create({ data: { key: 'kept', value: 'as it was' } })
  await first.database.close()
  const again = await open(backupDir)
  await again.database.close()
  expect(readdirSync(work)).not.toContain('backups')

  const dailyNames = Array.from({ length: 9 }, (_, day) => `mira-backup-2020010${day + 1}-000000.zip`)
  mkdirSync(backupDir)
  for (const name of dailyNames) writeFileSync(join(backupDir, name), 'one of them is proven')
  const migrationsDir = laterMigrations()
  const failing = join(migrationsDir, '20990102000000_failing/migration.sql')
  mkdirSync(dirname(failing))
  writeFileSync(failing, 'SELECT no_such_column')
  for (let start = 1; start <= 3; start++) {
    await expect(open(backupDir, migrationsDir)).rejects.toThrow('20990102000000_failing failed')
  }
  writeFileSync(failing, 'CREATE TABLE mended_things (id INT PRIMARY KEY)')
  const updated = await open(backupDir, migrationsDir)
  expect(updated.failed).toBeNull()
  const [archive = '', ...others] = readdirSync(backupDir).sort().reverse()
  expect(others.reverse()).toEqual(dailyNames)
  expect(archive).toMatch(/^mira-backup-\d{8}-\d{6}-update\.zip$/)
  const { manifest, tables } = await readArchive(join(backupDir, archive))
  expect(manifest.elsewhere).toEqual([])
  expect(manifest.migrations).not.toContain('20990101000000_later')
  expect(Object.keys(tables)).not.toContain('later_things')
  expect(tables.settings?.join('\n')).toContain('as it was')

  await updated.database.pool.query(
    `DROP TABLE later_things, mended_things; DELETE FROM _prisma_migrations WHERE migration_name >= '2099'`,
  )
  await updated.database.close()
  writeFileSync(join(work, 'no-folder'), '')
  const started = await open(join(work, 'no-folder/backups'), migrationsDir)
  expect((await started.database.pool.query('SELECT FROM later_things')).rowCount).toBe(0)
  expect(started.failed?.text).toMatch(/^Mira was updated without backing up the database first.* Make a backup now\.$/)
  await started.database.close()
  await server?.drop()
})
