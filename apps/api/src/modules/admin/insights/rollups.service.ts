import type { Log } from '../../../log.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { RollupsStore } from './rollups.store.ts'

/** Minimum interval between two jobs enqueued by reading figures. */
const ENQUEUE_INTERVAL_MS = 2000

/** Sums of activities by hour and day, kept current by a job. */
export function createRollupsService({
  store,
  queue,
  log,
}: {
  store: RollupsStore
  queue: Pick<Queue, 'enqueue'>
  log: Log
}) {
  let enqueuedAt = Number.NEGATIVE_INFINITY

  /** Recomputes changed sums, then adds finished hours and days. The signal stops it between two steps. */
  const run = async (signal?: AbortSignal): Promise<void> => {
    while ((await store.recomputeMarked()) && !signal?.aborted);
    while (!signal?.aborted && (await store.advance()));
    while (!signal?.aborted && (await store.advanceDays()));
  }

  return {
    run,

    /**
     * Time of the oldest change that isn't in the sums yet; null when they're current. Enqueues the job that updates them, but
     * doesn't wait for it.
     */
    async missingSince(): Promise<Date | null> {
      const since = await store.oldestMark()
      if (since !== null && performance.now() - enqueuedAt > ENQUEUE_INTERVAL_MS) {
        enqueuedAt = performance.now()
        queue
          .enqueue('roll-up-activities', {})
          .catch((error: unknown) => log.warn({ err: error }, 'the job that sums activities could not be enqueued'))
      }
      return since
    },

    /** Completes the sums before activities older than `days` are removed; their hours are never recomputed afterwards. */
    async beforeRemoving(days: number | null): Promise<void> {
      if (days === null) return
      await run()
      await store.keepFrom(days)
    },
  }
}

export type RollupsService = ReturnType<typeof createRollupsService>
