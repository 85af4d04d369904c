import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../../../test/database-template.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createBackupsStore } from './backups.store.ts'

test('one that is completed while the folder is read stays in the list', async () => {
  const database = await openTestDatabase()
  const store = createBackupsStore(database)
  const folderOfArchives = mkdtempSync(join(tmpdir(), 'mira-archives-'))
  onTestFinished(() => rmSync(folderOfArchives, { recursive: true }))
  const folder = createArchiveFolder(folderOfArchives)
  const nameOf = (day: number) => `mira-backup-2026010${day}-000000.zip`
  await writeWholeFile(folder.fileOf(nameOf(1)), [Buffer.from('x')] as never)
  await store.follow(folder.list)
  const row = await store.add(nameOf(2), async () => {})
  await store.follow(async () => {
    const files = await folder.list()
    await writeWholeFile(folder.fileOf(nameOf(2)), [Buffer.from('x')] as never)
    await store.complete(row?.id ?? '', { sizeBytes: 1, problems: 0 })
    return files
  })
  await store.follow(folder.list)
  const ids = (await store.list()).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect(ids).toContain(row?.id)
  await database.close()
})
