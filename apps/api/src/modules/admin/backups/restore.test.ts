import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveWithMissingOwner, changeManifest, readArchive, rewriteArchive } from '../../../../test/archives.ts'
import {
  type BackedUpInstance,
  restoreInto,
  startBackedUpInstance,
  withoutRestoreMarks,
} from '../../../../test/backed-up-instance.ts'
import { readBinary } from '../../../../test/binary.ts'
import { silentLog } from '../../../../test/database-template.ts'
import { startTestApp, TEST_PASSWORD } from '../../../../test/test-app.ts'
import { createLog } from '../../../log.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { seal } from '../../../platform/storage/sealed.ts'
import type { Manifest } from './archive.ts'
import { backUpWithoutServer } from './back-up-without-server.ts'
import { restoreArchive } from './restore-archive.ts'

const isServer = process.env.TEST_DATABASE_URL !== undefined
const work = mkdtempSync(join(tmpdir(), 'mira-restore-'))
const log = createLog('silent')
let mira: BackedUpInstance['mira']
let anna: BackedUpInstance['anna']
let item: BackedUpInstance['item']
let archive: string

beforeAll(async () => {
  ;({ mira, anna, item, archive } = await startBackedUpInstance())
})
afterAll(async () => {
  await mira.close()
  rmSync(work, { recursive: true, force: true })
})

test('a restore into another folder gives exactly the data that was backed up', { timeout: 120_000 }, async () => {
  const dataDir = join(work, 'other machine')
  // a folder with contents is replaced only on request
  mkdirSync(join(dataDir, 'database'), { recursive: true })
  writeFileSync(join(dataDir, 'database', 'PG_VERSION'), '17')
  await expect(restoreInto(archive, dataDir)).rejects.toThrow(/is not empty.*--replace/)
  const { asideFolder, fileCount } = await restoreInto(archive, dataDir, { isReplacing: true })
  expect(readFileSync(join(asideFolder as string, 'database', 'PG_VERSION'), 'utf8')).toBe('17')
  expect(readdirSync(dataDir).sort()).toEqual(['database', 'files', (asideFolder as string).slice(dataDir.length + 1)])
  const before = await readArchive(archive)
  expect(fileCount).toBe(Object.keys(before.files).length)

  const { file } = await backUpWithoutServer({
    config: { dataDir, databaseUrl: undefined, backupDir: join(dataDir, 'backups') },
    onProgress: () => {},
    log,
  })
  const after = await readArchive(file)
  const { settings: settingsBefore = [], ...tablesBefore } = before.tables
  const { settings: settingsAfter = [], ...tablesAfter } = after.tables
  expect(withoutRestoreMarks(tablesAfter)).toEqual(withoutRestoreMarks(tablesBefore))
  expect(after.files).toEqual(before.files)
  expect(settingsAfter.filter((row) => !row.includes('last_backup_at'))).toEqual(
    settingsBefore.filter((row) => !/last_backup_at|jwt_secret_fingerprint/.test(row)),
  )

  // also generated columns and tables, which no archive contains, in the database's own notation
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
    const [restored, original] = await Promise.all([
      database.pool.query(`${sql} ${table} t`),
      mira.context.database.pool.query(`${sql} ${table} t`),
    ])
    expect(restored.rows, table).toEqual(original.rows)
  }
  // its own, so that the next backup may replace it
  expect(await database.prisma.backup.findMany()).toMatchObject([
    { fileName: basename(file), state: 'completed', isCreatedHere: true, sizeBytes: BigInt(statSync(file).size) },
  ])
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

const usersWithoutLinks = "(SELECT to_jsonb(u) - 'link_epoch' FROM users u)"

/** Only the instance's own sample, since the server adds others meanwhile. */
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

const storedName = (manifest: Manifest) => manifest.files.find(({ name }) => name.startsWith('files/'))?.name ?? ''

test.each<[string, RegExp, () => Promise<Buffer>]>([
  ['that is truncated', /cannot be read/, async () => readFileSync(archive).subarray(0, -400)],
  ['that isn’t an archive', /cannot be read/, async () => Buffer.from('not a ZIP archive at all, but some text')],
  [
    'with one changed byte in a file',
    /is damaged/,
    async () => {
      const bytes = readFileSync(archive)
      const index = bytes.indexOf('A letter about zanzibarine')
      bytes[index] = 'B'.charCodeAt(0)
      return bytes
    },
  ],
  [
    'with rows that don’t match its manifest',
    /hash of .* differs|another size/,
    () => rewriteArchive(archive, (files) => files.set('database/users.jsonl', Buffer.from('{}\n'))),
  ],
  [
    'that lacks a file',
    /missing/,
    () =>
      rewriteArchive(archive, (files) =>
        files.delete([...files.keys()].find((name) => name.startsWith('files/')) as string),
      ),
  ],
  [
    'with a file too many',
    /does not list/,
    () => rewriteArchive(archive, (files) => files.set('files/hidden', Buffer.from('x'))),
  ],
  [
    'with a file name that leads out of its folder',
    /cannot be read|not a valid file name/,
    async () => {
      const bytes = Buffer.from(
        (await rewriteArchive(archive, () => {})).toString('latin1').replaceAll('files/', '../../'),
        'latin1',
      )
      return bytes
    },
  ],
  [
    'with an invalid file name in its manifest',
    /not a valid file name/,
    () =>
      rewriteArchive(archive, (files) => {
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
  ['without a manifest', /not a Mira backup/, () => rewriteArchive(archive, (files) => files.delete('manifest.json'))],
])('refuses an archive %s before changing anything', async (_name, refusal, make) => {
  const file = join(work, 'damaged.zip')
  writeFileSync(file, await make())
  const dataDir = join(work, 'untouched')
  await expect(restoreInto(file, dataDir, { isReplacing: true })).rejects.toThrow(refusal)
  expect(existsSync(dataDir)).toBe(false)
})

test.runIf(!isServer)(
  'an archive that violates a foreign key leaves nothing behind',
  { timeout: 120_000 },
  async () => {
    const dataDir = join(work, 'half')
    const file = join(work, 'half.zip')
    writeFileSync(file, await archiveWithMissingOwner(archive))
    await expect(restoreInto(file, dataDir)).rejects.toThrow(/foreign key/)
    expect(readdirSync(dataDir)).toEqual([])
  },
)

test('restores an encrypted archive only with its passphrase', async () => {
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
  await expect(restoreWith('another passphrase')).rejects.toThrow('cannot be decrypted: the passphrase is wrong')
  expect((await restoreWith('violet harbour teapot')).fileCount).toBeGreaterThan(0)
  expect(readdirSync(work).filter((name) => name.startsWith('sealed.zip.sealed-'))).toEqual([])
})

test('a folder of archives isn’t taken for encrypted copies', async () => {
  const folder = join(work, 'archives')
  mkdirSync(folder)
  for (const day of [1, 2]) writeFileSync(join(folder, `mira-backup-2026010${day}-000000.zip`), '')
  writeFileSync(join(folder, 'mira-backup-20260103-000000-update.zip'), '')
  const config = { dataDir: join(work, 'from-folder'), databaseUrl: undefined }
  await expect(restoreArchive({ archive: folder, isReplacing: false, log, config })).rejects.toThrow(
    `Name one of its archives, such as ${join(folder, 'mira-backup-20260102-000000.zip')}.`,
  )
})
