import type { RollupsStore } from './rollups.store.ts'

/** However many look at figures meanwhile, one job is enough. */
const WAKE_EVERY_MS = 2000

export interface RollupsDeps {
  store: RollupsStore
  /** Has the job run soon. */
  wake(): void
}

/** Keeps hours and days added up, by a job. */
export function createRollupsService({ store, wake }: RollupsDeps) {
  let wokenAt = Number.NEGATIVE_INFINITY

  /** Adds up what changed, then the hours and days that ended. Stops between two steps when the signal says so. */
  const run = async (signal?: AbortSignal): Promise<void> => {
    while ((await store.redoMarked()) && !signal?.aborted);
    while (!signal?.aborted && (await store.advance()));
    while (!signal?.aborted && (await store.advanceDays()));
  }

  return {
    run,

    /**
     * Since when changes are missing in the sums, which are then added up soon; null when none are. Whoever reads figures does
     * not wait for them.
     */
    async missingSince(): Promise<Date | null> {
      const since = await store.oldestMark()
      if (since !== null && Date.now() - wokenAt > WAKE_EVERY_MS) {
        wokenAt = Date.now()
        wake()
      }
      return since
    },

    /** Before activities are removed for their age: all is added up, and what will go is not added up again. */
    async beforeRemoving(days: number | null): Promise<void> {
      if (days === null) return
      await run()
      await store.keepFrom(days)
    },
  }
}

export type RollupsService = ReturnType<typeof createRollupsService>
