import { existsSync } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { type Config, VERSION } from '../../../config.ts'
import type { Context } from '../../../context-type.ts'
import { StartupError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { openEmbedded } from '../../../platform/database/embedded.ts'
import { hasRestoredFolders } from '../../../platform/database/restored-folders.ts'
import {
  dropCopies,
  openEmbeddedSnapshot,
  openServerSnapshot,
  type Snapshot,
  snapshotBytes,
} from '../../../platform/database/snapshot.ts'
import { BACKUPS_KEPT } from '../../../platform/settings/default-settings.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { seal } from '../../../platform/storage/sealed.ts'
import { PART_SUFFIX, writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { zipOf } from '../../../platform/storage/zip.ts'
import { storedFile } from './archive.ts'
import { type ArchiveFolder, createArchiveFolder } from './archive-folder.ts'
import { archiveName, isUpdateArchive } from './archive-name.ts'
import { createArchiveWriter, type WrittenArchive } from './archive-writer.ts'
import { type BackupsDeps, type BackupsService, createBackupsService } from './backups.service.ts'
import { createBackupsStore, recordBackup } from './backups.store.ts'
import { buildOffsite } from './build-offsite.ts'
import { proveInProcess } from './build-proofs.ts'
import type { OffsiteService } from './offsite.service.ts'
import { openArchive } from './open-archive.ts'
import { createProofsService, type ProofsService } from './proofs.service.ts'
import { watchRequests } from './requests.ts'
import { createScrubbingService, type RepairSource, type ScrubbingService } from './scrubbing.service.ts'
import { createScrubbingStore } from './scrubbing.store.ts'
import type { UpdateBackup } from './update-backup.ts'

/** The archives of a folder, newest first, then the copies off-site; what cannot be opened is passed over. */
export async function* repairSources(options: {
  repairSource(): Promise<RepairSource | null>
  folder: Pick<ArchiveFolder, 'list' | 'fileOf'>
  passphrase: string | undefined
  /** Folder in which encrypted ones are decrypted. */
  scratch: string
}): AsyncGenerator<RepairSource> {
  const { folder, passphrase, scratch, repairSource } = options
  const ask = passphrase === undefined ? undefined : async () => passphrase
  const names = (await folder.list()).map(({ fileName }) => fileName).filter((name) => !isUpdateArchive(name))
  for (const name of names.sort().reverse()) {
    const zip = await openArchive(folder.fileOf(name), { folder: scratch, passphrase: ask }).catch(() => null)
    if (zip === null) continue
    yield {
      name,
      open: async (path) => (zip.sizes.has(storedFile(path)) ? zip.open(storedFile(path)) : null),
      close: () => zip.close(),
    }
  }
  const offsite = await repairSource()
  if (offsite !== null) yield offsite
}

/** Interval of checks for due backups. */
const LOOK_EVERY_MS = 20_000
const PROOF_NICENESS = 10
/** A new embedded database without a row. */
const PROOF_MIN_BYTES = 150 * 1024 * 1024
/** Stays free for everything else while a restore is tested. */
const PROOF_RESERVE_BYTES = 512 * 1024 * 1024

/** Folder of the archives. */
export const folderOf = (directory: string) => createArchiveFolder(directory, { partSuffix: PART_SUFFIX })

export interface BackupsTools
  extends Pick<Context, 'config' | 'log' | 'database' | 'files' | 'queue' | 'settings'>,
    Pick<BackupsDeps, 'signTicket' | 'notify'> {
  /** Undefined where the database was opened by others. */
  updateBackup?: UpdateBackup | undefined
  /** Replaces the process that tries restores: tests of other things spare it. */
  prove?: typeof proveInProcess | undefined
}

/** Builds what makes archives of the instance; `start` before its jobs are run. */
export function buildBackups(tools: BackupsTools): {
  backups: BackupsService
  proofs: ProofsService
  scrubbing: ScrubbingService
  offsite: OffsiteService
  start(): Promise<void>
  close(): Promise<void>
} {
  const {
    config,
    log,
    database,
    files,
    queue,
    settings,
    signTicket,
    notify,
    updateBackup,
    prove = proveInProcess,
  } = tools
  const { pool } = database
  const folder = folderOf(config.backupDir)
  const provingFolder = join(config.dataDir, 'proving')
  const isEmbedded = database.engine === 'embedded'
  const openSnapshot = () => (isEmbedded ? openEmbeddedSnapshot(pool) : openServerSnapshot(config.databaseUrl ?? ''))
  const writer = createArchiveWriter({
    openSnapshot,
    files,
    zipOf: zipUnder(config.backupPassphrase),
    writeWholeFile,
    version: VERSION,
  })
  const store = createBackupsStore(database)
  const { offsite, repairSource } = buildOffsite(
    { ...tools, listAdminIds: store.listAdminIds },
    { openSnapshot, scratch: provingFolder },
  )
  const scrubbing = createScrubbingService({
    store: createScrubbingStore(database),
    files,
    sources: () =>
      repairSources({
        repairSource,
        folder,
        passphrase: config.backupPassphrase,
        scratch: join(provingFolder, 'repair'),
      }),
    notify,
    now: () => new Date(),
    log,
  })
  const backups = createBackupsService({
    store,
    folder,
    writer,
    signTicket,
    notify,
    log,
    neededBytes: async () => {
      const [stored, rows] = await Promise.all([files.usage(), snapshotBytes(pool)])
      return stored.sizeBytes + rows * (isEmbedded ? 2 : 1)
    },
    isSealed: config.backupPassphrase !== undefined,
    kept: () => settings.current().retention.backups_kept,
    schedule: () => settings.current().backups,
    now: () => new Date(),
    recordBackup: (at) => recordBackup(pool, at),
    enqueue: (id, tx) => queue.enqueue('make-backup', { backup_id: id }, tx ? { tx } : {}),
    filesState: scrubbing.state,
    offsiteState: offsite.state,
    enqueueOffsite: () => queue.enqueue('copy-offsite', {}),
    enqueueProof: (id) => queue.enqueue('prove-backup', { backup_id: id }),
    isOnlyProcess: isEmbedded,
  })
  const proofs = createProofsService({
    store,
    folder,
    prove: (archive, id, signal) =>
      prove(
        {
          archive,
          folder: join(provingFolder, id),
          passphrase: config.backupPassphrase,
          migrationsDir: config.migrationsDir,
          niceness: PROOF_NICENESS,
        },
        signal,
      ),
    space: async (fileName) => {
      const [rows, freeBytes, { size }] = await Promise.all([
        snapshotBytes(pool),
        files.freeBytes(),
        stat(folder.fileOf(fileName)),
      ])
      // an encrypted archive is decrypted beside it
      const neededBytes = PROOF_MIN_BYTES + PROOF_RESERVE_BYTES + 3 * rows + (fileName.endsWith('.sealed') ? size : 0)
      return { neededBytes, freeBytes }
    },
    enqueue: (id) => queue.enqueue('prove-backup', { backup_id: id }),
    notify,
    log,
  })
  let timer: NodeJS.Timeout | undefined
  let requests: ReturnType<typeof watchRequests> | undefined
  return {
    backups,
    proofs,
    scrubbing,
    offsite,
    async start() {
      const failed = updateBackup?.failed() ?? null
      if (failed !== null) await store.addFailed(failed.fileName, failed)
      const look = () =>
        backups.makeDue().catch((error: unknown) => log.warn({ err: error }, 'a backup that is due could not be begun'))
      timer = setInterval(look, LOOK_EVERY_MS).unref()
      if (!isEmbedded) return
      // what a killed process left
      await rm(provingFolder, { recursive: true, force: true })
      await dropCopies(pool)
      requests = watchRequests({ directory: folder.directory, backups, log })
    },
    async close() {
      clearInterval(timer)
      await requests?.close()
    },
  }
}

/**
 * Backs up an instance from a process of its own: one on a database server whether or not servers run, an embedded one
 * while none does. The tables stay as they are, whatever their version.
 * @throws DataDirInUseError when a server holds the embedded database; StartupError when there is nothing to back up.
 */
export async function backUpAlone(options: {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backupDir'> & { backupPassphrase?: string | undefined }
  onProgress: (percent: number) => void
  log: Log
}): Promise<WrittenArchive & { file: string }> {
  const { config, onProgress, log } = options
  const { dataDir, databaseUrl, backupPassphrase } = config
  const hasDatabase = existsSync(join(dataDir, 'database', 'PG_VERSION')) || hasRestoredFolders(dataDir)
  if (databaseUrl === undefined && !hasDatabase) {
    throw new StartupError(`There is no database in DATA_DIR ${dataDir}: nothing to back up.`)
  }
  const { pool, openSnapshot, close } = await openAlone(dataDir, databaseUrl, log)
  try {
    const files = await createDiskFiles({ directory: join(dataDir, 'files') })
    const folder = folderOf(config.backupDir)
    await mkdir(folder.directory, { recursive: true, mode: 0o700 })
    const writer = createArchiveWriter({
      openSnapshot,
      files,
      zipOf: zipUnder(backupPassphrase),
      writeWholeFile,
      version: VERSION,
    })
    const file = folder.fileOf(archiveName(new Date(), { isSealed: backupPassphrase !== undefined }))
    const written = await writer.write(file, { onProgress })
    await recordBackup(pool, new Date())
    await folder.keep(await keptOf(pool))
    return { ...written, file }
  } finally {
    await close()
  }
}

/** Number of archives to keep, as administrators set it. */
export async function keptOf(pool: Pick<pg.Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ kept: string | null }>(
    `SELECT value ->> 'retention.backups_kept' AS kept FROM settings WHERE key = 'admin_settings'`,
  )
  return Number(rows[0]?.kept ?? BACKUPS_KEPT)
}

/** Archives that are encrypted where there is a passphrase. */
export function zipUnder(passphrase: string | undefined): typeof zipOf {
  return passphrase === undefined ? zipOf : (entries) => seal(zipOf(entries), passphrase)
}

interface Alone {
  pool: Pick<pg.Pool, 'query'>
  openSnapshot(): Promise<Snapshot | undefined>
  close(): Promise<void>
}

async function openAlone(dataDir: string, databaseUrl: string | undefined, log: Log): Promise<Alone> {
  if (databaseUrl === undefined) {
    const { pool, close } = await openEmbedded({ dataDir, log })
    return {
      pool,
      openSnapshot: () => openEmbeddedSnapshot(pool),
      close: async () => {
        await pool.end()
        await close()
      },
    }
  }
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: 'mira-backup', max: 1 })
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'))
  try {
    await pool.query('SELECT FROM settings LIMIT 1')
  } catch (error) {
    await pool.end()
    throw new StartupError(`The database of DATABASE_URL cannot be backed up: ${(error as Error).message}`, {
      cause: error,
    })
  }
  return { pool, openSnapshot: () => openServerSnapshot(databaseUrl), close: () => pool.end() }
}
