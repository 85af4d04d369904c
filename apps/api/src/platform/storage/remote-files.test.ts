import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mockBadSector } from '../../../test/bad-sector.ts'
import { silentLog } from '../../../test/database-template.ts'
import { S3_ACCESS, type S3Server, startS3Server } from '../../../test/s3-server.ts'
import { NotFoundError, UnavailableError } from '../../errors.ts'
import { createDiskFiles } from './disk.ts'
import { openFileCache } from './file-cache.ts'
import type { Files } from './files.ts'
import { moveFiles } from './move-files.ts'
import { openFiles } from './open-files.ts'

let folder: string
let s3: S3Server
let files: Files
const owner = randomUUID()
const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex')
const keysOf = (server: S3Server) => [...server.objects.keys()].sort()
const cachePathOf = (path: string) => join(folder, 'files/cache', path)
const s3Of = (prefix: string, encryption?: 'AES256') => ({
  ...{ bucket: 'files', prefix, endpoint: s3.endpoint, region: 'us-east-1', credentials: S3_ACCESS, encryption },
})
const never = new Promise<void>(() => {})
const openAt = (
  prefix: string,
  { cacheBytes = 1024 ** 2, encryption }: { cacheBytes?: number; encryption?: 'AES256' } = {},
) => openFiles({ dataDir: folder, fileStore: { s3: s3Of(prefix, encryption), cacheBytes } }, silentLog)
const cutConnections = () => {
  s3.onRequest = () => {
    throw new Error('The line is dead.')
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mira-remote-'))
  s3 = await startS3Server('files')
  files = await openAt('home/')
})
afterEach(async () => {
  files.close()
  await s3.close()
  await rm(folder, { recursive: true, force: true })
})

describe('files in S3', () => {
  test('are stored completely, under owner and hash, and only a copy stays on this disk', async () => {
    const content = randomBytes(9 * 1024 * 1024)
    const stored = await files.put(owner, content)
    const hash = sha256(content)
    expect(stored).toEqual({ sha256: hash, sizeBytes: content.length, path: `${owner}/${hash.slice(0, 2)}/${hash}` })
    expect(keysOf(s3)).toEqual([`home/${stored.path}`])
    expect(s3.objects.get(`home/${stored.path}`)?.equals(content)).toBe(true)
    expect(s3.uploads.size).toBe(0)
    expect(await readdir(join(folder, 'files/incoming'))).toEqual([])
    const opened = await files.open(stored.path)
    expect(opened.sizeBytes).toBe(content.length)
    expect((await buffer(opened.stream)).equals(content)).toBe(true)
    expect(await files.usage(owner)).toEqual({ fileCount: 1, sizeBytes: content.length })
    expect(await files.usage(randomUUID())).toEqual({ fileCount: 0, sizeBytes: 0 })
  })

  test('may be empty', async () => {
    const { path } = await files.put(owner, new Uint8Array())
    expect(await text((await files.open(path)).stream)).toBe('')
    expect(await text((await files.open(path, { start: 0, end: -1 })).stream)).toBe('')
  })

  test('can be read in ranges, which are all that is requested from S3', async () => {
    const { path } = await files.put(owner, Buffer.from('0123456789'))
    const ranges: unknown[] = []
    s3.onRequest = ({ headers }) => ranges.push(headers.range)
    const read = async (range: { start?: number; end?: number }) => {
      const { sizeBytes, stream } = await files.open(path, range)
      expect(sizeBytes).toBe(10)
      return text(stream)
    }
    expect(await read({ start: 2, end: 4 })).toBe('234')
    expect(await read({ start: 7 })).toBe('789')
    expect(await read({ end: 1 })).toBe('01')
    expect(ranges).toEqual(['bytes=2-4', 'bytes=7-', 'bytes=0-1'])
  })

  test('resume a download after a broken connection', async () => {
    const content = randomBytes(300_000)
    const { path } = await files.put(owner, content)
    s3.breaksAfterBytes = 100_000
    const { stream } = await files.open(path, { start: 5, end: 250_000 })
    expect((await buffer(stream)).equals(content.subarray(5, 250_001))).toBe(true)
    expect(s3.breaksAfterBytes).toBeUndefined()
  })

  test('have a local copy for programs, which is downloaded once, and again after it was removed', async () => {
    const { path } = await files.put(owner, Buffer.from('for programs'))
    let downloads = 0
    s3.onRequest = ({ method }) => {
      if (method === 'GET') downloads++
    }
    const readLocal = () => files.useLocal(path, (filename) => readFile(filename, 'utf8'))
    expect(await readLocal()).toBe('for programs')
    expect(downloads).toBe(0)
    await rm(cachePathOf(path))
    expect(await Promise.all([readLocal(), readLocal(), readLocal()])).toEqual(Array(3).fill('for programs'))
    expect(downloads).toBe(1)
    await files.useLocal(path, async (filename) => {
      await rm(cachePathOf(path))
      expect(await readFile(filename, 'utf8')).toBe('for programs')
    })
    expect(await readdir(join(folder, 'files/cache/lent'))).toEqual([])
  })

  test('have no local copy for programs when they changed in S3', async () => {
    const { path } = await files.put(owner, Buffer.from('as it was'))
    s3.objects.set(`home/${path}`, Buffer.from('as it is'))
    await rm(cachePathOf(path))
    await expect(files.useLocal(path, async () => {})).rejects.toThrow(/damaged/)
    expect(existsSync(cachePathOf(path))).toBe(false)
  })

  test('are deleted from S3 and from this disk; paths that no store created are not found', async () => {
    const other = randomUUID()
    const [first, second, kept] = await Promise.all([
      files.put(owner, Buffer.from('first')),
      files.put(owner, Buffer.from('second')),
      files.put(other, Buffer.from('first')),
    ])
    await files.delete(first.path)
    await files.delete(first.path)
    await expect(files.open(first.path)).rejects.toBeInstanceOf(NotFoundError)
    await expect(files.useLocal(first.path, async () => {})).rejects.toBeInstanceOf(NotFoundError)
    await files.deleteAll(owner)
    await expect(files.open(second.path)).rejects.toBeInstanceOf(NotFoundError)
    expect(keysOf(s3)).toEqual([`home/${kept.path}`])
    for (const path of ['../secrets', `${owner}/aa/../../x`, 'home', '']) {
      await expect(files.open(path)).rejects.toBeInstanceOf(NotFoundError)
      await expect(files.useLocal(path, async () => {})).rejects.toBeInstanceOf(NotFoundError)
    }
    await expect(files.deleteAll('..')).rejects.toThrow(TypeError)
  })

  test('are unavailable to every call while S3 is down, and unchanged afterwards', async () => {
    const { path } = await files.put(owner, Buffer.from('before'))
    await files.check()
    await rm(cachePathOf(path))
    cutConnections()
    const calls = [
      () => files.put(owner, Buffer.from('meanwhile')),
      () => files.open(path),
      () => files.useLocal(path, async () => {}),
      () => files.delete(path),
      () => files.usage(),
      () => files.check(),
    ]
    for (const call of calls) {
      const error = await call().then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(UnavailableError)
      expect(error).toMatchObject({ status: 503, code: 'files_unavailable', retryAfterSeconds: 30 })
    }
    expect(await readdir(join(folder, 'files/incoming'))).toEqual([])
    s3.onRequest = () => {}
    expect(keysOf(s3)).toEqual([`home/${path}`])
    await files.check()
    expect(await text((await files.open(path)).stream)).toBe('before')
  })

  test('are encrypted when configured', async () => {
    const encrypted = await openAt('sealed/', { encryption: 'AES256' })
    const headers: unknown[] = []
    s3.onRequest = (request) => headers.push(request.headers['x-amz-server-side-encryption'])
    await encrypted.put(owner, Buffer.from('a secret'))
    await encrypted.put(owner, randomBytes(9 * 1024 * 1024))
    encrypted.close()
    expect(headers[0]).toBe('AES256')
    // A multipart upload has the header in its first request.
    expect(headers.filter((value) => value === 'AES256')).toHaveLength(2)
  })
})

describe('the local cache', () => {
  const setAge = async (filename: string, minutes: number) => {
    const time = new Date(Date.now() - minutes * 60_000)
    await utimes(filename, time, time)
  }

  test('stays below its limit, and removes files after an hour', async () => {
    const directory = join(folder, 'a cache')
    const cache = await openFileCache({ directory, maxBytes: 1000 })
    const names = ['a', 'b', 'c', 'd'].map((letter) => `${owner}/${letter.repeat(2)}/${letter.repeat(64)}`)
    for (const [index, name] of names.entries()) {
      await writeFile(join(folder, 'arrived'), Buffer.alloc(400))
      await cache.add(name, join(folder, 'arrived'))
      await setAge(join(directory, name), 20 - index)
    }
    await cache.sweep()
    expect(names.map((name) => existsSync(join(directory, name)))).toEqual([false, false, true, true])
    await setAge(join(directory, names[2] ?? ''), 61)
    await cache.sweep()
    expect(names.map((name) => existsSync(join(directory, name)))).toEqual([false, false, false, true])
  })
})

test('a store that does not respond becomes unavailable after a timeout', async () => {
  const impatient = await openFiles(
    { dataDir: folder, fileStore: { s3: { ...s3Of('home/'), silenceMs: 200 }, cacheBytes: 0 } },
    silentLog,
  )
  const { path } = await files.put(owner, Buffer.from('a letter'))
  s3.onRequest = () => never
  await expect(impatient.open(path)).rejects.toBeInstanceOf(UnavailableError)
  impatient.close()
})

test('no copies of files in S3 stay here once files are stored on the disk', async () => {
  const { path } = await files.put(owner, Buffer.from('a letter'))
  await files.useLocal(path, async () => {})
  expect(existsSync(cachePathOf(path))).toBe(true)
  await openFiles({ dataDir: folder }, silentLog)
  expect(existsSync(cachePathOf(path))).toBe(false)
})

describe('moving files', () => {
  const contents = Array.from({ length: 12 }, (_, index) => Buffer.from(`file ${index} `.repeat(index + 1)))
  let disk: Files
  const move = (from: Files, to: Files, isRemoving = false, signal = new AbortController().signal) =>
    moveFiles({ from, to, journal: join(folder, 'journal.txt'), isRemoving, signal })
  const readAll = async (store: Files) => {
    const read = new Map<string, string>()
    for await (const { path } of store.list()) read.set(path, await text((await store.open(path)).stream))
    return read
  }

  beforeEach(async () => {
    disk = await createDiskFiles({ directory: join(folder, 'disk') })
    for (const content of contents) await disk.put(owner, content)
  })

  test('copies all of them to S3 and back, verifies each, and removes the originals if requested', async () => {
    const before = await readAll(disk)
    expect(await move(disk, files)).toMatchObject({ verifiedCount: 12, earlierCount: 0, damaged: [], removedCount: 0 })
    expect(await readAll(files)).toEqual(before)
    expect(await readAll(disk)).toEqual(before)
    expect(await move(disk, files, true)).toMatchObject({ verifiedCount: 12, earlierCount: 12, removedCount: 12 })
    expect(await disk.usage()).toEqual({ fileCount: 0, sizeBytes: 0 })
    expect(existsSync(join(folder, 'journal.txt'))).toBe(false)
    expect(await move(files, disk)).toMatchObject({ verifiedCount: 12, damaged: [] })
    expect(await readAll(disk)).toEqual(before)
  })

  test('to S3 takes no additional space on the disk, which may be full', async () => {
    const incomingFolder = join(folder, 'files/incoming')
    const links: number[] = []
    s3.onRequest = async ({ method }) => {
      if (method !== 'PUT') return
      for (const name of await readdir(incomingFolder)) links.push((await stat(join(incomingFolder, name))).nlink)
    }
    expect(await move(disk, files)).toMatchObject({ verifiedCount: 12 })
    expect(new Set(links)).toEqual(new Set([2]))
  })

  test('skips a file with a bad sector, and moves the others', async () => {
    const [damaged = ''] = (await readAll(disk)).keys()
    mockBadSector(disk, damaged)
    expect(await move(disk, files)).toMatchObject({ verifiedCount: 11, damaged: [damaged] })
  })

  test('removes nothing when the target loses a file', async () => {
    const [lost = ''] = (await readAll(disk)).keys()
    s3.onRequest = ({ method, url }) => {
      if (method === 'GET' && url?.includes(lost)) s3.objects.delete(`home/${lost}`)
    }
    await expect(move(disk, files, true)).rejects.toBeInstanceOf(NotFoundError)
    expect(await disk.usage()).toMatchObject({ fileCount: 12 })
  })

  test('resumes after an outage without sending anything again', async () => {
    let requests = 0
    s3.onRequest = () => {
      if (++requests > 12) throw new Error('The line is dead.')
    }
    await expect(move(disk, files, true)).rejects.toBeInstanceOf(UnavailableError)
    expect(await disk.usage()).toMatchObject({ fileCount: 12 })
    s3.onRequest = () => {}
    const sent = new Set(s3.writes)
    expect(sent.size).toBeGreaterThan(0)
    s3.writes.length = 0
    const { verifiedCount, earlierCount } = await move(disk, files)
    expect(verifiedCount).toBe(12)
    expect(earlierCount).toBeGreaterThan(0)
    expect(s3.writes.filter((key) => sent.has(key))).toEqual([])
    expect((await readAll(files)).size).toBe(12)
  })

  test('reports and keeps a damaged file, and sends a copy again that S3 has changed', async () => {
    const [damaged = '', changed = ''] = (await readAll(disk)).keys()
    await writeFile(join(folder, 'disk', damaged), 'somebody wrote over it')
    const { sizeBytes } = await disk.open(changed).then(async ({ stream, sizeBytes }) => {
      stream.destroy()
      return { sizeBytes }
    })
    s3.objects.set(`home/${changed}`, Buffer.alloc(sizeBytes, 'x'))
    expect(await move(disk, files, true)).toMatchObject({ verifiedCount: 11, damaged: [damaged], removedCount: 11 })
    expect(sha256(s3.objects.get(`home/${changed}`) ?? '')).toBe(changed.slice(-64))
    expect(s3.objects.has(`home/${damaged}`)).toBe(false)
    expect((await stat(join(folder, 'disk', damaged))).size).toBeGreaterThan(0)
  })
})
