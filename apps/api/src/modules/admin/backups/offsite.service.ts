import { join } from 'node:path'
import type { OffsiteState, OffsiteTestResponse } from '@mira/shared'
import { AppError, RemoteStoreError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Snapshot } from '../../../platform/database/snapshot.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { SettingsReader } from '../../../platform/settings/settings.service.ts'
import { openUntilBadSector } from '../../../platform/storage/bad-sectors.ts'
import type { Files } from '../../../platform/storage/files.ts'
import type { WithTempFolder } from '../../../platform/storage/scratch.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { NotificationsService } from '../../automation/index.ts'
import { storedPath } from './archive.ts'
import { createArchiveWriter } from './archive-writer.ts'
import type { BackupsStore } from './backups.store.ts'
import { readOffsiteMark, saveOffsiteMark } from './offsite-mark.ts'
import { type OffsiteConfig, openOffsite, snapshotNameOf } from './repository.ts'
import type { RepairSource } from './scrubbing.service.ts'

const LINK = '/admin?tab=settings'

export type OffsiteService = ReturnType<typeof createOffsiteService>

/** Encrypted off-site copies of the instance. Each copy has the whole database; each stored file is copied only once. */
export function createOffsiteService({
  config,
  database,
  files,
  settings,
  store,
  notifications,
  openSnapshot,
  withTempFolder,
  log,
}: {
  config: OffsiteConfig
  database: Pick<Database, 'prisma'>
  files: Files
  settings: SettingsReader
  store: BackupsStore
  notifications: NotificationsService
  openSnapshot(signal?: AbortSignal): Promise<Snapshot>
  withTempFolder: WithTempFolder
  log: Log
}) {
  const writer = createArchiveWriter({ openSnapshot, files, passphrase: undefined })
  /** Address to copy to; empty when off-site copies are turned off. */
  const currentAddress = () => settings.current().backups.offsite ?? ''

  /**
   * Makes a copy and removes older ones. A failed removal doesn't fail the copy, since each retry would make another copy.
   * @returns the number of new files, and the error when older copies couldn't be removed.
   */
  const copy = async (address: string, signal: AbortSignal): Promise<{ added: number; problem: unknown }> => {
    const repository = await openOffsite(address, config, { isCreating: true })
    try {
      return await withTempFolder(async (folder) => {
        const archive = join(folder, 'snapshot.zip')
        const { elsewhere, ...written } = await writer.write(archive, { isDatabaseOnly: true, signal })
        const stored = elsewhere.flatMap(({ name, size_bytes: sizeBytes }) => {
          const path = storedPath(name)
          return path === null ? [] : { path, sizeBytes }
        })
        const missing = written.missing.flatMap((name) => storedPath(name) ?? [])
        const now = new Date()
        const name = snapshotNameOf(now)
        const openFile = (path: string) => openUntilBadSector(files, path)
        const added = await repository.upload({ name, archive, files: stored, missing, openFile, signal })
        const keepCount = settings.current().retention.backups_kept
        const problem: unknown = await repository.prune({ keepCount, written: name, now }).then(
          () => null,
          (error: unknown) => error,
        )
        // Not every access key has the permission for this, so a failure is only logged.
        await repository.removeAbandoned(now).catch((error: unknown) => {
          log.warn({ err: error }, 'abandoned off-site uploads could not be removed')
        })
        return { added, problem }
      })
    } finally {
      repository.close()
    }
  }

  return {
    /** Handler of `copy-offsite`. Files that an interrupted run has copied aren't copied again. */
    async run({ signal, isLastAttempt }: { signal: AbortSignal; isLastAttempt: boolean }): Promise<void> {
      const address = currentAddress()
      if (address === '') return
      const previousMark = await readOffsiteMark(database, address)
      try {
        const { added, problem } = await copy(address, signal)
        const lastAt = new Date().toISOString()
        if (problem !== null) log.warn({ err: problem }, 'older off-site copies could not be removed')
        const failed = problem === null ? null : failureOf(say('offsite_not_pruned', { said: reasonOf(problem) }))
        await saveOffsiteMark(database, { address, lastAt, added, failed })
      } catch (error) {
        if (signal.aborted || !isLastAttempt) throw error
        const sentence = say('offsite_failed', { said: reasonOf(error) })
        const { text, sentences } = sentence
        log.error({ err: error }, 'the backup could not be copied off-site')
        const { lastAt = null, added = 0 } = previousMark ?? {}
        await saveOffsiteMark(database, { address, lastAt, added, failed: failureOf(sentence) })
        const params = { reason: text }
        const notify = (userId: string) =>
          notifications.notify(userId, { kind: 'offsite_failed', params, sentences, link: LINK })
        await tryEach(await store.listAdminIds(), notify)
      }
    },

    /** Tests an address by opening it as the next copy would. Creates the encryption key there if it's missing. */
    async test(address: string): Promise<OffsiteTestResponse> {
      try {
        const repository = await openOffsite(address, config, { isCreating: true })
        try {
          return { ok: true, detail: '', snapshots: (await repository.listSnapshots()).length }
        } finally {
          repository.close()
        }
      } catch (error) {
        if (!(error instanceof RemoteStoreError || error instanceof AppError)) throw error
        return { ok: false, detail: error.message, snapshots: 0 }
      }
    },

    /** The off-site copies as a source of intact files; null when copies are off or can't be opened. */
    async repairSource(): Promise<RepairSource | null> {
      const address = currentAddress()
      if (address === '') return null
      const repository = await openOffsite(address, config, { isCreating: false }).catch((error: unknown) => {
        log.warn({ err: error }, 'the off-site copies could not be opened to repair files')
        return null
      })
      return repository && { name: address, open: repository.openFile, close: repository.close }
    },

    /** State of the off-site copies for administrators; null when copies are off. */
    async state(): Promise<OffsiteState | null> {
      const address = currentAddress()
      if (address === '') return null
      const mark = await readOffsiteMark(database, address)
      const failed = mark?.failed ?? null
      return {
        address,
        last_at: mark?.lastAt == null ? null : new Date(mark.lastAt),
        failed: failed && { ...failed, at: new Date(failed.at) },
      }
    },
  }
}

const failureOf = ({ text, sentences }: Sentence) => ({ at: new Date().toISOString(), reason: text, told: sentences })

function reasonOf(error: unknown): string {
  const isExplained = error instanceof RemoteStoreError || error instanceof AppError
  return isExplained ? (error as Error).message : `An unexpected error: ${(error as Error).message}`
}
