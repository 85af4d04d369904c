// A process that backs up, restores or re-reads files once, until it is killed; tests start it with startBackupProcess.
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createArchiveFolder } from '../src/modules/admin/backups/archive-folder.ts'
import { backUpAlone } from '../src/modules/admin/backups/back-up-alone.ts'
import { restoreArchive } from '../src/modules/admin/backups/restore-archive.ts'
import { createScrubbingService, repairSources } from '../src/modules/admin/backups/scrubbing.service.ts'
import { createScrubbingStore } from '../src/modules/admin/backups/scrubbing.store.ts'
import { openDatabase } from '../src/platform/database/client.ts'
import { createDiskFiles } from '../src/platform/storage/disk.ts'
import { silentLog } from './database-template.ts'

export interface BackupPlace {
  dataDir: string
  databaseUrl: string | undefined
  backupDir: string
  /** Archive to restore. */
  archive: string
  passphrase?: string
}

export type BackupRole = 'backup' | 'restore' | 'scrub'

const work: Record<BackupRole, (place: BackupPlace) => Promise<unknown>> = {
  backup: (config) => backUpAlone({ config, onProgress: () => {}, log: silentLog }),
  restore: ({ archive, passphrase, ...config }) =>
    restoreArchive({
      ...{ config, archive, isReplacing: true, log: silentLog },
      ...(passphrase !== undefined && { passphrase: async () => passphrase }),
    }),
  async scrub({ backupDir, ...where }) {
    const database = await openDatabase({ ...where, log: silentLog })
    await database.prisma.setting.deleteMany({ where: { key: 'file_scrubbing' } })
    const files = await createDiskFiles({ directory: join(where.dataDir, 'files') })
    const folder = createArchiveFolder(backupDir)
    const scratch = where.dataDir
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
 * Runs one of them and kills it after a while, unless it ends before.
 * @returns how long it took from its beginning, in milliseconds, and whether it was killed.
 */
export async function runBackupProcess(
  role: BackupRole,
  place: BackupPlace,
  killAfterMs = Number.POSITIVE_INFINITY,
): Promise<{ durationMs: number; isKilled: boolean }> {
  const child = fork(fileURLToPath(import.meta.url), [role, JSON.stringify(place)], { execArgv: [] })
  let beganAt = 0
  let timer: NodeJS.Timeout | undefined
  child.on('message', () => {
    beganAt = performance.now()
    if (Number.isFinite(killAfterMs)) timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  })
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (...how) => resolve(how)),
  )
  clearTimeout(timer)
  if (signal === null && code !== 0) throw new Error(`the process that was to ${role} failed`)
  return { durationMs: performance.now() - beganAt, isKilled: signal !== null }
}

const [, , role, json] = process.argv
if (process.send && (role === 'backup' || role === 'restore' || role === 'scrub')) {
  const place = JSON.parse(json ?? '') as BackupPlace
  process.send('begun')
  await work[role](place).catch((error: unknown) => {
    console.error(error)
    process.exit(1)
  })
  process.exit(0)
}
