import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertUser } from '../../../../test/factories.ts'
import { StorageFullError } from '../../../errors.ts'
import { newId } from '../../../platform/database/new-id.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createBackupsService } from './backups.service.ts'
import { createBackupsStore } from './backups.store.ts'

const work = mkdtempSync(join(tmpdir(), 'mira-backup-'))
afterAll(() => rmSync(work, { recursive: true, force: true }))

test('a new backup replaces the oldest, but never the newest proven one of database and files', async () => {
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const folder = createArchiveFolder(join(work, 'rotating'))
  const nameOf = (day: number) => `mira-backup-2026010${day}-000000.zip`
  const update = 'mira-backup-20260105-000000-update.zip'
  const write = async (filename: string) => {
    await writeWholeFile(filename, [Buffer.from('x')] as never)
    return { sizeBytes: 1, missing: [], damaged: [] }
  }
  const earlierNames = [1, 2, 3, 4].map(nameOf)
  for (const name of [...earlierNames, update]) await write(folder.fileOf(name))
  await store.syncWithFolder(folder.list)
  await database.prisma.backup.updateMany({ data: { isCreatedHere: true } })
  await database.prisma.backup.updateMany({
    where: { fileName: { in: [nameOf(1), nameOf(2), update] } },
    data: { trialRestoredAt: new Date() },
  })
  const backups = createBackupsService({
    ...{ store, folder, writer: { write }, neededBytes: async () => 1, queue: { enqueue: async () => {} } },
    settings: { current: () => ({ retention: { backups_kept: 2 } }) },
    notifications: { notify: async () => {} },
    log: { warn: () => {}, error: () => {} },
  } as never)
  const namesAfter = async (day: number) => {
    const row = await store.add(nameOf(day), async () => {})
    await backups.run(row?.id ?? '', new AbortController().signal)
    return (await folder.list()).map(({ fileName }) => fileName).sort()
  }
  expect(await namesAfter(6)).toEqual([nameOf(2), nameOf(4), update, nameOf(6)].sort())
  // copied back from another disk
  await write(folder.fileOf(nameOf(3)))
  expect(await namesAfter(7)).toEqual([nameOf(2), nameOf(3), update, nameOf(6), nameOf(7)].sort())
  await database.close()
})

test('a backup with damaged files replaces none that may have them intact, and ignores files deleted meanwhile', async () => {
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const folder = createArchiveFolder(join(work, 'damaged'))
  const deleted = `files/${newId()}/ab/ab${'0'.repeat(62)}`
  let damaged: string[] = []
  const notifications: object[] = []
  const write = async (filename: string) => {
    await writeWholeFile(filename, [Buffer.from('x')] as never)
    return { sizeBytes: 1, missing: [deleted], damaged }
  }
  const backups = createBackupsService({
    ...{ store, folder, writer: { write }, neededBytes: async () => 1, queue: { enqueue: async () => {} } },
    settings: { current: () => ({ retention: { backups_kept: 1 } }) },
    notifications: { notify: async (_user: string, notice: object) => void notifications.push(notice) },
    log: { warn: () => {}, error: () => {} },
  } as never)
  await insertUser(database, { role: 'admin' })
  const backUp = async (day: number) => {
    const row = await store.add(`mira-backup-2026010${day}-000000.zip`, async () => {})
    await backups.run(row?.id ?? '', new AbortController().signal)
    return (await folder.list()).map(({ fileName }) => Number(fileName.slice(18, 20))).sort()
  }
  await backUp(1)
  expect(await backUp(2)).toEqual([2])
  expect(notifications.at(-1)).toMatchObject({ kind: 'backup_done', params: { problems: 0 } })
  const path = `${newId()}/cd/cd${'0'.repeat(62)}`
  await database.prisma.unreferencedFile.create({ data: { path } })
  damaged = [`files/${path}`]
  expect(await backUp(3)).toEqual([2, 3])
  expect(notifications.at(-1)).toMatchObject({
    kind: 'backup_done',
    params: { problems: 1, reason: expect.stringContaining('1 stored file is missing or damaged') },
    sentences: [{ code: 'backup_lacks_files', params: { count: 1 } }],
  })
  expect(await backUp(4)).toEqual([2, 4])
  damaged = []
  expect(await backUp(5)).toEqual([5])
  await database.close()
})

test('a backup that fills the disk fails with that reason, leaves no partial file, and keeps earlier backups', async () => {
  const database = await openTestDatabase()
  await insertUser(database, { role: 'admin' })
  const notifications: object[] = []
  const folder = join(work, 'small')
  const earlier = 'mira-backup-20260101-000000.zip'
  await writeWholeFile(join(folder, earlier), [Buffer.from('x')] as never)
  const store = createBackupsStore(database)
  const row = await store.add('mira-backup-20260102-000000.zip', async () => {})
  const archives = createArchiveFolder(folder)
  const backups = createBackupsService({
    store,
    folder: { ...archives, freeBytes: async () => 9e9 },
    writer: {
      write: async (filename: string) => {
        writeFileSync(`${filename}.part`, 'half')
        throw new StorageFullError()
      },
    },
    neededBytes: async () => 1,
    settings: { current: () => ({ retention: { backups_kept: 1 } }) },
    queue: { enqueue: async () => {} },
    notifications: { notify: async (_user: string, notice: object) => void notifications.push(notice) },
    log: { error: () => {} },
  } as never)
  await backups.run(row?.id ?? '', new AbortController().signal)
  expect(await store.find(row?.id ?? '')).toMatchObject({
    state: 'failed',
    error: 'The disk filled up before the backup was complete.',
    errorSentences: [{ code: 'backup_disk_full', params: {} }],
  })
  expect(readdirSync(folder)).toEqual([earlier])
  expect(notifications).toMatchObject([{ kind: 'backup_failed' }])
  await database.close()
})

test('refuses a backup without enough space, and leaves no partial file on a full disk', async () => {
  const files = [1, 2, 3].map((size) => ({ fileName: `${size}.zip`, sizeBytes: size * 1e6 }))
  const beginWithOwn = (ownCount: number) =>
    createBackupsService({
      store: { listOwn: async () => files.slice(0, ownCount) },
      folder: { make: async () => {}, freeBytes: async () => 5_000_000, list: async () => files },
      neededBytes: async () => 7_000_000,
    } as never).begin()
  const noRoom = 'There isn’t enough room for a backup: it may take 7 MB, and 5 MB are free.'
  await expect(beginWithOwn(3)).rejects.toMatchObject({
    message: expect.stringContaining(noRoom),
    sentences: [{ code: 'backup_no_room', params: { needed: 7, free: 5 } }],
  })
  await expect(beginWithOwn(2)).rejects.toThrow(/by hand and is never removed automatically: 3\.zip, 3 MB\. Delete it/)
  await expect(beginWithOwn(0)).rejects.toThrow(/3 archives .*: 6 MB in total\. .*the largest is 3\.zip\.$/)
  const folder = join(work, 'full')
  const content = async function* () {
    yield Buffer.alloc(100_000)
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  await expect(writeWholeFile(join(folder, 'a.zip'), content())).rejects.toThrow(StorageFullError)
  expect(readdirSync(folder)).toEqual([])
})

const fourNames = ['1', '2', '3', '4']

test.each([
  ['removes the oldest until a tenth of the disk stays free', fourNames, 45, ['3', '4'], null],
  ['keeps all when there is enough space', fourNames, 80, fourNames, null],
  ['removes none when that would not be enough', fourNames, 5, fourNames, 'backup_no_room'],
  ['removes update archives first', ['1', '2', '4-update.zip'], 60, ['1', '2'], null],
  ['keeps the newest with files', ['4', '5-update.zip'], 60, ['4'], null],
] as const)('a scheduled backup %s', async (_, names, freeGigabytes, expectedNames, failure) => {
  const sizeByName = new Map(names.map((name) => [name, 20e9]))
  const failures: (string | undefined)[] = []
  const forgottenNames: string[] = []
  const backups = createBackupsService({
    store: {
      claim: async () => ({ fileName: '5', attempts: 1, reason: 'schedule' }),
      listOwn: async () =>
        names.map((fileName) => ({ fileName, problems: 0, problemPaths: [], isTrialRestored: fileName === '3' })),
      problemsOf: async () => [],
      problemsBefore: async () => 0,
      saveProgress: async () => true,
      complete: async () => true,
      forgetFailures: async () => {},
      forget: async (removed: string[]) => void forgottenNames.push(...removed),
      recordBackup: async () => {},
      fail: async (_claim: object, { sentences }: { sentences: { code: string }[] }) =>
        failures.push(sentences[0]?.code) > 0,
      listAdminIds: async () => [],
    },
    folder: {
      fileOf: (name: string) => name,
      make: async () => {},
      removeExcess: async () => [],
      totalBytes: async () => 500e9,
      freeBytes: async () => freeGigabytes * 1e9 + (names.length - sizeByName.size) * 20e9,
      list: async () => [...sizeByName].map(([fileName, sizeBytes]) => ({ fileName, sizeBytes })),
      remove: async (name: string) => void sizeByName.delete(name),
    },
    writer: { write: async () => ({ sizeBytes: 1, missing: [], damaged: [] }) },
    neededBytes: async () => 25e9,
    now: () => new Date(),
    settings: { current: () => ({ retention: { backups_kept: 7 } }) },
    queue: { enqueue: async () => {} },
    log: { warn: () => {}, error: () => {} },
  } as never)
  await backups.run('id', new AbortController().signal)
  expect([...sizeByName.keys()]).toEqual(expectedNames)
  expect(forgottenNames.sort()).toEqual(names.filter((name) => !sizeByName.has(name)))
  expect(failures).toEqual(failure === null ? [] : [failure])
})
