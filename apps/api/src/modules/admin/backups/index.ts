import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Common } from '../../../common.ts'
import { removeInterruptedRestore } from '../../../platform/database/restored-folders.ts'
import {
  dropCopies,
  openEmbeddedSnapshot,
  openServerSnapshot,
  snapshotBytes,
} from '../../../platform/database/snapshot.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import { readDiskSpace } from '../../../platform/storage/disk-space.ts'
import { unlessGone } from '../../../platform/storage/whole-file.ts'
import type { NotificationsService } from '../../automation/index.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { createBackupsService } from './backups.service.ts'
import { createBackupsStore } from './backups.store.ts'
import { createOffsiteService } from './offsite.service.ts'
import { watchRequests } from './requests.ts'
import { tryRestoreInProcess } from './run-trial-restore.ts'
import { createScrubbingService, repairSources } from './scrubbing.service.ts'
import { createScrubbingStore } from './scrubbing.store.ts'
import { createTrialRestoresService } from './trial-restores.service.ts'
import type { UpdateBackup } from './update-backup.ts'

/** Interval of checks for due backups. */
const CHECK_INTERVAL_MS = 20_000
const PROOF_NICENESS = 10
/** Size of an embedded database without rows. */
const PROOF_MIN_BYTES = 150 * 1024 * 1024
/** Disk space left free for everything else while an archive is decrypted or loaded. */
const RESERVE_BYTES = 512 * 1024 * 1024
/** Folders in DATA_DIR where earlier versions decrypted archives; a killed process may have left some. */
const FORMER_FOLDERS = ['proving', 'restoring-from']
/** Age at which such a folder is removed: longer than an earlier version ever used one. */
const FORMER_USE_MS = 24 * 60 * 60_000

interface BackupsTools extends Common {
  notifications: NotificationsService
  /** Backup before this server's update; undefined in tests, which open the database themselves. */
  updateBackup?: UpdateBackup | undefined
  /** Runs trial restores in place of a separate process, which takes seconds to start; for tests. */
  proveBackup?: typeof tryRestoreInProcess | undefined
}

/** Backups of the instance, trial restores, off-site copies and checks of stored files. Call `start` before jobs run. */
export function buildBackups(tools: BackupsTools) {
  const { config, log, database, files, withTempFolder, updateBackup, proveBackup = tryRestoreInProcess } = tools
  const { pool } = database
  const folder = createArchiveFolder(config.backupDir)
  const isEmbedded = database.engine === 'embedded'
  const openSnapshot = (signal?: AbortSignal) =>
    isEmbedded ? openEmbeddedSnapshot(pool, signal) : openServerSnapshot(config.databaseUrl ?? '', signal)
  const store = createBackupsStore(database)
  // Measured for DATA_DIR itself, since the stored files may be on another disk.
  const freeOfDataDir = async () => {
    const { totalBytes, usedBytes } = await readDiskSpace(config.dataDir)
    return totalBytes - usedBytes
  }
  const common = { ...tools, store, folder, openSnapshot, now: () => new Date() }
  const offsite = createOffsiteService(common)
  const scrubbing = createScrubbingService({
    ...common,
    store: createScrubbingStore(database),
    sources: () =>
      repairSources({
        ...{ folder, offsite, log },
        passphrase: config.backupPassphrase,
        scratch: config.dataDir,
        spareBytes: async () => (await freeOfDataDir()) - RESERVE_BYTES,
      }),
  })
  const backups = createBackupsService({
    ...common,
    writer: createArchiveWriter({ openSnapshot, files, passphrase: config.backupPassphrase }),
    scrubbing,
    offsite,
    neededBytes: async () => {
      const [stored, rows] = await Promise.all([files.usage(), snapshotBytes(pool)])
      return stored.sizeBytes + rows * (isEmbedded ? 2 : 1)
    },
    isSealed: config.backupPassphrase !== undefined,
    isOnlyProcess: isEmbedded,
  })
  const trialRestores = createTrialRestoresService({
    ...common,
    proveBackup: (archive, signal) =>
      withTempFolder((folder) =>
        proveBackup(
          {
            archive,
            folder,
            passphrase: config.backupPassphrase,
            migrationsDir: config.migrationsDir,
            niceness: PROOF_NICENESS,
          },
          signal,
        ),
      ),
    space: async (fileName) => {
      const [rows, freeBytes, { size }] = await Promise.all([
        snapshotBytes(pool),
        freeOfDataDir(),
        stat(folder.fileOf(fileName)),
      ])
      // An encrypted archive is first decrypted to a file, which needs its size again.
      const neededBytes = PROOF_MIN_BYTES + RESERVE_BYTES + 3 * rows + (fileName.endsWith('.sealed') ? size : 0)
      return { neededBytes, freeBytes }
    },
  })
  /** Adds the backup that failed before this server's update to the list of backups. */
  const recordFailedUpdate = async () => {
    const failure = updateBackup?.failure() ?? null
    if (failure !== null) await store.addFailed(failure.fileName, failure)
  }
  const removeLeftovers = async () => {
    const removeFormer = async (name: string) => {
      const folder = join(config.dataDir, name)
      const { mtimeMs } = (await stat(folder).catch(unlessGone(null))) ?? {}
      // A server of an earlier version may still use it.
      if (mtimeMs !== undefined && (isEmbedded || mtimeMs < Date.now() - FORMER_USE_MS))
        await rm(folder, { recursive: true, force: true })
    }
    const removeRestore = async () => {
      if (!isEmbedded) await removeInterruptedRestore(config.dataDir, (sentence) => log.warn({}, sentence))
    }
    await tryEach([...FORMER_FOLDERS.map((name) => () => removeFormer(name)), removeRestore], (remove) => remove())
  }
  let timer: NodeJS.Timeout | undefined
  let requests: ReturnType<typeof watchRequests> | undefined
  return {
    backups,
    trialRestores,
    scrubbing,
    offsite,
    recordFailedUpdate,
    async start() {
      // Done first: after a restore, the archives in the folder count as the instance's own only until a backup has a row.
      await backups.syncWithFolder()
      await recordFailedUpdate()
      const check = () =>
        backups.makeDue().catch((error: unknown) => log.warn({ err: error }, 'a due backup could not be started'))
      timer = setInterval(check, CHECK_INTERVAL_MS).unref()
      // In the background, since they may be large and on a slow disk.
      removeLeftovers().catch((error: unknown) =>
        log.warn({ err: error }, 'leftovers of a restore could not be removed'),
      )
      if (!isEmbedded) return
      await dropCopies(pool)
      requests = watchRequests({ directory: folder.directory, backups, log })
    },
    async close() {
      clearInterval(timer)
      await requests?.close()
    },
  }
}
