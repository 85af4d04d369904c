import type { Readable } from 'node:stream'

/** Content to store: a stream or bytes. */
export type FileContent = AsyncIterable<Uint8Array> | Uint8Array

/** A stored file; rows refer to its path. */
export interface StoredFile {
  /** Hexadecimal. */
  sha256: string
  sizeBytes: number
  /** `<owner>/<first two digits>/<sha256>`. */
  path: string
}

/** Part of a file: `start` and `end` count from 0 and are inclusive. */
export interface ByteRange {
  start?: number
  end?: number
}

export interface ListedFile {
  path: string
  sizeBytes: number
}

export interface OpenedFile {
  /** Size of the whole file, whatever the range. */
  sizeBytes: number
  stream: Readable
}

/** A completely received, synced file without an owner. Call `store` or `discard` once. */
export interface ReceivedFile {
  /** Hexadecimal. */
  sha256: string
  sizeBytes: number
  /** Local path until the file is stored or discarded. */
  filename: string
  /** Stores it for an owner. @throws StorageFullError; UnavailableError */
  store(ownerId: string): Promise<StoredFile>
  discard(): Promise<void>
}

/** Error code while a remote store is unavailable. */
export const FILES_UNAVAILABLE = 'files_unavailable'

export const OWNER_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const pathPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([0-9a-f]{2})\/\1[0-9a-f]{62}$/

/** True for a path that a store can return. All others are refused, since they could lead out of the store's folder. */
export const isStoredPath = (path: string): boolean => pathPattern.test(path)

/** Path at which a store keeps content with this hash. */
export const pathOf = (ownerId: string, sha256: string): string => `${ownerId}/${sha256.slice(0, 2)}/${sha256}`

/** @returns the owner. @throws TypeError for anything but a UUID. */
export function requireOwner(ownerId: string): string {
  if (!OWNER_PATTERN.test(ownerId)) throw new TypeError('The owner of a file must be a UUID.')
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
 * Store of users' files, content-addressed within each owner's folder: the same content is stored once per owner, and
 * owners share nothing, so that deletion is final.
 */
export interface Files {
  /** Shown to administrators: a folder, or `s3://bucket/prefix`. */
  address: string
  /** True for a store on another machine; files being received, and copies for programs, are on this machine's disk. */
  isRemote: boolean
  /**
   * Stores content durably.
   * @param ownerId a user's id.
   * @throws StorageFullError when the disk is full, UnavailableError when a remote store doesn't respond; nothing is left
   *   behind then.
   */
  put(ownerId: string, content: FileContent): Promise<StoredFile>
  /**
   * Writes and hashes content, so that it can be inspected before it's stored.
   * @throws StorageFullError when the disk is full; whatever the stream throws; nothing is left behind then.
   */
  receive(content: FileContent): Promise<ReceivedFile>
  /**
   * Receives a complete file that's on the store's disk, by a hard link or copy; the file itself stays.
   * @param sha256 its hash, if known, which saves reading it.
   * @throws StorageFullError
   */
  receiveFile(filename: string, sha256?: string): Promise<ReceivedFile>
  /**
   * Provides a local file name for a program, which must not change the file.
   * @throws NotFoundError; UnavailableError
   */
  useLocal<Result>(path: string, use: (filename: string) => Promise<Result>): Promise<Result>
  /** Path at which put stores content with this hash (SHA-256, hexadecimal). */
  pathOf(ownerId: string, sha256: string): string
  /**
   * Opens a file, or a range of it. The stream must be read to its end or destroyed.
   * @throws NotFoundError; UnavailableError
   */
  open(path: string, range?: ByteRange): Promise<OpenedFile>
  /** Removes a file; does nothing when it doesn't exist. */
  delete(path: string): Promise<void>
  /** Removes every file of an owner. */
  deleteAll(ownerId: string): Promise<void>
  /** Stored files of one owner or of all. */
  list(ownerId?: string): AsyncIterable<ListedFile>
  /** Number and size of stored files of one owner or of all. Visits every file, so it's too slow for each request. */
  usage(ownerId?: string): Promise<{ fileCount: number; sizeBytes: number }>
  /** Free space on this machine's disk. @throws when the disk is unavailable. */
  freeBytes(): Promise<number>
  /**
   * Rejects when the store can't be reached.
   * @param options.timeoutMs time limit for a remote store; by default short enough for a health check.
   */
  check(options?: { timeoutMs?: number }): Promise<void>
  close(): void
}
