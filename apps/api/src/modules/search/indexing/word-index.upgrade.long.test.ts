import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SearchResponseJson } from '@mira/shared'
import { hashSync } from 'bcrypt'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readArchive, rewriteArchive } from '../../../../test/archives.ts'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { writeMigrations } from '../../../../test/old-database.ts'
import { startTestApp, TEST_PASSWORD, type TestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../log.ts'
import { type Database, openDatabase } from '../../../platform/database/client.ts'
import { listMigrations, MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { restoreArchive } from '../../admin/backups/restore-archive.ts'

/** The last migration before a trigger wrote the words. */
const LAST_OLD_MIGRATION = '20261120203600_answers_that_read_outside'
/** Several batches of the update. */
const LETTERS = 450
const BROKEN = 'Two trom-\nbones and a cater\u00adpillar at the oﬃce'
const CHINESE = '祖母的紅色自行車在花園裡'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const serverUrl = process.env.TEST_DATABASE_URL
const work = mkdtempSync(join(tmpdir(), 'mira-upgrade-'))
let oldMigrations: string[]
let oldTables: Set<string>
/** An instance of the previous version. */
let old: Location

beforeAll(async () => {
  const oldMigrationsDir = join(work, 'migrations')
  oldMigrations = (await listMigrations(MIGRATIONS_DIR)).filter((name) => name <= LAST_OLD_MIGRATION)
  await writeMigrations(oldMigrationsDir, LAST_OLD_MIGRATION)
  old = await newLocation('old')
  const database = await openDatabase({ ...optionsOf(old), migrationsDir: oldMigrationsDir })
  await addUser(database, 'admin', 'admin')
  await addOldRows(database, await addUser(database, 'anna', 'user'))
  const { rows } = await database.pool.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  )
  oldTables = new Set(rows.map(({ name }) => name))
  await expect(database.pool.query('SELECT indexed_as FROM moments')).rejects.toThrow(/indexed_as/)
  await database.close()
})
afterAll(() => rmSync(work, { recursive: true, force: true }))

/** Location of a database that can be reopened: a folder, or a database of the server. */
interface Location {
  dataDir: string
  databaseUrl?: string
  drop(): Promise<void>
}

const optionsOf = ({ dataDir, databaseUrl }: Location) => ({
  ...{ dataDir, log: silentLog },
  ...(databaseUrl ? { databaseUrl } : {}),
})

async function newLocation(name: string): Promise<Location> {
  const dataDir = join(work, name)
  mkdirSync(dataDir)
  return serverUrl ? { dataDir, ...(await createServerDatabase(serverUrl)) } : { dataDir, drop: async () => {} }
}

async function addUser({ pool }: Pick<Database, 'pool'>, name: string, role: string): Promise<string> {
  const id = newId()
  await pool.query(
    `INSERT INTO users (id, username, email, password_hash, can_upload, role) VALUES ($1, $2, $3, $4, true, $5)`,
    [id, name, `${name}@example.org`, hashSync(TEST_PASSWORD, 4), role],
  )
  return id
}

/** Stores a user's item and moments in the columns of the previous version. */
async function addOldRows({ pool }: Pick<Database, 'pool'>, userId: string): Promise<void> {
  const mediaId = newId()
  await pool.query(
    `INSERT INTO media_items (id, user_id, media_type, sha256, path, original_filename, content_type, size_bytes, processing_status)
     VALUES ($1, $2, 'document', repeat('0', 64), 'nowhere', 'letters.pdf', 'application/pdf', 1, 'completed')`,
    [mediaId, userId],
  )
  const bodies = [
    ['The boiler was mended by the plumber; to be or not to be', 'english'],
    ['Die Häuser am Meer', 'german'],
    [CHINESE, 'simple'],
    [BROKEN, 'english'],
    ...Array.from({ length: LETTERS }, (_, index) => [`A letter about matter ${index}`, 'english']),
  ]
  await pool.query(
    `INSERT INTO moments (id, media_item_id, user_id, kind, position, page, body, lang, engine)
     SELECT gen_random_uuid(), $1, $2, 'text', 0, at, body, lang::regconfig, 'built-in'
     FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS given (body, lang, at)`,
    [mediaId, userId, bodies.map(([body]) => body), bodies.map(([, language]) => language)],
  )
}

/** Searches an upgraded instance while its words are outdated, during their update, and afterwards. */
async function expectUpgraded(mira: TestApp): Promise<void> {
  const { pool } = mira.context.database
  const token = await mira.signIn('anna', TEST_PASSWORD)
  const contentsOf = async (query: string) => {
    const response = await mira.request.get('/api/media/search').query({ query }).auth(token, { type: 'bearer' })
    expect(response.status).toBe(200)
    return (response.body as SearchResponseJson).results.map(({ content }) => content)
  }
  const outdatedCount = async () =>
    (await pool.query('SELECT count(*)::int AS count FROM moments WHERE indexed_as IS NULL')).rows[0].count
  const expectFound = async () => {
    expect((await contentsOf('plumber boiler'))[0]).toContain('mended')
    expect((await contentsOf('Haus am Meer'))[0]).toContain('Häuser')
    expect((await contentsOf('"mended by the plumber"'))[0]).toContain('boiler')
    expect((await contentsOf(`matter ${LETTERS - 1}`))[0]).toBe(`A letter about matter ${LETTERS - 1}`)
  }
  expect(await outdatedCount()).toBe(LETTERS + 4)
  await expectFound()
  await mira.context.start()
  while ((await outdatedCount()) > 0) await expectFound()
  await expectFound()
  // not found by the previous version's index
  for (const query of ['trombones', 'caterpillar', 'office']) expect((await contentsOf(query))[0]).toContain('Two trom')
  expect((await contentsOf('自行車'))[0]).toContain('自行車')
  expect((await contentsOf('to be or not to be'))[0]).toContain('to be or not to be')
}

const upgrade = async (location: Location) => {
  const mira = await startTestApp({ database: await openDatabase(optionsOf(location)) })
  try {
    await expectUpgraded(mira)
  } finally {
    await mira.close()
    await location.drop()
  }
}

test('rows of the previous version are found while their words are updated, and better afterwards', async () => {
  await upgrade(old)
})

test('an archive of the previous version is restored, and its rows are found in the same way', async () => {
  const archive = join(work, 'before.zip')
  writeFileSync(archive, await createOldArchive())
  const location = await newLocation('restored')
  const { dataDir, databaseUrl } = location
  await restoreArchive({
    archive,
    isReplacing: true,
    log: createLog('silent'),
    config: { dataDir, databaseUrl },
  })
  await upgrade(location)
})

/** An archive with the tables and columns of the previous version. */
async function createOldArchive(): Promise<Buffer> {
  const opened = await openTestDatabase()
  const mira = await startTestApp({ isStarted: true, database: opened, config: { databaseUrl: opened.databaseUrl } })
  try {
    const { database, config, backups } = mira.context
    await addOldRows(database, await addUser(database, 'anna', 'user'))
    const fileName = 'mira-backup-20260101-000000.zip'
    const { id } = await database.prisma.backup.create({ data: { id: newId(), fileName, state: 'waiting' } })
    await backups.run(id, new AbortController().signal)
    const backupPath = join(config.dataDir, 'backups', fileName)
    expect(Object.keys((await readArchive(backupPath)).tables)).toContain('known_item_checks')
    return await rewriteArchive(backupPath, (files) => {
      const manifest = JSON.parse(String(files.get('manifest.json'))) as {
        migrations: string[]
        tables: Record<string, unknown>
        files: { name: string }[]
      }
      const isOldTable = (name: string) => oldTables.has(name)
      manifest.migrations = oldMigrations
      manifest.tables = Object.fromEntries(Object.entries(manifest.tables).filter(([name]) => isOldTable(name)))
      manifest.files = manifest.files.filter(({ name }) => {
        const [, table] = /^database\/(.+)\.jsonl$/.exec(name) ?? []
        return table === undefined || isOldTable(table)
      })
      const keptNames = new Set([...manifest.files.map(({ name }) => name), 'manifest.json'])
      for (const name of [...files.keys()]) if (!keptNames.has(name)) files.delete(name)
      files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
    })
  } finally {
    await mira.close()
  }
}
