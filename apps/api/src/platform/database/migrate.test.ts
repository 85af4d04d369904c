import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  createServerDatabase,
  openTestDatabase,
  silentLog,
  type TestDatabase,
} from '../../../test/database-template.ts'
import { writeMigrations } from '../../../test/old-database.ts'
import { openDatabase } from './client.ts'
import { BASELINE } from './history.ts'
import { MIGRATIONS_DIR, migrate } from './migrate.ts'

let database: TestDatabase
let migrationsDir: string

beforeEach(async () => {
  database = await openTestDatabase()
  migrationsDir = mkdtempSync(join(tmpdir(), 'mira-migrations-'))
  cpSync(MIGRATIONS_DIR, migrationsDir, { recursive: true })
})
afterEach(async () => {
  await database.close()
  rmSync(migrationsDir, { recursive: true, force: true })
})

function addMigration(name: string, sql: string) {
  mkdirSync(join(migrationsDir, name), { recursive: true })
  writeFileSync(join(migrationsDir, name, 'migration.sql'), sql)
}

async function migrateOnce() {
  const client = await database.pool.connect()
  try {
    return await migrate(client, migrationsDir)
  } finally {
    client.release()
  }
}

test('a new migration is applied once', async () => {
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int)')
  expect(await migrateOnce()).toStrictEqual(['29990101000000_new'])
  expect(await migrateOnce()).toStrictEqual([])
  expect((await database.pool.query('SELECT * FROM new_table')).rows).toStrictEqual([])
})

test('a new database has the baseline instead of earlier migrations, and versions with those refuse it', async () => {
  const { rows } = await database.pool.query('SELECT min(migration_name) AS first FROM _prisma_migrations')
  expect(rows).toStrictEqual([{ first: BASELINE }])
  rmSync(migrationsDir, { recursive: true })
  await writeMigrations(migrationsDir, '20261128212000_access_that_is_on_again')
  await expect(migrateOnce()).rejects.toThrow(/newer version of Mira: this one doesn't know 2/)
})

test('a migration that fails leaves nothing behind and can be corrected', async () => {
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int); SELECT no_such_column')
  await expect(migrateOnce()).rejects.toThrow(/^The migration 29990101000000_new failed: /)
  await expect(database.pool.query('SELECT * FROM new_table')).rejects.toMatchObject({ code: '42P01' })
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int)')
  expect(await migrateOnce()).toStrictEqual(['29990101000000_new'])
})

test('a database server without pgvector, or an account that may not create it, gets the remedy', async () => {
  const fail = (message: string) => `DO $$ BEGIN RAISE EXCEPTION '${message}'; END $$`
  addMigration('29990101000000_new', fail('extension "vector" is not available'))
  await expect(migrateOnce()).rejects.toThrow(/^The database server lacks pgvector\. Install it/)
  addMigration('29990101000000_new', fail('permission denied to create extension "pg_trgm"'))
  await expect(migrateOnce()).rejects.toThrow('Run CREATE EXTENSION pg_trgm in its database as superuser.')
})

test('a migration that was edited after it was applied is refused', async () => {
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int)')
  await migrateOnce()
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id bigint)')
  await expect(migrateOnce()).rejects.toThrow('was edited after it was applied')
})

test('a migration that Prisma recorded as failed stops the start', async () => {
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int)')
  await migrateOnce()
  await database.pool.query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '2999%'`)
  await expect(migrateOnce()).rejects.toThrow('failed earlier')
})

test('a migration that fails in a transaction of the caller is named in the error', async () => {
  addMigration('29990101000000_new', 'SELECT no_such_column')
  const client = await database.pool.connect()
  try {
    await client.query('BEGIN')
    const migrating = migrate(client, migrationsDir, { isInTransaction: true })
    await expect(migrating).rejects.toThrow(/^The migration 29990101000000_new failed: .*no_such_column/)
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})

test('a migration older than the baseline is refused, as most databases would never get it', async () => {
  addMigration('20261128210000_late', 'CREATE TABLE late_table (id int)')
  await expect(migrateOnce()).rejects.toThrow(/^The migration 20261128210000_late is older than /)
})

test('migrations are checked before the database is backed up', async () => {
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int)')
  await migrateOnce()
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id bigint)')
  addMigration('29990102000000_newer', 'CREATE TABLE newer_table (id int)')
  const client = await database.pool.connect()
  const beforeApplying = vi.fn()
  await expect(migrate(client, migrationsDir, { beforeApplying })).rejects.toThrow('was edited')
  client.release()
  expect(beforeApplying).not.toHaveBeenCalled()
})

test.runIf(process.env.TEST_DATABASE_URL)(
  'servers that start together on an empty database wait for each other',
  async () => {
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL ?? '')
    try {
      const open = () => openDatabase({ databaseUrl, dataDir: 'memory://', log: silentLog })
      const servers = await Promise.all([open(), open(), open()])
      const { rows } = await servers[0].pool.query('SELECT migration_name FROM _prisma_migrations')
      for (const server of servers) await server.close()
      expect(new Set(rows.map((row) => row.migration_name)).size).toBe(rows.length)
      expect(rows.length).toBeGreaterThan(0)
    } finally {
      await drop()
    }
  },
)

test.runIf(process.env.TEST_DATABASE_URL)('a migration waits for a table in use without blocking others', async () => {
  addMigration('29990101000000_new', 'ALTER TABLE settings ADD COLUMN newer text')
  const reader = await database.pool.connect()
  await reader.query('BEGIN; SELECT FROM settings')
  const migrating = migrateOnce()
  try {
    for (let count = 0; count < 3; count++) {
      await sleep(500)
      await database.pool.query('SELECT FROM settings')
    }
  } finally {
    await reader.query('COMMIT')
    reader.release()
  }
  expect(await migrating).toStrictEqual(['29990101000000_new'])
})

test('a database that a newer version has used is refused, and nothing is changed', async () => {
  addMigration('29990101000000_new', 'CREATE TABLE new_table (id int)')
  await migrateOnce()
  rmSync(join(migrationsDir, '29990101000000_new'), { recursive: true })
  addMigration('29980101000000_other', 'CREATE TABLE other_table (id int)')
  await expect(migrateOnce()).rejects.toThrow(/newer version of Mira: this one doesn't know 29990101000000_new/)
  await expect(database.pool.query('SELECT * FROM other_table')).rejects.toMatchObject({ code: '42P01' })
})
