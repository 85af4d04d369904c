import { setTimeout as sleep } from 'node:timers/promises'
import type { ProcessingStatus, ProcessingStep, ProcessingStepName, UserEventJson } from '@mira/shared'
import type { Files } from '../../adapters/files/files.ts'
import type { UseScratch } from '../../adapters/files/scratch.ts'
import type { Database } from '../../db/client.ts'
import type { Prisma } from '../../db/generated/client.ts'
import { AppError, isLasting, NotFoundError, StorageFullError, ValidationError } from '../../errors.ts'
import type { JobHandlers } from '../../jobs/jobs.ts'
import type { Queue } from '../../jobs/queue.ts'
import type { Log } from '../../log.ts'
import type { MediaItemRow } from './media.store.ts'
import { nameMoments } from './name-moments.ts'
import type { ProcessingStore, StepEnd, StepRow, StepRun } from './processing.store.ts'
import { OvertakenError, type Results, type StepContext, type StepItem, type Steps, stepsOfType } from './processing.ts'
import {
  heldBackMs,
  MOST_ATTEMPTS,
  MOST_WAITING_COUNTED,
  NEWCOMER_PRIORITY,
  nextStep,
  stepsAgain,
} from './step-order.ts'
import { isLongStep, LEAST_FREE_BYTES, roomForStep } from './step-size.ts'

export interface ProcessingDeps extends Pick<Database, 'prisma'> {
  store: ProcessingStore
  results: Pick<Results, 'replaceMoments'>
  steps: Steps
  files: Pick<Files, 'useLocal' | 'freeBytes'>
  useScratch: UseScratch
  /** What a file is by its content, an extension without the dot; null when it does not tell. */
  formatOf(filename: string): Promise<string | null>
  enqueue: Queue['enqueue']
  /** How many items this server works on at once. */
  concurrency: number
  publish(userId: string, event: UserEventJson): void
  /** Keeps that something happened to an item until the person has read it; what it returns shows it after the commit. */
  notifyIn: NotifyOfItem
  log: Log
}

/** Tells a person of an item, together with others of which they have not read yet. */
export type NotifyOfItem = (
  tx: Prisma.TransactionClient,
  userId: string,
  given: {
    kind: 'media_done' | 'media_failed'
    params: Record<string, string>
    link: string
    subjectId: string
    joins: { by: 'kind'; link: string }
  },
) => Promise<() => void>

export type ProcessingService = ReturnType<typeof createProcessingService>

/** How often a run stores how far it is, and finds out whether its item is still there. */
const REPORT_EVERY_MS = 1000
const TELL_EVERY_MS = 500
/** Another server may be doing it. */
const LOOK_WHETHER_DONE_EVERY_MS = 1000
/** Whoever has had this long lets others have a turn between two steps. */
const TURN_MS = 30_000
const STOP_TIMEOUT_MS = 2000
const LONG_MS = 60_000
const LOST_AT_ONCE = 1000
const ended = new Set<ProcessingStatus>(['completed', 'failed'])

/** The server stops: what is begun is left for later. */
class StoppingError extends Error {
  override name = 'StoppingError'
}

/**
 * Does with items what is to be done, as recorded steps of durable jobs. A process may die anywhere: each step replaces
 * what it made before, is begun again a few times, and a run whose place another one has taken writes nothing any more.
 *
 * Long steps never take the last place of a server, so that pictures do not wait for films; where there is one place
 * only, a long step begins when no other item waits, and those that come then wait for its end.
 */
export function createProcessingService(deps: ProcessingDeps) {
  const { prisma, store, results, steps: stepFunctions, files, useScratch, formatOf, log } = deps
  const { enqueue, publish, notifyIn, concurrency } = deps
  const running = new Map<string, { abort: AbortController; settled: Promise<void> }>()
  const waiting = new Map<string, Set<() => void>>()
  let isStopping = false
  let longSteps = 0

  const wakeWaiting = (itemId: string) => {
    for (const wake of waiting.get(itemId) ?? []) wake()
  }

  /** A disk that is full takes the database down with it. */
  const requireRoom = async (bytes: number) => {
    if ((await files.freeBytes()) >= bytes) return
    throw new StorageFullError('The disk of the server is too full for this. Make room, then do it again.')
  }

  /** Runs a step's function with all that it needs. */
  const runStep = async (
    item: StepItem,
    name: ProcessingStepName,
    { signal, language, progress }: Pick<StepContext, 'signal' | 'language' | 'progress'>,
  ) => {
    const step = stepFunctions[item.mediaType][name]
    if (step === undefined) {
      return { engine: null, model: null, skipped: 'This is not part of this version yet.' }
    }
    const room = roomForStep(item, name)
    if (room !== null) await requireRoom(room)
    return files.useLocal(item.path, (filename) =>
      useScratch(async (scratch) => {
        const format = await formatOf(filename)
        signal.throwIfAborted()
        return step({ item, filename, format: format ?? 'txt', scratch, language, signal, progress })
      }),
    )
  }

  /** How a step that threw ends. */
  const endOfFailure = (error: unknown, { name, attempts }: StepRow, item: MediaItemRow): StepEnd => {
    const isForGood = isLasting(error) || (error instanceof AppError && error.status === 404)
    const isLast = isForGood || attempts >= MOST_ATTEMPTS
    if (!(error instanceof AppError)) log.warn({ err: error, step: name, media_id: item.id }, 'a step met an error')
    const reason = error instanceof AppError ? error.message : 'Something unexpected went wrong.'
    return { status: isLast ? 'failed' : 'pending', engine: null, model: null, error: reason }
  }

  /** Does one step; false when somebody else has taken its place, or the item is gone. */
  const doStep = async (item: MediaItemRow, planned: StepRow, stop: AbortSignal, tell: () => void) => {
    const run = await store.begin(item.id, planned.name)
    if (run === null) return false
    const step: StepRow = { ...planned, attempts: planned.attempts + 1 }
    const overtaken = new AbortController()
    const signal = AbortSignal.any([stop, overtaken.signal])
    let progress = 0
    const reporter = setInterval(() => {
      store
        .report(run, progress)
        .then((isMine) => isMine || overtaken.abort(new OvertakenError('the item is gone, or another run does this')))
        // the database is away: whatever ends the step finds that out
        .catch((error: unknown) => log.debug({ err: error }, 'the progress of a step could not be stored'))
      if (roomForStep(item, step.name) === null) return
      requireRoom(LEAST_FREE_BYTES).catch((error: unknown) => {
        if (error instanceof StorageFullError) overtaken.abort(error)
        else log.debug({ err: error }, 'the room on the disk could not be found out')
      })
    }, REPORT_EVERY_MS)
    try {
      tell()
      const stepItem: StepItem = { ...item, run: { step: step.name, startedAt: run.startedAt } }
      const { skipped, note, engine, model, lacks } = await untilAborted(signal, () =>
        runStep(stepItem, step.name, {
          signal,
          language: run.language,
          progress(fraction) {
            progress = Math.min(1, Math.max(progress, fraction))
            tell()
          },
        }),
      )
      if (step.name === 'inspect') await nameItem(stepItem)
      const status = skipped === undefined ? 'completed' : 'skipped'
      return await store.end(run, { status, engine, model, error: skipped ?? note ?? null, lacks })
    } catch (error) {
      return await endFailed(error, { run, step, item, signal })
    } finally {
      clearInterval(reporter)
    }
  }

  const endFailed = async (
    error: unknown,
    { run, step, item, signal }: { run: StepRun; step: StepRow; item: MediaItemRow; signal: AbortSignal },
  ) => {
    if (signal.reason instanceof StoppingError) {
      await store.giveBack(run)
      return false
    }
    if (signal.reason instanceof OvertakenError || error instanceof OvertakenError) return false
    // a job that took too long is aborted by the queue
    const ending =
      signal.reason instanceof StorageFullError ? signal.reason : new ValidationError('This took too long.')
    const cause = signal.aborted ? ending : error
    return store.end(run, endOfFailure(cause, step, item))
  }

  /** What the file is called and tells of itself is found by words, too. */
  const nameItem = async (before: StepItem) => {
    const item = await store.item(before.id)
    if (item) await results.replaceMoments(before, 'name', nameMoments(item))
  }

  /** Does what is due; tells when there is more to do later. */
  const work = async (itemId: string, stop: AbortSignal): Promise<{ again: Date } | null> => {
    if (!(await store.takeUp(itemId, MOST_ATTEMPTS))) return null
    const until = Date.now() + TURN_MS
    const teller = createTeller(async (userId: string) => {
      const steps = await store.steps(itemId)
      if (steps.length > 0) publish(userId, { type: 'media.progress', id: itemId, steps: steps.map(presentStep) })
    }, log)
    try {
      for (;;) {
        const item = await store.item(itemId)
        const steps = item ? await store.steps(itemId) : []
        if (item === null || ended.has(item.processingStatus)) return null
        const isUnreadable = steps.some(({ name, status }) => name === 'inspect' && status === 'failed')
        const othersWait = concurrency === 1 && (await store.hasOthersWaiting(itemId))
        // from here to the beginning of the step nothing is awaited: two items do not take one place
        const isFull = concurrency === 1 ? othersWait : longSteps >= concurrency - 1
        const isHeldBack = (name: ProcessingStepName) => isFull && isLongStep(item, name)
        const next = isUnreadable ? { allEnded: true as const } : nextStep(steps, new Date(), isHeldBack)
        if ('heldBack' in next) {
          return { again: new Date(Date.now() + heldBackMs(await store.countWaiting(MOST_WAITING_COUNTED))) }
        }
        if ('waitUntil' in next) return { again: next.waitUntil }
        if ('step' in next) {
          if (Date.now() > until) return { again: new Date() }
          const weight = isLongStep(item, next.step.name) ? 1 : 0
          longSteps += weight
          const isMine = await doStep(item, next.step, stop, () => teller.tell(item.userId)).finally(() => {
            longSteps -= weight
          })
          if (!isMine) return null
          teller.tell(item.userId)
          // a person who adds many sees all of them soon
          if (next.step.name === 'inspect' && (await store.hasNewcomers())) return { again: new Date() }
          continue
        }
        let show = () => {}
        const finished = await store.finish(itemId, async (tx, { error, tookMs }) => {
          // whoever added something that takes this long does not wait for it
          if (error === null && tookMs < LONG_MS) return
          show = await notifyIn(tx, item.userId, {
            kind: error === null ? 'media_done' : 'media_failed',
            params: { title: item.originalFilename, ...(error === null ? {} : { reason: error }) },
            link: `/gallery/${itemId}`,
            subjectId: itemId,
            joins: { by: 'kind', link: '/gallery' },
          })
        })
        if (finished === null) continue
        await teller.end()
        show()
        const { error } = finished
        publish(
          item.userId,
          error === null ? { type: 'media.done', id: itemId } : { type: 'media.failed', id: itemId, error },
        )
        wakeWaiting(itemId)
        return null
      }
    } finally {
      await teller.end()
    }
  }

  const handleJob: JobHandlers['process-media'] = async ({ media_id }, { signal }) => {
    const again = async (at: Date) => {
      // one that was added meanwhile does what is left, or waits in place of this one
      if (await store.hasJobWaiting(prisma, media_id, at)) return
      await enqueue('process-media', { media_id }, at.getTime() > Date.now() ? { startAfter: at } : {})
    }
    if (isStopping) return again(new Date(Date.now() + REPORT_EVERY_MS))
    const abort = new AbortController()
    const working = work(media_id, AbortSignal.any([abort.signal, signal]))
    const settled = working.then(
      () => {},
      () => {},
    )
    running.set(media_id, { abort, settled })
    try {
      const left = await working
      if (left) await again(left.again)
      else if (isStopping) await again(new Date(Date.now() + REPORT_EVERY_MS))
    } finally {
      running.delete(media_id)
    }
  }

  /** Does as `reprocess`, in the transaction that stores why. */
  const reprocessIn = async (
    tx: Prisma.TransactionClient,
    userId: string,
    itemId: string,
    wanted?: ProcessingStepName[],
  ): Promise<void> => {
    const gone = () => new NotFoundError('This item is not there any more.')
    const type = await store.typeOf(tx, userId, itemId)
    if (type === null) throw gone()
    const unknown = wanted?.find((name) => !stepsOfType[type].includes(name))
    if (unknown !== undefined) throw new ValidationError(`There is no step "${unknown}" for this type of item.`)
    if (!(await store.reset(tx, userId, itemId, stepsAgain(type, wanted)))) throw gone()
    // one that begins now waits for this transaction before it looks at the steps
    if (await store.hasJobWaiting(tx, itemId, new Date())) return
    await enqueue('process-media', { media_id: itemId }, { tx })
  }

  return {
    handleJob,

    /** Plans what is to be done with a new item, in the transaction that stores it. */
    async begin(
      tx: Prisma.TransactionClient,
      item: Pick<MediaItemRow, 'id' | 'mediaType' | 'wantsCaption' | 'wantsText'>,
    ): Promise<void> {
      await store.addSteps(tx, item)
      await enqueue('process-media', { media_id: item.id }, { tx, priority: NEWCOMER_PRIORITY })
    },

    /** Resolves when nothing is left to do with an item, also when it is gone, or when the signal is aborted. */
    async whenDone(itemId: string, signal: AbortSignal): Promise<void> {
      const woken = waiting.get(itemId) ?? new Set()
      waiting.set(itemId, woken)
      try {
        while (!signal.aborted && !(await store.isDone(itemId))) {
          const next = new AbortController()
          const wake = () => next.abort()
          woken.add(wake)
          const sleeping = AbortSignal.any([next.signal, signal])
          await sleep(LOOK_WHETHER_DONE_EVERY_MS, undefined, { signal: sleeping }).catch(() => {})
          woken.delete(wake)
        }
      } finally {
        if (woken.size === 0) waiting.delete(itemId)
      }
    },

    reprocessIn,

    /**
     * Does steps of an item again, and those that work with what they make; all when none are named.
     * @throws NotFoundError when it is not the person's; ValidationError when items of its type have no such step.
     */
    async reprocess(userId: string, itemId: string, wanted?: ProcessingStepName[]): Promise<void> {
      await prisma.$transaction((tx) => reprocessIn(tx, userId, itemId, wanted))
    },

    /** Ends at once what this server does with items that were deleted; other servers notice within a second. */
    cancel(itemIds: string[]): void {
      for (const id of itemIds) {
        running.get(id)?.abort.abort(new OvertakenError('the item was deleted'))
        wakeWaiting(id)
      }
    },

    /** Finds items that have something left to do and no job that will do it, as after a crash or a failed job. */
    async sweep(): Promise<void> {
      const lost = await store.lost(LOST_AT_ONCE)
      for (const media_id of lost) await enqueue('process-media', { media_id })
      if (lost.length > 0) log.info({ count: lost.length }, 'items that had lost their job are processed again')
    },

    /** Leaves what is begun for later, or for another server. */
    async close(): Promise<void> {
      isStopping = true
      const all = [...running.values()]
      for (const { abort } of all) abort.abort(new StoppingError('the server stops'))
      await Promise.race([
        Promise.all(all.map(({ settled }) => settled)),
        sleep(STOP_TIMEOUT_MS, undefined, { ref: false }),
      ])
    },
  }
}

/** Does work until it ends or the signal is aborted, even when the work does not notice. */
async function untilAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

function presentStep({ name, status, progress, engine, error }: StepRow): ProcessingStep {
  return { name, status, progress, engine, error }
}

/** Tells how far an item is, now and then while it moves. */
function createTeller(tellNow: (userId: string) => Promise<void>, log: Log) {
  let timer: NodeJS.Timeout | undefined
  let lastAt = 0
  let telling = Promise.resolve()
  let waitingFor: string | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    const userId = waitingFor
    waitingFor = undefined
    if (userId === undefined) return
    lastAt = Date.now()
    telling = telling
      .then(() => tellNow(userId))
      .catch((error: unknown) => log.debug({ err: error }, 'the progress of an item could not be told'))
  }
  return {
    tell(userId: string): void {
      waitingFor = userId
      timer ??= setTimeout(flush, Math.max(0, lastAt + TELL_EVERY_MS - Date.now()))
    },
    /** Tells what is left to tell. */
    async end(): Promise<void> {
      flush()
      await telling
    },
  }
}
