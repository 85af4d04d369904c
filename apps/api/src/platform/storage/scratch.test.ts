import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createScratch } from './scratch.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mira-scratch-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

test('a folder is empty, and is removed with its content afterwards, even when the work fails', async () => {
  const { withTempFolder, close } = await createScratch({ directory, isOnlyProcess: true })
  const folders: string[] = []
  const work = withTempFolder(async (folder) => {
    folders.push(folder)
    expect(await readdir(folder)).toEqual([])
    await writeFile(join(folder, 'a'), 'a')
    throw new Error('no')
  })
  await expect(work).rejects.toThrow('no')
  await expect(readdir(folders[0] ?? '')).rejects.toThrow('ENOENT')
  await close()
  expect(await readdir(directory)).toEqual([])
})

test('the folder of a killed server is removed, that of a running one is not', async () => {
  const hoursAgo = new Date(Date.now() - 3 * 60 * 60_000)
  for (const name of ['killed', 'alive']) await mkdir(join(directory, name, 'folder'), { recursive: true })
  await utimes(join(directory, 'killed'), hoursAgo, hoursAgo)
  const { close } = await createScratch({ directory, isOnlyProcess: false })
  expect(await readdir(directory)).toContain('alive')
  expect(await readdir(directory)).not.toContain('killed')
  await close()
})

test('the folder of a server that was killed shortly before is removed an hour later', async () => {
  for (const name of ['killed', 'alive']) await mkdir(join(directory, name))
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] })
  const { close } = await createScratch({ directory, isOnlyProcess: false })
  await utimes(join(directory, 'alive'), 0, 0)
  vi.advanceTimersByTime(60 * 60_000)
  vi.useRealTimers()
  await expect.poll(() => readdir(directory)).not.toContain('killed')
  expect(await readdir(directory)).toContain('alive')
  await close()
})

test('all folders are removed when there can be no other server', async () => {
  await mkdir(join(directory, 'killed'), { recursive: true })
  const { close } = await createScratch({ directory, isOnlyProcess: true })
  await close()
  expect(await readdir(directory)).toEqual([])
})
