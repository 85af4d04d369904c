import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createPartialFiles } from './partial-files.ts'

/** More than is written before a sync starts. */
const LARGE_BYTES = 17 * 1024 * 1024

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mira-partial-files-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('hashes only the kept bytes of a file when a part has to be sent again after a failed sync', async () => {
  const files = await createPartialFiles({ directory })
  const filename = files.filenameOf('ada', 'upload')
  await mkdir(dirname(filename), { recursive: true })
  await writeFile(filename, '')
  const write = (content: Buffer, offset: number) =>
    files.write('ada', 'upload', { content: Readable.from([content]), offset })
  expect(await write(Buffer.from('abc'), 0)).toBe(3)

  await using file = await open(filename)
  const datasync = vi.spyOn(Object.getPrototypeOf(file), 'datasync').mockRejectedValueOnce(new Error('EIO'))
  await expect(write(Buffer.alloc(LARGE_BYTES, 'X'), 3)).rejects.toThrow('EIO')
  datasync.mockRestore()

  expect(await write(Buffer.from('def'), 3)).toBe(6)
  expect(await readFile(filename, 'utf8')).toBe('abcdef')
  expect(files.sha256Of('ada', 'upload', 6)).toBe(createHash('sha256').update('abcdef').digest('hex'))
})

test('files of one user that can’t be checked don’t keep those of others without a row', async () => {
  const files = await createPartialFiles({ directory })
  const old = new Date(Date.now() - 48 * 60 * 60_000)
  for (const userId of ['bea', 'cid']) {
    const filename = files.filenameOf(userId, `of-${userId}`)
    await mkdir(dirname(filename), { recursive: true })
    await writeFile(filename, '')
    await utimes(filename, old, old)
  }
  const areKnown = async (ids: string[]) => {
    if (ids.includes('of-bea')) throw new Error('refused')
    return new Set<string>()
  }
  await expect(files.sweep(areKnown)).rejects.toThrow('refused')
  expect([existsSync(files.filenameOf('bea', 'of-bea')), existsSync(files.filenameOf('cid', 'of-cid'))]).toEqual([
    true,
    false,
  ])
})
