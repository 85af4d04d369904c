import { randomBytes, randomUUID } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StorageFullError } from '../../errors.ts'

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
export const isGone = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** Handler of an error that means that nothing is there; what a disk can't tell at the moment isn't gone. */
export const unlessGone =
  <Instead>(instead: Instead) =>
  (error: unknown): Instead => {
    if (isGone(error)) return instead
    throw error
  }

/** A full disk, and a full quota, is told apart from other trouble. */
export function asStorageError(error: unknown): unknown {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
    ? new StorageFullError(undefined, { cause: error })
    : error
}

/** Shares of Windows and some other network disks sync files, but not folders. */
const CANNOT_SYNC = ['EINVAL', 'ENOTSUP', 'ENOSYS']

/** Without this a crash of the machine may forget the new name of a file whose bytes it kept. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } catch (error) {
    if (!CANNOT_SYNC.includes(codeOf(error) ?? '')) throw error
  } finally {
    await handle.close()
  }
}

/** Suffix of an incomplete file. */
export const PART_SUFFIX = '.part'
/** Name of an incomplete file: that of the whole one, and a part of its own for each process that writes it. */
export const PART_NAME = /^(.+?)(?:\.[0-9a-f]{8})?\.part$/

/**
 * Writes a file that is there whole, and survives a crash, or not at all; only its owner may read it.
 * @returns its size.
 * @throws StorageFullError when there is no room; what the content throws.
 */
export async function writeWholeFile(
  filename: string,
  content: Readable | AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<number> {
  const part = `${filename}.${randomBytes(4).toString('hex')}${PART_SUFFIX}`
  const folder = dirname(filename)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await pipeline(content, createWriteStream(part, { mode: 0o600, flush: true }), signal ? { signal } : {})
    await rename(part, filename)
    await syncFolder(folder)
    return (await stat(filename)).size
  } catch (error) {
    await rm(part, { force: true })
    throw asStorageError(error)
  }
}

export type Folders = readonly [string, ...string[]]

/**
 * Opens a private file that has no name: nothing remains of it, whatever becomes of the process.
 * @param folders the first in which that is possible is used; those that don't exist are made.
 * @param sizeBytes room that it needs.
 * @throws what the last folder's disk says; StorageFullError.
 */
export async function openNamelessFile([folder, ...others]: Folders, sizeBytes: number): Promise<FileHandle> {
  const filename = join(folder, `.mira-${randomUUID()}`)
  let file: FileHandle | undefined
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < sizeBytes) throw new StorageFullError()
    file = await open(filename, 'wx+', 0o600)
    await rm(filename)
    return file
  } catch (error) {
    await file?.close()
    // some disks remove no file that is open
    await rm(filename, { force: true }).catch(() => {})
    const [next, ...rest] = others
    if (next === undefined) throw error
    return openNamelessFile([next, ...rest], sizeBytes)
  }
}

/** Gives a file another name, also on another disk. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    await writeWholeFile(to, createReadStream(from))
    await rm(from)
  }
}

/** Number of simultaneous syncs. */
const SYNCED_AT_ONCE = 16

/** Makes everything in a folder survive a crash of the machine. */
export async function syncTree(folder: string): Promise<void> {
  const waiting = [folder]
  for (const entry of await readdir(folder, { recursive: true })) waiting.push(join(folder, entry))
  const syncNext = async () => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const handle = await open(path, 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    }
  }
  await Promise.all(Array.from({ length: SYNCED_AT_ONCE }, syncNext))
}
