import type { Log } from '../../../log.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import type { ProfileKind } from './embeddings.store.ts'

/** A filling that is asked for by every search is enqueued once in this time. */
const ENQUEUE_EVERY_MS = 10_000

/** Asks for another model to take over: see createEmbeddingSwitch. Never throws. */
export type WantFilling = (kind: ProfileKind) => void

/** Makes it over the queue, which runs one filling of a kind at once on all servers. */
export function createWantFilling({ queue, log }: { queue: Pick<Queue, 'counts' | 'enqueue'>; log: Log }): WantFilling {
  const wantedAt = new Map<ProfileKind, number>()
  return (kind) => {
    if (performance.now() - (wantedAt.get(kind) ?? Number.NEGATIVE_INFINITY) < ENQUEUE_EVERY_MS) return
    wantedAt.set(kind, performance.now())
    const enqueue = async () => {
      const { waiting, active } = (await queue.counts())['fill-embeddings']
      // one of the other kind may be among them: then the sweep asks again
      if (waiting + active < 2) await queue.enqueue('fill-embeddings', { kind })
    }
    enqueue().catch((error: unknown) => log.warn({ err: error }, 'the filling of vectors could not be enqueued'))
  }
}
