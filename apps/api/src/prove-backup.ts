// Separate process for the trial restore of an archive, so that its memory use or a damaged archive can't harm the server.
import { rm } from 'node:fs/promises'
import { StartupError } from './errors.ts'
import { createLog } from './log.ts'
import { openArchive } from './modules/admin/backups/archive-check.ts'
import type { TrialRestoreRequest, TrialRestoreResult } from './modules/admin/backups/run-trial-restore.ts'
import { tryRestore } from './modules/admin/backups/trial-restore.ts'
import { lowerPriority } from './platform/lib/lower-priority.ts'

// The server is gone.
process.on('disconnect', () => process.exit(1))

process.once('message', async ({ archive, folder, passphrase, migrationsDir, niceness }: TrialRestoreRequest) => {
  lowerPriority(niceness)
  const respond = (result: TrialRestoreResult) => process.send?.(result, () => process.exit(0))
  try {
    const ask = passphrase === undefined ? undefined : async () => passphrase
    const zip = await openArchive(archive, { folders: [folder], passphrase: ask })
    try {
      await tryRestore({ zip, folder, migrationsDir, log: createLog('silent') })
    } finally {
      zip.close()
      await rm(folder, { recursive: true, force: true })
    }
    respond({ problem: null })
  } catch (error) {
    const { message } = error as Error
    respond({ problem: error instanceof StartupError ? message : `An unexpected error: ${message}` })
  }
})
