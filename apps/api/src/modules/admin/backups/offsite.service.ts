import {
  type CodedSentence,
  type NotificationKind,
  type OffsiteState,
  type OffsiteTestResponse,
  type Sentence,
  say,
} from '@mira/shared'
import { AppError, RemoteStoreError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { archiveName } from './archive-name.ts'
import type { Repository } from './repository.ts'

/** Outcome of the last copies, as it is stored. */
export interface OffsiteMark {
  /** ISO time of the last that succeeded. */
  lastAt: string | null
  /** Files that were new in it. */
  added: number
  failed: { at: string; reason: string; told: CodedSentence[] } | null
}

export interface OffsiteDeps {
  /** Address of the copies; empty when there are none. */
  address(): string
  open(address: string): Promise<Repository>
  /** Writes a database-only archive, and returns the stored files that it names. */
  writeSnapshot(signal: AbortSignal): Promise<{ archive: string; paths: string[]; remove(): Promise<void> }>
  openFile: Parameters<Repository['upload']>[0]['openFile']
  mark(): Promise<OffsiteMark | null>
  saveMark(mark: OffsiteMark): Promise<void>
  kept(): number
  listAdminIds(): Promise<string[]>
  notify(
    userId: string,
    notification: { kind: NotificationKind; params: Record<string, string | number>; link: string },
  ): Promise<void>
  log: Log
}

const LINK = '/admin?tab=settings'

export type OffsiteService = ReturnType<typeof createOffsiteService>

/** Encrypted copies of the instance at another place: the database each time, each stored file once. */
export function createOffsiteService(deps: OffsiteDeps) {
  const copy = async (address: string, signal: AbortSignal): Promise<number> => {
    const repository = await deps.open(address)
    try {
      const { archive, paths, remove } = await deps.writeSnapshot(signal)
      try {
        const now = new Date()
        const name = archiveName(now, { isSealed: false }).replace(/\.zip$/, '')
        const added = await repository.upload({ name, archive, paths, openFile: deps.openFile, signal })
        await repository.prune(deps.kept(), now)
        return added
      } finally {
        await remove()
      }
    } finally {
      repository.close()
    }
  }

  return {
    /** The handler of `copy-offsite`; what was uploaded before an interruption is not uploaded again. */
    async run({ signal, isLastAttempt }: { signal: AbortSignal; isLastAttempt: boolean }): Promise<void> {
      const address = deps.address()
      if (address === '') return
      const before = await deps.mark()
      try {
        const added = await copy(address, signal)
        await deps.saveMark({ lastAt: new Date().toISOString(), added, failed: null })
      } catch (error) {
        if (signal.aborted || !isLastAttempt) throw error
        const { text, told } = reasonOf(error)
        deps.log.error({ err: error }, 'the backup could not be copied off-site')
        const failed = { at: new Date().toISOString(), reason: text, told }
        await deps.saveMark({ lastAt: before?.lastAt ?? null, added: before?.added ?? 0, failed })
        for (const userId of await deps.listAdminIds()) {
          await deps.notify(userId, { kind: 'offsite_failed', params: { reason: text }, link: LINK })
        }
      }
    },

    /** Opens an address as the next copy would: it creates the key there when none exists. */
    async test(address: string): Promise<OffsiteTestResponse> {
      try {
        const repository = await deps.open(address)
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

    /** Null when copies are off. */
    async state(): Promise<OffsiteState | null> {
      const address = deps.address()
      if (address === '') return null
      const mark = await deps.mark()
      const failed = mark?.failed ?? null
      return {
        address,
        last_at: mark?.lastAt == null ? null : new Date(mark.lastAt),
        failed: failed && { ...failed, at: new Date(failed.at) },
      }
    },
  }
}

function reasonOf(error: unknown): Sentence {
  const isKnown = error instanceof RemoteStoreError || error instanceof AppError
  const said = isKnown ? (error as Error).message : `An unexpected error: ${(error as Error).message}`
  return say('offsite_failed', { said }, `The backup wasn’t copied off-site: ${said}`)
}
