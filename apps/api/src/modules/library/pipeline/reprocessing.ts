import type { ProcessingStepName } from '@mira/shared'
import { NotFoundError, ValidationError } from '../../../errors.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { stepsOfType, stepsToRepeat } from './plan.ts'
import type { ProcessingStore } from './store.ts'

interface ReprocessingDeps extends Pick<Database, 'prisma'> {
  store: ProcessingStore
  queue: Pick<Queue, 'enqueue'>
}

export type Reprocessing = ReturnType<typeof createReprocessing>

/** Repeats steps of items. */
export function createReprocessing({ prisma, store, queue }: ReprocessingDeps) {
  /** Like `reprocess`, in the transaction of the change that requires it. */
  const reprocessIn = async (
    tx: Prisma.TransactionClient,
    userId: string,
    itemId: string,
    stepNames?: ProcessingStepName[],
    options?: { retriesOnce?: boolean },
  ): Promise<void> => {
    const notFound = () => new NotFoundError('This item no longer exists.')
    const type = await store.typeOf(tx, userId, itemId)
    if (type === null) throw notFound()
    const unknownStep = stepNames?.find((name) => !stepsOfType[type].includes(name))
    if (unknownStep !== undefined) throw new ValidationError(`There is no step "${unknownStep}" for this type of item.`)
    if (!(await store.reset(tx, userId, itemId, stepsToRepeat(type, stepNames), options))) throw notFound()
    // A job that starts now waits for this transaction before it reads the steps.
    if (await store.hasJobWaiting(tx, itemId, new Date())) return
    await queue.enqueue('process-media', { media_id: itemId, since: new Date().toISOString() }, { tx, userId })
  }

  return {
    reprocessIn,

    /**
     * Repeats steps of an item, by default all, and the steps that use their results.
     * @param options see the store's `reset`.
     * @throws NotFoundError when it isn't the user's; ValidationError when items of its type have no such step.
     */
    async reprocess(
      userId: string,
      itemId: string,
      stepNames?: ProcessingStepName[],
      options?: { retriesOnce?: boolean },
    ): Promise<void> {
      await prisma.$transaction((tx) => reprocessIn(tx, userId, itemId, stepNames, options))
    },
  }
}
