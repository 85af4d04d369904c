import type { Log } from '../../../log.ts'
import type { WordIndexStore } from './words.store.ts'

export type WordIndex = ReturnType<typeof createWordIndex>

/** Moments updated by one statement, which blocks the embedded database for a fraction of a second. */
const BATCH_MOMENTS = 40

/** Updates the indexed words of moments after an upgrade, in batches. Until then, moments are found by their old words. */
export function createWordIndex({ store, log }: { store: WordIndexStore; log: Log }) {
  return {
    isWaiting: (): Promise<boolean> => store.hasOutdated(),

    /** Updates batches until all moments are up to date or the signal aborts. */
    async run(signal: AbortSignal): Promise<void> {
      let updated = 0
      for (let count = BATCH_MOMENTS; count > 0 && !signal.aborted; ) {
        count = await store.update(BATCH_MOMENTS)
        updated += count
      }
      if (updated > 0) log.info({ moments: updated }, 'updated the word index of moments')
    },

    /** Builds the index of words by user in the background, once there are many moments. Never throws. */
    async keepIndexedByUser(): Promise<void> {
      try {
        if (!(await store.lacksIndexByUser())) return
        if (await store.buildIndexByUser()) log.info({}, 'built the word index by user')
      } catch (error) {
        log.warn({ err: error }, 'could not build the word index by user')
      }
    },
  }
}
