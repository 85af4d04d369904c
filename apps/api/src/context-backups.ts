import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createDiskFiles } from './adapters/files/disk.ts'
import { writeWholeFile } from './adapters/files/whole-file.ts'
import { zipOf } from './adapters/files/zip.ts'
import { type Config, VERSION } from './config.ts'
import type { Context } from './context.ts'
import { openEmbedded } from './db/embedded.ts'
import { dropCopies, openEmbeddedSnapshot, openServerSnapshot, type Snapshot, snapshotBytes } from './db/snapshot.ts'
import { StartupError } from './errors.ts'
import { archiveName } from './features/backups/archive.ts'
import { createArchiveFolder } from './features/backups/archive-folder.ts'
import { createArchiveWriter, type WrittenArchive } from './features/backups/archive-writer.ts'
import { type BackupsDeps, type BackupsService, createBackupsService } from './features/backups/backups.service.ts'
import { createBackupsStore, recordBackup } from './features/backups/backups.store.ts'
import { watchRequests } from './features/backups/requests.ts'
import type { Log } from './log.ts'

/** Where archives are written. */
export const backupsFolder = (dataDir: string): string => join(dataDir, 'backups')

/** How many are kept until an administrator decides. */
const KEPT = 7

export interface BackupsGround
  extends Pick<Context, 'config' | 'log' | 'database' | 'files' | 'queue' | 'settings'>,
    Pick<BackupsDeps, 'signPath' | 'notify'> {}

/** Builds what makes archives of the instance; `start` before its jobs are run. */
export function buildBackups(ground: BackupsGround): {
  backups: BackupsService
  start(): Promise<void>
  close(): Promise<void>
} {
  const { config, log, database, files, queue, settings, signPath, notify } = ground
  const { pool } = database
  const folder = createArchiveFolder(backupsFolder(config.dataDir))
  const isEmbedded = database.engine === 'embedded'
  const writer = createArchiveWriter({
    openSnapshot: () => (isEmbedded ? openEmbeddedSnapshot(pool) : openServerSnapshot(config.databaseUrl ?? '')),
    ...{ files, zipOf, writeWholeFile, version: VERSION },
  })
  const backups = createBackupsService({
    ...{ store: createBackupsStore(database), folder, writer, signPath, notify, log },
    neededBytes: async () => {
      const [stored, rows] = await Promise.all([files.usage(), snapshotBytes(pool)])
      return stored.sizeBytes + rows * (isEmbedded ? 2 : 1)
    },
    kept: () => settings.current().retention.backups_kept,
    recordBackup: (at) => recordBackup(pool, at),
    enqueue: (id, tx) => queue.enqueue('make-backup', { backup_id: id }, tx ? { tx } : {}),
    isOnlyProcess: isEmbedded,
  })
  let requests: ReturnType<typeof watchRequests> | undefined
  return {
    backups,
    async start() {
      if (!isEmbedded) return
      await dropCopies(pool)
      requests = watchRequests({ directory: folder.directory, backups, log })
    },
    close: async () => requests?.close(),
  }
}

/**
 * Backs up an instance from a process of its own: one on a database server whether or not servers run, an embedded one
 * while none does. The tables stay as they are, whatever their version.
 * @throws DataDirInUseError when a server holds the embedded database; StartupError when there is nothing to back up.
 */
export async function backUpAlone(options: {
  config: Pick<Config, 'dataDir' | 'databaseUrl'>
  onProgress: (percent: number) => void
  log: Log
}): Promise<WrittenArchive & { file: string }> {
  const { config, onProgress, log } = options
  const { dataDir, databaseUrl } = config
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'database', 'PG_VERSION'))) {
    throw new StartupError(`There is no database in DATA_DIR ${dataDir}: nothing to back up.`)
  }
  const { pool, openSnapshot, close } = await openAlone(dataDir, databaseUrl, log)
  try {
    const files = await createDiskFiles({ directory: join(dataDir, 'files') })
    const folder = createArchiveFolder(backupsFolder(dataDir))
    await mkdir(folder.directory, { recursive: true, mode: 0o700 })
    const { rows } = await pool.query<{ kept: string | null }>(
      `SELECT value ->> 'retention.backups_kept' AS kept FROM settings WHERE key = 'admin_settings'`,
    )
    const writer = createArchiveWriter({ openSnapshot, files, zipOf, writeWholeFile, version: VERSION })
    const file = folder.fileOf(archiveName(new Date()))
    const written = await writer.write(file, { onProgress })
    await recordBackup(pool, new Date())
    await folder.keep(Number(rows[0]?.kept ?? KEPT))
    return { ...written, file }
  } finally {
    await close()
  }
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
