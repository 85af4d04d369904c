import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { insertRestoreNotification } from '../../../../test/factories.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createBackupsStore } from './backups.store.ts'
import { problemsOf } from './own-archives.store.ts'

test('a backup that completes while the folder is read stays listed', async () => {
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const folderOfArchives = mkdtempSync(join(tmpdir(), 'mira-archives-'))
  onTestFinished(() => rmSync(folderOfArchives, { recursive: true }))
  const folder = createArchiveFolder(folderOfArchives)
  const nameOf = (day: number) => `mira-backup-2026010${day}-000000.zip`
  await writeWholeFile(folder.fileOf(nameOf(1)), [Buffer.from('x')] as never)
  await store.syncWithFolder(folder.list)
  const row = await store.add(nameOf(2), async () => {})
  await store.syncWithFolder(async () => {
    const files = await folder.list()
    await writeWholeFile(folder.fileOf(nameOf(2)), [Buffer.from('x')] as never)
    await store.complete({ id: row?.id ?? '', attempts: 0 }, { sizeBytes: 1, problemPaths: [] })
    return files
  })
  await store.syncWithFolder(folder.list)
  const ids = (await store.list()).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect(ids).toContain(row?.id)
  await database.close()
})

test('recognises its own archives after a restore and after their disk was away, and distinguishes those copied by hand', async () => {
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const fileOf = (day: number) => ({
    ...{ fileName: `mira-backup-2026010${day}-000000.zip`, sizeBytes: 1 },
    modifiedAt: new Date(2026, 0, day),
  })
  await insertRestoreNotification(database)
  const own = async () => (await store.listOwn()).map(({ fileName }) => Number(fileName.slice(19, 20))).sort()
  await store.syncWithFolder(async () => [fileOf(1), fileOf(2)])
  expect(await own()).toEqual([1, 2])
  await store.syncWithFolder(async () => [fileOf(1), fileOf(2), fileOf(3)])
  expect(await own()).toEqual([1, 2])
  // one was made in the mount point while the disk was away
  const row = await store.add(fileOf(4).fileName, async () => {})
  await store.complete({ id: row?.id ?? '', attempts: 0 }, { sizeBytes: 1, problemPaths: ['a'] })
  await store.syncWithFolder(async () => [fileOf(4)])
  expect((await store.list()).map(({ fileName }) => fileName)).toEqual([fileOf(4).fileName])
  // the disk is back, and the list hasn't been synchronised yet
  expect(await own()).toEqual([1, 2, 4])
  await store.syncWithFolder(async () => [1, 2, 3, 4].map(fileOf))
  expect(await own()).toEqual([1, 2, 4])
  expect(await store.list()).toHaveLength(4)
  // made by a server of the previous version, which doesn't mark its backups
  await database.prisma.backup.updateMany({ where: { fileName: fileOf(3).fileName }, data: { attempts: 1 } })
  expect(await own()).toEqual([1, 2, 3, 4])
  await database.close()
})

test('a backup dated in the future isn’t the newest', async () => {
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const add = async (day: number, createdAt: Date | undefined, problems: number) => {
    const finished = { state: 'completed', isCreatedHere: true, problems, ...(createdAt && { createdAt }) }
    const fileName = `mira-backup-2026010${day}-000000.zip`
    return (await database.prisma.backup.create({ data: { ...finished, fileName } })).id
  }
  await add(1, new Date('2999-01-01'), 7)
  const id = await add(2, undefined, 1)
  expect(await store.problemsBefore('another.zip')).toBe(1)
  expect(await store.newestWithoutTrialRestore()).toBe(id)
  await database.close()
})

test('counts all missing files when the database can’t be asked which are still referenced', async () => {
  const pool = { query: () => Promise.reject(new Error('Query read timeout')) } as never
  const name = `files/${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}/ab/ab${'0'.repeat(62)}`
  expect(await problemsOf(pool, { missing: [name], damaged: [] })).toHaveLength(1)
})
