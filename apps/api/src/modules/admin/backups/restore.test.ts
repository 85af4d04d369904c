import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveWithRows, changeManifest, contentOf, halfArchive, rewritten } from '../../../../test/archives.ts'
import { readBinary } from '../../../../test/binary.ts'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import {
  insertAgentRun,
  insertApiToken,
  insertChatSession,
  insertEffectRecipe,
  insertMoment,
  insertPartialUpload,
  insertReminder,
} from '../../../../test/factories.ts'
import { plainPicture } from '../../../../test/pictures.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { createLog } from '../../../log.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { MIGRATIONS_DIR, migrate } from '../../../platform/database/migrate.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { seal } from '../../../platform/storage/sealed.ts'
import type { Manifest } from './archive.ts'
import { backUpAlone } from './back-up-alone.ts'
import { restoreArchive } from './restore-archive.ts'

const isServer = process.env.TEST_DATABASE_URL !== undefined
const work = mkdtempSync(join(tmpdir(), 'mira-restore-'))
const log = createLog('silent')
/** A line separator, an emoji, quotes, a backslash and both kinds of new lines. */
const AWKWARD = 'a\u2028b \u{1F9ED} "quoted" \\ back\r\nnew\ttab \u00e9'

let mira: TestApp
let anna: TestAccount
let item: { id: string }
/** Made while rows were written. */
let archive: string

beforeAll(async () => {
  const opened = await openTestDatabase()
  mira = await startTestApp({ isStarted: true, database: opened, config: { databaseUrl: opened.databaseUrl } })
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

  const stop = new AbortController()
  const write = async () => {
    for (let n = 0; !stop.signal.aborted; n++) await insertChatSession(database, anna.user.id, `written ${n}`)
  }
  const writing = write()
  const { id, fileName } = await prisma.backup.create({
    data: { id: newId(), fileName: 'mira-backup-20260101-000000.zip', state: 'waiting' },
  })
  await mira.context.backups.run(id, new AbortController().signal)
  stop.abort()
  await writing
  archive = join(mira.context.config.dataDir, 'backups', fileName)
})
afterAll(async () => {
  await mira.close()
  rmSync(work, { recursive: true, force: true })
})

const restoreInto = (file: string, dataDir: string, options: { databaseUrl?: string; isReplacing?: boolean } = {}) =>
  restoreArchive({
    archive: file,
    isReplacing: options.isReplacing ?? false,
    log,
    config: { dataDir, databaseUrl: options.databaseUrl },
  })

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

  const { file } = await backUpAlone({
    config: { dataDir, databaseUrl: undefined, backupDir: join(dataDir, 'backups') },
    onProgress: () => {},
    log,
  })
  const after = await contentOf(file)
  const { settings: settingsBefore = [], ...tablesBefore } = before.tables
  const { settings: settingsAfter = [], ...tablesAfter } = after.tables
  expect(withoutRestoreMarks(tablesAfter)).toEqual(withoutRestoreMarks(tablesBefore))
  expect(after.files).toEqual(before.files)
  expect(settingsAfter.filter((row) => !row.includes('last_backup_at'))).toEqual(
    settingsBefore.filter((row) => !/last_backup_at|jwt_secret_fingerprint/.test(row)),
  )

  // also what no archive holds: what the database generates, as the database itself writes it
  const sql = `SELECT string_agg(t::text, '|' ORDER BY t::text) AS all FROM`
  const database = await openDatabase({ dataDir, log: silentLog })
  for (const table of [
    'moments',
    'moment_embeddings',
    'media_items',
    'activity_hours',
    usersWithoutLinks,
    exactSamples,
  ]) {
    const [there, here] = await Promise.all([
      database.pool.query(`${sql} ${table} t`),
      mira.context.database.pool.query(`${sql} ${table} t`),
    ])
    expect(there.rows, table).toEqual(here.rows)
  }
  expect((await database.prisma.systemSample.create({ data: sample })).id).toBeGreaterThan(1n)

  const otherApp = await startTestApp({ database, config: { dataDir } })
  const token = await otherApp.signIn(anna.user.username, TEST_PASSWORD)
  await otherApp.request.get('/api/auth/me').auth(anna.token, { type: 'bearer' }).expect(401)
  const search = otherApp.request
    .get('/api/media/search')
    .query({ query: 'zanzibarine' })
    .auth(token, { type: 'bearer' })
  const { body } = await search.expect(200)
  expect(body.results[0]).toMatchObject({ media_id: item.id })
  const { body: restoredItem } = await otherApp.request
    .get(`/api/media/${item.id}`)
    .auth(token, { type: 'bearer' })
    .expect(200)
  const { body: original } = await otherApp.request.get(restoredItem.url).buffer(true).parse(readBinary).expect(200)
  expect(original.toString()).toBe('A letter about zanzibarine.\n')
  await otherApp.close()
})

/** The tables without what a restore changes by design: signed URLs expire, administrators are notified. */
const withoutRestoreMarks = ({ users = [], notifications = [], ...tables }: Record<string, string[]>) => ({
  ...tables,
  users: users.map((row) => ({ ...JSON.parse(row), link_epoch: null })),
  notifications: notifications.filter((row) => !row.includes('"instance_restored"')),
})

test('a token that an archive of an earlier version holds opens nothing: it may have been revoked since', async () => {
  const { tables } = await contentOf(archive)
  expect(tables.api_tokens).toBeUndefined()
  const token = await mira.context.database.prisma.apiToken.findFirstOrThrow({ where: { userId: anna.user.id } })
  const row = { id: token.id, user_id: anna.user.id, name: 'a script', secret_hash: token.secretHash, scopes: ['read'] }
  const old = join(work, 'with tokens.zip')
  writeFileSync(old, await archiveWithRows(archive, { api_tokens: [{ ...row, created_at: token.createdAt }] }))
  const dataDir = join(work, 'with tokens')
  await restoreInto(old, dataDir)
  const database = await openDatabase({ dataDir, log: silentLog })
  expect(await database.prisma.apiToken.count()).toBe(0)
  await database.close()
})

const usersWithoutLinks = "(SELECT to_jsonb(u) - 'link_epoch' FROM users u)"

/** The server measures itself meanwhile. */
const exactSamples = "(SELECT * FROM system_samples WHERE event_loop_delay_p99_ms = 'NaN')"

const sample = {
  serverId: newId(),
  at: new Date(),
  requests: 1,
  requestErrors: 0,
  memoryBytes: 1,
  cpuShare: 0,
  eventLoopDelayP99Ms: 0,
}

test.runIf(isServer)(
  'an embedded instance moves to a server, and a server to itself',
  { timeout: 120_000 },
  async () => {
    const embedded = join(work, 'other machine')
    const { file } = await backUpAlone({
      config: { dataDir: embedded, databaseUrl: undefined, backupDir: join(embedded, 'backups') },
      onProgress: () => {},
      log,
    })
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL ?? '')
    const dataDir = join(work, 'server')
    const config = { dataDir, databaseUrl, backupDir: join(dataDir, 'backups') }
    await restoreInto(file, dataDir, { databaseUrl })
    await expect(restoreInto(file, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    const stranger = new pg.Client({ connectionString: databaseUrl, application_name: 'mira-listen' })
    await stranger.connect()
    await expect(restoreInto(file, dataDir, { databaseUrl, isReplacing: true })).rejects.toThrow(/Stop all of them/)
    await stranger.end()
    const half = join(work, 'half.zip')
    writeFileSync(half, await halfArchive(archive))
    await expect(restoreInto(half, dataDir, { databaseUrl, isReplacing: true })).rejects.toThrow(/foreign key/)
    await expect(restoreInto(file, dataDir, { databaseUrl })).rejects.toThrow(/--replace/)
    expect(readdirSync(dataDir)).toEqual(['files'])
    const { asideFolder } = await restoreInto(file, dataDir, { databaseUrl, isReplacing: true })
    expect(readdirSync(asideFolder as string)).toEqual(['files'])

    const { file: again } = await backUpAlone({ config, onProgress: () => {}, log })
    const [before, after] = [await contentOf(file), await contentOf(again)]
    expect(withoutRestoreMarks({ ...after.tables, settings: [] })).toEqual(
      withoutRestoreMarks({ ...before.tables, settings: [] }),
    )
    expect(after.files).toEqual(before.files)
    await drop()
  },
)

test.runIf(isServer)(
  'a replacement that fails in the end leaves every file where it was, and one that does not sets all of them aside',
  { timeout: 120_000 },
  async () => {
    const { databaseUrl, drop } = await createServerDatabase(process.env.TEST_DATABASE_URL ?? '')
    const dataDir = join(work, 'interrupted')
    await restoreInto(archive, dataDir, { databaseUrl })
    const filesIn = (folder: string) =>
      readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [relative(folder, join(entry.parentPath, entry.name))] : [],
      )
    const files = join(dataDir, 'files')
    const [first = '', ...others] = filesIn(files)
    writeFileSync(join(files, 'only here'), 'x')
    // something stands where the file belongs
    rmSync(join(files, first))
    mkdirSync(join(files, first, 'in the way'), { recursive: true })
    const target = { databaseUrl, isReplacing: true }
    await expect(restoreInto(archive, dataDir, target)).rejects.toThrow()
    expect(readdirSync(dataDir)).toEqual(['files'])
    expect(filesIn(files).sort()).toEqual([...others, 'only here'].sort())

    rmSync(join(files, first), { recursive: true })
    const { asideFolder } = await restoreInto(archive, dataDir, target)
    expect(filesIn(join(asideFolder ?? '', 'files')).sort()).toEqual([...others, 'only here'].sort())
    expect(filesIn(files).sort()).toEqual([first, ...others].sort())
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

const storedName = (manifest: Manifest) => manifest.files.find(({ name }) => name.startsWith('files/'))?.name ?? ''

test.each<[string, RegExp, () => Promise<Buffer>]>([
  ['that is cut off', /cannot be read/, async () => readFileSync(archive).subarray(0, -400)],
  ['that is no archive', /cannot be read/, async () => Buffer.from('not a ZIP archive at all, but some text')],
  [
    'in which one byte of a file is another one',
    /is damaged/,
    async () => {
      const bytes = readFileSync(archive)
      const index = bytes.indexOf('A letter about zanzibarine')
      bytes[index] = 'B'.charCodeAt(0)
      return bytes
    },
  ],
  [
    'whose rows are others than its manifest says',
    /hash is another one|another size/,
    () => rewritten(archive, (files) => files.set('database/users.jsonl', Buffer.from('{}\n'))),
  ],
  [
    'that lacks a file',
    /missing/,
    () =>
      rewritten(archive, (files) =>
        files.delete([...files.keys()].find((name) => name.startsWith('files/')) as string),
      ),
  ],
  [
    'that holds a file too many',
    /does not name/,
    () => rewritten(archive, (files) => files.set('files/hidden', Buffer.from('x'))),
  ],
  [
    'with a name that leads out of its folder',
    /cannot be read|no name of a file/,
    async () => {
      const bytes = Buffer.from(
        (await rewritten(archive, () => {})).toString('latin1').replaceAll('files/', '../../'),
        'latin1',
      )
      return bytes
    },
  ],
  [
    'whose manifest puts a file elsewhere',
    /no name of a file/,
    () =>
      rewritten(archive, (files) => {
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
    () => changeManifest(archive, ({ migrations }) => migrations.push('29990101000000_new')),
  ],
  [
    'of a newer format',
    /newer version/,
    () => changeManifest(archive, (manifest) => Object.assign(manifest, { version: 2 })),
  ],
  ['of something else', /no backup of Mira/, () => rewritten(archive, (files) => files.delete('manifest.json'))],
])('an archive %s is refused before anything is touched', async (_what, refusal, make) => {
  const file = join(work, 'damaged.zip')
  writeFileSync(file, await make())
  const dataDir = join(work, 'untouched')
  await expect(restoreInto(file, dataDir, { isReplacing: true })).rejects.toThrow(refusal)
  expect(existsSync(dataDir)).toBe(false)
})

test.runIf(!isServer)(
  'an archive that does not fit its own tables leaves nothing behind',
  { timeout: 120_000 },
  async () => {
    const dataDir = join(work, 'half')
    const file = join(work, 'half.zip')
    writeFileSync(file, await halfArchive(archive))
    await expect(restoreInto(file, dataDir)).rejects.toThrow(/foreign key/)
    expect(readdirSync(dataDir)).toEqual([])
  },
)

test('an encrypted archive becomes an instance with its passphrase alone', async () => {
  const file = join(work, 'sealed.zip.sealed')
  await pipeline(seal(createReadStream(archive), 'violet harbour teapot', 10), createWriteStream(file))
  expect(readFileSync(file).includes('manifest.json')).toBe(false)
  const restoreWith = (passphrase?: string) =>
    restoreArchive({
      archive: file,
      isReplacing: false,
      log,
      config: { dataDir: join(work, 'unsealed'), databaseUrl: undefined },
      ...(passphrase === undefined ? {} : { passphrase: async () => passphrase }),
    })
  await expect(restoreWith()).rejects.toThrow('The archive is encrypted')
  await expect(restoreWith('another passphrase')).rejects.toThrow('cannot be decrypted: the passphrase is another one')
  expect((await restoreWith('violet harbour teapot')).fileCount).toBeGreaterThan(0)
  expect(readdirSync(work).filter((name) => name.startsWith('sealed.zip.sealed-'))).toEqual([])
})
