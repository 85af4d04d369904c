import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { BackupsResponseJson, DashboardHealthJson } from '@mira/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArchive } from '../../../../test/archives.ts'
import { mockBadSector } from '../../../../test/bad-sector.ts'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { startTestApp, type TestApp } from '../../../../test/test-app.ts'
import { NotFoundError, UnavailableError } from '../../../errors.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { openEmbeddedSnapshot, openServerSnapshot } from '../../../platform/database/snapshot.ts'
import { storedFile } from './archive.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { createBackupsStore } from './backups.store.ts'
import { checkFiles } from './check-files.ts'
import { createOffsiteService } from './offsite.service.ts'
import { openOffsite } from './repository.ts'
import { createScrubbingService, repairSources } from './scrubbing.service.ts'
import { createScrubbingStore, createStoredFilesStore } from './scrubbing.store.ts'

let mira: TestApp
const paths: string[] = []
const { signal } = new AbortController()

beforeAll(async () => {
  const database = await openTestDatabase()
  mira = await startTestApp({ database, config: { databaseUrl: database.databaseUrl } })
  const anna = await mira.createUser({ can_upload: true })
  for (const word of ['first', 'second', 'third']) {
    const request = mira.request.post('/api/media/upload').auth(anna.token, { type: 'bearer' })
    const letter = Buffer.from(`The ${word} letter.\n`)
    // it isn't processed, since no jobs run
    await request.field('wait', '0').attach('file', letter, `${word}.txt`).expect(202)
  }
  const items = await database.prisma.mediaItem.findMany({ orderBy: { createdAt: 'asc' }, select: { path: true } })
  paths.push(...items.map(({ path }) => path as string))
  const { id } = await database.prisma.backup.create({
    data: { id: newId(), fileName: 'mira-backup-20260101-000000.zip', state: 'waiting' },
  })
  await mira.context.backups.run(id, signal)
  expect(await database.prisma.backup.findFirst()).toMatchObject({ state: 'completed', error: null })
})
afterAll(() => mira.close())

const fileOf = (path: string) => join(mira.context.config.dataDir, 'files', path)
const asAdmin = async (path: string) =>
  (await mira.request.get(path).auth(mira.admin.token, { type: 'bearer' }).expect(200)).body
const filesState = async () => ((await asAdmin('/api/admin/backups')) as BackupsResponseJson).files
const openSnapshot = () => {
  const { database, config } = mira.context
  return database.engine === 'embedded'
    ? openEmbeddedSnapshot(database.pool)
    : openServerSnapshot(config.databaseUrl ?? '')
}
const startNewPass = () => mira.context.database.prisma.setting.deleteMany({ where: { key: 'file_scrubbing' } })

test('repairs a changed and a missing file from a backup, and notifies administrators', async () => {
  const [changed = '', missing = ''] = paths
  const originalBytes = readFileSync(fileOf(changed))
  writeFileSync(fileOf(changed), 'The first lettez.\n')
  rmSync(fileOf(missing))
  await mira.context.scrubbing.run(signal)
  expect(readFileSync(fileOf(changed))).toEqual(originalBytes)
  expect(readFileSync(fileOf(missing), 'utf8')).toBe('The second letter.\n')
  expect(await filesState()).toMatchObject({ damaged: 0, repaired: 2, pass_finished: true })
  const { prisma } = mira.context.database
  expect(await prisma.damagedFile.findMany({ orderBy: { problem: 'asc' } })).toMatchObject([
    { path: changed, problem: 'damaged', repairedFrom: 'mira-backup-20260101-000000.zip' },
    { path: missing, problem: 'missing', repairedFrom: 'mira-backup-20260101-000000.zip' },
  ])
  const notices = await prisma.notification.findMany({ where: { kind: 'files_damaged' } })
  expect(notices).toMatchObject([{ userId: mira.admin.user.id, params: { count: 2, repaired: 2 } }])
})

test('a file in no backup stays reported until a backup with it is added to the folder', async () => {
  const { config, database } = mira.context
  const [, , lost = ''] = paths
  const archive = join(config.backupDir, 'mira-backup-20260101-000000.zip')
  const content = readFileSync(archive)
  rmSync(archive)
  writeFileSync(fileOf(lost), '')
  await startNewPass()
  await mira.context.scrubbing.run(signal)
  expect(await filesState()).toMatchObject({ damaged: 1 })
  const health = (await asAdmin('/api/dashboard/health')) as DashboardHealthJson
  expect(health.backup_warnings.map(({ told }) => told[0]?.code)).toContain('files_damaged')

  writeFileSync(archive, content)
  const store = createScrubbingStore(database)
  const mark = await store.mark()
  await store.saveMark({ ...(mark as NonNullable<typeof mark>), retriedAt: new Date(0).toISOString() })
  await mira.context.scrubbing.run(signal)
  expect(await filesState()).toMatchObject({ damaged: 0 })
  expect(readFileSync(fileOf(lost), 'utf8')).toBe('The third letter.\n')
})

test('reports a file with a bad sector as damaged, and backs up everything else here and off-site', async () => {
  const { files, config, database, backups } = mira.context
  const [damaged = '', intact = ''] = paths
  const offsite = mkdtempSync(join(tmpdir(), 'mira-bad-sector-'))
  const spy = mockBadSector(files, damaged)
  try {
    const fileName = 'mira-backup-20260102-000000.zip'
    const { id } = await database.prisma.backup.create({ data: { id: newId(), fileName, isCreatedHere: true } })
    await backups.run(id, signal)
    expect(await database.prisma.backup.findUnique({ where: { id } })).toMatchObject({
      state: 'completed',
      error: null,
      problems: 1,
    })
    const health = (await asAdmin('/api/dashboard/health')) as DashboardHealthJson
    expect(health.backup_warnings.map(({ told }) => told[0]?.code)).toContain('backup_lacks_files')
    const { manifest, files: archived } = await readArchive(join(config.backupDir, fileName))
    expect(manifest.damaged).toEqual([storedFile(damaged)])
    expect(archived[storedFile(intact)]).toBe(intact.split('/').at(-1))

    const access = { backupS3: config.backupS3, backupPassphrase: 'a passphrase of ours' }
    const copies = createOffsiteService({
      ...{ config: access, database, files, log: mira.context.log },
      withTempFolder: async (use: (folder: string) => Promise<unknown>) => use(mkdtempSync(join(offsite, 'scratch-'))),
      settings: { current: () => ({ backups: { offsite }, retention: { backups_kept: 7 } }) },
      store: createBackupsStore(database),
      openSnapshot,
    } as never)
    await copies.run({ signal, isLastAttempt: false })
    const repository = await openOffsite(offsite, access, { isCreating: false })
    expect(await repository.listSnapshots()).toHaveLength(1)
    const isCopied = async (path: string) => {
      const stream = await repository.openFile(path)
      stream?.destroy()
      return stream !== null
    }
    expect([await isCopied(damaged), await isCopied(intact)]).toEqual([false, true])
    repository.close()

    const problems: string[][] = []
    await checkFiles({
      ...{ files, signal, store: createStoredFilesStore(database.pool), onProgress: () => {} },
      onProblem: (problem, path) => problems.push([problem, path]),
    })
    expect(problems).toEqual([['damaged', damaged]])
  } finally {
    spy.mockRestore()
    rmSync(offsite, { recursive: true, force: true })
  }
})

test('a file that can’t be opened doesn’t hold up the checks of the others', async () => {
  const { files, database, log } = mira.context
  const { prisma } = database
  await startNewPass()
  const [first] = [...paths].sort()
  const open: typeof files.open = (path, range) =>
    path === first ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' })) : files.open(path, range)
  const scrubbing = createScrubbingService({
    ...{
      store: createScrubbingStore(database),
      files: { ...files, open },
      log,
      notifications: { notify: async () => {} },
    },
    now: () => new Date(Date.now() + 365 * 24 * 3_600_000),
    sources: async function* () {},
  })
  await scrubbing.run(signal)
  expect(await scrubbing.state()).toMatchObject({ checked: paths.length, pass_finished: true })
  await prisma.damagedFile.deleteMany()
  await startNewPass()
})

test('a file whose problem can’t be stored is checked again by the next run', async () => {
  const { database, files, log } = mira.context
  await startNewPass()
  const store = createScrubbingStore(database)
  const scrubbing = createScrubbingService({
    ...{ store: { ...store, report: () => Promise.reject(new Error('no space left')) } },
    ...{ files: { ...files, open: () => Promise.reject(new NotFoundError('It’s gone.')) }, log },
    ...{ sources: async function* () {}, notifications: { notify: async () => {} }, now: () => new Date() },
  })
  await expect(scrubbing.run(signal)).rejects.toThrow('no space left')
  expect(await store.mark()).toBeNull()
})

test('damage found before the files become unavailable is reported by that run', async () => {
  const { database, files, log } = mira.context
  await startNewPass()
  const [first] = [...paths].sort()
  const notified: unknown[] = []
  const open: typeof files.open = (path) =>
    Promise.reject(path === first ? new NotFoundError('It’s gone.') : new UnavailableError('The disk is away.'))
  const scrubbing = createScrubbingService({
    ...{ store: createScrubbingStore(database), files: { ...files, open }, log },
    ...{ sources: async function* () {}, now: () => new Date(Date.now() + 365 * 24 * 3_600_000) },
    notifications: {
      notify: async (_userId, { params }) => {
        notified.push(params)
      },
    },
  })
  await expect(scrubbing.run(signal)).rejects.toThrow('The disk is away.')
  expect(notified).toEqual([{ count: 1, repaired: 0 }])
  await database.prisma.damagedFile.deleteMany()
  await startNewPass()
})

test('uses an encrypted backup for repairs after the off-site copies, and only with enough space to decrypt it', async () => {
  const work = mkdtempSync(join(tmpdir(), 'mira-repairs-'))
  const folder = createArchiveFolder(work)
  const passphrase = 'a passphrase of ours'
  const fileName = 'mira-backup-20260103-000000.zip.sealed'
  await createArchiveWriter({ openSnapshot, files: mira.context.files, passphrase }).write(folder.fileOf(fileName))
  const warnings: object[] = []
  const namesWith = async (spareBytes: number) => {
    const names: string[] = []
    const sources = repairSources({
      ...{ folder, passphrase, scratch: join(work, 'scratch'), spareBytes: async () => spareBytes },
      offsite: { repairSource: async () => ({ name: 'off-site', open: async () => null, close: () => {} }) },
      log: { warn: (fields: object) => warnings.push(fields) } as never,
    })
    for await (const { name, close } of sources) {
      names.push(name)
      close()
    }
    return names
  }
  expect(await namesWith(1e9)).toEqual(['off-site', fileName])
  expect(warnings).toEqual([])
  expect(await namesWith(1000)).toEqual(['off-site'])
  expect(warnings).toMatchObject([{ fileName, spareBytes: 1000 }])
  rmSync(work, { recursive: true })
})

test('a file that the user deleted meanwhile isn’t reported as damaged', async () => {
  const { prisma } = mira.context.database
  const [first = ''] = paths
  const service = createScrubbingService({
    store: {
      ...createScrubbingStore(mira.context.database),
      // its row is deleted while the pass reaches it
      nextFiles: async (after: string) => {
        if (after !== '') return []
        await prisma.mediaItem.deleteMany({ where: { path: first } })
        rmSync(fileOf(first))
        return [first]
      },
    },
    files: mira.context.files,
    sources: async function* () {},
    notifications: { notify: async () => {} },
    now: () => new Date(),
    log: mira.context.log,
  })
  await startNewPass()
  await service.run(signal)
  expect(await filesState()).toMatchObject({ damaged: 0 })
})

test('reads each of ten thousand files at least once in 30 days, and at most 100 in an hour', async () => {
  const all = Array.from({ length: 10_000 }, (_, n) => String(n).padStart(5, '0'))
  const readAt = new Map<string, number[]>()
  let mark: unknown = null
  let hours = 0
  let max = 0
  const service = createScrubbingService({
    store: {
      mark: async () => mark,
      saveMark: async (next: object) => {
        mark = { ...next }
      },
      countFiles: async () => all.length,
      nextFiles: async (after: string, limit: number) => all.filter((path) => path > after).slice(0, limit),
      isReferenced: async () => false,
      unknownOf: async () => [],
      forget: async () => {},
      listDamaged: async () => [],
    },
    files: {
      check: async () => {},
      list: async function* () {},
      open: async (path: string) => {
        readAt.set(path, [...(readAt.get(path) ?? []), hours])
        return { sizeBytes: 0, stream: Readable.from([]) }
      },
    },
    now: () => new Date(hours * 3_600_000),
    log: { error: () => {} },
    sources: async function* () {},
  } as never)
  // the hash of an empty file, so that none is damaged
  all.forEach((path, index) => {
    all[index] = `${path}/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855`
  })
  for (; hours < 24 * 60; hours++) {
    const before = [...readAt.values()].reduce((sum, times) => sum + times.length, 0)
    await service.run(signal)
    const after = [...readAt.values()].reduce((sum, times) => sum + times.length, 0)
    max = Math.max(max, after - before)
  }
  const gaps = all.map((path) => {
    const times = [0, ...(readAt.get(path) ?? []), hours]
    return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? 0)))
  })
  expect(Math.max(...gaps)).toBeLessThanOrEqual(30 * 24)
  expect(max).toBeLessThanOrEqual(100)
})
