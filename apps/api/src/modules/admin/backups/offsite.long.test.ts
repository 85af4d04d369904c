import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupsResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServerDatabase, openTestDatabase, silentLog } from '../../../../test/database-template.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../../../../test/s3-server.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { openDatabase } from '../../../platform/database/client.ts'
import { openFolderStore } from '../../../platform/storage/folder-store.ts'
import { openS3Store } from '../../../platform/storage/s3-store.ts'
import { openRepository } from './repository.ts'
import { restoreArchive } from './restore-archive.ts'

const serverUrl = process.env.TEST_DATABASE_URL
const work = mkdtempSync(join(tmpdir(), 'mira-offsite-'))
const PASSPHRASE = 'a passphrase of ours'
const S3_ADDRESS = 's3://backups/home/mira'

let s3: S3Server
let mira: TestApp
let anna: TestAccount
let backupS3: TestApp['context']['config']['backupS3']

beforeAll(async () => {
  s3 = await startS3Server()
  backupS3 = { endpoint: s3.endpoint, region: 'us-east-1', ...S3_ACCESS }
  const database = await openTestDatabase()
  const config = { databaseUrl: database.databaseUrl, backupS3, backupPassphrase: PASSPHRASE }
  mira = await startTestApp({ database, config })
  anna = await mira.createUser({ can_upload: true })
})
afterAll(async () => {
  await mira.close()
  await s3.close()
  rmSync(work, { recursive: true, force: true })
})

const upload = (name: string, content: Buffer | string) =>
  mira.request
    .post('/api/media/upload')
    .auth(anna.token, { type: 'bearer' })
    // it isn't processed, since no jobs run
    .field('wait', '0')
    .attach('file', Buffer.from(content), name)
    .expect(202)
const copyTo = async (offsite: string) => {
  const { settings } = mira.context
  await settings.save({ ...settings.current(), backups: { ...settings.current().backups, offsite } }, {})
  await mira.context.offsite.run({ signal: new AbortController().signal, isLastAttempt: true })
  const { body } = await mira.request.get('/api/admin/backups').auth(mira.admin.token, { type: 'bearer' }).expect(200)
  return (body as BackupsResponseJson).offsite
}
const pathOf = async (name: string) =>
  (await mira.context.database.prisma.mediaItem.findFirstOrThrow({ where: { originalFilename: name } })).path as string
const filesOf = (keys: Iterable<string>) => [...keys].filter((key) => key.startsWith('home/mira/files/'))
/** Restores into an empty folder and database. @returns the folder, its items, and the outcome. */
const restoreFrom = async (archive: string, passphrase = PASSPHRASE) => {
  const dataDir = mkdtempSync(join(work, 'restored-'))
  const server = serverUrl === undefined ? undefined : await createServerDatabase(serverUrl)
  const databaseUrl = server?.databaseUrl
  try {
    const restored = await restoreArchive({
      ...{ archive, isReplacing: false, log: silentLog },
      config: { dataDir, databaseUrl, backupS3 },
      passphrase: async () => passphrase,
    })
    const database = await openDatabase({ dataDir, databaseUrl, log: silentLog })
    const items = await database.prisma.mediaItem.findMany({ select: { originalFilename: true, path: true } })
    await database.close()
    return { dataDir, items, restored }
  } finally {
    await server?.drop()
  }
}

test('tests an address before it’s saved, and gives the reason when it doesn’t work', async () => {
  const tryAddress = async (address: string) =>
    (
      await mira.request
        .post('/api/admin/backups/offsite/test')
        .auth(mira.admin.token, { type: 'bearer' })
        .send({ address })
        .expect(200)
    ).body
  expect(await tryAddress('s3://backups/tried')).toEqual({ ok: true, detail: '', snapshots: 0 })
  const refused = await tryAddress('s3://no-such-bucket/tried')
  expect(refused).toMatchObject({ ok: false, detail: expect.stringMatching(/no-such-bucket|bucket/i) })
  expect(await tryAddress(join(work, 'a file', 'below'))).toMatchObject({ ok: false })
})

test('copies to an S3 server are encrypted, contain each file once, and restore with one command', async () => {
  await upload('letter.txt', 'A letter about zanzibarine.\n')
  // more than one part
  const longText = Buffer.alloc(9 * 1024 * 1024, 'zanzibarine ')
  await upload('long.txt', longText)
  expect(await copyTo(S3_ADDRESS)).toMatchObject({ address: S3_ADDRESS, failed: null, last_at: expect.any(String) })
  const first = filesOf(s3.objects.keys())
  expect(first.length).toBeGreaterThanOrEqual(2)
  const letter = await pathOf('letter.txt')
  for (const [key, content] of s3.objects) {
    expect(content.includes('zanzibarine')).toBe(false)
    expect(key).not.toContain(letter.split('/')[2])
  }

  s3.writes.length = 0
  await upload('second.txt', 'Another letter.\n')
  await copyTo(S3_ADDRESS)
  expect(filesOf(s3.writes)).toHaveLength(filesOf(s3.objects.keys()).length - first.length)
  expect(filesOf(s3.writes).length).toBeGreaterThanOrEqual(1)

  const { dataDir, items } = await restoreFrom(S3_ADDRESS)
  expect(items.map(({ originalFilename }) => originalFilename).sort()).toEqual(['letter.txt', 'long.txt', 'second.txt'])
  expect(readFileSync(join(dataDir, 'files', letter), 'utf8')).toBe('A letter about zanzibarine.\n')
  expect(readFileSync(join(dataDir, 'files', await pathOf('long.txt'))).equals(longText)).toBe(true)
  await expect(restoreFrom(S3_ADDRESS, 'another passphrase')).rejects.toThrow('set up with another passphrase')
})

test('an interrupted copy adds no snapshot, and the next one resumes it', async () => {
  for (const n of [1, 2, 3]) await upload(`interrupted ${n}.txt`, `Letter ${n}.\n`)
  const snapshots = () => [...s3.objects.keys()].filter((key) => key.endsWith('.zip.sealed'))
  const before = snapshots()
  s3.writes.length = 0
  s3.onRequest = ({ method }) => {
    if (method === 'PUT' && s3.writes.length >= 2) throw new Error('the line is cut')
  }
  const state = await copyTo(S3_ADDRESS)
  expect(state?.failed?.reason).toMatch(/^The backup wasn’t copied off-site: http.* can’t be reached/)
  expect(snapshots()).toEqual(before)
  s3.onRequest = () => {}
  s3.uploads.set('left', { key: 'home/mira/files/left', parts: new Map() })
  s3.writes.length = 0
  expect(await copyTo(S3_ADDRESS)).toMatchObject({ failed: null })
  expect(filesOf(s3.writes)).toHaveLength(1)
  expect(s3.uploads.size).toBe(0)
  expect(snapshots()).toHaveLength(before.length + 1)
})

test('keeps the configured number of copies and only the files they refer to', async () => {
  const { settings, database } = mira.context
  const { retention, ...rest } = settings.current()
  await settings.save({ ...rest, retention: { ...retention, backups_kept: 1 } }, {})
  const path = await pathOf('second.txt')
  await database.prisma.mediaItem.deleteMany({ where: { originalFilename: 'second.txt' } })
  const before = filesOf(s3.objects.keys()).length
  await copyTo(S3_ADDRESS)
  expect([...s3.objects.keys()].filter((key) => key.endsWith('.zip.sealed'))).toHaveLength(1)
  expect(filesOf(s3.objects.keys()).length).toBeLessThan(before)
  const store = await openS3Store({
    ...{ bucket: 'backups', prefix: 'home/mira/', credentials: S3_ACCESS },
    ...{ endpoint: s3.endpoint, region: 'us-east-1' },
    variables: { endpoint: 'ENDPOINT', accessKeyId: 'KEY', secretAccessKey: 'SECRET' },
  })
  const repository = await openRepository(store, PASSPHRASE, { isCreating: false })
  expect(await repository.openFile(path)).toBeNull()
  repository.close()
})

test('repairs a damaged file from the copies', async () => {
  const path = await pathOf('letter.txt')
  const file = join(mira.context.config.dataDir, 'files', path)
  writeFileSync(file, 'A letter about nothing.\n')
  await mira.context.scrubbing.run(new AbortController().signal)
  expect(readFileSync(file, 'utf8')).toBe('A letter about zanzibarine.\n')
})

test('says what to do about a wrong secret, an unknown key, a missing bucket, an unmounted folder and an unreachable server', async () => {
  const failure = async (address: string, overrides: object = {}) => {
    const { config } = mira.context
    const originalS3 = config.backupS3
    Object.assign(config, { backupS3: { ...originalS3, ...overrides } })
    try {
      return (await copyTo(address))?.failed?.reason
    } finally {
      Object.assign(config, { backupS3: originalS3 })
    }
  }
  expect(await failure(S3_ADDRESS, { secretAccessKey: 'another' })).toContain('Check BACKUP_S3_SECRET_ACCESS_KEY.')
  expect(await failure(S3_ADDRESS, { accessKeyId: 'nobody' })).toContain('Check BACKUP_S3_ACCESS_KEY_ID.')
  expect(await failure(S3_ADDRESS, { accessKeyId: undefined })).toContain('An S3 server needs keys')
  expect(await failure('s3://nowhere/x')).toContain('has no bucket “nowhere”. Create it')
  expect(await failure('/nowhere/mounted')).toContain('Mount its disk, or create the folder.')
  expect(await failure(S3_ADDRESS, { endpoint: 'http://127.0.0.1:9' })).toContain('Check BACKUP_S3_ENDPOINT')
})

test('restores copies from a folder, and refuses a damaged one', async () => {
  const folder = mkdtempSync(join(work, 'mounted-'))
  expect(await copyTo(folder)).toMatchObject({ failed: null })
  const { items } = await restoreFrom(folder)
  expect(items.map(({ originalFilename }) => originalFilename)).toContain('letter.txt')

  const store = await openFolderStore(folder)
  for await (const { name } of store.list('files/')) {
    const content = readFileSync(join(folder, name))
    content[content.length - 1] = (content.at(-1) ?? 0) ^ 1
    writeFileSync(join(folder, name), content)
  }
  await expect(restoreFrom(folder)).rejects.toThrow('A file of the backup is damaged')
})
