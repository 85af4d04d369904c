import type { RollupsStore } from './rollups.store.ts'

/** Changed hours that a reader waits for; more are left to the job. */
const MARKS_BEFORE_READING = 50

export interface RollupsDeps {
  store: RollupsStore
  /** Has the job run soon. */
  wake(): void
}

/** Keeps the hours added up: by a job, and the few that changed in between before they are read. */
export function createRollupsService({ store, wake }: RollupsDeps) {
  /** Adds up what changed, then what ended. Stops between two steps when the signal says so. */
  const run = async (signal?: AbortSignal): Promise<void> => {
    while ((await store.redoMarked()) && !signal?.aborted);
    while (!signal?.aborted && (await store.advance()));
  }

  return {
    run,

    /**
     * Before figures are read: takes over what changed, where that is little.
     * @returns since when changes are missing in the sums; null when none are.
     */
    async refresh(): Promise<Date | null> {
      if ((await store.oldestMark()) === null) return null
      await store.redoMarked(MARKS_BEFORE_READING)
      const missingSince = await store.oldestMark()
      if (missingSince !== null) wake()
      return missingSince
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
