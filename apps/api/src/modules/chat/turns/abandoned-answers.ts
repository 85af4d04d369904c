import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../../log.ts'
import { isDatabaseUnavailable } from '../../../platform/database/availability.ts'
import type { StaleAnswer, StoredAnswersStore } from './stored-answers.store.ts'

interface AbandonedAnswersDeps {
  stored: Pick<StoredAnswersStore, 'findStale' | 'interrupt'>
  serverId: string
  /** The embedded database belongs to one process: answers that another one left are ended at once. */
  isOnlyServer: boolean
  /** A server that was silent for this long is taken for dead. */
  silentMs: number
  sweepIntervalMs: number
  /** Characters stored of an answer that the database refuses as a whole. */
  cutCharacters: number
  /** True when this server is generating it. */
  isRunningHere(messageId: string): boolean
  ended(answer: StaleAnswer): void
  log: Log
}

/** Ends answers whose server is gone, once and then from time to time. */
export function createAbandonedAnswers(deps: AbandonedAnswersDeps) {
  const { stored, silentMs, log } = deps
  /** Heartbeats of stale answers at the previous sweep, in epoch milliseconds by message id. */
  const suspects = new Map<string, number>()

  const interrupt = async (answer: StaleAnswer): Promise<boolean> => {
    const { messageId } = answer
    try {
      return await stored.interrupt(answer)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, message_id: messageId }, 'an answer whose server is gone could not be ended as it is')
    }
    try {
      return await stored.interrupt(answer, deps.cutCharacters)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      // The others are ended anyway; the next sweep retries this one.
      log.error({ err: error, message_id: messageId }, 'an answer whose server is gone could not be ended')
      return false
    }
  }

  const sweep = async (forMs: number, exceptServerId: string | null) => {
    const stale = (await stored.findStale(forMs, exceptServerId)).filter(
      ({ messageId }) => !deps.isRunningHere(messageId),
    )
    for (const answer of stale) {
      const { messageId, heartbeatAt } = answer
      // one that was seen silent twice is gone, even when the database was away between
      const isCertain = deps.isOnlyServer || suspects.get(messageId) === heartbeatAt.getTime()
      if (!isCertain || !(await interrupt(answer))) continue
      log.info({ message_id: messageId }, 'an answer whose server is gone was ended')
      deps.ended(answer)
    }
    suspects.clear()
    for (const { messageId, heartbeatAt } of stale) suspects.set(messageId, heartbeatAt.getTime())
  }

  return {
    /** Ends what a server that died left behind. @throws when the database is away */
    async sweepFirst(): Promise<void> {
      await (deps.isOnlyServer ? sweep(0, deps.serverId) : sweep(silentMs, null)).catch((error: unknown) => {
        if (isDatabaseUnavailable(error)) throw error
        log.error({ err: error }, 'answers were not swept')
      })
    },

    /** Goes on until the signal is aborted. */
    async sweepRepeatedly(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        await sleep(deps.sweepIntervalMs, undefined, { signal, ref: false }).catch(() => {})
        if (signal.aborted) return
        await sweep(silentMs, null).catch((error: unknown) => log.warn({ err: error }, 'answers were not swept'))
      }
    },
  }
}
