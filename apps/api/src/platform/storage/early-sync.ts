import type { FileHandle } from 'node:fs/promises'

/** So many bytes are worth a sync of their own. */
const WORTH_BYTES = 16 * 1024 * 1024

/** Has the disk take a file while it still arrives, so that little is left to wait for at its end. */
export interface EarlySync {
  /** Tells of bytes that were written. */
  wrote(bytes: number): void
  /**
   * Resolves when nothing is under way; what was written last may not be on the disk.
   * @throws what the disk refused: it tells of that only once.
   */
  settled(): Promise<void>
}

/** Syncs one time after the other, for as long as the disk refuses nothing. */
export function createEarlySync(file: Pick<FileHandle, 'datasync'>): EarlySync {
  let unsyncedBytes = 0
  let syncing: Promise<void> | undefined
  return {
    wrote(bytes) {
      unsyncedBytes += bytes
      if (unsyncedBytes < WORTH_BYTES || syncing !== undefined) return
      unsyncedBytes = 0
      syncing = file.datasync().then(() => {
        syncing = undefined
      })
      // whoever waits for it is told
      syncing.catch(() => {})
    },

    settled: async () => syncing,
  }
}
