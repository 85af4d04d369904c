import type { FileHandle } from 'node:fs/promises'

/** Unsynced bytes at which a sync is started. */
const SYNC_BYTES = 16 * 1024 * 1024

/** Syncs a file to disk while it's being received, so that little is left to wait for at the end. */
export interface EarlySync {
  /** Reports written bytes. */
  wrote(bytes: number): void
  /**
   * Resolves when no sync is under way; the last bytes may not be on the disk yet.
   * @throws the error of a failed sync, which the system reports only once.
   */
  settled(): Promise<void>
}

/** Runs one sync at a time, until one fails. */
export function createEarlySync(file: Pick<FileHandle, 'datasync'>): EarlySync {
  let unsyncedBytes = 0
  let syncing: Promise<void> | undefined
  return {
    wrote(bytes) {
      unsyncedBytes += bytes
      if (unsyncedBytes < SYNC_BYTES || syncing !== undefined) return
      unsyncedBytes = 0
      syncing = file.datasync().then(() => {
        syncing = undefined
      })
      // `settled` reports it
      syncing.catch(() => {})
    },

    settled: async () => syncing,
  }
}
