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

/** In memory on Linux, apart from the folder of temporary files. */
const OTHER_DISK = '/dev/shm'
const here = mkdtempSync(join(tmpdir(), 'mira-move-'))
const isThere = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(here).dev
const there = isThere ? mkdtempSync(join(OTHER_DISK, 'mira-move-')) : ''
afterAll(() => {
  for (const folder of [here, there]) if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

test.each([
  ['folder', syncFolder],
  ['tree', syncTree],
])(
  'a %s on a network disk that syncs no folders is written, and another error of the disk is told',
  async (_what, sync) => {
    mkdirSync(join(here, 'letters'), { recursive: true })
    writeFileSync(join(here, 'letters', 'one'), 'a letter')
    const folder = await open(here)
    let code = 'EINVAL'
    const fsync = vi.spyOn(Object.getPrototypeOf(folder) as typeof folder, 'sync')
    onTestFinished(() => {
      fsync.mockRestore()
      return folder.close()
    })
    fsync.mockImplementation(async function (this: typeof folder) {
      if ((await this.stat()).isDirectory()) throw Object.assign(new Error(`${code}: fsync`), { code })
    })
    await sync(here)
    code = 'EIO'
    await expect(sync(here)).rejects.toThrow('EIO')
    if (sync !== syncTree) return
    fsync.mockRejectedValue(Object.assign(new Error('EINVAL: fsync'), { code: 'EINVAL' }))
    await expect(sync(here)).rejects.toThrow('EINVAL')
  },
)

test('a file without a name is never seen, and made where there is room for it', async () => {
  const [closed, folder] = [join(here, 'a file', 'below'), join(here, 'private')]
  writeFileSync(join(here, 'a file'), '')
  const file = await openNamelessFile([closed, folder], 1)
  expect(readdirSync(folder)).toEqual([])
  await file.writeFile('a letter')
  const { buffer } = await file.read({ buffer: Buffer.alloc(8), position: 0 })
  expect(String(buffer)).toBe('a letter')
  await file.close()
  await expect(openNamelessFile([folder], 1e18)).rejects.toThrow(StorageFullError)
  expect(readdirSync(folder)).toEqual([])
})

test('a file that the disk cannot remove while it is open leaves nothing there', async () => {
  const [first, second] = ['odd', 'usual'].map((name) => join(here, name)) as [string, string]
  isRemovalRefused = true
  const file = await openNamelessFile([first, second], 1)
  await file.close()
  expect([readdirSync(first), readdirSync(second)]).toEqual([[], []])
})

test.skipIf(!isThere)('a file is moved to another disk', async () => {
  const [from, to] = [join(here, 'letter'), join(there, 'letter')]
  writeFileSync(from, 'a letter')
  await moveFile(from, to)
  expect([existsSync(from), readFileSync(to, 'utf8')]).toEqual([false, 'a letter'])
})
