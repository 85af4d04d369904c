import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BackupJson, BackupsResponseJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readArchive } from '../../../../test/archives.ts'
import { readBinary } from '../../../../test/binary.ts'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertChatSession, insertPartialUpload, insertRestoreNotification } from '../../../../test/factories.ts'
import { startTestApp, TEST_PASSWORD, type TestAccount, type TestApp } from '../../../../test/test-app.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createBackupsService } from './backups.service.ts'
import { createBackupsStore } from './backups.store.ts'
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
const list = async () => (await asAdmin('get', '/api/admin/backups').expect(200)).body as BackupsResponseJson

/** Waits until the backup has completed or failed. */
async function finished(id: string): Promise<BackupJson> {
  return vi.waitFor(
    async () => {
      const backup = (await list()).backups.find((backup) => backup.id === id)
      expect(backup?.state).toMatch(/completed|failed/)
      return backup as BackupJson
    },
    { timeout: 30_000, interval: 100 },
  )
}

test('makes a backup while users keep writing, readable only by the file’s owner', async () => {
  const { prisma } = mira.context.database
  const stop = new AbortController()
  const write = async () => {
    for (let n = 0; !stop.signal.aborted; n++)
      await insertChatSession(mira.context.database, anna.user.id, `written ${n}`)
  }
  const writing = write()
  const { body } = await asAdmin('post', '/api/admin/backups').expect(202)
  expect(body).toMatchObject({ state: 'waiting', size_bytes: null })
  await asAdmin('post', `/api/admin/backups/${body.id}/ticket`).expect(404)
  const backup = await finished(body.id as string)
  stop.abort()
  await writing
  expect(backup).toMatchObject({ state: 'completed', progress: 100, error: null })
  archive = join(folderOfApp, backup.name)
  expect(statSync(archive).size).toBe(backup.size_bytes)
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  expect(statSync(folderOfApp).mode & 0o777).toBe(0o700)
  expect(readdirSync(folderOfApp)).toEqual([backup.name])

  const { body: ticket } = await asAdmin('post', `/api/admin/backups/${backup.id}/ticket`).expect(200)
  expect(Date.parse(ticket.expires_at) - Date.now()).toBeLessThanOrEqual(60_000)
  const download = await mira.request.get(ticket.url).buffer(true).parse(readBinary).expect(200)
  expect(download.headers['content-disposition']).toContain(backup.name)
  expect(download.headers['cache-control']).toBe('no-store')
  expect((download.body as Buffer).equals(readFileSync(archive))).toBe(true)
  const { manifest, tables, files } = await readArchive(archive)
  expect(manifest).toMatchObject({ format: 'mira.backup', missing: [], damaged: [] })
  expect(Object.keys(files)).toHaveLength(manifest.files.length - Object.keys(tables).length)
  expect(Object.keys(files).length).toBeGreaterThanOrEqual(1)
  for (const table of ['api_tokens', 'auth_sessions', 'partial_uploads', 'backups', '_prisma_migrations']) {
    expect(Object.keys(tables)).not.toContain(table)
  }
  expect(await prisma.notification.findMany({ where: { kind: 'backup_done' } })).toMatchObject([
    { userId: mira.admin.user.id, params: { title: backup.name, problems: 0 } },
  ])
  expect(await prisma.setting.count({ where: { key: 'last_backup_at' } })).toBe(1)
  const { rows } = await mira.context.database.pool.query(`SELECT to_regnamespace('backup_copy') AS copies`)
  expect(rows).toEqual([{ copies: null }])
})

test('a download address expires after a minute and when the password changes; API tokens are refused', async () => {
  const { user, token } = await mira.createUser({ role: 'admin' })
  const { id } = await mira.context.database.prisma.backup.findFirstOrThrow({ where: { state: 'completed' } })
  const ticket = async (bearer = token) => {
    const { body } = await mira.request.post(`/api/admin/backups/${id}/ticket`).auth(bearer, { type: 'bearer' })
    return body.url as string
  }
  const file = `/api/admin/backups/${id}/file`
  const [first, expired] = [await ticket(), mira.context.signedPaths.signForDownload(user.id, file, -1)]
  await mira.request.head(first).expect(200)
  await mira.request.head(expired).expect(401)
  const change = { current_password: TEST_PASSWORD, new_password: 'quiet-lantern-orchard-52' }
  await mira.request.post('/api/auth/password').auth(token, { type: 'bearer' }).send(change).expect(204)
  await mira.request.head(first).expect(401)
  await mira.request.head(await ticket()).expect(200)
  const { body: apiToken } = await mira.request
    .post('/api/auth/tokens')
    .auth(token, { type: 'bearer' })
    .send({ name: 'script' })
  await mira.request.get(file).auth(apiToken.token, { type: 'bearer' }).expect(403)
  await mira.request.post(`/api/admin/backups/${id}/ticket`).auth(apiToken.token, { type: 'bearer' }).expect(403)
  await mira.context.database.prisma.user.delete({ where: { id: user.id } })
})

test('makes one backup at a time, restarts an interrupted one, and keeps only the configured number', async () => {
  const { backups, database } = mira.context
  const row = await database.prisma.backup.create({
    data: {
      ...{ id: newId(), fileName: 'mira-backup-20260101-000000.zip', isCreatedHere: true },
      ...{ state: 'running', heartbeatAt: new Date(0) },
    },
  })
  const { body } = await asAdmin('post', '/api/admin/backups').expect(409)
  expect(body).toMatchObject({ code: 'backup_running' })
  await asAdmin('delete', `/api/admin/backups/${row.id}`).expect(409)
  await asAdmin('get', `/api/admin/backups/${row.id}/file`).expect(404)
  await backups.run(row.id, new AbortController().signal)
  expect(await finished(row.id)).toMatchObject({ state: 'completed' })

  // two copied into the folder by hand: one is listed, the other isn't yet
  const foreignNames = ['02', '03'].map((day) => `mira-backup-202501${day}-000000.zip`)
  for (const name of foreignNames) {
    copyFileSync(archive, join(folderOfApp, name))
    if (name === foreignNames[0]) expect((await list()).backups).toHaveLength(3)
  }
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
  await expect.poll(async () => (await list()).backups).toHaveLength(4)
  const names = (await list()).backups.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining([...foreignNames, last.name]))
  expect(names).not.toContain(row.fileName)
  for (const { id } of (await list()).backups) await asAdmin('delete', `/api/admin/backups/${id}`).expect(204)
  expect(readdirSync(folderOfApp)).toEqual([])
})

test('makes one backup per day or week at the configured time, also with two servers, and catches up on a missed one', async () => {
  const { settings } = mira.context
  // a separate database: the server of the other tests follows the schedule by the real clock
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const enqueuedIds: string[] = []
  let now = new Date('2026-03-02T10:00:00Z')
  const server = () =>
    createBackupsService({
      store,
      settings,
      now: () => now,
      queue: { enqueue: async (_name: string, { backup_id: id }: { backup_id: string }) => void enqueuedIds.push(id) },
    } as never)
  const servers = [server(), server()]
  const backupsMadeAt = async (at: string) => {
    now = new Date(at)
    enqueuedIds.length = 0
    for (const server of servers) await server.makeDue()
    for (const id of enqueuedIds) await store.complete({ id, attempts: 0 }, { sizeBytes: 1, problemPaths: [] })
    await database.prisma.backup.deleteMany({ where: { id: { in: enqueuedIds } } })
    return enqueuedIds.length
  }
  const schedule = (backups: object) =>
    settings.save({ ...settings.current(), backups: { ...settings.current().backups, ...backups } }, {})
  expect(await backupsMadeAt('2026-03-02T10:00:00Z')).toBe(0)
  await schedule({ every: 'day', at: '03:30', time_zone: 'Europe/Madrid' })
  // today's time has already passed
  expect(await backupsMadeAt('2026-03-02T10:01:00Z')).toBe(0)
  expect(await backupsMadeAt('2026-03-03T02:29:59Z')).toBe(0)
  expect(await backupsMadeAt('2026-03-03T02:30:00Z')).toBe(1)
  expect(await backupsMadeAt('2026-03-03T23:00:00Z')).toBe(0)
  // the server was off for days
  expect(await backupsMadeAt('2026-03-07T11:00:00Z')).toBe(1)
  expect(await backupsMadeAt('2026-03-07T11:01:00Z')).toBe(0)
  // summer time
  expect(await backupsMadeAt('2026-04-01T01:30:00Z')).toBe(1)
  await schedule({ every: 'week', weekday: 7 })
  expect(await backupsMadeAt('2026-04-02T12:00:00Z')).toBe(0)
  expect(await backupsMadeAt('2026-04-04T12:00:00Z')).toBe(0)
  expect(await backupsMadeAt('2026-04-05T01:30:00Z')).toBe(1)
  const { body } = await asAdmin('get', '/api/admin/backups').expect(200)
  expect(new Date(body.next_at).getUTCDay()).toBe(0)
  await schedule({ every: 'never' })
  expect(await backupsMadeAt('2026-05-30T12:00:00Z')).toBe(0)
  expect((await list()).next_at).toBeNull()
  await schedule({ every: 'day' })
  expect(await backupsMadeAt('2026-05-30T12:00:01Z')).toBe(0)
  await schedule({ every: 'never' })
  await database.close()
  const current = settings.current()
  for (const wrong of [{ time_zone: 'Nowhere/City' }, { at: '25:00' }, { every: 'hour' }]) {
    const body = { ...current, backups: { ...current.backups, ...wrong } }
    await mira.request.put('/api/admin/settings').auth(mira.admin.token, { type: 'bearer' }).send(body).expect(422)
  }
})

test('after a restore, the first start adopts the archives in the folder and removes leftovers of earlier versions', async () => {
  const dataDir = join(work, 'restored')
  const own = createArchiveFolder(join(dataDir, 'backups'))
  const nameOf = (day: number) => `mira-backup-2026010${day}-000000.zip`
  await writeWholeFile(own.fileOf(nameOf(1)), [Buffer.from('x')] as never)
  const oldTime = new Date(Date.now() - 48 * 3_600_000)
  for (const name of ['proving', 'restoring-from']) {
    mkdirSync(join(dataDir, name))
    writeFileSync(join(dataDir, name, 'decrypted'), 'x')
    utimesSync(join(dataDir, name), oldTime, oldTime)
  }
  const database = await openTestDatabase()
  await insertRestoreNotification(database)
  const config = { databaseUrl: database.databaseUrl }
  const restored = await startTestApp({ isStarted: true, database, config, environment: { DATA_DIR: dataDir } })
  try {
    const store = createBackupsStore(database)
    await store.add(nameOf(2), async () => {})
    await writeWholeFile(own.fileOf(nameOf(3)), [Buffer.from('x')] as never)
    await store.syncWithFolder(own.list)
    expect((await store.listOwn()).map(({ fileName }) => fileName)).toEqual([nameOf(1)])
    await vi.waitFor(() => expect(readdirSync(dataDir)).not.toContain('restoring-from'))
    expect(readdirSync(dataDir)).not.toContain('proving')
  } finally {
    await restored.close()
  }
})

test('backups stay listed while their folder is unreadable', async () => {
  const { settings, log } = mira.context
  const database = await openTestDatabase()
  const directory = join(work, 'away')
  const folder = createArchiveFolder(directory)
  await writeWholeFile(folder.fileOf('mira-backup-20260101-000000.zip'), [Buffer.from('x')] as never)
  const state = async () => null
  const service = createBackupsService({
    ...{ store: createBackupsStore(database), folder, settings, log, now: () => new Date() },
    ...{ scrubbing: { state }, offsite: { state } },
  } as never)
  const { backups } = await service.list()
  expect(backups).toHaveLength(1)
  renameSync(directory, `${directory} aside`)
  symlinkSync(directory, directory)
  expect((await service.list()).backups).toEqual(backups)
  await expect(folder.open('mira-backup-20260101-000000.zip')).rejects.toMatchObject({ code: 'ELOOP' })
  // the disk isn't mounted
  unlinkSync(directory)
  expect((await service.list()).backups).toEqual(backups)
  mkdirSync(directory)
  expect((await service.list()).backups).toEqual(backups)
  await database.close()
})

test.runIf(!isServer)(
  'the server makes a backup requested by a command, and reports the number of missing files',
  async () => {
    const { path } = await mira.context.database.prisma.mediaItem.findFirstOrThrow()
    rmSync(join(mira.context.config.dataDir, 'files', path ?? ''))
    const percentages: number[] = []
    const { file, problems } = await requestBackup(folderOfApp, (percent) => percentages.push(percent))
    expect(problems).toBe(1)
    expect(readdirSync(folderOfApp)).toEqual([file.slice(folderOfApp.length + 1)])
    expect(percentages.at(-1)).toBe(100)
  },
)
