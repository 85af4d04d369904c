import type { Capability } from '@mira/shared'
import type { Ai } from '../../../engines/ai.ts'
import type { Log } from '../../../log.ts'
import { isOutage } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import { BEFORE_ALL_IDS } from './plan.ts'
import type { ProcessingService } from './processing.service.ts'
import type { ProcessingStore } from './store.ts'

interface ResumingDeps extends Pick<Database, 'prisma'> {
  store: Pick<ProcessingStore, 'missingCapabilities' | 'itemsSkippedFor' | 'stepsSkippedFor'>
  processing: Pick<ProcessingService, 'reprocessIn'>
  ai: Pick<Ai, 'checks' | 'requestModel'>
  log: Log
}

export type ResumingService = ReturnType<typeof createResumingService>

const BATCH_SIZE = 200

/** Repeats steps that were skipped for a missing engine, once one is available. */
export function createResumingService({ prisma, store, processing, ai, log }: ResumingDeps) {
  let isRequested = false
  let isStopping = false
  let running: Promise<void> | undefined

  const resumeItem = ({ id, userId }: { id: string; userId: string }, available: Capability[]) =>
    prisma.$transaction(async (tx) => {
      const steps = await store.stepsSkippedFor(tx, id, available)
      if (steps.length > 0) await processing.reprocessIn(tx, userId, id, steps)
    })

  const resume = async () => {
    const missingCapabilities = await store.missingCapabilities()
    const available = missingCapabilities.filter((capability) => ai.checks()[capability].state === 'ok')
    for (const capability of missingCapabilities) if (!available.includes(capability)) ai.requestModel(capability)
    if (available.length === 0) return
    let count = 0
    for (let after = BEFORE_ALL_IDS; ; ) {
      const items = await store.itemsSkippedFor(available, { after, limit: BATCH_SIZE })
      for (const item of items) {
        if (isStopping) return
        after = item.id
        try {
          await resumeItem(item, available)
          count++
        } catch (error) {
          if (isOutage(error)) throw error
          // The next sweep retries it; until then, it mustn't hold up the others.
          log.warn({ err: error, media_id: item.id }, 'could not resume the steps of an item that had no engine')
        }
      }
      if (items.length < BATCH_SIZE) break
    }
    if (count > 0) log.info({ count, capabilities: available }, 'resuming steps that had no engine')
  }

  const run = async () => {
    try {
      while (isRequested && !isStopping) {
        isRequested = false
        await resume()
      }
    } catch (error) {
      // The next sweep retries.
      log.warn({ err: error }, 'could not resume steps that had no engine')
    } finally {
      running = undefined
    }
  }

  return {
    /** Starts in the background; a call during a run triggers another run. */
    resumeSoon(): void {
      isRequested = true
      running ??= run()
    },

    async close(): Promise<void> {
      isStopping = true
      await running
    },
  }
}
