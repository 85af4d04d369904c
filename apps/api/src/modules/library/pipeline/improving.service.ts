import type { ImproveFilter, ImproveResponse, MediaType, ProcessingStepName } from '@mira/shared'
import { ConflictError, NotFoundError } from '../../../errors.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { ImproveWanted, ImprovingStore } from './improving.store.ts'
import { BEFORE_ALL_IDS, stepsOfType } from './plan.ts'
import type { ProcessingService } from './processing.service.ts'

interface ImproveJob extends ImproveWanted {
  steps?: ProcessingStepName[] | undefined
  /** Last enqueued item. */
  after?: string | undefined
}

interface ImprovingDeps {
  store: ImprovingStore
  processing: ProcessingService
  queue: Queue
}

export type ImprovingService = ReturnType<typeof createImprovingService>

/** Bound on a user's enqueued items, so that other users' items get their turn. */
const MAX_WAITING = 40
/** Wait before checking for free capacity again. */
const LOOK_AGAIN_MS = 2_000
/** Without progress for this long, the job is lost: it reports every few seconds. */
const LOST_AFTER_MS = 60 * 60_000
const LONGEST_MS = 24 * 60 * 60_000

/** Repeats steps of many items with the current engines, some at a time. */
export function createImprovingService({ store, processing, queue }: ImprovingDeps) {
  const findGoing = async (userId: string) => {
    const going = await store.read(userId)
    return going !== null && Date.now() - going.touchedAt.getTime() < LOST_AFTER_MS ? going : null
  }

  const progress = async (userId: string): Promise<ImproveResponse> => {
    const going = await findGoing(userId)
    if (going === null) return { is_running: false, total: 0, done: 0 }
    const unfinished = await store.countUnfinished(userId, new Date(going.begun_at))
    const doneCount = Math.max(0, going.asked - unfinished)
    return { is_running: true, total: going.total, done: doneCount }
  }

  return {
    progress,

    /**
     * Starts in the background; users' corrections stay.
     * @throws ConflictError while one is running.
     */
    async begin(
      userId: string,
      request: {
        ids?: string[] | undefined
        filter?: ImproveFilter | undefined
        steps?: ProcessingStepName[] | undefined
      },
    ): Promise<ImproveResponse> {
      if ((await findGoing(userId)) !== null) {
        throw new ConflictError('Items are already being processed again. Wait until that’s done.', {
          code: 'improving_already',
        })
      }
      const { ids, filter, steps } = request
      const total = await store.count({ user_id: userId, ids, filter })
      if (total > 0) {
        await store.write(userId, { total, asked: 0, begun_at: new Date().toISOString() })
        await queue.enqueue('improve-media', { user_id: userId, ids, filter, steps })
      }
      return { is_running: total > 0, total, done: 0 }
    },

    /** Enqueues the next items, and a job for the rest. */
    async run(job: ImproveJob, signal: AbortSignal): Promise<void> {
      const going = await store.read(job.user_id)
      if (going === null) return
      let queuedCount = going.asked
      let after = job.after ?? BEFORE_ALL_IDS
      const room = MAX_WAITING - (await store.countUnfinished(job.user_id))
      const items = room > 0 ? await store.next(job, after, room) : []
      for (const { id, mediaType } of items) {
        signal.throwIfAborted()
        const possible = stepsOfType[mediaType as MediaType]
        const steps = job.steps?.filter((step) => possible.includes(step))
        if (steps === undefined || steps.length > 0) {
          await processing.reprocess(job.user_id, id, steps).catch((error: unknown) => {
            if (!(error instanceof NotFoundError)) throw error
          })
        }
        queuedCount++
        after = id
      }
      await store.write(job.user_id, { ...going, asked: queuedCount })
      const isAllAsked = room > 0 && items.length < room
      const begunAt = new Date(going.begun_at)
      // an item that never finishes must not block improving for ever
      const isOld = Date.now() - begunAt.getTime() > LONGEST_MS
      const isDone = isAllAsked && (isOld || (await store.countUnfinished(job.user_id, begunAt)) === 0)
      if (isDone) await store.forget(job.user_id)
      else await queue.enqueue('improve-media', { ...job, after }, { startAfter: new Date(Date.now() + LOOK_AGAIN_MS) })
    },
  }
}
