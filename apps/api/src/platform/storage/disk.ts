import { createHash, randomUUID } from 'node:crypto'
import { constants, type Dirent } from 'node:fs'
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { NotFoundError, StartupError, StorageFullError } from '../../errors.ts'
import { createEarlySync } from './early-sync.ts'
import type { FileContent, Files, StoredFile } from './files.ts'

/** Only what put makes: no path that comes from elsewhere can leave the folder. */
const ownerPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const pathPattern = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([0-9a-f]{2})\/\2[0-9a-f]{62}$/

const INCOMING = 'incoming'
/** Written at once; twice as much is held of a stream, and never more pieces than the system takes. */
const BATCH_BYTES = 512 * 1024
const BATCH_CHUNKS = 500
/** An upload that a killed process left behind is certainly nobody's after this long. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code
const isGone = (error: unknown) => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** A full disk, and a full quota, is told apart from other trouble. */
export function asStorageError(error: unknown): unknown {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
    ? new StorageFullError('There is no room left to store files.', { cause: error })
    : error
}

/** Without this a crash of the machine may forget the new name of a file whose bytes it kept. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Opens a store in a folder, which is made when it is missing.
 * @throws StartupError when the folder cannot be written.
 */
export async function createDiskFiles({ directory }: { directory: string }): Promise<Files> {
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

  const folderOf = (ownerId: string) => {
    if (!ownerPattern.test(ownerId)) throw new TypeError('The owner of a file is named by a UUID.')
    return join(directory, ownerId)
  }
  /** Undefined for a path that put cannot have made. */
  const fileOf = (path: string) => (pathPattern.test(path) ? join(directory, path) : undefined)

  const pathOf = (ownerId: string, sha256: string) => `${ownerId}/${sha256.slice(0, 2)}/${sha256}`

  const store = async (
    ownerId: string,
    { sha256, sizeBytes, filename }: Omit<StoredFile, 'path'> & { filename: string },
  ) => {
    const ownerFolder = folderOf(ownerId)
    try {
      const folder = join(ownerFolder, sha256.slice(0, 2))
      // The same content may be there already: the rename then puts equal bytes in its place.
      const move = () => rename(filename, join(folder, sha256))
      const changed = [folder]
      await move().catch(async (error: unknown) => {
        if (!isGone(error)) throw error
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await move()
        changed.push(ownerFolder, directory)
      })
      await Promise.all(changed.map(syncFolder))
      return { sha256, sizeBytes, path: pathOf(ownerId, sha256) }
    } catch (error) {
      await rm(filename, { force: true })
      throw asStorageError(error)
    }
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
    pathOf,

    receive,

    receiveFile: (source, sha256) =>
      receiveAs(async (filename) => {
        await nameAlso(source, filename)
        return sha256 === undefined ? readThrough(filename) : { sha256, sizeBytes: await sync(filename) }
      }),

    async put(ownerId, content) {
      folderOf(ownerId)
      return (await receive(content)).store(ownerId)
    },

    async useLocal(path, use) {
      const file = fileOf(path)
      if (file === undefined || (await sizeOf(file)) === undefined) throw new NotFoundError('This file is not there.')
      return use(file)
    },

    async open(path, { start = 0, end } = {}) {
      const file = fileOf(path)
      const handle = file === undefined ? undefined : await openIfThere(file)
      if (!handle) throw new NotFoundError('This file is not there.')
      try {
        const { size } = await handle.stat()
        const stream = handle.createReadStream({ start, ...(end === undefined ? {} : { end }) })
        return { sizeBytes: size, stream }
      } catch (error) {
        await handle.close()
        throw error
      }
    },

    async delete(path) {
      const file = fileOf(path)
      if (file !== undefined) await rm(file, { force: true })
    },

    async deleteAll(ownerId) {
      await rm(folderOf(ownerId), { recursive: true, force: true })
    },

    async usage(ownerId) {
      const owners =
        ownerId === undefined
          ? (await entriesOf(directory)).map(({ name }) => name).filter((name) => ownerPattern.test(name))
          : [ownerId]
      const usage = { fileCount: 0, sizeBytes: 0 }
      for (const owner of owners) {
        for (const folder of await entriesOf(folderOf(owner))) {
          for (const { name } of await entriesOf(join(directory, owner, folder.name))) {
            const size = await sizeOf(join(directory, owner, folder.name, name))
            if (size === undefined) continue
            usage.fileCount++
            usage.sizeBytes += size
          }
        }
      }
      return usage
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
      // whoever awaits it next is told
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

/** Another name for a file, which costs no room; a copy where the disk knows no such thing. */
async function nameAlso(source: string, filename: string): Promise<void> {
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

async function openIfThere(file: string) {
  try {
    return await open(file, constants.O_RDONLY)
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    // Deleted meanwhile, or an owner without files.
    if (isGone(error)) return []
    throw error
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

async function removeAbandoned(incoming: string): Promise<void> {
  for (const { name } of await entriesOf(incoming)) {
    const file = join(incoming, name)
    try {
      if (Date.now() - (await stat(file)).mtimeMs > ABANDONED_AFTER_MS) await rm(file, { force: true })
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }
}
