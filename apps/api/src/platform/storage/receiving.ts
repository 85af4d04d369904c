import { createHash, randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { copyFile, type FileHandle, link, mkdir, open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../../errors.ts'
import { createEarlySync } from './early-sync.ts'
import { type FileContent, type Files, requireOwner, type StoredFile } from './files.ts'
import { asStorageError, codeOf, isGone } from './whole-file.ts'

const INCOMING = 'incoming'
/** Written at once; twice as much is held of a stream, and never more pieces than the system takes. */
const BATCH_BYTES = 512 * 1024
const BATCH_CHUNKS = 500
/** An upload that a killed process left behind is certainly nobody's after this long. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

/** A received file that has no owner yet. */
interface ArrivedContent extends Omit<StoredFile, 'path'> {
  filename: string
}

/**
 * Receives files in a folder of this machine, which is made when it is missing.
 * @param store makes a received file an owner's; it takes the local file away, also when it fails.
 * @throws StartupError when the folder cannot be written.
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
    throw new StartupError(`The folder for files, ${directory}, cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }

  const receiveAs = async (arrive: (filename: string) => Promise<Omit<StoredFile, 'path'>>) => {
    const filename = join(incoming, randomUUID())
    try {
      const part = { ...(await arrive(filename)), filename }
      return {
        ...part,
        store: (ownerId: string) => store(ownerId, part),
        discard: () => rm(filename, { force: true }),
      }
    } catch (error) {
      await rm(filename, { force: true })
      throw asStorageError(error)
    }
  }

  const receive: Files['receive'] = (content) => receiveAs((filename) => write(filename, content))

  return {
    receive,

    receiveFile: (source, sha256) =>
      receiveAs(async (filename) => {
        await linkOrCopy(source, filename)
        return sha256 === undefined ? readThrough(filename) : { sha256, sizeBytes: await sync(filename) }
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

/** Writes and hashes a stream, one batch while the next one arrives; what it returns is on the disk. */
async function write(file: string, content: FileContent): Promise<Omit<StoredFile, 'path'>> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const handle = await open(file, 'wx', 0o600)
  try {
    const early = createEarlySync(handle)
    let batch: Uint8Array[] = []
    let batchBytes = 0
    let writing: Promise<void> = Promise.resolve()
    const flush = async () => {
      await writing
      const syncBytes = batchBytes
      writing = writeAll(handle, batch, sizeBytes - batchBytes).then(() => early.wrote(syncBytes))
      // the next await throws it
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
      await early.settled()
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/** Hard link to a file, which takes no space; a copy where the disk has no links. */
export async function linkOrCopy(source: string, filename: string): Promise<void> {
  try {
    await link(source, filename)
  } catch (error) {
    if (isGone(error) || codeOf(error) === 'ENOSPC') throw error
    await copyFile(source, filename, constants.COPYFILE_FICLONE)
  }
}

/** Hashes a file that is there; its bytes are on the disk then. */
async function readThrough(filename: string): Promise<Omit<StoredFile, 'path'>> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const handle = await open(filename, 'r+')
  // while the disk takes the bytes they are read from memory
  const syncing = handle.sync()
  syncing.catch(() => {})
  try {
    // one piece of memory for all of it: a new one for each read keeps the collector of garbage busy
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

/** Has the disk take what it was given of a file. @returns its size. */
async function sync(filename: string): Promise<number> {
  const handle = await open(filename, 'r+')
  try {
    await handle.sync()
    return (await handle.stat()).size
  } finally {
    await handle.close()
  }
}

/** None of them holds the event loop while it is hashed. */
function* inPieces(content: Uint8Array): Generator<Uint8Array> {
  for (let offset = 0; offset < content.length; offset += BATCH_BYTES)
    yield content.subarray(offset, offset + BATCH_BYTES)
}

/** The system may take less at once than it was given. */
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
