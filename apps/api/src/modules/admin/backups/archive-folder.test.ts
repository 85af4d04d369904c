import { chmodSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { createArchiveFolder } from './archive-folder.ts'

/** A folder with archives of these names. */
async function folderOf(names: readonly string[]) {
  const directory = mkdtempSync(join(tmpdir(), 'mira-archives-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const folder = createArchiveFolder(directory)
  for (const name of names) await writeWholeFile(folder.fileOf(name), [Buffer.from('x')] as never)
  return { folder, remaining: () => readdirSync(directory).sort() }
}

const nameOf = (day: number, suffix = '') => `mira-backup-2026010${day}-000000${suffix}.zip`

test('keeps the archive just written after the clock was set back', async () => {
  const { folder, remaining } = await folderOf([1, 2, 3].map((day) => nameOf(day)))
  const own = [1, 2, 3].map((day) => ({ fileName: nameOf(day), problems: 0, problemPaths: [], isTrialRestored: false }))
  await folder.removeExcess(2, nameOf(1), own)
  expect(remaining()).toEqual([nameOf(1), nameOf(3)])
})

test('removes update archives dated in the future first', async () => {
  const { folder, remaining } = await folderOf([1, 2, 9].map((day) => nameOf(day, '-update')))
  await folder.removeExcessUpdates(nameOf(2, '-update'))
  expect(remaining()).toEqual([nameOf(1, '-update'), nameOf(2, '-update')])
})

test('removes the partial files of a dead process with their archive, or after a day', async () => {
  const { folder, remaining } = await folderOf([])
  const partsOf = (name: string) => [`${name}.part`, `${name}.0123abcd.part`]
  const [left, old] = [nameOf(1), `${nameOf(2)}.sealed`]
  const names = [...partsOf(left), ...partsOf(old), 'somebody else’s.part']
  for (const name of names) writeFileSync(join(folder.directory, name), 'half')
  await folder.remove(left)
  expect(remaining()).toEqual(names.slice(2).sort())
  for (const name of remaining()) utimesSync(join(folder.directory, name), 0, 0)
  await folder.make()
  expect(remaining()).toEqual(['somebody else’s.part'])
})

test('keeps a file being written when the local clock is ahead of the disk’s', async () => {
  const { folder, remaining } = await folderOf([])
  writeFileSync(join(folder.directory, `${nameOf(1)}.0123abcd.part`), 'half')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 48 * 3_600_000 })
  await folder.make().finally(() => vi.useRealTimers())
  expect(remaining()).toEqual([`${nameOf(1)}.0123abcd.part`])
})

test('keeps the update archive just written after the clock was set back', async () => {
  const { folder, remaining } = await folderOf([1, 2, 3].map((day) => nameOf(day, '-update')))
  await folder.removeExcessUpdates(nameOf(1, '-update'))
  expect(remaining()).toEqual([nameOf(1, '-update'), nameOf(3, '-update')])
})

test('names a folder that can’t be created or written', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'mira-archives-')), 'file')
  onTestFinished(() => rmSync(dirname(file), { recursive: true }))
  writeFileSync(file, '')
  await expect(createArchiveFolder(join(file, 'backups')).make()).rejects.toThrow(
    `the folder of the backups, ${join(file, 'backups')} (ENOTDIR)`,
  )
  // Root may write everywhere except where the system itself refuses it.
  const closed = process.getuid?.() === 0 ? '/proc/self' : dirname(file)
  chmodSync(dirname(file), 0o500)
  await expect(createArchiveFolder(closed).make()).rejects.toThrow(`the folder of the backups, ${closed} (`)
})
