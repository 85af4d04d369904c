import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { NotFoundError, StartupError, StorageFullError } from '../../errors.ts'
import { createDiskFiles } from './disk.ts'
import type { Files } from './files.ts'

let parentFolder: string
let directory: string
let files: Files
const owner = randomUUID()

beforeEach(async () => {
  parentFolder = await mkdtemp(join(tmpdir(), 'mira-files-'))
  directory = join(parentFolder, 'files')
  files = await createDiskFiles({ directory })
})
afterEach(() => rm(parentFolder, { recursive: true, force: true }))

async function* chunksOf(...chunks: (string | Uint8Array)[]) {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}
const put = (content: string, ownerId = owner) => files.put(ownerId, chunksOf(content))
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')

describe('storing', () => {
  test('returns hash, size and path, and the same bytes when opened', async () => {
    const parts = [randomBytes(70_000), randomBytes(1), randomBytes(300_000)]
    const content = Buffer.concat(parts)
    const stored = await files.put(owner, chunksOf(...parts))
    const hash = sha256(content)
    expect(stored).toStrictEqual({ sha256: hash, sizeBytes: 370_001, path: `${owner}/${hash.slice(0, 2)}/${hash}` })
    const opened = await files.open(stored.path)
    expect(opened.sizeBytes).toBe(370_001)
    expect((await buffer(opened.stream)).equals(content)).toBe(true)
  })

  test('an empty file works', async () => {
    const { path } = await files.put(owner, chunksOf())
    const opened = await files.open(path)
    expect([opened.sizeBytes, await text(opened.stream)]).toStrictEqual([0, ''])
  })

  test('the same content several times at once makes one file', async () => {
    await Promise.all(Array.from({ length: 8 }, () => put('same')))
    expect(await files.usage(owner)).toStrictEqual({ fileCount: 1, sizeBytes: 4 })
    expect(await readdir(join(directory, 'incoming'))).toStrictEqual([])
  })

  test('a stream that fails leaves nothing behind', async () => {
    const failing = (async function* () {
      yield Buffer.from('some')
      throw new Error('the line is dead')
    })()
    await expect(files.put(owner, failing)).rejects.toThrow('the line is dead')
    expect(await readdir(join(directory, 'incoming'))).toStrictEqual([])
    expect(await files.usage()).toStrictEqual({ fileCount: 0, sizeBytes: 0 })
  })

  test('on a full disk throws StorageFullError', async () => {
    const full = (async function* () {
      yield Buffer.from('some')
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    })()
    await expect(files.put(owner, full)).rejects.toBeInstanceOf(StorageFullError)
  })
})

describe('opening', () => {
  test('a range includes both ends', async () => {
    const { path } = await put('0123456789')
    const read = async (range: { start?: number; end?: number }) => text((await files.open(path, range)).stream)
    expect([await read({ start: 2, end: 4 }), await read({ start: 8 }), await read({ end: 0 })]).toStrictEqual([
      '234',
      '89',
      '0',
    ])
  })

  test('a deleted file is not found', async () => {
    const { path } = await put('gone')
    await files.delete(path)
    await expect(files.open(path)).rejects.toBeInstanceOf(NotFoundError)
  })

  test.each([
    '../secret',
    '/etc/passwd',
    `${owner}/../../secret`,
    `${owner}/ab/../../../secret`,
    `${owner}/ab/${'cd'.repeat(32)}`,
    `${owner}/ab/ab${'0'.repeat(62)}\0`,
    `${owner}/ab/ab${'0'.repeat(62)}/../..`,
    'incoming/x',
    '',
  ])('a path that this store did not create is not found: %j', async (path) => {
    await writeFile(join(parentFolder, 'secret'), 'kept')
    await expect(files.open(path)).rejects.toBeInstanceOf(NotFoundError)
    await files.delete(path)
    expect(await readFile(join(parentFolder, 'secret'), 'utf8')).toBe('kept')
  })
})

describe('deleting', () => {
  test('one file, even twice, keeps the others', async () => {
    const [first, second] = [await put('first'), await put('second')]
    await files.delete(first.path)
    await files.delete(first.path)
    expect(await text((await files.open(second.path)).stream)).toBe('second')
  })

  test('all files of an owner keeps those of another, even with the same content', async () => {
    const other = randomUUID()
    await put('shared')
    const file = await put('shared', other)
    await files.deleteAll(owner)
    expect(await files.usage(owner)).toStrictEqual({ fileCount: 0, sizeBytes: 0 })
    expect(await text((await files.open(file.path)).stream)).toBe('shared')
  })

  test.each(['..', '.', '', 'incoming', '../..'])(
    'all files of an invalid owner fails and deletes nothing: %j',
    async (ownerId) => {
      const file = await put('kept')
      await expect(files.deleteAll(ownerId)).rejects.toThrow(TypeError)
      expect(await text((await files.open(file.path)).stream)).toBe('kept')
    },
  )
})

test('usage without an owner adds up all owners', async () => {
  await put('1234')
  await put('12345678', randomUUID())
  expect(await files.usage()).toStrictEqual({ fileCount: 2, sizeBytes: 12 })
  expect(await files.freeBytes()).toBeGreaterThan(0)
})

test('uploads that a killed process left behind are removed after a day', async () => {
  const [old, fresh] = ['old', 'fresh'].map((name) => join(directory, 'incoming', name)) as [string, string]
  await writeFile(old, '')
  await writeFile(fresh, '')
  const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000)
  await utimes(old, twoDaysAgo, twoDaysAgo)
  await createDiskFiles({ directory })
  expect(await readdir(join(directory, 'incoming'))).toStrictEqual(['fresh'])
})

test('a folder that cannot be created fails the start', async () => {
  const blocked = join(directory, 'file')
  await writeFile(blocked, '')
  await expect(createDiskFiles({ directory: join(blocked, 'files') })).rejects.toBeInstanceOf(StartupError)
})
