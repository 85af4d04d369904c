import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { RemoteStoreError, StartupError } from '../../../errors.ts'
import { MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { SealError } from '../../../platform/storage/sealed.ts'
import { unlessGone } from '../../../platform/storage/whole-file.ts'
import { archiveName, isUpdateArchive, newestFirst } from './archive.ts'
import { openArchive } from './archive-check.ts'
import { createArchiveFolder } from './archive-folder.ts'
import { KEY_NAME, type OffsiteConfig, openOffsite } from './repository.ts'
import { type Restored, type RestoreOptions, restore } from './restore.ts'

type ArchiveToRestore = Omit<RestoreOptions, 'migrationsDir' | 'zip' | 'config' | 'isSelfChecking'> & {
  config: RestoreOptions['config'] & Partial<OffsiteConfig>
  /** An archive file, or the address of off-site copies (`s3://bucket/prefix` or a folder); `#name` selects an older copy. */
  archive: string
  migrationsDir?: string
  /** Asks for the passphrase, if the archive is encrypted. */
  passphrase?: () => Promise<string>
}

/** Restores an instance from an archive or an off-site copy. Tests pass migrations other than this version's. */
export async function restoreArchive({ passphrase, archive, ...options }: ArchiveToRestore): Promise<Restored> {
  const [address = '', name] = archive.split('#')
  const isCopy = address.startsWith('s3://') || (await stat(address).catch(unlessGone(null)))?.isDirectory() === true
  const rest = { migrationsDir: MIGRATIONS_DIR, ...options }
  if (isCopy && !address.startsWith('s3://')) await refuseArchiveFolder(address)
  if (isCopy) return restoreCopy(address, name, { ...rest, passphrase })
  await removeOpened(archive)
  const zip = await openArchive(archive, { folders: [dirname(archive), options.config.dataDir], passphrase })
  try {
    return await restore({ ...rest, zip })
  } finally {
    zip.close()
  }
}

/** @throws StartupError for a folder of archives, one of which has to be named; a folder of off-site copies may be beside them. */
async function refuseArchiveFolder(folder: string): Promise<void> {
  const archives = (await createArchiveFolder(folder).list()).map(({ fileName }) => fileName)
  const [newest] = archives
    .filter((name) => !isUpdateArchive(name))
    .sort(newestFirst(archiveName(new Date(), { isSealed: true })))
  if (newest === undefined || (await stat(join(folder, KEY_NAME)).catch(unlessGone(null))) !== null) return
  throw new StartupError(`${folder} is a folder. Name one of its archives, such as ${join(folder, newest)}.`)
}

/** Removes decrypted copies that a killed restore of an earlier version left beside an archive. */
async function removeOpened(archive: string): Promise<void> {
  const [folder, prefix] = [dirname(archive), `${basename(archive)}-opened-`]
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(prefix)) await rm(join(folder, name)).catch(() => {})
}

type CopyToRestore = Omit<ArchiveToRestore, 'archive' | 'migrationsDir'> & { migrationsDir: string }

async function restoreCopy(
  address: string,
  name: string | undefined,
  { passphrase, ...options }: CopyToRestore,
): Promise<Restored> {
  const { config, onWarning } = options
  const noS3Access = { endpoint: undefined, region: 'us-east-1', accessKeyId: undefined, secretAccessKey: undefined }
  try {
    const access = { backupS3: config.backupS3 ?? noS3Access, backupPassphrase: await passphrase?.() }
    const repository = await openOffsite(address, access, { isCreating: false })
    try {
      const zip = await repository.openArchive({ folder: config.dataDir, name, onWarning })
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
  }
}
