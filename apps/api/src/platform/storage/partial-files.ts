import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createEarlySync, type EarlySync } from './early-sync.ts'
import { asStorageError } from './whole-file.ts'

/** Long enough for the row of a file that has just begun to be stored. */
const NEW_FOR_MS = 60 * 60_000
/** Buffer for data that arrives while the disk is busy, written at once. */
const WRITTEN_AT_ONCE_BYTES = 512 * 1024
/** Files whose hash goes on while they arrive; one that is forgotten is read once more when it is whole. */
const MAX_HASHES = 1000

/** Checksum of a chunk, declared by its sender. */
export interface PartChecksum {
  algorithm: 'sha1' | 'sha256' | 'md5'
  digest: Buffer
}

/** The bytes of files that arrive in parts: one file each, in a folder of their sender. */
export interface PartialFiles {
  /** Folder of the partial files, named `<user>/<upload>`. */
  directory: string
  filenameOf(userId: string, id: string): string
  /** Number of received bytes; null without such a file. */
  sizeOf(userId: string, id: string): Promise<number | null>
  /**
   * Writes a part where the one before ended; what has arrived when the rest does not come stays.
   * @returns how many bytes of the file have arrived; null when the part is not what `checksum` says: nothing of it stays.
   * @throws StorageFullError, and what the content throws.
   */
  write(
    userId: string,
    id: string,
    part: { content: Readable; offset: number; checksum?: PartChecksum | undefined },
  ): Promise<number | null>
  /** Hash of a whole file, hexadecimal; null when not all of it came by this process since it began. */
  sha256Of(userId: string, id: string, sizeBytes: number): string | null
  /** One that is gone already is no error. */
  remove(userId: string, id: string): Promise<void>
  removeAll(userId: string): Promise<void>
  /** Removes what nobody knows of, but for what is so new that its row may be under way. */
  sweep(areKnown: (ids: string[]) => Promise<Set<string>>): Promise<void>
}

/** A hash of the beginning of a file. */
interface HashedBytes {
  hash: Hash
  bytes: number
}

/** Opens the folder, which is made when it is missing. */
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
        // it cannot be judged, or the disk refused it: it is sent once more, all of it
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

/** Writes to a file from a place on, and tells of what is written; it closes the file. */
class PartWriter extends Writable {
  position: number
  readonly #file: FileHandle
  readonly #early: EarlySync
  readonly #told: (bytes: Uint8Array) => void
  #writing: Promise<void> = Promise.resolve()

  constructor(file: FileHandle, position: number, onWritten: (bytes: Uint8Array) => void) {
    super({ highWaterMark: WRITTEN_AT_ONCE_BYTES })
    this.position = position
    this.#file = file
    this.#early = createEarlySync(file)
    this.#told = onWritten
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
    // what is being written counts, too
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
      // the system may take less than it was given
      for (const chunk of remaining) {
        const count = Math.min(chunk.length, bytesWritten)
        bytesWritten -= count
        if (count > 0) this.#told(chunk.subarray(0, count))
        if (count < chunk.length) rest.push(chunk.subarray(count))
      }
      remaining = rest
    }
  }
}

/** None of a folder that has gone meanwhile. */
const namesIn = (folder: string) => ignoreMissing(readdir(folder), [])
const statIfThere = (filename: string) => ignoreMissing(stat(filename), null)

async function ignoreMissing<Found, Instead>(finding: Promise<Found>, instead: Instead): Promise<Found | Instead> {
  try {
    return await finding
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead
    throw error
  }
}
