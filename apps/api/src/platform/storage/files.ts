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
  /** Makes it a file of an owner. @throws StorageFullError */
  store(ownerId: string): Promise<StoredFile>
  discard(): Promise<void>
}

/**
 * Store of users' files. Content-addressed inside each owner's folder: the same content twice is one file, and owners
 * share nothing, so that deletion by one of them is final.
 */
export interface Files {
  /**
   * Stores content; when it returns, the file survives a crash.
   * @param ownerId a user's id.
   * @throws StorageFullError when there is no room left; nothing of the file stays then.
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
   * @throws NotFoundError
   */
  useLocal<Result>(path: string, use: (filename: string) => Promise<Result>): Promise<Result>
  /** Path at which put stores content with this hash (SHA-256, hexadecimal). */
  pathOf(ownerId: string, sha256: string): string
  /**
   * The stream must be read to its end or destroyed.
   * @throws NotFoundError
   */
  open(path: string, range?: ByteRange): Promise<OpenedFile>
  /** Removes one file; one that is gone already is no error. */
  delete(path: string): Promise<void>
  /** Removes every file of an owner. */
  deleteAll(ownerId: string): Promise<void>
  /** Stored files of one owner or of all. It visits every file, so it's too slow for each request. */
  usage(ownerId?: string): Promise<{ fileCount: number; sizeBytes: number }>
  /** Room left, in bytes; rejects when the store cannot be reached. */
  freeBytes(): Promise<number>
}
