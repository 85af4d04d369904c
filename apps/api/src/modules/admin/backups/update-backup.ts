import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Sentence, say } from '@mira/shared'
import { type Config, VERSION } from '../../../config.ts'
import type { Log } from '../../../log.ts'
import type { MigratingDatabase } from '../../../platform/database/client.ts'
import { openEmbeddedSnapshot, openServerSnapshot, snapshotBytes } from '../../../platform/database/snapshot.ts'
import { createDiskFiles } from '../../../platform/storage/disk.ts'
import { writeWholeFile } from '../../../platform/storage/whole-file.ts'
import { archiveName } from './archive-name.ts'
import { createArchiveWriter } from './archive-writer.ts'
import { recordBackup } from './backups.store.ts'
import { folderOf, keptOf, zipUnder } from './index.ts'

/** A start waits no longer than this for its backup. */
const MAX_DURATION_MS = 15 * 60_000

/** The backup that a start could not write before an update. */
export interface FailedUpdateBackup extends Sentence {
  fileName: string
}

/**
 * Backs up the database before an update changes it. Stored files are named, not copied: updates never change them, so
 * that a start takes no longer than the rows do. A failure is remembered and never stops the start.
 */
export function createUpdateBackup(
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'backupDir' | 'backupPassphrase'>,
  log: Log,
  { maxDurationMs = MAX_DURATION_MS } = {},
) {
  let failed: FailedUpdateBackup | null = null
  return {
    failed: () => failed,

    async beforeMigrating({ pool, engine, pending }: MigratingDatabase): Promise<void> {
      const name = archiveName(new Date(), { isSealed: config.backupPassphrase !== undefined, reason: 'update' })
      log.info({ file: name, migrations: pending }, 'the database is backed up before it is updated')
      try {
        const folder = folderOf(config.backupDir)
        await mkdir(folder.directory, { recursive: true, mode: 0o700 })
        await requireRoom(await snapshotBytes(pool), await folder.freeBytes())
        const writer = createArchiveWriter({
          openSnapshot: () =>
            engine === 'embedded' ? openEmbeddedSnapshot(pool) : openServerSnapshot(config.databaseUrl ?? ''),
          files: await createDiskFiles({ directory: join(config.dataDir, 'files') }),
          zipOf: zipUnder(config.backupPassphrase),
          writeWholeFile,
          version: VERSION,
        })
        await writer.write(folder.fileOf(name), { isDatabaseOnly: true, signal: AbortSignal.timeout(maxDurationMs) })
        await recordBackup(pool, new Date())
        await folder.keep(await keptOf(pool))
      } catch (error) {
        const said = (error as Error).message
        const text = `Mira was updated without a backup of the database before it: ${said} Make a backup now.`
        failed = { ...say('update_backup_failed', { said }, text), fileName: name }
        log.error({ err: error }, 'there is no backup from before the update; Mira is updated and started all the same')
      }
    },
  }
}

export type UpdateBackup = ReturnType<typeof createUpdateBackup>

/** Twice the database: the embedded one is copied while it is read. */
async function requireRoom(databaseBytes: number, freeBytes: number): Promise<void> {
  const needed = 2 * databaseBytes
  if (freeBytes >= needed) return
  const [needs, has] = [needed, freeBytes].map((bytes) => `${Math.ceil(bytes / 1e6)} MB`)
  throw new Error(`it may take ${needs}, and ${has} are free in the folder of the backups.`)
}
