import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteStoreError, StartupError } from '../../../errors.ts'
import { lockDataDir } from '../../../platform/database/lock.ts'
import { listMigrations, MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { fillEmbedded, openRestoreServer } from '../../../platform/database/restore-target.ts'
import {
  finishRestore,
  hasRestoredFolders,
  placeRestored,
  STAGING_FOLDER,
} from '../../../platform/database/restored-folders.ts'
import { syncFolder } from '../../../platform/storage/disk.ts'
import { readDiskSpace } from '../../../platform/storage/disk-space.ts'
import { linkTree, removeOtherFiles } from '../../../platform/storage/file-tree.ts'
import { SealError } from '../../../platform/storage/sealed.ts'
import { syncTree, writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { openArchive } from './open-archive.ts'
import { type OffsiteConfig, openOffsite } from './remote-places.ts'
import { createRestore, type Restored, type RestoreOptions } from './restore.ts'

const restore = createRestore({
  fillEmbedded,
  openServer: openRestoreServer,
  listMigrations,
  lockDataDir,
  writeWholeFile,
  syncTree,
  syncFolder,
  linkTree,
  removeOtherFiles,
  stagingFolder: STAGING_FOLDER,
  placeRestored,
  finishRestore,
  hasRestoredFolders,
  readDiskSpace,
})

type ArchiveToRestore = Omit<RestoreOptions, 'migrationsDir' | 'zip' | 'config' | 'isSelfChecking'> & {
  config: RestoreOptions['config'] & Partial<OffsiteConfig>
  /** A file, or where copies are: `s3://bucket/prefix` or a folder, `#name` after it for another than the newest. */
  archive: string
  migrationsDir?: string
  /** Asked for when the archive is encrypted. */
  passphrase?: () => Promise<string>
}

/** Makes an instance of an archive; tests name other migrations than those of this version. */
export async function restoreArchive({ passphrase, archive, ...options }: ArchiveToRestore): Promise<Restored> {
  const [place = '', name] = archive.split('#')
  const isCopy = place.startsWith('s3://') || (await stat(place).catch(() => null))?.isDirectory() === true
  const rest = { migrationsDir: MIGRATIONS_DIR, ...options }
  if (isCopy) return restoreCopy(place, name, { ...rest, passphrase })
  const folder = `${archive}-opened-${process.pid}`
  try {
    const zip = await openArchive(archive, { folder, passphrase })
    try {
      return await restore({ ...rest, zip })
    } finally {
      zip.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type CopyToRestore = Omit<ArchiveToRestore, 'archive' | 'migrationsDir'> & { migrationsDir: string }

async function restoreCopy(
  place: string,
  name: string | undefined,
  { passphrase, ...options }: CopyToRestore,
): Promise<Restored> {
  const { config } = options
  const none = { endpoint: undefined, region: 'us-east-1', accessKeyId: undefined, secretAccessKey: undefined }
  const folder = join(config.dataDir, 'restoring-from')
  try {
    const access = { backupS3: config.backupS3 ?? none, backupPassphrase: await passphrase?.() }
    const repository = await openOffsite(place, access, { isCreating: false })
    try {
      const zip = await repository.openArchive({ folder, name })
      try {
        return await restore({ ...options, zip, isSelfChecking: true })
      } finally {
        zip.close()
      }
    } finally {
      repository.close()
    }
  } catch (error) {
    if (error instanceof RemoteStoreError) throw new StartupError(error.message, { cause: error })
    if (error instanceof SealError) throw new StartupError(`A file of the backup is damaged: ${error.message}.`)
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
