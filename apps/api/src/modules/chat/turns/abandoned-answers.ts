import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import { isDatabaseUnavailable } from '../../../platform/database/availability.ts'
import { STALE_PAGE_SIZE, type StaleAnswer, type StoredAnswersStore } from './stored-answers.store.ts'

interface AbandonedAnswersDeps {
  stored: Pick<StoredAnswersStore, 'findStale' | 'interrupt'>
  serverId: string
  /** True with the embedded database, which only one process uses, so that answers of earlier processes are ended immediately. */
  isOnlyServer: boolean
  /** Time without a heartbeat after which a server counts as dead. */
  silentMs: number
  sweepIntervalMs: number
  /** Characters to store of an answer that the database refuses as a whole. */
  cutCharacters: number
  /** True when this server is generating the answer. */
  isRunningHere(messageId: string): boolean
  onEnded(answer: StaleAnswer): void
  log: Log
}

/** Ends answers of dead servers, once at start and then regularly. */
export function createAbandonedAnswers(deps: AbandonedAnswersDeps) {
  const { stored, silentMs, log } = deps
  /** Heartbeats of stale answers at the previous sweep, in epoch milliseconds by message id. */
  let suspects = new Map<string, number>()

  const interrupt = async (answer: StaleAnswer): Promise<boolean> => {
    const { messageId } = answer
    try {
      return await stored.interrupt(answer)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, message_id: messageId }, 'could not end an abandoned answer in full')
    }
    try {
      return await stored.interrupt(answer, deps.cutCharacters)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      // Continues with the other answers; the next sweep retries this one.
      log.error({ err: error, message_id: messageId }, 'could not end an abandoned answer')
      return false
    }
  }

  const sweep = async (forMs: number, exceptServerId: string | null) => {
    const newSuspects = new Map<string, number>()
    let page: StaleAnswer[] = []
    do {
      // Continues after the last id, so that answers that can't be ended don't block others.
      page = await stored.findStale(forMs, exceptServerId, page.at(-1)?.messageId)
      for (const answer of page) {
        const { messageId, heartbeatAt } = answer
        if (deps.isRunningHere(messageId)) continue
        newSuspects.set(messageId, heartbeatAt.getTime())
        // Without a new heartbeat in two sweeps, its server is dead, even if the database was unavailable in between.
        const isCertain = deps.isOnlyServer || suspects.get(messageId) === heartbeatAt.getTime()
        if (!isCertain || !(await interrupt(answer))) continue
        log.info({ message_id: messageId }, 'ended an abandoned answer')
        deps.onEnded(answer)
      }
    } while (page.length === STALE_PAGE_SIZE)
    suspects = newSuspects
  }

  return {
    /** Ends the answers of dead servers, once at the start. @throws when the database is unavailable */
    async sweepFirst(): Promise<void> {
      await (deps.isOnlyServer ? sweep(0, deps.serverId) : sweep(silentMs, null)).catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) throw error
        log.error({ err: error }, 'could not sweep abandoned answers')
      })
    },

    /** Ends the answers of dead servers at regular intervals, until the signal is aborted. */
    async sweepRepeatedly(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await sleep(deps.sweepIntervalMs, undefined, { signal, ref: false }).catch(() => {})
        if (signal.aborted) return
        await sweep(silentMs, null).catch((error: unknown) =>
          log.warn({ err: error }, 'could not sweep abandoned answers'),
        )
      }
    },
  }
}
