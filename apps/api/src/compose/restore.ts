import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { syncFolder } from '../adapters/files/disk.ts'
import { readDiskSpace } from '../adapters/files/disk-space.ts'
import { linkTree, moveInto, removeOtherFiles } from '../adapters/files/file-tree.ts'
import { isSealedFile, SealError, unseal } from '../adapters/files/sealed.ts'
import { openZip } from '../adapters/files/unzip.ts'
import { syncTree, writeWholeFile } from '../adapters/files/whole-file.ts'
import { lockDataDir } from '../db/lock.ts'
import { listMigrations, MIGRATIONS_DIR } from '../db/migrate.ts'
import { fillEmbedded, openRestoreServer } from '../db/restore-target.ts'
import { StartupError } from '../errors.ts'
import { createRestore, type Restored, type RestoreOptions } from '../features/backups/restore.ts'

const restore = createRestore({
  openZip,
  fillEmbedded,
  openServer: openRestoreServer,
  listMigrations,
  lockDataDir,
  writeWholeFile,
  syncTree,
  syncFolder,
  linkTree,
  removeOtherFiles,
  moveInto,
  readDiskSpace,
})

type ArchiveToRestore = Omit<RestoreOptions, 'migrationsDir'> & {
  migrationsDir?: string
  /** Asked for when the archive is encrypted. */
  passphrase?: () => Promise<string>
}

/** Makes an instance of an archive; tests name other migrations than those of this version. */
export async function restoreArchive({ passphrase, ...options }: ArchiveToRestore): Promise<Restored> {
  const given = { migrationsDir: MIGRATIONS_DIR, ...options }
  const isEncrypted = await isSealedFile(given.archive).catch(() => false)
  if (!isEncrypted) return restore(given)
  if (passphrase === undefined) throw new StartupError('The archive is encrypted: its passphrase is needed.')
  // beside it is room for it; nobody else may read it
  const folder = await mkdtemp(`${given.archive}-`)
  try {
    const archive = join(folder, 'archive.zip')
    await unsealInto(archive, given.archive, await passphrase())
    return await restore({ ...given, archive })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function unsealInto(archive: string, sealed: string, passphrase: string): Promise<void> {
  const content = unseal(createReadStream(sealed), passphrase)
  try {
    await pipeline(content, createWriteStream(archive, { mode: 0o600 }))
  } catch (error) {
    if (error instanceof SealError) throw new StartupError(`The archive cannot be decrypted: ${error.message}.`)
    throw error
  }
}
