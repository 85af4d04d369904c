import type { Readable } from 'node:stream'

/** Content to store: a stream or bytes. */
export type FileContent = AsyncIterable<Uint8Array> | Uint8Array

/** A file that was stored; its path is what rows keep. */
export interface StoredFile {
  /** Hash of the content, hexadecimal. */
  sha256: string
  sizeBytes: number
  /** `<owner>/<first two digits>/<sha256>`. */
  path: string
}

/** A part of a file: from `start` to `end`, both counted from 0 and included. */
export interface ByteRange {
  start?: number
  end?: number
}

/** A file as the store lists it. */
export interface ListedFile {
  path: string
  sizeBytes: number
}

export interface OpenedFile {
  /** Size of the whole file, whatever the range. */
  sizeBytes: number
  stream: Readable
}

/** A file that has arrived whole and survives a crash, but belongs to nobody yet. Store it or discard it, once. */
export interface ReceivedFile {
  /** Hash of the content, hexadecimal. */
  sha256: string
  sizeBytes: number
  /** Local path until the file is stored or discarded. */
  filename: string
  /** Makes it a file of an owner. @throws StorageFullError; UnavailableError */
  store(ownerId: string): Promise<StoredFile>
  discard(): Promise<void>
}

/** Code of the error while a remote store is away. */
export const FILES_UNAVAILABLE = 'files_unavailable'

export const OWNER_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const pathPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/

/** True for paths that a store makes: none that comes from elsewhere can leave its folder. */
export const isStoredPath = (path: string): boolean => pathPattern.test(path)

/** Path at which a store keeps content with this hash. */
export const pathOf = (ownerId: string, sha256: string): string => `${ownerId}/${sha256.slice(0, 2)}/${sha256}`

/** @returns the owner. @throws TypeError for anything but a UUID. */
export function requireOwner(ownerId: string): string {
  if (!OWNER_PATTERN.test(ownerId)) throw new TypeError('The owner of a file is named by a UUID.')
  return ownerId
}

/** Number and size of listed files. */
export async function sumOf(files: AsyncIterable<ListedFile>): Promise<{ fileCount: number; sizeBytes: number }> {
  const sum = { fileCount: 0, sizeBytes: 0 }
  for await (const { sizeBytes } of files) {
    sum.fileCount++
    sum.sizeBytes += sizeBytes
  }
  return sum
}

/**
 * Store of users' files. Content-addressed inside each owner's folder: the same content twice is one file, and owners
 * share nothing, so that deletion by one of them is final.
 */
export interface Files {
  /** For administrators: a folder, or `s3://bucket/prefix`. */
  address: string
  /** True for a store on another machine; what is received, and copies that programs need, are on this one's disk. */
  isRemote: boolean
  /**
   * Stores content; when it returns, the file survives a crash.
   * @param ownerId a user's id.
   * @throws StorageFullError when there is no room left, UnavailableError when a remote store doesn't respond; nothing of
   *   the file stays then.
   */
  put(ownerId: string, content: FileContent): Promise<StoredFile>
  /**
   * Writes content while hashing it, to be looked at before it is stored.
   * @throws StorageFullError when there is no room left, and whatever the stream throws; nothing stays then.
   */
  receive(content: FileContent): Promise<ReceivedFile>
  /**
   * The same for a file that lies beside the store already, whole; it stays there, whatever is done with what arrived.
   * @param sha256 its hash, where it is known: it is not read then.
   * @throws StorageFullError
   */
  receiveFile(filename: string, sha256?: string): Promise<ReceivedFile>
  /**
   * Lends a file to a program that needs a name on this machine's disk; it must not be changed.
   * @throws NotFoundError; UnavailableError
   */
  useLocal<Result>(path: string, use: (filename: string) => Promise<Result>): Promise<Result>
  /** Path at which put stores content with this hash (SHA-256, hexadecimal). */
  pathOf(ownerId: string, sha256: string): string
  /**
   * The stream must be read to its end or destroyed.
   * @throws NotFoundError; UnavailableError
   */
  open(path: string, range?: ByteRange): Promise<OpenedFile>
  /** Removes one file; one that is gone already is no error. */
  delete(path: string): Promise<void>
  /** Removes every file of an owner. */
  deleteAll(ownerId: string): Promise<void>
  /** Stored files of one owner or of all. */
  list(ownerId?: string): AsyncIterable<ListedFile>
  /** Number and size of stored files of one owner or of all. It visits every file, so it's too slow for each request. */
  usage(ownerId?: string): Promise<{ fileCount: number; sizeBytes: number }>
  /** Room left on this machine's disk, in bytes; rejects when the disk cannot be reached. */
  freeBytes(): Promise<number>
  /** Rejects when the store can't be reached, a remote one within `timeoutMs`: short enough for a health check by default. */
  check(options?: { timeoutMs?: number }): Promise<void>
  close(): void
}
