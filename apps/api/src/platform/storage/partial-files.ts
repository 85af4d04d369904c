import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createEarlySync, type EarlySync } from './early-sync.ts'
import { asStorageError } from './whole-file.ts'

/** Age up to which a file without a row is kept, because its row may be about to be stored. */
const NEW_FOR_MS = 60 * 60_000
/** Buffer for data that arrives while the disk is busy, written at once. */
const WRITTEN_AT_ONCE_BYTES = 512 * 1024
/** Files that are hashed while they're received; others are read again when complete. */
const MAX_HASHES = 1000

/** Checksum of a chunk, declared by its sender. */
export interface PartChecksum {
  algorithm: 'sha1' | 'sha256' | 'md5'
  digest: Buffer
}

/** Files that are received in parts, each in its sender's folder. */
export interface PartialFiles {
  /** Folder of the partial files, named `<user>/<upload>`. */
  directory: string
  filenameOf(userId: string, id: string): string
  /** Number of received bytes; null without such a file. */
  sizeOf(userId: string, id: string): Promise<number | null>
  /**
   * Appends a part; an interrupted part keeps the bytes received so far.
   * @returns received bytes of the file; null when the part doesn't match `checksum` and was discarded.
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
      return (await statIfThere(filenameOf(userId, id)))?.size ?? null
    },

    async write(userId, id, { content, offset, checksum }) {
      const filename = filenameOf(userId, id)
      const hashState = hashed.get(id)
      hashed.delete(id)
      const before =
        offset === 0 ? { hash: createHash('sha256'), bytes: 0 } : hashState?.bytes === offset ? hashState : undefined
      const hashBefore = checksum && before && { hash: before.hash.copy(), bytes: offset }
      const ofPart = checksum && createHash(checksum.algorithm)
      const writing = new PartWriter(await open(filename, 'r+'), offset, (bytes) => {
        before?.hash.update(bytes)
        ofPart?.update(bytes)
      })
      try {
        await pipeline(content, writing)
      } catch (error) {
        if (ofPart === undefined && !(await writing.isRefused())) throw asStorageError(error)
        // the checksum can't be verified, or the disk refused the part: all of it is sent again
        await truncate(filename, offset)
        writing.position = offset
        throw asStorageError(error)
      } finally {
        if (writing.position === offset && hashBefore) hashed.set(id, hashBefore)
        else if (before) hashed.set(id, { hash: before.hash, bytes: writing.position })
        forgetOldest()
      }
      if (ofPart === undefined || ofPart.digest().equals(checksum?.digest ?? Buffer.alloc(0))) return writing.position
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
      for (const userId of await readdir(directory)) {
        const ids = await namesIn(join(directory, userId))
        const knownIds = await areKnown(ids)
        for (const id of ids) {
          if (knownIds.has(id)) continue
          const file = await statIfThere(filenameOf(userId, id))
          if (file !== null && file.mtimeMs < oldest) await rm(filenameOf(userId, id), { force: true })
        }
      }
    },
  }
}

/** Writes to a file from a position on, reports written bytes, and closes the file at the end. */
class PartWriter extends Writable {
  position: number
  readonly #file: FileHandle
  readonly #early: EarlySync
  readonly #onWritten: (bytes: Uint8Array) => void
  #writing: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, position: number, onWritten: (bytes: Uint8Array) => void) {
    super({ highWaterMark: WRITTEN_AT_ONCE_BYTES })
    this.position = position
    this.#file = file
    this.#early = createEarlySync(file)
    this.#onWritten = onWritten
  }

  /** True when a write to the disk failed. */
  isRefused(): Promise<boolean> {
    return this.#early.settled().then(
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
    this.#early.settled().then(() => done(), done)
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
      this.#early.wrote(bytesWritten)
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
const statIfThere = (filename: string) => ignoreMissing(stat(filename), null)

async function ignoreMissing<Value, Instead>(value: Promise<Value>, instead: Instead): Promise<Value | Instead> {
  try {
    return await value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead
    throw error
  }
}
