import { existsSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Config } from '../../../config.ts'
import { StartupError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { openEmbedded } from '../../../platform/database/embedded.ts'
import { hasRestoredFolders } from '../../../platform/database/restored-folders.ts'
import { openEmbeddedSnapshot, openServerSnapshot, type Snapshot } from '../../../platform/database/snapshot.ts'
import { openFiles } from '../../../platform/storage/open-files.ts'
import { archiveName, storedFile } from './archive.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { createArchiveWriter, type WrittenArchive } from './archive-writer.ts'
import {
  addOwnArchive,
  forgetArchives,
  listOwnAfterRestore,
  listOwnArchives,
  problemsOf,
  readKeptCount,
  recordBackup,
} from './own-archives.store.ts'

/**
 * Backs up an instance from a separate process: at any time with a database server, only while no server runs with the
 * embedded database. Works with a database of any version, and writes only the record of backups.
 * @throws DataDirInUseError when a server holds the embedded database; StartupError when there is nothing to back up.
 */
export async function backUpWithoutServer(options: {
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backupDir'> &
    Partial<Pick<Config, 'fileStore'>> & { backupPassphrase?: string | undefined }
  onProgress: (percent: number) => void
  signal?: AbortSignal
  log: Log
}): Promise<WrittenArchive & { file: string }> {
  const { config, onProgress, signal, log } = options
  const { dataDir, databaseUrl, backupPassphrase } = config
  const { pool, openSnapshot, close } = await openWithoutServer(dataDir, databaseUrl, log)
  try {
    const files = await openFiles(config, log)
    const folder = createArchiveFolder(config.backupDir)
    await folder.make()
    const writer = createArchiveWriter({ openSnapshot, files, passphrase: backupPassphrase })
    const name = archiveName(new Date(), { isSealed: backupPassphrase !== undefined })
    const file = folder.fileOf(name)
    const archive = await writer.write(file, { onProgress, ...(signal && { signal }) }).finally(files.close)
    await recordBackup(pool, new Date())
    const problemPaths = await problemsOf(pool, archive)
    try {
      for (const { modifiedAt: madeAt, ...known } of await listOwnAfterRestore(pool, await folder.list())) {
        await addOwnArchive(pool, { ...known, problemPaths: [], madeAt })
      }
      await addOwnArchive(pool, { fileName: name, sizeBytes: archive.sizeBytes, problemPaths, madeAt: new Date() })
      await forgetArchives(
        pool,
        await folder.removeExcess(await readKeptCount(pool), name, await listOwnArchives(pool)),
      )
    } catch (error) {
      // The database may be of an earlier version, which doesn't record the archives that may be removed.
      log.warn({ err: error }, 'old backups could not be removed')
    }
    const names = new Set(problemPaths.map(storedFile))
    const isProblem = (name: string) => names.has(name)
    return { ...archive, missing: archive.missing.filter(isProblem), damaged: archive.damaged.filter(isProblem), file }
  } finally {
    await close()
  }
}

/** Maximum wait for another backup to finish; short, since somebody is waiting at the terminal. */
const MAX_WAIT_MS = 60_000

interface StandaloneDatabase {
  pool: Pick<pg.Pool, 'query'>
  openSnapshot(signal?: AbortSignal): Promise<Snapshot>
  close(): Promise<void>
}

/** Opens the database of an instance without starting a server. */
export async function openWithoutServer(
  dataDir: string,
  databaseUrl: string | undefined,
  log: Log,
): Promise<StandaloneDatabase> {
  if (databaseUrl === undefined) {
    const hasDatabase = existsSync(join(dataDir, 'database', 'PG_VERSION')) || hasRestoredFolders(dataDir)
    if (!hasDatabase) throw new StartupError(`There is no database in DATA_DIR ${dataDir}.`)
    const { pool, close } = await openEmbedded({ dataDir, log })
    return {
      pool,
      openSnapshot: (signal) => openEmbeddedSnapshot(pool, signal),
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
  return { pool, openSnapshot: (signal) => openSnapshotSoon(databaseUrl, signal), close: () => pool.end() }
}

/** Opens a snapshot, waiting up to a minute for another backup. @throws StartupError when that takes longer. */
async function openSnapshotSoon(databaseUrl: string, signal?: AbortSignal): Promise<Snapshot> {
  const timeout = AbortSignal.timeout(MAX_WAIT_MS)
  try {
    return await openServerSnapshot(databaseUrl, AbortSignal.any(signal ? [timeout, signal] : [timeout]))
  } catch (error) {
    if (error !== timeout.reason) throw error
    throw new StartupError('Another backup of this database is running. Try again when it has finished.')
  }
}
