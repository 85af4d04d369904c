import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'
import { createEarlySync } from './early-sync.ts'
import { type FileContent, type Files, requireOwner, type StoredFile } from './files.ts'
import { asStorageError, codeOf, isGone } from './whole-file.ts'

const INCOMING = 'incoming'
/** Size of a write; up to twice as much of a stream is buffered. */
const BATCH_BYTES = 512 * 1024
/** Maximum number of buffers in one write; the system accepts more. */
const BATCH_CHUNKS = 500
/** Age after which a file must be a killed process's leftover. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/** A received file that has no owner yet. */
interface ArrivedContent extends Omit<StoredFile, 'path'> {
  filename: string
}

/**
 * Receives files in a local folder, which is created if missing.
 * @param store stores a received file for an owner; it also removes the local file, even on failure.
 * @throws StartupError when the folder isn't writable.
 */
export async function openReceiving(
  directory: string,
  store: (ownerId: string, arrived: ArrivedContent) => Promise<StoredFile>,
): Promise<Pick<Files, 'receive' | 'receiveFile' | 'put' | 'freeBytes'>> {
  const incoming = join(directory, INCOMING)
  try {
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    await removeAbandoned(incoming)
    await statfs(directory)
  } catch (error) {
    throw new StartupError(`The folder for files, ${directory}, can’t be used: ${(error as Error).message}`, {
      cause: error,
    })
  }

  const receiveWith = async (writeTo: (filename: string) => Promise<Omit<StoredFile, 'path'>>) => {
    const filename = join(incoming, randomUUID())
    try {
      const received = { ...(await writeTo(filename)), filename }
      return {
        ...received,
        store: (ownerId: string) => store(ownerId, received),
        discard: () => rm(filename, { force: true }),
      }
    } catch (error) {
      await rm(filename, { force: true })
      throw asStorageError(error)
    }
  }

  const receive: Files['receive'] = (content) => receiveWith((filename) => write(filename, content))

  return {
    receive,

    receiveFile: (source, sha256) =>
      receiveWith(async (filename) => {
        await linkOrCopy(source, filename)
        return sha256 === undefined ? hashAndSync(filename) : { sha256, sizeBytes: await sync(filename) }
      }),

    async put(ownerId, content) {
      requireOwner(ownerId)
      return (await receive(content)).store(ownerId)
    },

    async freeBytes() {
      const { bavail, bsize } = await statfs(directory)
      return bavail * bsize
    },
  }
}

/** Writes, hashes and syncs a stream, writing one batch while the next one is received. */
async function write(file: string, content: FileContent): Promise<Omit<StoredFile, 'path'>> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const handle = await open(file, 'wx', 0o600)
  try {
    const earlySync = createEarlySync(handle)
    let batch: Uint8Array[] = []
    let batchBytes = 0
    let writing: Promise<void> = Promise.resolve()
    const flush = async () => {
      await writing
      const flushedBytes = batchBytes
      writing = writeAll(handle, batch, sizeBytes - batchBytes).then(() => earlySync.reportWritten(flushedBytes))
      // the next `await writing` rethrows the error
      writing.catch(() => {})
      batch = []
      batchBytes = 0
    }
    try {
      for await (const chunk of content instanceof Uint8Array ? inPieces(content) : content) {
        hash.update(chunk)
        sizeBytes += chunk.byteLength
        batch.push(chunk)
        batchBytes += chunk.byteLength
        if (batchBytes >= BATCH_BYTES || batch.length >= BATCH_CHUNKS) await flush()
      }
      await flush()
    } finally {
      await writing
      await earlySync.settled()
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/** Creates a hard link to a file, or a copy where the file system has no hard links. */
export async function linkOrCopy(source: string, filename: string): Promise<void> {
  try {
    await link(source, filename)
  } catch (error) {
    if (isGone(error) || codeOf(error) === 'ENOSPC') throw error
    await copyFile(source, filename, constants.COPYFILE_FICLONE)
  }
}

/** Hashes and syncs an existing file. */
async function hashAndSync(filename: string): Promise<Omit<StoredFile, 'path'>> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const handle = await open(filename, 'r+')
  // during the sync, the bytes are read from the page cache
  const syncing = handle.sync()
  syncing.catch(() => {})
  try {
    // one reused buffer: a new one for each read would keep the garbage collector busy
    const piece = Buffer.allocUnsafeSlow(BATCH_BYTES)
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, sizeBytes)
      if (bytesRead === 0) break
      hash.update(piece.subarray(0, bytesRead))
      sizeBytes += bytesRead
    }
    await syncing
  } finally {
    await syncing.catch(() => {})
    await handle.close()
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/** Syncs a file. @returns its size. */
async function sync(filename: string): Promise<number> {
  const handle = await open(filename, 'r+')
  try {
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** Chunks small enough not to block the event loop while they're hashed. */
function* inPieces(content: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += BATCH_BYTES)
    yield content.subarray(offset, offset + BATCH_BYTES)
}

/** Writes all chunks, although the system may write less at once than it was given. */
async function writeAll(handle: FileHandle, chunks: Uint8Array[], position: number): Promise<void> {
  if (chunks.length === 0) return
  const { bytesWritten } = await handle.writev(chunks, position)
  if (bytesWritten === chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)) return
  let remaining = Buffer.concat(chunks).subarray(bytesWritten)
  let offset = position + bytesWritten
  while (remaining.length > 0) {
    const { bytesWritten: more } = await handle.write(remaining, 0, remaining.length, offset)
    remaining = remaining.subarray(more)
    offset += more
  }
}

/** Removes files that a killed process left in a folder. */
export async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name)
    try {
      if (Date.now() - (await stat(file)).mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true })
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}
