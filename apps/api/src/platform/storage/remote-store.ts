import type { Readable } from 'node:stream'

export interface RemoteObject {
  name: string
  sizeBytes: number
  modifiedAt: Date
}

/** Off-site place of backups: objects by name, each there whole or not at all. */
export interface RemoteStore {
  /** For people; without secrets. */
  address: string
  list(prefix: string): AsyncIterable<RemoteObject>
  /** @throws NotFoundError; RemoteStoreError */
  read(name: string): Promise<Readable>
  /** @throws RemoteStoreError */
  write(name: string, content: Readable, sizeBytes: number, signal?: AbortSignal): Promise<void>
  /** An object that is gone already is no error. */
  remove(name: string): Promise<void>
  /** Frees what uploads that began before a moment, and never ended, still take. */
  removeAbandoned(before: Date): Promise<void>
  close(): void
}
