import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { StorageFullError } from '../../errors.ts'
import { moveFile, openNamelessFile, syncFolder, syncTree } from './whole-file.ts'

let isRemovalRefused = false
vi.mock('node:fs/promises', async (original) => {
  const promises = await original<typeof import('node:fs/promises')>()
  const rm: typeof promises.rm = async (path, options) => {
    if (!isRemovalRefused) return promises.rm(path, options)
    isRemovalRefused = false
    throw Object.assign(new Error('EBUSY: resource busy'), { code: 'EBUSY' })
  }
  return { ...promises, rm }
})

/** File system in memory on Linux, separate from that of temporary files. */
const OTHER_DISK = '/dev/shm'
const folderOnDisk = mkdtempSync(join(tmpdir(), 'mira-move-'))
const hasOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(folderOnDisk).dev
const folderOnOtherDisk = hasOtherDisk ? mkdtempSync(join(OTHER_DISK, 'mira-move-')) : ''
afterAll(() => {
  for (const folder of [folderOnDisk, folderOnOtherDisk])
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['folder', syncFolder],
  ['tree', syncTree],
])('syncing a %s ignores that a network disk cannot sync folders, but no other error', async (_kind, sync) => {
  mkdirSync(join(folderOnDisk, 'letters'), { recursive: true })
  writeFileSync(join(folderOnDisk, 'letters', 'one'), 'a letter')
  const folder = await open(folderOnDisk)
  let code = 'EINVAL'
  const fsync = vi.spyOn(Object.getPrototypeOf(folder) as typeof folder, 'sync')
  onTestFinished(() => {
    fsync.mockRestore()
    return folder.close()
  })
  fsync.mockImplementation(async function (this: typeof folder) {
    if ((await this.stat()).isDirectory()) throw Object.assign(new Error(`${code}: fsync`), { code })
  })
  await sync(folderOnDisk)
  code = 'EIO'
  await expect(sync(folderOnDisk)).rejects.toThrow('EIO')
  if (sync !== syncTree) return
  fsync.mockRejectedValue(Object.assign(new Error('EINVAL: fsync'), { code: 'EINVAL' }))
  await expect(sync(folderOnDisk)).rejects.toThrow('EINVAL')
})

test('a nameless file is never visible, and is created in the first folder with enough space', async () => {
  const [unusable, folder] = [join(folderOnDisk, 'a file', 'below'), join(folderOnDisk, 'private')]
  writeFileSync(join(folderOnDisk, 'a file'), '')
  const file = await openNamelessFile([unusable, folder], 1)
  expect(readdirSync(folder)).toEqual([])
  await file.writeFile('a letter')
  const { buffer } = await file.read({ buffer: Buffer.alloc(8), position: 0 })
  expect(String(buffer)).toBe('a letter')
  await file.close()
  await expect(openNamelessFile([folder], 1e18)).rejects.toThrow(StorageFullError)
  expect(readdirSync(folder)).toEqual([])
})

test('a nameless file leaves nothing on a disk that cannot remove open files', async () => {
  const [first, second] = ['odd', 'usual'].map((name) => join(folderOnDisk, name)) as [string, string]
  isRemovalRefused = true
  const file = await openNamelessFile([first, second], 1)
  await file.close()
  expect([readdirSync(first), readdirSync(second)]).toEqual([[], []])
})

test.skipIf(!hasOtherDisk)('a file is moved to another disk', async () => {
  const [from, to] = [join(folderOnDisk, 'letter'), join(folderOnOtherDisk, 'letter')]
  writeFileSync(from, 'a letter')
  await moveFile(from, to)
  expect([existsSync(from), readFileSync(to, 'utf8')]).toEqual([false, 'a letter'])
})
