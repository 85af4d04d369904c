import type { Config } from '../../../config.ts'
import type { Log } from '../../../log.ts'
import type { MigratingDatabase } from '../../../platform/database/client.ts'
import { openEmbeddedSnapshot, openServerSnapshot, snapshotBytes } from '../../../platform/database/snapshot.ts'
import { openFiles } from '../../../platform/storage/open-files.ts'
import { type Sentence, say } from '../../../sentences.ts'
import { archiveName } from './archive.ts'
import { createArchiveFolder, type UnfinishedUpdate } from './archive-folder.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { recordBackup } from './own-archives.store.ts'

/** Maximum time that the backup before an update may delay the start of the server. */
const MAX_DURATION_MS = 15 * 60_000

/** A backup that could not be written before an update. */
interface FailedUpdateBackup extends Sentence {
  fileName: string
}

/**
 * Backs up the database before an update changes it. Stored files, which updates never change, are listed but not
 * copied, so that the start isn't delayed further. A failure is reported later and never stops the start.
 */
export function createUpdateBackup(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backupDir' | 'backupPassphrase'> &
    Partial<Pick<Config, 'fileStore'>>,
  log: Log,
  { maxDurationMs = MAX_DURATION_MS } = {},
) {
  let failure: FailedUpdateBackup | null = null
  const folder = createArchiveFolder(config.backupDir)
  return {
    failure: () => failure,

    /** Records that the update is complete, so that the next one is backed up again. */
    finish: () =>
      folder.endUpdate().catch((err) => log.warn({ err }, 'the record of an unfinished update could not be removed')),

    async beforeMigrating({ pool, engine, pending }: MigratingDatabase): Promise<void> {
      const name = archiveName(new Date(), { isSealed: config.backupPassphrase !== undefined, reason: 'update' })
      try {
        const unfinishedUpdate = await folder.unfinishedUpdate()
        if (unfinishedUpdate !== null && isContinued(unfinishedUpdate, pending)) {
          // A backup of the half-updated database would push out the one from before the update.
          log.warn(
            { file: unfinishedUpdate.fileName, migrations: pending },
            'an update that failed is resumed; its backup is kept',
          )
          return
        }
        log.info({ file: name, migrations: pending }, 'backing up the database before its update')
        await folder.make()
        await requireSpace(await snapshotBytes(pool), await folder.freeBytes())
        const files = await openFiles(config, log)
        const writer = createArchiveWriter({
          openSnapshot: (signal) =>
            engine === 'embedded'
              ? openEmbeddedSnapshot(pool, signal)
              : openServerSnapshot(config.databaseUrl ?? '', signal),
          files,
          passphrase: config.backupPassphrase,
        })
        const signal = AbortSignal.timeout(maxDurationMs)
        const options = { isDatabaseOnly: true, isStoreOptional: true, signal }
        await writer.write(folder.fileOf(name), options).finally(files.close)
        await recordBackup(pool, new Date())
        await folder.beginUpdate({ fileName: name, pending })
        // Removes only backups from before updates: the database may be too old to know which other archives may be removed.
        await folder.removeExcessUpdates(name)
      } catch (error) {
        const reason = (error as Error).message
        failure = { ...say('update_backup_failed', { said: reason }), fileName: name }
        log.error({ err: error }, 'the backup before the update failed; the update continues')
      }
    },
  }
}

/** True when some of the update's migrations have been applied since its backup, but not all. */
const isContinued = (update: UnfinishedUpdate, pending: readonly string[]) =>
  pending.length < update.pending.length && pending.every((name) => update.pending.includes(name))

export type UpdateBackup = ReturnType<typeof createUpdateBackup>

/** @throws Error when less than twice the database's size is free: the embedded database is copied while it's read. */
async function requireSpace(databaseBytes: number, freeBytes: number): Promise<void> {
  const needed = 2 * databaseBytes
  if (freeBytes >= needed) return
  const [needs, has] = [needed, freeBytes].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
  throw new Error(`it may take ${needs}, and ${has} are free in the folder of the backups.`)
}
