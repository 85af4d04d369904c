import { randomBytes, randomUUID } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StorageFullError } from '../../errors.ts'

export const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
/** True for the error of a missing file or folder. */
export const isGone = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/**
 * Error handler that returns `fallback` for a missing file and rethrows everything else: an unreadable disk doesn't mean
 * that the file is gone.
 */
export const unlessGone =
  <Fallback>(fallback: Fallback) =>
  (error: unknown): Fallback => {
    if (isGone(error)) return fallback
    throw error
  }

/** True for an error of the file system, which isn't the fault of the content that's read or written. */
export const isSystemError = (error: unknown) => error instanceof Error && 'syscall' in error

/** Converts a full disk or exceeded quota to StorageFullError; other errors stay as they are. */
export function asStorageError(error: unknown): unknown {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
    ? new StorageFullError(undefined, { cause: error })
    : error
}

/** Error codes of Windows shares and some other network disks, which can sync files but not folders. */
const CANNOT_SYNC = ['EINVAL', 'ENOTSUP', 'ENOSYS']

/** Syncs the names in a folder. Otherwise a crash of the machine may lose a file's new name, although its bytes are kept. */
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
/** Name of an incomplete file: the final name plus a random suffix per writer. */
export const PART_NAME = /^(.+?)(?:\.[0-9a-f]{8})?\.part$/

/**
 * Writes a file atomically and durably; only its owner may read it.
 * @returns its size.
 * @throws StorageFullError when the disk is full; what the content throws.
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
 * Opens a private file without a name, of which nothing remains even after a crash.
 * @param folders the first one in which that's possible is used; missing ones are created.
 * @param sizeBytes space that it needs.
 * @throws the last folder's file system error; StorageFullError.
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
    // some file systems can't remove open files
    await rm(filename, { force: true }).catch(() => {})
    const [next, ...rest] = others
    if (next === undefined) throw error
    return openNamelessFile([next, ...rest], sizeBytes)
  }
}

/** Moves a file, even to another disk. */
export async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    await writeWholeFile(to, createReadStream(from))
    await rm(from)
  }
}

const SYNCED_AT_ONCE = 16

/** Makes everything in a folder survive a crash of the machine. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const pending = entries.map((entry) => ({ path: join(entry.parentPath, entry.name), isFolder: entry.isDirectory() }))
  pending.push({ path: folder, isFolder: true })
  const syncNext = async () => {
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      await (next.isFolder ? syncFolder(next.path) : syncFile(next.path))
    }
  }
  await Promise.all(Array.from({ length: SYNCED_AT_ONCE }, syncNext))
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
