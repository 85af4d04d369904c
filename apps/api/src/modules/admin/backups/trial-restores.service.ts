import { existsSync } from 'node:fs'
import { NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { type Sentence, say } from '../../../sentences.ts'
import type { NotificationsService } from '../../automation/index.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import type { BackupsStore } from './backups.store.ts'

interface TrialRestoresDeps {
  store: BackupsStore
  folder: ArchiveFolder
  queue: Queue
  notifications: NotificationsService
  /** Tries to restore an archive. `problem` is a sentence for users; null after a success. */
  proveBackup(archive: string, signal: AbortSignal): Promise<{ problem: string | null }>
  /** Disk space that a trial restore of the archive may need, and the free space. */
  space(fileName: string): Promise<{ neededBytes: number; freeBytes: number }>
  log: Log
  timeoutMs?: number
}

const MAX_TRIES = 3
const TIMEOUT_MS = 2 * 60 * 60_000
const LINK = '/admin?tab=settings'

export type TrialRestoresService = ReturnType<typeof createTrialRestoresService>

/** Trial restores. A backup counts as proven once it has been loaded into an empty database. */
export function createTrialRestoresService(deps: TrialRestoresDeps) {
  const { store, folder, queue, notifications, log, timeoutMs = TIMEOUT_MS } = deps

  const fail = async (id: string, fileName: string, { text, sentences }: Sentence) => {
    log.error({ file: fileName, reason: text }, 'the trial restore of a backup failed')
    await store.failTrialRestore(id, { text, sentences })
    const params = { title: fileName, reason: text }
    const notify = (userId: string) =>
      notifications.notify(userId, { kind: 'backup_unproven', params, sentences, link: LINK })
    await tryEach(await store.listAdminIds(), notify)
  }

  const problemOf = async (fileName: string, signal: AbortSignal): Promise<Sentence | null> => {
    const { neededBytes, freeBytes } = await deps.space(fileName)
    if (freeBytes < neededBytes) {
      const megabytes = { needed: Math.ceil(neededBytes / 1e6), free: Math.ceil(freeBytes / 1e6) }
      return say('proof_no_room', megabytes)
    }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const { problem } = await deps.proveBackup(folder.fileOf(fileName), AbortSignal.any([signal, timeout]))
      if (problem === null) return null
      return say('proof_failed', { said: problem })
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error
      const minutes = Math.ceil(timeoutMs / 60_000)
      return say('proof_timeout', { minutes })
    }
  }

  return {
    /** Discards the result of a backup's trial restore and enqueues another one. @throws NotFoundError */
    async begin(id: string): Promise<void> {
      const row = await store.find(id)
      if (row?.state !== 'completed') throw new NotFoundError('There is no such backup.')
      await store.resetTrialRestore(id)
      await queue.enqueue('prove-backup', { backup_id: id })
    },

    /** Handler of `prove-backup`. */
    async run(id: string, signal: AbortSignal): Promise<void> {
      const row = await store.find(id)
      // `npm run backup` may have written the archive to another folder, or somebody may have deleted it.
      if (row === null || !existsSync(folder.fileOf(row.fileName))) return
      const trialRestore = await store.beginTrialRestore(id)
      if (trialRestore === null) return
      const { fileName, tries } = trialRestore
      if (tries > MAX_TRIES) {
        return fail(id, fileName, say('proof_interrupted', { times: MAX_TRIES }))
      }
      const problem = await problemOf(fileName, signal)
      if (problem === null) await store.saveTrialRestore(id)
      else await fail(id, fileName, problem)
    },

    /**
     * Enqueues a trial restore of the newest backup if it hasn't had one. That happens when its job was lost or someone copied
     * the archive into the folder.
     */
    async sweep(): Promise<void> {
      const id = await store.newestWithoutTrialRestore()
      if (id !== null) await queue.enqueue('prove-backup', { backup_id: id }, { unlessQueued: true })
    },
  }
}
