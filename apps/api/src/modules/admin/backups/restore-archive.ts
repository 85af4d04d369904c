import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { RemoteStoreError, StartupError } from '../../../errors.ts'
import { MIGRATIONS_DIR } from '../../../platform/database/migrate.ts'
import { removeLeftover } from '../../../platform/database/restored-folders.ts'
import { SealError } from '../../../platform/storage/sealed.ts'
import { unlessGone } from '../../../platform/storage/whole-file.ts'
import { openArchive } from './archive-check.ts'
import { type OffsiteConfig, openOffsite } from './repository.ts'
import { type Restored, type RestoreOptions, restore } from './restore.ts'

type ArchiveToRestore = Omit<RestoreOptions, 'migrationsDir' | 'zip' | 'config' | 'isSelfChecking'> & {
  config: RestoreOptions['config'] & Partial<OffsiteConfig>
  /** A file, or the place of copies: `s3://bucket/prefix` or a folder, with `#name` for another than the newest. */
  archive: string
  migrationsDir?: string
  /** Called when the archive is encrypted. */
  passphrase?: () => Promise<string>
}

/** Restores an instance; tests pass other migrations than this version's. */
export async function restoreArchive({ passphrase, archive, ...options }: ArchiveToRestore): Promise<Restored> {
  const [place = '', name] = archive.split('#')
  const isCopy = place.startsWith('s3://') || (await stat(place).catch(unlessGone(null)))?.isDirectory() === true
  const rest = { migrationsDir: MIGRATIONS_DIR, ...options }
  const { onWarning = () => {} } = options
  if (isCopy) return restoreCopy(place, name, { ...rest, passphrase })
  // beside the archive, unless its disk can only be read
  const beside = `${archive}-opened-${process.pid}`
  const elsewhere = join(options.config.dataDir, 'restoring-from')
  const folder = await mkdir(beside, { mode: 0o700 }).then(
    () => beside,
    () => elsewhere,
  )
  try {
    const zip = await openArchive(archive, { folder, passphrase })
    try {
      return await restore({ ...rest, zip })
    } finally {
      zip.close()
    }
  } finally {
    await removeLeftover(folder, onWarning)
  }
}

type CopyToRestore = Omit<ArchiveToRestore, 'archive' | 'migrationsDir'> & { migrationsDir: string }

async function restoreCopy(
  place: string,
  name: string | undefined,
  { passphrase, ...options }: CopyToRestore,
): Promise<Restored> {
  const { config, onWarning = () => {} } = options
  const none = { endpoint: undefined, region: 'us-east-1', accessKeyId: undefined, secretAccessKey: undefined }
  const folder = join(config.dataDir, 'restoring-from')
  try {
    const access = { backupS3: config.backupS3 ?? none, backupPassphrase: await passphrase?.() }
    const repository = await openOffsite(place, access, { isCreating: false })
    try {
      const zip = await repository.openArchive({ folder, name, onWarning })
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
    await removeLeftover(folder, onWarning)
  }
}
