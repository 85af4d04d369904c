import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { BackupJson, BackupsAnswerJson } from '@mira/shared'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../test/database-template.ts'
import {
  insertAgentRun,
  insertApiToken,
  insertChatSession,
  insertEffectRecipe,
  insertMoment,
  insertPartialUpload,
  insertReminder,
} from '../../../test/factories.ts'
import { plainPicture } from '../../../test/pictures.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { openZip } from '../../adapters/files/unzip.ts'
import { writeWholeFile } from '../../adapters/files/whole-file.ts'
import { zipOf } from '../../adapters/files/zip.ts'
import { backUpAlone } from '../../context-backups.ts'
import { restoreArchive } from '../../context-restore.ts'
import { MIGRATIONS_DIR, openDatabase } from '../../db/client.ts'
import { migrate } from '../../db/migrate.ts'
import { newId } from '../../db/new-id.ts'
import { StorageFullError } from '../../errors.ts'
import { createLog } from '../../log.ts'
import type { Manifest } from './archive.ts'
import { createBackupsService } from './backups.service.ts'
import { requestBackup } from './requests.ts'

const isServer = process.env.TEST_DATABASE_URL !== undefined
const work = mkdtempSync(join(tmpdir(), 'mira-backup-'))
const log = createLog('silent')
/** A line separator, an emoji, quotes, a backslash and both kinds of new lines. */
const AWKWARD = 'a\u2028b \u{1F9ED} "quoted" \\ back\r\nnew\ttab \u00e9'

let mira: TestApp
let anna: TestAccount
let item: { id: string }
/** Made while rows were written. */
let archive: string
let folderOfApp: string

beforeAll(async () => {
  const opened = await openTestDatabase()
  mira = await startTestApp({ isStarted: true, database: opened, config: { databaseUrl: opened.databaseUrl } })
  folderOfApp = join(mira.context.config.dataDir, 'backups')
  anna = await mira.createUser({ can_upload: true, can_use_agents: true })
  const { database } = mira.context
  const { pool, prisma } = database
  const upload = async (content: Buffer, name: string) => {
    const request = mira.request.post('/api/media/upload').auth(anna.token, { type: 'bearer' })
    // reading text in pictures takes long
    const fields = { wait: '60', extract_text: String(name.endsWith('.txt')), generate_caption: 'false' }
    return (await request.field(fields).attach('file', content, name).expect(201)).body as { id: string }
  }
  item = await upload(Buffer.from('A letter about zanzibarine.\n'), 'letter.txt')
  await upload(await plainPicture({ width: 91 }), 'a picture.jpg')
  const moment = await insertMoment(
    database,
    { id: item.id, userId: anna.user.id },
    { body: 'Häuser am Meer', position: 9, language: 'german' },
  )
  const { question } = await insertChatSession(database, anna.user.id, AWKWARD)
  await prisma.chatMessage.update({
    where: { id: question.id },
    data: { content: AWKWARD, sources: [{ n: 1, title: AWKWARD, score: 0.1 }] },
  })
  await insertEffectRecipe(database, anna.user.id)
  await insertApiToken(database, anna.user.id)
  await insertAgentRun(database, anna.user.id)
  await insertReminder(database, anna.user.id)
  await insertPartialUpload(database, anna.user.id)
  const profile = await prisma.embeddingProfile.create({
    data: { kind: 'text', engine: 'remote', model: 'm', dimensions: 4 },
  })
  await pool.query(
    `INSERT INTO moment_embeddings (moment_id, profile_id, user_id, embedding) VALUES ($1, $2, $3, $4::vector)`,
    [moment.id, profile.id, anna.user.id, '[0.1,-3.4028235e+38,1.1754944e-38,0.33333334]'],
  )
  await pool.query(
    `INSERT INTO system_samples (server_id, at, requests, request_errors, memory_bytes, cpu_share, event_loop_delay_p99_ms)
     VALUES ($1, now(), 1, 0, 9007199254740993, 0.1 + 0.2::float8, 'NaN')`,
    [newId()],
  )
  await pool.query(
    `INSERT INTO activity_hours (hour, user_id, kind, duration_ms_sum, duration_classes)
     VALUES ('2026-01-01T10:00:00.123Z', $1, 'chat', 9223372036854775807, '{1,2,-3}')`,
    [anna.user.id],
  )
})
afterAll(async () => {
  await mira.close()
  rmSync(work, { recursive: true, force: true })
})

const asAdmin = (method: 'get' | 'post' | 'delete', path: string) =>
  mira.request[method](path).auth(mira.admin.token, { type: 'bearer' })
const list = async () => (await asAdmin('get', '/api/admin/backups').expect(200)).body as BackupsAnswerJson

/** Waits until nothing is being made, and returns the newest. */
async function finished(id: string): Promise<BackupJson> {
  return vi.waitFor(
    async () => {
      const found = (await list()).backups.find((one) => one.id === id)
      expect(found?.state).toMatch(/completed|failed/)
      return found as BackupJson
    },
    { timeout: 30_000, interval: 100 },
  )
}

/** The rows of every table of an archive, by the name of the table, and the rest of its files by their hashes. */
async function contentOf(file: string) {
  const zip = await openZip(file)
  const tables: Record<string, string[]> = {}
  const files: Record<string, string> = {}
  for (const name of zip.sizes.keys()) {
    const content = await buffer(await zip.open(name))
    const [, table] = /^database\/(.+)\.jsonl$/.exec(name) ?? []
    if (table === undefined) files[name] = createHash('sha256').update(content).digest('hex')
    else tables[table] = content.toString().split('\n').filter(Boolean).sort()
  }
  const manifest = JSON.parse((await buffer(await zip.open('manifest.json'))).toString()) as Manifest
  delete files['manifest.json']
  zip.close()
  return { manifest, tables, files }
}

const restoreInto = (file: string, dataDir: string, options: { databaseUrl?: string; isReplacing?: boolean } = {}) =>
  restoreArchive({
    ...{ archive: file, isReplacing: options.isReplacing ?? false, log },
    config: { dataDir, databaseUrl: options.databaseUrl },
  })

test('a backup is made while people go on writing, and only its owner may read it', async () => {
  const { prisma } = mira.context.database
  const stop = new AbortController()
  const write = async () => {
    for (let n = 0; !stop.signal.aborted; n++)
      await insertChatSession(mira.context.database, anna.user.id, `written ${n}`)
  }
  const writing = write()
  const { body } = await asAdmin('post', '/api/admin/backups').expect(202)
  expect(body).toMatchObject({ state: 'waiting', url: null })
  const made = await finished(body.id as string)
  stop.abort()
  await writing
  expect(made).toMatchObject({ state: 'completed', progress: 100, error: null })
  archive = join(folderOfApp, made.name)
  expect(statSync(archive).size).toBe(made.size_bytes)
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  expect(statSync(folderOfApp).mode & 0o777).toBe(0o700)
  expect(readdirSync(folderOfApp)).toEqual([made.name])

  const download = await mira.request
    .get(made.url as string)
    .buffer(true)
    .parse(binary)
    .expect(200)
  expect(download.headers['content-disposition']).toContain(made.name)
  expect(download.headers['cache-control']).toBe('no-store')
  expect((download.body as Buffer).equals(readFileSync(archive))).toBe(true)
  const { manifest, tables, files } = await contentOf(archive)
  expect(manifest).toMatchObject({ format: 'mira.backup', missing: [], damaged: [] })
  expect(Object.keys(files)).toHaveLength(manifest.files.length - Object.keys(tables).length)
  expect(Object.keys(files).length).toBeGreaterThanOrEqual(2)
  for (const left of ['auth_sessions', 'partial_uploads', 'backups', '_prisma_migrations']) {
    expect(Object.keys(tables)).not.toContain(left)
  }
  expect(await prisma.notification.findMany({ where: { kind: 'backup_done' } })).toMatchObject([
    { userId: mira.admin.user.id, params: { title: made.name, problems: 0 } },
  ])
  expect(await prisma.setting.count({ where: { key: 'last_backup_at' } })).toBe(1)
  const { rows } = await mira.context.database.pool.query(`SELECT to_regnamespace('backup_copy') AS copies`)
  expect(rows).toEqual([{ copies: null }])
})

const binary = ((response: Readable, done: (error: Error | null, body: Buffer) => void) => {
  void buffer(response).then((body) => done(null, body))
}) as never

test('what is restored into another folder is what was backed up, to the last bit', { timeout: 120_000 }, async () => {
  const dataDir = join(work, 'other machine')
  // a folder that holds something gives way only when that is said
  mkdirSync(join(dataDir, 'database'), { recursive: true })
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17')
  await expect(restoreInto(archive, dataDir)).rejects.toThrow(/is not empty.*--replace/)
  const { asideFolder, fileCount } = await restoreInto(archive, dataDir, { isReplacing: true })
  expect(readFileSync(join(asideFolder as string, 'database', 'PG_VERSION'), 'utf8')).toBe('17')
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'files', (asideFolder as string).slice(dataDir.length + 1)])
  const before = await contentOf(archive)
  expect(fileCount).toBe(Object.keys(before.files).length)

  const { file } = await backUpAlone({ config: { dataDir, databaseUrl: undefined }, onProgress: () => {}, log })
  const after = await contentOf(file)
  const { settings: settingsBefore = [], ...tablesBefore } = before.tables
  const { settings: settingsAfter = [], ...tablesAfter } = after.tables
  expect(tablesAfter).toEqual(tablesBefore)
  expect(after.files).toEqual(before.files)
  expect(settingsAfter.filter((row) => !row.includes('last_backup_at'))).toEqual(
    settingsBefore.filter((row) => !/last_backup_at|jwt_secret_fingerprint/.test(row)),
  )

  // also what no archive holds: what the database generates, as the database itself writes it
  const sql = `SELECT string_agg(t::text, '|' ORDER BY t::text) AS all FROM`
  const database = await openDatabase({ dataDir, log: silentLog })
  for (const table of ['moments', 'moment_embeddings', 'media_items', 'activity_hours', 'users', exactSamples]) {
    const [there, here] = await Promise.all([
      database.pool.query(`${sql} ${table} t`),
      mira.context.database.pool.query(`${sql} ${table} t`),
    ])
    expect(there.rows, table).toEqual(here.rows)
  }
  expect((await database.prisma.systemSample.create({ data: sample })).id).toBeGreaterThan(1n)

  const other = await startTestApp({ database, config: { dataDir } })
  const token = await other.signIn(anna.user.username, TEST_PASSWORD)
  await other.request.get('/api/auth/me').auth(anna.token, { type: 'bearer' }).expect(401)
  const search = other.request.get('/api/media/search').query({ query: 'zanzibarine' }).auth(token, { type: 'bearer' })
  const { body } = await search.expect(200)
  expect(body.results[0]).toMatchObject({ media_id: item.id })
  const { body: shown } = await other.request.get(`/api/media/${item.id}`).auth(token, { type: 'bearer' }).expect(200)
  const { body: original } = await other.request.get(shown.url).buffer(true).parse(binary).expect(200)
  expect(original.toString()).toBe('A letter about zanzibarine.\n')
  await other.close()
})

/** The server measures itself meanwhile. */
const exactSamples = "(SELECT * FROM system_samples WHERE event_loop_delay_p99_ms = 'NaN')"

const sample = {
  ...{ serverId: newId(), at: new Date(), requests: 1, requestErrors: 0 },
  ...{ memoryBytes: 1, cpuShare: 0, eventLoopDelayP99Ms: 0 },
}

test.runIf(isServer)(
  'an embedded instance moves to a server, and a server to itself',
  { timeout: 120_000 },
  async () => {
    const embedded = join(work, 'other machine')
    const { file } = await backUpAlone({
      config: { dataDir: embedded, databaseUrl: undefined },
      onProgress: () => {},
      log,
    })
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL ?? '')
    const dataDir = join(work, 'server')
    const config = { dataDir, databaseUrl }
    await restoreInto(file, dataDir, { databaseUrl })
    await expect(restoreInto(file, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    const stranger = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-listen' })
    await stranger.connect()
    await expect(restoreInto(file, dataDir, { databaseUrl, isReplacing: true })).rejects.toThrow(/Stop all of them/)
    await stranger.end()
    const half = join(work, 'half.zip')
    writeFileSync(half, await halfArchive())
    await expect(restoreInto(half, dataDir, { databaseUrl, isReplacing: true })).rejects.toThrow(/foreign key/)
    await expect(restoreInto(file, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    expect(readdirSync(dataDir)).toEqual(['files'])
    const { asideFolder } = await restoreInto(file, dataDir, { databaseUrl, isReplacing: true })
    expect(readdirSync(asideFolder as string)).toEqual(['files'])

    const { file: again } = await backUpAlone({ config, onProgress: () => {}, log })
    const [before, after] = [await contentOf(file), await contentOf(again)]
    expect({ ...after.tables, settings: [] }).toEqual({ ...before.tables, settings: [] })
    expect(after.files).toEqual(before.files)
    await drop()
  },
)

test.runIf(isServer)(
  'an older version of Mira gives way, and the tables of others do not',
  { timeout: 120_000 },
  async () => {
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL ?? '')
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    await client.query('CREATE TABLE parcels (id int)')
    const dataDir = join(work, 'older')
    const target = { databaseUrl, isReplacing: true }
    await expect(restoreInto(archive, dataDir, target)).rejects.toThrow(/not Mira’s/)
    await client.query('DROP TABLE parcels')
    await migrate(client, MIGRATIONS_DIR, { only: ['20261120120000_spine'] })
    await client.end()
    await expect(restoreInto(archive, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    expect((await restoreInto(archive, dataDir, target)).rowCount).toBeGreaterThan(0)
    await drop()
  },
)

/** The same archive with another content. */
async function rewritten(change: (files: Map<string, Buffer>) => void): Promise<Buffer> {
  const zip = await openZip(archive)
  const files = new Map<string, Buffer>()
  for (const name of zip.sizes.keys()) files.set(name, await buffer(await zip.open(name)))
  zip.close()
  change(files)
  const entries = [...files].map(([name, content]) => ({
    ...{ name, modifiedAt: new Date(), isCompressible: false },
    content: Readable.from([content]),
  }))
  return buffer(zipOf(Readable.from(entries)))
}
const changeManifest = (change: (manifest: Manifest) => void) =>
  rewritten((files) => {
    const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
    change(manifest)
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  })
const storedName = (manifest: Manifest) => manifest.files.find(({ name }) => name.startsWith('files/'))?.name ?? ''

test.each<[string, RegExp, () => Promise<Buffer>]>([
  ['that is cut off', /cannot be read/, async () => readFileSync(archive).subarray(0, -400)],
  ['that is no archive', /cannot be read/, async () => Buffer.from('not a ZIP archive at all, but some text')],
  [
    'in which one byte of a file is another one',
    /is damaged/,
    async () => {
      const bytes = readFileSync(archive)
      const at = bytes.indexOf('A letter about zanzibarine')
      bytes[at] = 'B'.charCodeAt(0)
      return bytes
    },
  ],
  [
    'whose rows are others than its manifest says',
    /hash is another one|another size/,
    () => rewritten((files) => files.set('database/users.jsonl', Buffer.from('{}\n'))),
  ],
  [
    'that lacks a file',
    /missing/,
    () => rewritten((files) => files.delete([...files.keys()].find((name) => name.startsWith('files/')) as string)),
  ],
  [
    'that holds a file too many',
    /does not name/,
    () => rewritten((files) => files.set('files/hidden', Buffer.from('x'))),
  ],
  [
    'with a name that leads out of its folder',
    /cannot be read|no name of a file/,
    async () => {
      const bytes = Buffer.from((await rewritten(() => {})).toString('latin1').replaceAll('files/', '../../'), 'latin1')
      return bytes
    },
  ],
  [
    'whose manifest puts a file elsewhere',
    /no name of a file/,
    () =>
      rewritten((files) => {
        const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
        const name = storedName(manifest)
        const content = files.get(name) as Buffer
        files.delete(name)
        files.set('files/elsewhere', content)
        const changed = manifest.files.map((file) => (file.name === name ? { ...file, name: 'files/elsewhere' } : file))
        files.set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, files: changed })))
      }),
  ],
  [
    'of a newer version',
    /newer version of Mira.*Update/,
    () => changeManifest(({ migrations }) => migrations.push('29990101000000_new')),
  ],
  ['of a newer format', /newer version/, () => changeManifest((manifest) => Object.assign(manifest, { version: 2 }))],
  ['of something else', /no backup of Mira/, () => rewritten((files) => files.delete('manifest.json'))],
])('an archive %s is refused before anything is touched', async (_what, refusal, make) => {
  const file = join(work, 'damaged.zip')
  writeFileSync(file, await make())
  const dataDir = join(work, 'untouched')
  await expect(restoreInto(file, dataDir, { isReplacing: true })).rejects.toThrow(refusal)
  expect(existsSync(dataDir)).toBe(false)
})

/** An archive in which a message's conversation is not there, although every hash is right. */
const halfArchive = () =>
  rewritten((files) => {
    const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
    const entry = manifest.files.find(({ name }) => name === 'database/chat_sessions.jsonl')
    Object.assign(entry as object, { size_bytes: 0, sha256: createHash('sha256').digest('hex') })
    manifest.tables.chat_sessions = 0
    files.set('database/chat_sessions.jsonl', Buffer.alloc(0))
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  })

test.runIf(!isServer)(
  'an archive that does not fit its own tables leaves nothing behind',
  { timeout: 120_000 },
  async () => {
    const dataDir = join(work, 'half')
    const file = join(work, 'half.zip')
    writeFileSync(file, await halfArchive())
    await expect(restoreInto(file, dataDir)).rejects.toThrow(/foreign key/)
    expect(readdirSync(dataDir)).toEqual([])
  },
)

test('one is made at a time, an interrupted one is made again, and only as many are kept as is decided', async () => {
  const { backups, database } = mira.context
  const row = await database.prisma.backup.create({
    data: { id: newId(), fileName: 'mira-backup-20260101-000000.zip', state: 'running', heartbeatAt: new Date(0) },
  })
  const { body } = await asAdmin('post', '/api/admin/backups').expect(409)
  expect(body).toMatchObject({ code: 'backup_running' })
  await asAdmin('delete', `/api/admin/backups/${row.id}`).expect(409)
  await asAdmin('get', `/api/admin/backups/${row.id}/file`).expect(404)
  await backups.run(row.id, new AbortController().signal)
  expect(await finished(row.id)).toMatchObject({ state: 'completed' })

  // two more that were put there by hand, of which the oldest has to go
  for (const day of ['02', '03']) {
    writeFileSync(join(folderOfApp, `mira-backup-202601${day}-000000.zip`), await rewritten(() => {}))
  }
  expect((await list()).backups).toHaveLength(4)
  const { settings } = mira.context
  const { retention, ...rest } = settings.current()
  await settings.save({ ...rest, retention: { ...retention, backups_kept: 2 } }, {})
  const tired = await database.prisma.backup.create({
    data: { id: newId(), fileName: 'mira-backup-20260104-000000.zip', state: 'waiting', attempts: 3 },
  })
  await backups.run(tired.id, new AbortController().signal)
  expect(await finished(tired.id)).toMatchObject({ state: 'failed', error: expect.stringContaining('3 times') })
  await asAdmin('delete', `/api/admin/backups/${tired.id}`).expect(204)
  expect(await database.prisma.notification.count({ where: { kind: 'backup_failed' } })).toBe(1)

  const { body: last } = await asAdmin('post', '/api/admin/backups').expect(202)
  await finished(last.id as string)
  await vi.waitFor(async () =>
    expect((await list()).backups.map(({ state }) => state)).toEqual(['completed', 'completed']),
  )
  for (const { id } of (await list()).backups) await asAdmin('delete', `/api/admin/backups/${id}`).expect(204)
  expect(readdirSync(folderOfApp)).toEqual([])
})

test.runIf(!isServer)('the server makes a backup that a command asks for through the folder', async () => {
  const told: number[] = []
  const file = await requestBackup(folderOfApp, (percent) => told.push(percent))
  expect(readdirSync(folderOfApp)).toEqual([file.slice(folderOfApp.length + 1)])
  expect(told.at(-1)).toBe(100)
})

test('where there is no room a backup is refused, and a disk that fills up keeps nothing of it', async () => {
  const backups = createBackupsService({
    store: {},
    folder: { make: async () => {}, freeBytes: async () => 5_000_000 },
    neededBytes: async () => 7_000_000,
  } as never)
  await expect(backups.begin(anna.user.id)).rejects.toThrow(
    new StorageFullError('There is no room for a backup: it may take 7 MB, and 5 MB are free.'),
  )
  const folder = join(work, 'full')
  const content = async function* () {
    yield Buffer.alloc(100_000)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  await expect(writeWholeFile(join(folder, 'a.zip'), content())).rejects.toThrow(StorageFullError)
  expect(readdirSync(folder)).toEqual([])
})
