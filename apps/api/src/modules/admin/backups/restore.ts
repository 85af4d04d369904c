import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { Config } from '../../../config.ts'
import { StartupError, StorageFullError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { LoadedSnapshot } from '../../../platform/database/load-snapshot.ts'
import { lockDataDir } from '../../../platform/database/lock.ts'
import { listMigrations } from '../../../platform/database/migrate.ts'
import { type ArchivedRows, fillEmbedded, openRestoreServer } from '../../../platform/database/restore-target.ts'
import {
  finishRestore,
  hasRestoredFolders,
  isOnOtherDisk,
  LEFTOVER_REMOVAL,
  placeRestored,
  type RestoredFolders,
  removeLeftover,
  requireMovable,
  STAGING_FOLDER,
  UnfinishedRestoreError,
} from '../../../platform/database/restored-folders.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { readDiskSpace } from '../../../platform/storage/disk-space.ts'
import type { Files } from '../../../platform/storage/files.ts'
import { linkTree, removeOtherFiles } from '../../../platform/storage/folder-walk.ts'
import { openFiles } from '../../../platform/storage/open-files.ts'
import { findJwtSecret, fingerprintOf } from '../../../platform/storage/secrets.ts'
import { moveFile, syncFolder, syncTree, unlessGone, writeWholeFile } from '../../../platform/storage/whole-file.ts'
import type { OpenedZip } from '../../../platform/storage/zip.ts'
import { archivedTables, type Manifest, storedFile, storedPath } from './archive.ts'
import { checkArchive } from './archive-check.ts'

export interface RestoreOptions {
  config: Pick<Config, 'dataDir' | 'databaseUrl'> & Partial<Pick<Config, 'fileStore' | 'jwtSecret'>>
  /** The archive; the caller closes it. */
  zip: OpenedZip
  /** True when stored files are verified while they're read, so that a separate pass is unnecessary. */
  isSelfChecking?: boolean
  /** Replace the target's existing contents. */
  isReplacing: boolean
  onProgress?: (phase: 'check' | 'rows' | 'files', percent: number) => void
  /** Receives a sentence about each condition that the operator should know of, such as files that couldn't be removed. */
  onWarning?: (sentence: string) => void
  migrationsDir: string
  log: Log
}

export interface Restored {
  manifest: Manifest
  rowCount: number
  fileCount: number
  /** Stored files that a database-only archive refers to and the file store no longer has. */
  lostFiles: string[]
  /** Folder with the previous contents of DATA_DIR; null when none were moved aside. */
  asideFolder: string | null
  /** Number of access items suspended until users confirm them, by kind. */
  suspended: Record<string, number>
  /** Number of accounts whose sign-in codes no longer work, since this machine has another JWT secret. */
  lostCodesCount: number
}

const CHECK_TIMEOUT_MS = 30_000

/** Inputs and state of restoring an archive that has been checked. */
interface RestoreTask extends Required<RestoreOptions> {
  manifest: Manifest
  /** Folder that everything is written to before it's moved into place. */
  staging: string
  /** File store in S3 or on a separate disk, which is written to directly. Undefined when its folder can be moved into place. */
  directFiles: Files | undefined
  /** Files restored so far. */
  fileCount: number
}

type Placed = Pick<Restored, 'asideFolder'> & LoadedSnapshot

/**
 * Restores an archive into DATA_DIR and the configured database. Everything is written to a staging folder and moved at
 * the end, so that a failure changes nothing. A file store in S3 or on a separate disk is written to directly. The new files
 * are stored beside the previous ones, and nobody sees them until their rows are in place.
 * @throws StartupError when the archive is invalid, the target is in use or not empty, or there is no room;
 *   UnfinishedRestoreError when the last step failed. After any other error nothing has changed.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const { config, zip, migrationsDir, isSelfChecking = false, onProgress = () => {}, onWarning = () => {} } = options
  const { dataDir, databaseUrl } = config
  const knownMigrations = await listMigrations(migrationsDir)
  const manifest = await checkArchive(zip, {
    knownMigrations,
    onProgress: (percent) => onProgress('check', percent),
    ...(isSelfChecking ? { chooseFiles: () => new Set<string>() } : {}),
  })
  const unlock = await lockDataDir(dataDir)
  const staging = join(dataDir, STAGING_FOLDER)
  const isInS3 = config.fileStore?.s3 !== undefined
  const files = join(dataDir, 'files')
  let isOnOwnDisk = false
  let directFiles: Files | undefined
  let task: RestoreTask | undefined
  try {
    isOnOwnDisk = !isInS3 && (await isOnOtherDisk(dataDir, 'files'))
    directFiles = isInS3 || isOnOwnDisk ? await openFiles(config, options.log) : undefined
    // A long timeout, since connecting for the first time and getting credentials of an instance role take a while.
    await directFiles?.check({ timeoutMs: CHECK_TIMEOUT_MS })
    if (hasRestoredFolders(dataDir)) {
      await finishRestore(dataDir, onWarning)
      onWarning('An interrupted restore has been finished first.')
    }
    await requireSpace(dataDir, directFiles === undefined ? manifest.files : rowFilesOf(manifest))
    const isNew = (name: string) => !existsSync(join(files, storedPath(name) ?? ''))
    if (isOnOwnDisk)
      await requireSpace(
        files,
        manifest.files.filter(({ name }) => isNew(name)),
      )
    await rm(staging, LEFTOVER_REMOVAL)
    await mkdir(staging, { recursive: true, mode: 0o700 })
    const tools = { isSelfChecking, onProgress, onWarning }
    task = { ...options, ...tools, manifest, staging, directFiles, fileCount: 0 }
    // Called before anything changes, since any error other than UnfinishedRestoreError means that nothing has changed.
    const lostFiles = await lostFilesOf(task)
    const { codes, ...placed } = await (databaseUrl === undefined
      ? restoreIntoEmbedded(task)
      : restoreIntoServer(task, databaseUrl))
    if (isOnOwnDisk && options.isReplacing && manifest.elsewhere === undefined)
      onWarning(`${files} is on a disk of its own: the previous files are still there. npm run check-files lists them.`)
    return {
      manifest,
      rowCount: rowCountOf(manifest),
      fileCount: task.fileCount,
      lostFiles,
      lostCodesCount: hasSecret(config, codes.secretFingerprint) ? 0 : codes.accountCount,
      ...placed,
    }
  } catch (error) {
    if (task?.directFiles !== undefined && task.fileCount > 0 && !(error instanceof UnfinishedRestoreError))
      onWarning(
        `Files restored so far are still in ${task.directFiles.address}. Restoring again reuses them; ` +
          'npm run check-files lists them.',
      )
    if (!(error instanceof StorageFullError)) throw error
    throw new StartupError(`The disk of ${isOnOwnDisk ? files : dataDir} is full.`, { cause: error })
  } finally {
    directFiles?.close()
    // After a failure in the last step, the folder is needed to finish the restore later.
    if (!hasRestoredFolders(dataDir)) await removeLeftover(staging, onWarning)
    unlock()
  }
}

async function restoreIntoEmbedded(task: RestoreTask): Promise<Placed> {
  const { config, staging, isReplacing, onWarning, log } = task
  const { dataDir } = config
  const keepsFiles = keepsFilesOf(task)
  const names: RestoredFolders['names'] = keepsFiles ? ['database'] : ['database', 'files']
  await requireMovable(dataDir, names)
  const isTaken = existsSync(join(dataDir, 'database', 'PG_VERSION')) || (!keepsFiles && (await hasFiles(dataDir)))
  if (isTaken && !isReplacing) throw notEmptyError(`DATA_DIR ${dataDir}`, 'moves its contents aside')
  // Everything must be on disk before any of it is used.
  const loaded = await fillEmbedded(staging, rowsOf(task), log)
  await syncTree(join(staging, 'database'))
  await writeFiles(task)
  const aside = isTaken ? asideFolderOf(dataDir) : null
  // The folder doesn't exist yet if the archive has no stored files.
  if (!keepsFiles) await mkdir(join(staging, 'files'), { recursive: true, mode: 0o700 })
  await placeRestored(dataDir, { names, aside: aside && basename(aside) }, onWarning)
  return { asideFolder: aside, ...loaded }
}

async function restoreIntoServer(task: RestoreTask, databaseUrl: string): Promise<Placed> {
  const { config, isReplacing, onWarning, log } = task
  const { dataDir } = config
  const server = await openRestoreServer(databaseUrl, log)
  try {
    if (server.contents === 'other') {
      throw new StartupError('The database of DATABASE_URL has tables that are not Mira’s. Use an empty one.')
    }
    const isTaken = server.contents === 'mira'
    if (isTaken && !isReplacing) throw notEmptyError('The database of DATABASE_URL', 'deletes its contents')
    await writeFiles(task)
    const loaded = await server.replaceBy(rowsOf(task))
    const keepsFiles = keepsFilesOf(task)
    const aside = isTaken && !keepsFiles && (await hasFiles(dataDir)) ? asideFolderOf(dataDir) : null
    const files = join(dataDir, 'files')
    try {
      // Linked rather than moved: until the rows are replaced, the previous ones need their files in place.
      if (aside !== null) await linkTree(files, join(aside, 'files'))
      await putFilesInPlace(task)
      await server.commit()
    } catch (error) {
      if (aside !== null && !(error instanceof UnfinishedRestoreError)) await removeLeftover(aside, onWarning)
      throw error
    }
    if (aside !== null) {
      await removeOtherFiles(files, new Set(storedPathsOf(task.manifest))).catch((error: Error) =>
        onWarning(`Previous files are still in ${files}: ${error.message}. npm run check-files lists them.`),
      )
    }
    return { asideFolder: aside, ...loaded }
  } finally {
    await server.close()
  }
}

/** True when this machine has the JWT secret of the backed-up instance. If the backup doesn't identify it, any secret counts. */
function hasSecret({ dataDir, jwtSecret }: RestoreOptions['config'], fingerprint: string | null): boolean {
  const secret = findJwtSecret({ configured: jwtSecret, dataDir })
  return secret !== undefined && (fingerprint === null || fingerprintOf(secret) === fingerprint)
}

/** True when the restore doesn't replace DATA_DIR/files. */
function keepsFilesOf({ manifest, directFiles }: RestoreTask): boolean {
  return manifest.elsewhere !== undefined || directFiles !== undefined
}

async function writeFiles(task: RestoreTask): Promise<void> {
  const { zip, manifest, staging, directFiles, onProgress } = task
  const stored = storedPathsOf(manifest)
  for (const [index, path] of stored.entries()) {
    const content = await zip.open(storedFile(path))
    if (directFiles === undefined) await writeWholeFile(join(staging, 'files', path), content)
    if (directFiles === undefined || (await storeDirectly(directFiles, path, content))) task.fileCount++
    onProgress('files', Math.floor((100 * (index + 1)) / stored.length))
  }
}

/**
 * Writes a file to the store. A file that was damaged before the backup doesn't replace an existing, intact one. In a bucket, a
 * damaged file isn't stored at all, since its name is the hash of other content.
 * @returns false when the file isn't stored: it's damaged, and the store is a bucket.
 */
async function storeDirectly(files: Files, path: string, content: Readable): Promise<boolean> {
  const [ownerId = '', , sha256] = path.split('/')
  const received = await files.receive(content)
  if (received.sha256 === sha256) {
    await received.store(ownerId)
    return true
  }
  const target = join(files.address, path)
  try {
    if (!files.isRemote && !existsSync(target)) await writeWholeFile(target, createReadStream(received.filename))
  } finally {
    await received.discard()
  }
  return !files.isRemote
}

/** Moves restored files into DATA_DIR/files. A file damaged before the backup doesn't replace an existing, intact one. */
async function putFilesInPlace({ config, manifest, staging, directFiles }: RestoreTask): Promise<void> {
  if (directFiles !== undefined) return
  const damaged = new Set(manifest.damaged.map(storedPath))
  for (const path of storedPathsOf(manifest)) {
    const target = join(config.dataDir, 'files', path)
    if (damaged.has(path) && existsSync(target)) continue
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await moveFile(join(staging, 'files', path), target)
    await syncFolder(dirname(target))
  }
}

async function requireSpace(folder: string, files: Manifest['files']): Promise<void> {
  const needed = files.reduce((sum, { size_bytes: sizeBytes }) => sum + sizeBytes, 0)
  const { totalBytes, usedBytes } = await readDiskSpace(folder)
  const free = totalBytes - usedBytes
  if (free >= needed) return
  const [has, needs] = [free, needed].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
  throw new StartupError(`Not enough space in ${folder}: the archive needs about ${needs}, ${has} are free.`)
}

function rowsOf({ zip, manifest, migrationsDir, onProgress }: RestoreTask): ArchivedRows {
  const total = Math.max(1, rowCountOf(manifest))
  let doneRows = 0
  const tables = archivedTables(zip, manifest, (count) => {
    doneRows += count
    onProgress('rows', Math.floor((100 * doneRows) / total))
  })
  return { migrations: manifest.migrations, tables, migrationsDir }
}

function rowCountOf({ tables }: Manifest): number {
  return Object.values(tables).reduce((sum, rows) => sum + rows, 0)
}

/** Entries of an archive that contain rows. */
function rowFilesOf({ files }: Manifest): Manifest['files'] {
  return files.filter(({ name }) => storedPath(name) === null)
}

function storedPathsOf({ files }: Manifest): string[] {
  return files.flatMap(({ name }) => storedPath(name) ?? [])
}

/** Stored files that a database-only archive refers to and that don't exist; a restore of it doesn't change the stored files. */
async function lostFilesOf({ config, manifest: { elsewhere = [] }, directFiles }: RestoreTask): Promise<string[]> {
  if (elsewhere.length === 0) return []
  const files = directFiles ?? (await createDiskFiles({ directory: join(config.dataDir, 'files') }))
  const names = new Set<string>()
  for await (const { path } of files.list()) names.add(storedFile(path))
  return elsewhere.map(({ name }) => name).filter((name) => !names.has(name))
}

async function hasFiles(dataDir: string): Promise<boolean> {
  const names = await readdir(join(dataDir, 'files')).catch(unlessGone([]))
  return names.some((name) => name !== 'incoming')
}

function asideFolderOf(dataDir: string): string {
  return join(dataDir, `replaced-${new Date().toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`)
}

function notEmptyError(target: string, consequence: string): StartupError {
  return new StartupError(`${target} is not empty. Add --replace, which ${consequence}.`)
}
