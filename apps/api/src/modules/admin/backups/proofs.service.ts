import { type Sentence, say } from '@mira/shared'
import { NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { NotificationsService } from '../../automation/index.ts'
import type { ArchiveFolder } from './archive-folder.ts'
import type { BackupsStore } from './backups.store.ts'

export interface ProofsDeps {
  store: BackupsStore
  folder: ArchiveFolder
  queue: Queue
  notifications: NotificationsService
  /** Trial restore of an archive; `problem` is a sentence for users. */
  prove(archive: string, id: string, signal: AbortSignal): Promise<{ problem: string | null }>
  /** Space that a trial restore may need, and free space. */
  space(fileName: string): Promise<{ neededBytes: number; freeBytes: number }>
  log: Log
  timeoutMs?: number
}

const MAX_TRIES = 3
const TIMEOUT_MS = 2 * 60 * 60_000
const LINK = '/admin?tab=settings'

export type ProofsService = ReturnType<typeof createProofsService>

/** Trial restores: a backup counts as proven once it was loaded into an empty database. */
export function createProofsService(deps: ProofsDeps) {
  const { store, folder, queue, notifications, log, timeoutMs = TIMEOUT_MS } = deps

  const enqueue = (id: string) => queue.enqueue('prove-backup', { backup_id: id })

  const fail = async (id: string, fileName: string, { text, told }: Sentence) => {
    log.error({ file: fileName, reason: text }, 'a backup cannot be restored')
    await store.failProof(id, { text, told })
    for (const userId of await store.listAdminIds()) {
      await notifications.notify(userId, {
        kind: 'backup_unproven',
        params: { title: fileName, reason: text },
        link: LINK,
      })
    }
  }

  const problemOf = async (id: string, fileName: string, signal: AbortSignal): Promise<Sentence | null> => {
    const { neededBytes, freeBytes } = await deps.space(fileName)
    if (freeBytes < neededBytes) {
      const megabytes = { needed: Math.ceil(neededBytes / 1e6), free: Math.ceil(freeBytes / 1e6) }
      const text =
        `There is no room to try a restore: it may take ${megabytes.needed} MB in DATA_DIR, and ${megabytes.free} MB ` +
        'are free. Free some space, then check the backup again.'
      return say('proof_no_room', megabytes, text)
    }
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const { problem } = await deps.prove(folder.fileOf(fileName), id, AbortSignal.any([signal, timeout]))
      if (problem === null) return null
      const text = `A trial restore failed: ${problem} Make a new backup; if that fails too, check the disk.`
      return say('proof_failed', { said: problem }, text)
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error
      const minutes = Math.ceil(timeoutMs / 60_000)
      const text = `A trial restore was stopped after ${minutes} minutes. Check it when the server is less busy.`
      return say('proof_timeout', { minutes }, text)
    }
  }

  return {
    /** Enqueues another trial restore. @throws NotFoundError */
    async begin(id: string): Promise<void> {
      const row = await store.find(id)
      if (row?.state !== 'completed') throw new NotFoundError('There is no such backup.')
      await store.giveBackProof(id)
      await enqueue(id)
    },

    /** Handler of `prove-backup`. */
    async run(id: string, signal: AbortSignal): Promise<void> {
      const proof = await store.beginProof(id)
      if (proof === null) return
      const { fileName, tries } = proof
      if (tries > MAX_TRIES) {
        const text = `The server ended ${MAX_TRIES} times during a trial restore. Check the backup again when it is idle.`
        return fail(id, fileName, say('proof_interrupted', { times: MAX_TRIES }, text))
      }
      const problem = await problemOf(id, fileName, signal)
      if (problem === null) await store.saveProof(id)
      else await fail(id, fileName, problem)
    },

    /** Enqueues the newest backup when its job was lost, or when it was copied into the folder. */
    async sweep(): Promise<void> {
      const id = await store.newestUnproven()
      if (id !== null) await enqueue(id)
    },
  }
}
