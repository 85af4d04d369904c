import type { MediaType, ProcessingStepName, ReprocessFilter, ReprocessProgress } from '@mira/shared'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { Log } from '../../../log.ts'
import { isOutage, isTransient } from '../../../platform/database/availability.ts'
import type { JobRun } from '../../../platform/queue/jobs.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { BulkReprocessingStore, BulkTarget } from './bulk-reprocessing.store.ts'
import { BEFORE_ALL_IDS, stepsOfType } from './plan.ts'
import type { ProcessingService } from './processing.service.ts'

interface BulkReprocessingJob extends BulkTarget {
  steps?: ProcessingStepName[] | undefined
  /** Id of the last enqueued item. */
  after?: string | undefined
}

interface BulkReprocessingDeps {
  store: BulkReprocessingStore
  processing: ProcessingService
  queue: Queue
  log: Log
}

export type BulkReprocessingService = ReturnType<typeof createBulkReprocessingService>

/** Maximum number of a user's enqueued items, so that other users' items get their turn. */
const MAX_WAITING = 40
/** Wait before checking for free capacity again. */
const RECHECK_DELAY_MS = 2_000
/** Time without progress after which the job counts as lost, since it reports every few seconds. */
const LOST_AFTER_MS = 60 * 60_000
const MAX_DURATION_MS = 24 * 60 * 60_000

/** Repeats steps of many items with the current engines, a few at a time. */
export function createBulkReprocessingService({ store, processing, queue, log }: BulkReprocessingDeps) {
  const findRunning = async (userId: string) => {
    const running = await store.read(userId)
    return running !== null && Date.now() - running.touchedAt.getTime() < LOST_AFTER_MS ? running : null
  }

  const progress = async (userId: string): Promise<ReprocessProgress> => {
    const running = await findRunning(userId)
    if (running === null) return { is_running: false, total: 0, done: 0 }
    const unfinished = await store.countUnfinished(userId, running.startedAt)
    const doneCount = Math.max(0, running.enqueued - unfinished)
    return { is_running: true, total: running.total, done: doneCount }
  }

  return {
    progress,

    /**
     * Starts repeating steps in the background; users' corrections stay.
     * @throws ConflictError while another run is going on.
     */
    async begin(
      userId: string,
      request: {
        ids?: string[] | undefined
        filter?: ReprocessFilter | undefined
        steps?: ProcessingStepName[] | undefined
      },
    ): Promise<ReprocessProgress> {
      if ((await findRunning(userId)) !== null) {
        throw new ConflictError('Items are already being processed again. Wait until that’s done.', {
          code: 'improving_already',
        })
      }
      const { ids, filter, steps } = request
      const total = await store.count({ user_id: userId, ids, filter })
      if (total > 0) {
        await store.write(userId, { total, enqueued: 0, startedAt: new Date() })
        await queue.enqueue('improve-media', { user_id: userId, ids, filter, steps })
      }
      return { is_running: total > 0, total, done: 0 }
    },

    /** Enqueues the next items, and a job for the rest. */
    async run(
      job: BulkReprocessingJob,
      { signal, isLastAttempt }: Pick<JobRun, 'signal' | 'isLastAttempt'>,
    ): Promise<void> {
      const running = await store.read(job.user_id)
      if (running === null) return
      let { enqueued } = running
      const start = job.after ?? BEFORE_ALL_IDS
      let after = start
      let isInterrupted = false
      const capacity = MAX_WAITING - (await store.countUnfinished(job.user_id))
      const items = capacity > 0 ? await store.next(job, after, capacity) : []
      for (const { id, mediaType } of items) {
        signal.throwIfAborted()
        const availableSteps = stepsOfType[mediaType as MediaType]
        const steps = job.steps?.filter((step) => availableSteps.includes(step))
        if (steps === undefined || steps.length > 0) {
          try {
            await processing.reprocess(job.user_id, id, steps)
          } catch (error) {
            if (isOutage(error)) throw error
            // The rest becomes another job, since a retry of this one would repeat the items before.
            isInterrupted = isTransient(error) && after !== start
            if (isInterrupted) break
            if (isTransient(error) && !isLastAttempt) throw error
            if (!(error instanceof NotFoundError))
              log.warn({ err: error, media_id: id }, 'an item could not be processed again')
          }
        }
        enqueued++
        after = id
      }
      await store.write(job.user_id, { ...running, enqueued })
      const isAllEnqueued = !isInterrupted && capacity > 0 && items.length < capacity
      // An item that never finishes mustn't block the job forever.
      const hasTimedOut = Date.now() - running.startedAt.getTime() > MAX_DURATION_MS
      const isDone =
        isAllEnqueued && (hasTimedOut || (await store.countUnfinished(job.user_id, running.startedAt)) === 0)
      if (isDone) await store.forget(job.user_id)
      else
        await queue.enqueue('improve-media', { ...job, after }, { startAfter: new Date(Date.now() + RECHECK_DELAY_MS) })
    },
  }
}
