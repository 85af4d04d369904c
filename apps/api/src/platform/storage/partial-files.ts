import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { tryEach } from '../database/try-each.ts'
import { createEarlySync, type EarlySync } from './early-sync.ts'
import { asStorageError } from './whole-file.ts'

/** Age up to which a file without a row is kept, because its row may be about to be stored. */
const NEW_FOR_MS = 60 * 60_000
/** Size of the buffer for data that arrives while the disk is busy; it's written in one call. */
const WRITTEN_AT_ONCE_BYTES = 512 * 1024
/** Maximum number of files that are hashed while they're received; others are read again when complete. */
const MAX_HASHES = 1000

/** Checksum of a chunk, declared by its sender. */
export interface PartChecksum {
  algorithm: 'sha1' | 'sha256' | 'md5'
  digest: Buffer
}

/** Files that are received in parts, each stored in its sender's folder. */
export interface PartialFiles {
  /** Folder of the partial files, named `<user>/<upload>`. */
  directory: string
  filenameOf(userId: string, id: string): string
  /** Number of received bytes; null when there is no such file. */
  sizeOf(userId: string, id: string): Promise<number | null>
  /**
   * Appends a part; an interrupted part keeps the bytes received so far.
   * @returns number of bytes of the file received so far; null when the part doesn't match `checksum` and was discarded.
   * @throws StorageFullError; what the content throws.
   */
  write(
    userId: string,
    id: string,
    part: { content: Readable; offset: number; checksum?: PartChecksum | undefined },
  ): Promise<number | null>
  /** Hexadecimal hash of a complete file; null unless this process received all of it. */
  sha256Of(userId: string, id: string, sizeBytes: number): string | null
  /** Removes a file; does nothing when it doesn't exist. */
  remove(userId: string, id: string): Promise<void>
  removeAll(userId: string): Promise<void>
  /** Removes unknown files, except new ones, whose row may not be stored yet. */
  sweep(areKnown: (ids: string[]) => Promise<Set<string>>): Promise<void>
}

/** Hash of a file's first bytes. */
interface HashedBytes {
  hash: Hash
  bytes: number
}

/** Opens the folder, which is created if missing. */
export async function createPartialFiles({ directory }: { directory: string }): Promise<PartialFiles> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const filenameOf = (userId: string, id: string) => join(directory, userId, id)
  const hashed = new Map<string, HashedBytes>()

  const forgetOldest = () => {
    for (const id of hashed.keys()) {
      if (hashed.size <= MAX_HASHES) return
      hashed.delete(id)
    }
  }

  return {
    directory,
    filenameOf,

    async sizeOf(userId, id) {
      return (await statIfExists(filenameOf(userId, id)))?.size ?? null
    },

    async write(userId, id, { content, offset, checksum }) {
      const filename = filenameOf(userId, id)
      const hashState = hashed.get(id)
      hashed.delete(id)
      const runningHash =
        offset === 0 ? { hash: createHash('sha256'), bytes: 0 } : hashState?.bytes === offset ? hashState : undefined
      const hashBefore = runningHash && { hash: runningHash.hash.copy(), bytes: offset }
      const partHash = checksum && createHash(checksum.algorithm)
      const writer = new PartWriter(await open(filename, 'r+'), offset, (bytes) => {
        runningHash?.hash.update(bytes)
        partHash?.update(bytes)
      })
      try {
        await pipeline(content, writer)
      } catch (error) {
        if (partHash === undefined && !(await writer.hasSyncFailed())) throw asStorageError(error)
        // the checksum can't be verified, or a sync failed: the sender sends the whole part again
        await truncate(filename, offset)
        writer.position = offset
        throw asStorageError(error)
      } finally {
        if (writer.position === offset && hashBefore) hashed.set(id, hashBefore)
        else if (runningHash) hashed.set(id, { hash: runningHash.hash, bytes: writer.position })
        forgetOldest()
      }
      if (partHash === undefined || partHash.digest().equals(checksum?.digest ?? Buffer.alloc(0)))
        return writer.position
      await truncate(filename, offset)
      if (hashBefore) hashed.set(id, hashBefore)
      return null
    },

    sha256Of(_userId, id, sizeBytes) {
      const hashState = hashed.get(id)
      return hashState?.bytes === sizeBytes ? hashState.hash.copy().digest('hex') : null
    },

    async remove(userId, id) {
      hashed.delete(id)
      await rm(filenameOf(userId, id), { force: true })
    },

    async removeAll(userId) {
      await rm(join(directory, userId), { recursive: true, force: true })
    },

    async sweep(areKnown) {
      const oldest = Date.now() - NEW_FOR_MS
      await tryEach(await readdir(directory), async (userId) => {
        const ids = await namesIn(join(directory, userId))
        const knownIds = await areKnown(ids)
        const unknownIds = ids.filter((id) => !knownIds.has(id))
        await tryEach(unknownIds, async (id) => {
          const file = await statIfExists(filenameOf(userId, id))
          if (file !== null && file.mtimeMs < oldest) await rm(filenameOf(userId, id), { force: true })
        })
      })
    },
  }
}

/** Writes to a file from a position on, reports written bytes, and closes the file at the end. */
class PartWriter extends Writable {
  position: number
  readonly #file: FileHandle
  readonly #earlySync: EarlySync
  readonly #onWritten: (bytes: Uint8Array) => void
  #writing: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, position: number, onWritten: (bytes: Uint8Array) => void) {
    super({ highWaterMark: WRITTEN_AT_ONCE_BYTES })
    this.position = position
    this.#file = file
    this.#earlySync = createEarlySync(file)
    this.#onWritten = onWritten
  }

  /** True when a sync failed, so that written bytes may not be on the disk. */
  hasSyncFailed(): Promise<boolean> {
    return this.#earlySync.settled().then(
      () => false,
      () => true,
    )
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#put([chunk], done)
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#put(
      chunks.map(({ chunk }) => chunk),
      done,
    )
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#earlySync.settled().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // wait for the write that is under way
    this.#writing
      .catch(() => {})
      .then(() => this.#file.close())
      .then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      )
  }

  #put(chunks: Buffer[], done: (error?: Error | null) => void): void {
    this.#writing = this.#writeAll(chunks)
    this.#writing.then(() => done(), done)
  }

  async #writeAll(chunks: Buffer[]): Promise<void> {
    for (let remaining = chunks; remaining.length > 0; ) {
      let { bytesWritten } = await this.#file.writev(remaining, this.position)
      this.position += bytesWritten
      this.#earlySync.reportWritten(bytesWritten)
      const rest: Buffer[] = []
      // the system may write less than it was given
      for (const chunk of remaining) {
        const count = Math.min(chunk.length, bytesWritten)
        bytesWritten -= count
        if (count > 0) this.#onWritten(chunk.subarray(0, count))
        if (count < chunk.length) rest.push(chunk.subarray(count))
      }
      remaining = rest
    }
  }
}

/** Names in a folder; none when it's missing. */
const namesIn = (folder: string) => ignoreMissing(readdir(folder), [])
const statIfExists = (filename: string) => ignoreMissing(stat(filename), null)

async function ignoreMissing<Value, Fallback>(value: Promise<Value>, fallback: Fallback): Promise<Value | Fallback> {
  try {
    return await value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fallback
    throw error
  }
}
