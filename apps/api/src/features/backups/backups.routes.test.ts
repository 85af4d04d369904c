import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupJson, BackupsAnswerJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { contentOf } from '../../../test/archives.ts'
import { readBinary } from '../../../test/binary.ts'
import { openTestDatabase } from '../../../test/database-template.ts'
import { insertChatSession, insertPartialUpload } from '../../../test/factories.ts'
import { startTestApp, type TestAccount, type TestApp } from '../../../test/test-app.ts'
import { writeWholeFile } from '../../adapters/files/whole-file.ts'
import { newId } from '../../db/new-id.ts'
import { StorageFullError } from '../../errors.ts'
import { createBackupsService } from './backups.service.ts'
import { requestBackup } from './requests.ts'

const isServer = process.env.TEST_DATABASE_URL !== undefined
const work = mkdtempSync(join(tmpdir(), 'mira-backup-'))

let mira: TestApp
let anna: TestAccount
let archive: string
let folderOfApp: string

beforeAll(async () => {
  const opened = await openTestDatabase()
  mira = await startTestApp({ isStarted: true, database: opened, config: { databaseUrl: opened.databaseUrl } })
  folderOfApp = join(mira.context.config.dataDir, 'backups')
  anna = await mira.createUser({ can_upload: true })
  const request = mira.request.post('/api/media/upload').auth(anna.token, { type: 'bearer' })
  const letter = Buffer.from('A letter about zanzibarine.\n')
  await request.field({ wait: '60', generate_caption: 'false' }).attach('file', letter, 'letter.txt').expect(201)
  await insertPartialUpload(mira.context.database, anna.user.id)
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
    .parse(readBinary)
    .expect(200)
  expect(download.headers['content-disposition']).toContain(made.name)
  expect(download.headers['cache-control']).toBe('no-store')
  expect((download.body as Buffer).equals(readFileSync(archive))).toBe(true)
  const { manifest, tables, files } = await contentOf(archive)
  expect(manifest).toMatchObject({ format: 'mira.backup', missing: [], damaged: [] })
  expect(Object.keys(files)).toHaveLength(manifest.files.length - Object.keys(tables).length)
  expect(Object.keys(files).length).toBeGreaterThanOrEqual(1)
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
    copyFileSync(archive, join(folderOfApp, `mira-backup-202601${day}-000000.zip`))
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
