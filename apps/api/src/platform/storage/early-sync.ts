import type { FileHandle } from 'node:fs/promises'

/** Unsynced bytes at which a sync is started. */
const SYNC_BYTES = 16 * 1024 * 1024

/** Syncs a file to disk while it's being received, so that little remains to be synced at the end. */
export interface EarlySync {
  /** Reports written bytes. */
  reportWritten(bytes: number): void
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
    reportWritten(bytes) {
      unsyncedBytes += bytes
      if (unsyncedBytes < SYNC_BYTES || syncing !== undefined) return
      unsyncedBytes = 0
      syncing = file.datasync().then(() => {
        syncing = undefined
      })
      // `settled` rejects with the error
      syncing.catch(() => {})
    },

    settled: async () => syncing,
  }
}
