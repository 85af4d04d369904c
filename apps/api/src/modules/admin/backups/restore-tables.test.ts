import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveWithRows, readArchive } from '../../../../test/archives.ts'
import { createServerDatabase, silentLog } from '../../../../test/database-template.ts'
import { fillEveryTable, listAllTables, listForeignKeys } from '../../../../test/every-table.ts'
import { copyTemplateDatabase } from '../../../../test/laid-database.ts'
import { createLog } from '../../../log.ts'
import { outboundSettings } from '../../../platform/database/access-items.ts'
import { type Database, openDatabase } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { excludedTables, tableRules } from '../../../platform/database/snapshot.ts'
import { defaultSettings } from '../../../platform/settings/default-settings.ts'
import { createSettingsService, createSettingsStore } from '../../../platform/settings/settings.service.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { fingerprintOf } from '../../../platform/storage/secrets.ts'
import { backUpWithoutServer } from './back-up-without-server.ts'
import { restoreArchive } from './restore-archive.ts'

const serverUrl = process.env.TEST_DATABASE_URL
const work = mkdtempSync(join(tmpdir(), 'mira-restore-tables-'))
const log = createLog('silent')
const drops: (() => Promise<void>)[] = []
/** Rows of excluded tables, in the form of an archive. */
const excludedRows: Record<string, object[]> = {}
let source: { dataDir: string; databaseUrl: string | undefined }
let archive: string
let foreignKeys: Awaited<ReturnType<typeof listForeignKeys>>
let allTables: string[]
let rowCounts: Record<string, number>
/** A restore of the archive, without a secret. */
let target: typeof source
let restored: Awaited<ReturnType<typeof restoreArchive>>

/** A folder and, on a server, an empty database. */
async function newLocation(name: string): Promise<typeof source> {
  const dataDir = join(work, name)
  if (!serverUrl) return { dataDir, databaseUrl: undefined }
  const { databaseUrl, drop } = await createServerDatabase(serverUrl)
  drops.push(drop)
  return { dataDir, databaseUrl }
}

const open = ({ dataDir, databaseUrl }: typeof source) =>
  openDatabase({
    dataDir,
    log: silentLog,
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
  })

const backUp = async (location: typeof source) => {
  const config = { ...location, backupDir: join(location.dataDir, 'backups') }
  return (await backUpWithoutServer({ config, onProgress: () => {}, log })).file
}

async function countRows({ pool }: Database): Promise<Record<string, number>> {
  const sql = allTables.map((name) => `SELECT '${name}' AS name, count(*)::int AS count FROM public."${name}"`)
  const { rows } = await pool.query<{ name: string; count: number }>(sql.join(' UNION ALL '))
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

const jwtSecret = 'the secret of the source'.repeat(2)
const web = { allowed: true, provider: 'brave', baseUrl: null, apiKey: 'sealed', check: { state: 'ready' } }

/** The product's own settings service. */
function settingsOf(database: Database) {
  return createSettingsService({
    ...{ store: createSettingsStore(database), defaults: defaultSettings('Mira') },
    ...{ listen: database.listen, notify: database.notify, pollMs: null, log },
  })
}

/** Saves settings that send data out. */
async function sendDataOut(database: Database): Promise<void> {
  await database.prisma.setting.create({ data: { key: 'web', value: web } })
  const settings = settingsOf(database)
  const { backups, ...rest } = settings.current()
  await settings.save(
    { ...rest, backups: { ...backups, offsite: 's3://bucket/mira', at: '04:45' }, allows_remote_fine_tuning: true },
    {},
  )
}

beforeAll(async () => {
  source = await newLocation('source')
  const files = await createDiskFiles({ directory: join(source.dataDir, 'files') })
  const { path } = await files.put(newId(), Readable.from([Buffer.from('A file that rows name.')]))
  if (!serverUrl) copyTemplateDatabase(source.dataDir)
  const database = await open(source)
  const client = await database.pool.connect()
  await fillEveryTable(client, path)
  client.release()
  await sendDataOut(database)
  await database.prisma.setting.create({ data: { key: 'jwt_secret_fingerprint', value: fingerprintOf(jwtSecret) } })
  foreignKeys = await listForeignKeys(database.pool)
  allTables = await listAllTables(database.pool)
  rowCounts = await countRows(database)
  for (const table of excludedTables) {
    const { rows } = await database.pool.query<{ row: object }>(`SELECT row_to_json(t) AS row FROM public."${table}" t`)
    excludedRows[table] = rows.map(({ row }) => row)
  }
  await database.close()
  archive = await backUp(source)
  target = await newLocation('target')
  restored = await restoreArchive({ archive, isReplacing: false, log, config: target })
}, 120_000)
afterAll(async () => {
  for (const drop of drops) await drop()
  rmSync(work, { recursive: true, force: true })
})

test('every table of the schema has a rule for backups and restores', () => {
  expect(Object.keys(tableRules).sort()).toEqual(allTables)
})

test('no archived table references an excluded one, so that every archive can be restored', () => {
  const brokenKeys = foreignKeys.filter(
    ({ table, referenced }) => !excludedTables.includes(table) && excludedTables.includes(referenced),
  )
  expect(brokenKeys).toEqual([])
})

test('restores an instance with rows in every table unchanged, except for what a restore suspends', {
  timeout: 120_000,
}, async () => {
  expect(Object.entries(rowCounts).filter(([, count]) => count === 0)).toEqual([])
  const before = await readArchive(archive)
  expect(Object.keys(before.tables).filter((name) => excludedTables.includes(name))).toEqual([])
  expect(before.manifest.missing).toEqual([])

  expect(restored.fileCount).toBe(1)
  // reported to the operator: suspended until the owners confirm them
  const settings = { web_search: 1, offsite_backup: 1, remote_fine_tuning: 1 }
  const accessItems = { mcp_server: 1, model_connection: 1, oidc: 1, passkey: 1, share: 1, webhook: 1 }
  expect(restored.suspended).toEqual({ ...accessItems, ...settings })
  const database = await open(target)
  const restoredCounts = await countRows(database)
  const notifications = await database.prisma.notification.findMany({ orderBy: { kind: 'asc' } })
  expect(notifications.filter(({ kind }) => isOfRestore(kind)).map(({ kind, params }) => [kind, params])).toEqual([
    ['access_suspended', { count: 5 }],
    ['instance_restored', { count: 9 }],
  ])
  await database.close()
  const nonEmpty = excludedTables.filter((name) => name !== '_prisma_migrations' && restoredCounts[name] !== 0)
  expect(nonEmpty).toEqual([])

  const after = await readArchive(await backUp(target))
  expect(after.files).toEqual(before.files)
  for (const [name, rule] of Object.entries(tableRules)) {
    if (rule === 'excluded') continue
    const set = rule === 'kept' ? {} : (rule.set ?? {})
    const unchanged = (rows: string[] = []) =>
      rows
        .map((row) => JSON.parse(row) as Record<string, unknown>)
        .filter(
          ({ key, kind }) => !(name === 'settings' && changedSettings.includes(String(key))) && !isOfRestore(kind),
        )
        .map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => !(column in set))))
    expect(unchanged(after.tables[name]), name).toEqual(unchanged(before.tables[name]))
    for (const column of Object.keys(set)) {
      expect(valuesOf(after.tables[name], column), `${name}.${column}`).not.toEqual(
        valuesOf(before.tables[name], column),
      )
    }
  }
})

test('counts accounts whose codes need another machine’s secret', { timeout: 120_000 }, async () => {
  const lostCodes = async (name: string, secret: string) => {
    const config = { ...(await newLocation(name)), jwtSecret: secret }
    return (await restoreArchive({ archive, isReplacing: false, log, config })).lostCodesCount
  }
  expect(restored.lostCodesCount).toBe(1)
  expect(await lostCodes('another secret', `${jwtSecret}.`)).toBe(1)
  expect(await lostCodes('the same secret', jwtSecret)).toBe(0)
})

test('turns off settings that send data out', { timeout: 120_000 }, async () => {
  const database = await open(target)
  const settings = settingsOf(database)
  await settings.open()
  const { backups, allows_remote_fine_tuning: allowsRemoteFineTuning } = settings.current()
  settings.close()
  expect(backups).toMatchObject({ offsite: '', at: '04:45' })
  expect(allowsRemoteFineTuning).toBe(false)
  const row = await database.prisma.setting.findUniqueOrThrow({ where: { key: 'web' } })
  expect(row.value).toEqual({ ...web, allowed: false })
  await database.close()
})

/** Settings that the instance changes itself, or that a restore turns off or removes. */
const changedSettings = [
  'last_backup_at',
  'jwt_secret_fingerprint',
  ...Object.values(outboundSettings).map(({ key }) => key),
]

/** Notifications of a restore itself. */
const isOfRestore = (kind: unknown) => kind === 'access_suspended' || kind === 'instance_restored'

const valuesOf = (rows: string[] = [], column: string) =>
  rows.map((row) => (JSON.parse(row) as Record<string, unknown>)[column])

test('ignores excluded tables, such as push subscriptions, in an archive of an earlier version', {
  timeout: 120_000,
}, async () => {
  const old = join(work, 'earlier version.zip')
  const { push_subscriptions: subscriptions = [], api_tokens: tokens = [], oauth_grants: grants = [] } = excludedRows
  expect([subscriptions, tokens, grants].map(({ length }) => length)).toEqual([1, 1, 1])
  const rows = { push_subscriptions: subscriptions, api_tokens: tokens, oauth_grants: grants }
  writeFileSync(old, await archiveWithRows(archive, rows))
  const location = await newLocation('of an earlier version')
  await restoreArchive({ archive: old, isReplacing: false, log, config: location })
  const database = await open(location)
  const { users, ...counts } = await countRows(database)
  await database.close()
  expect(users).toBe(1)
  expect(Object.keys(rows).map((name) => counts[name])).toEqual([0, 0, 0])
})
