import { createHash } from 'node:crypto'
import {
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { rewriteArchive } from '../../../../test/archives.ts'
import { openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { insertMediaItem, insertUser } from '../../../../test/factories.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../../../../test/s3-server.ts'
import { openEmbeddedSnapshot, openServerSnapshot } from '../../../platform/database/snapshot.ts'
import { openFiles } from '../../../platform/storage/open-files.ts'
import type { Manifest } from './archive.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { restoreArchive } from './restore-archive.ts'

const work = mkdtempSync(join(tmpdir(), 'mira-restore-files-'))
const archive = join(work, 'update.zip')
const sealedArchive = join(work, 'update.zip.sealed')
const completeArchive = join(work, 'whole.zip')
const PASSPHRASE = 'a passphrase of ours'
let s3: S3Server
let fileStore: NonNullable<Parameters<typeof openFiles>[0]['fileStore']>
beforeAll(async () => {
  s3 = await startS3Server('files')
  const bucket = { bucket: 'files', prefix: 'home/', endpoint: s3.endpoint, region: 'us-east-1', encryption: undefined }
  fileStore = { s3: { ...bucket, credentials: S3_ACCESS }, cacheBytes: 0 }
  const database = await openTestDatabase()
  const files = await openFiles({ dataDir: work, fileStore }, silentLog)
  const { id } = await insertUser(database)
  const { path } = await files.put(id, Buffer.from('a letter'))
  await insertMediaItem(database, id, { path })
  const openSnapshot = () =>
    database.engine === 'embedded'
      ? openEmbeddedSnapshot(database.pool)
      : openServerSnapshot(database.databaseUrl ?? '')
  for (const [filename, passphrase] of [[archive, undefined] as const, [sealedArchive, PASSPHRASE] as const])
    await createArchiveWriter({ openSnapshot, files, passphrase }).write(filename, { isDatabaseOnly: true })
  await createArchiveWriter({ openSnapshot, files, passphrase: undefined }).write(completeArchive)
  files.close()
  await database.close()
})
afterEach(() => {
  s3.onRequest = () => {}
})
afterAll(async () => {
  await s3.close()
  rmSync(work, { recursive: true, force: true })
})

const restoreTo = (dataDir: string) =>
  restoreArchive({
    archive,
    isReplacing: false,
    log: silentLog,
    config: { dataDir, databaseUrl: undefined, fileStore },
  })

test('a restore fails before changing anything when the files can’t be listed', {
  timeout: 120_000,
}, async () => {
  const dataDir = mkdtempSync(join(work, 'data-'))
  s3.onRequest = ({ url }) => {
    // listings of one user or of all
    if (url?.includes('list-type') && !url.includes('.check')) throw new Error('The line is dead.')
  }
  await expect(restoreTo(dataDir)).rejects.toThrow()
  expect(existsSync(join(dataDir, 'database'))).toBe(false)
})

test('waits for a bucket that is slow at first, and reports a file missing from it', {
  timeout: 120_000,
}, async () => {
  s3.onRequest = ({ url }) => (url?.includes('.check') ? sleep(2_000) : undefined)
  s3.objects.clear()
  const { lostFiles } = await restoreTo(mkdtempSync(join(work, 'data-')))
  expect(lostFiles).toHaveLength(1)
})

test('doesn’t replace a folder of files that is unreadable at the moment', {
  timeout: 120_000,
}, async () => {
  const dataDir = mkdtempSync(join(work, 'data-'))
  const unreadable = join(dataDir, 'files')
  symlinkSync(unreadable, unreadable)
  const restoring = restoreArchive({
    ...{ archive: completeArchive, isReplacing: false, log: silentLog },
    config: { dataDir, databaseUrl: undefined },
  })
  await expect(restoring).rejects.toMatchObject({ code: 'ELOOP' })
  expect(lstatSync(unreadable).isSymbolicLink()).toBe(true)
})

const MEMORY_DISK = '/dev/shm'
const hasOtherDisk = existsSync(MEMORY_DISK) && statSync(MEMORY_DISK).dev !== statSync(work).dev

test.skipIf(!hasOtherDisk)(
  'files on a separate disk are restored there, next to its existing contents',
  {
    timeout: 120_000,
  },
  async () => {
    const dataDir = mkdtempSync(join(work, 'data-'))
    const disk = mkdtempSync(join(MEMORY_DISK, 'mira-files-'))
    onTestFinished(() => rmSync(disk, { recursive: true }))
    for (const folder of [join(disk, 'lost+found'), join(dataDir, 'database')]) mkdirSync(folder)
    for (const file of [join(disk, 'lost+found', '#1'), join(dataDir, 'database', 'PG_VERSION')])
      writeFileSync(file, 'old')
    symlinkSync(disk, join(dataDir, 'files'))
    const warnings: string[] = []
    const { asideFolder, fileCount } = await restoreArchive({
      ...{ archive: completeArchive, isReplacing: true, log: silentLog, config: { dataDir, databaseUrl: undefined } },
      onWarning: (sentence) => warnings.push(sentence),
    })
    expect(fileCount).toBe(1)
    expect(readdirSync(asideFolder ?? '')).toEqual(['database'])
    expect(readFileSync(join(disk, 'lost+found', '#1'), 'utf8')).toBe('old')
    const stored = readdirSync(disk, { recursive: true, encoding: 'utf8' }).filter((name) => /[0-9a-f]{64}$/.test(name))
    expect(stored.map((name) => readFileSync(join(dataDir, 'files', name), 'utf8'))).toEqual(['a letter'])
    expect(warnings).toEqual([expect.stringContaining('is on a disk of its own: the previous files are still there')])
  },
)

/** Writes an archive whose only file was already damaged before the backup. */
async function writeDamagedArchive(): Promise<string> {
  const damagedArchive = join(work, 'damaged.zip')
  const content = await rewriteArchive(completeArchive, (files) => {
    const manifest = JSON.parse(String(files.get('manifest.json'))) as Manifest
    const file = manifest.files.find(({ name }) => name.startsWith('files/')) as Manifest['files'][number]
    file.size_bytes = 4
    file.sha256 = createHash('sha256').update('half').digest('hex')
    manifest.damaged = [file.name]
    files.set(file.name, Buffer.from('half'))
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
  })
  writeFileSync(damagedArchive, content)
  return damagedArchive
}

test.skipIf(!hasOtherDisk)(
  'a file damaged before the backup is restored to a separate disk unless it exists there, and never to a bucket',
  { timeout: 120_000 },
  async () => {
    const dataDir = mkdtempSync(join(work, 'data-'))
    const disk = mkdtempSync(join(MEMORY_DISK, 'mira-files-'))
    onTestFinished(() => rmSync(disk, { recursive: true }))
    symlinkSync(disk, join(dataDir, 'files'))
    const damagedArchive = await writeDamagedArchive()
    const restoreOf = async (file: string, config: object = { dataDir, databaseUrl: undefined }) =>
      (await restoreArchive({ ...{ archive: file, isReplacing: true, log: silentLog }, config: config as never }))
        .fileCount
    const contents = () =>
      readdirSync(disk, { recursive: true, encoding: 'utf8' })
        .filter((name) => /[0-9a-f]{64}$/.test(name))
        .map((name) => readFileSync(join(disk, name), 'utf8'))
    expect([await restoreOf(damagedArchive), contents()]).toEqual([1, ['half']])
    expect([await restoreOf(completeArchive), contents()]).toEqual([1, ['a letter']])
    expect([await restoreOf(damagedArchive), contents()]).toEqual([1, ['a letter']])
    expect(readdirSync(join(disk, 'incoming'))).toEqual([])
    const elsewhere = { dataDir: mkdtempSync(join(work, 'data-')), databaseUrl: undefined, fileStore }
    expect(await restoreOf(damagedArchive, elsewhere)).toBe(0)
  },
)

test('a restore that fails after storing files in a bucket says so', { timeout: 120_000 }, async () => {
  const warnings: string[] = []
  const restoring = restoreArchive({
    ...{ archive: completeArchive, isReplacing: false, log: silentLog },
    config: { dataDir: mkdtempSync(join(work, 'data-')), databaseUrl: undefined, fileStore },
    onWarning: (sentence) => warnings.push(sentence),
    onProgress: (phase) => {
      if (phase === 'files') throw new Error('stopped')
    },
  })
  await expect(restoring).rejects.toThrow('stopped')
  expect(warnings).toEqual([expect.stringMatching(/^Files restored so far are still in s3:\/\/files\/home\//)])
})

test.skipIf(process.platform !== 'linux')(
  'restores an encrypted archive from a read-only location',
  { timeout: 120_000 },
  async () => {
    const descriptor = openSync(sealedArchive, 'r')
    const dataDir = mkdtempSync(join(work, 'data-'))
    const { rowCount } = await restoreArchive({
      ...{ archive: `/proc/self/fd/${descriptor}`, isReplacing: false, log: silentLog },
      config: { dataDir, databaseUrl: undefined, fileStore },
      passphrase: async () => PASSPHRASE,
    })
    expect(rowCount).toBeGreaterThan(0)
    expect(readdirSync(dataDir).sort()).toEqual(['database', 'files'])
    closeSync(descriptor)
  },
)

test('the next restore removes a decrypted copy that a killed restore of an earlier version left', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(work, 'sealed-'))
  const copy = join(folder, 'update.zip.sealed')
  copyFileSync(sealedArchive, copy)
  writeFileSync(`${copy}-opened-17`, 'decrypted')
  await restoreArchive({
    ...{ archive: copy, isReplacing: false, log: silentLog },
    config: { dataDir: mkdtempSync(join(work, 'data-')), databaseUrl: undefined, fileStore },
    passphrase: async () => PASSPHRASE,
  })
  expect(readdirSync(folder)).toEqual(['update.zip.sealed'])
})
