import type { Log } from '../../../log.ts'
import type { WordIndexStore } from './words.store.ts'

export type WordIndex = ReturnType<typeof createWordIndex>

/** Moments renewed by one statement: the embedded database is blocked for a fraction of a second. */
const RENEWED_AT_ONCE = 40

/** Brings the words of moments up to date after an upgrade, a few at a time; meanwhile they are found by those they had. */
export function createWordIndex({ store, log }: { store: WordIndexStore; log: Log }) {
  return {
    isWaiting: (): Promise<boolean> => store.hasOld(),

    /** Goes on until there are none left, or it is stopped. */
    async run(signal: AbortSignal): Promise<void> {
      let renewed = 0
      for (let count = RENEWED_AT_ONCE; count > 0 && !signal.aborted; ) {
        count = await store.renew(RENEWED_AT_ONCE)
        renewed += count
      }
      if (renewed > 0) log.info({ moments: renewed }, 'the words of moments are up to date')
    },

    /** Builds the index by user once there are many moments, in the background; never throws. */
    async keepIndexedByUser(): Promise<void> {
      try {
        if (!(await store.lacksIndexByUser())) return
        if (await store.buildIndexByUser()) log.info({}, 'the words of moments have an index by user')
      } catch (error) {
        log.warn({ err: error }, 'the index of words by user could not be built')
      }
    },
  }
}
