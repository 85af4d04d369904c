import type { RollupsStore } from './rollups.store.ts'

/** Steps that a reader waits for when much changed at once; the job does the rest. */
const STEPS_BEFORE_READING = 3

/** Keeps the hours added up: by a job, and whatever changed in between before it is read. */
export function createRollupsService({ store }: { store: RollupsStore }) {
  /** Adds up what changed, then what ended. Stops between two steps when the signal says so. */
  const run = async (signal?: AbortSignal): Promise<void> => {
    while ((await store.redoMarked()) && !signal?.aborted);
    while (!signal?.aborted && (await store.advance()));
  }

  return {
    run,

    /** Before figures are read: changes of hours that were added up already are taken over. */
    async refresh(): Promise<void> {
      for (let step = 0; step < STEPS_BEFORE_READING && (await store.hasMarks()); step++) await store.redoMarked()
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
