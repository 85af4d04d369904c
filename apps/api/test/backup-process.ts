// Backs up, restores or scrubs files once in a separate process, which tests start with runBackupProcess and may kill.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createArchiveFolder } from '../src/modules/admin/backups/archive-folder.ts'
import { backUpWithoutServer } from '../src/modules/admin/backups/back-up-without-server.ts'
import { restoreArchive } from '../src/modules/admin/backups/restore-archive.ts'
import { createScrubbingService, repairSources } from '../src/modules/admin/backups/scrubbing.service.ts'
import { createScrubbingStore } from '../src/modules/admin/backups/scrubbing.store.ts'
import { openDatabase } from '../src/platform/database/client.ts'
import { createDiskFiles } from '../src/platform/storage/disk.ts'
import { silentLog } from './database-template.ts'

export interface BackupLocation {
  dataDir: string
  databaseUrl: string | undefined
  backupDir: string
  /** Archive to restore. */
  archive: string
  passphrase?: string
}

export type BackupRole = 'backup' | 'restore' | 'scrub'

const work: Record<BackupRole, (location: BackupLocation) => Promise<unknown>> = {
  backup: (config) => backUpWithoutServer({ config, onProgress: () => {}, log: silentLog }),
  restore: ({ archive, passphrase, ...config }) =>
    restoreArchive({
      ...{ config, archive, isReplacing: true, log: silentLog },
      ...(passphrase !== undefined && { passphrase: async () => passphrase }),
    }),
  async scrub({ backupDir, ...options }) {
    const database = await openDatabase({ ...options, log: silentLog })
    await database.prisma.setting.deleteMany({ where: { key: 'file_scrubbing' } })
    const files = await createDiskFiles({ directory: join(options.dataDir, 'files') })
    const folder = createArchiveFolder(backupDir)
    const scratch = options.dataDir
    const service = createScrubbingService({
      store: createScrubbingStore(database),
      files,
      sources: () =>
        repairSources({
          ...{ folder, passphrase: undefined, scratch, log: silentLog },
          spareBytes: async () => 0,
          offsite: { repairSource: async () => null },
        }),
      notifications: { notify: async () => {} },
      now: () => new Date(),
      log: silentLog,
    })
    await service.run(new AbortController().signal)
    await database.close()
  },
}

/**
 * Runs one role in a separate process and kills it after `killAfterMs`, unless it ends before.
 * @returns the duration since it began its work, and true for a killed process.
 */
export async function runBackupProcess(
  role: BackupRole,
  location: BackupLocation,
  killAfterMs = Number.POSITIVE_INFINITY,
): Promise<{ durationMs: number; isKilled: boolean }> {
  const child = fork(fileURLToPath(import.meta.url), [role, JSON.stringify(location)], { execArgv: [] })
  let startedAt = 0
  let timer: NodeJS.Timeout | undefined
  child.on('message', () => {
    startedAt = performance.now()
    if (Number.isFinite(killAfterMs)) timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  })
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (...exit) => resolve(exit)),
  )
  clearTimeout(timer)
  if (signal === null && code !== 0) throw new Error(`the ${role} process failed`)
  return { durationMs: performance.now() - startedAt, isKilled: signal !== null }
}

const [, , role, json] = process.argv
if (process.send && (role === 'backup' || role === 'restore' || role === 'scrub')) {
  const location = JSON.parse(json ?? '') as BackupLocation
  process.send('begun')
  await work[role](location).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
  process.exit(0)
}
