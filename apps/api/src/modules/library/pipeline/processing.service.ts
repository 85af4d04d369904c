import { setTimeout as sleep } from 'node:timers/promises'
import type { CodedSentence, ProcessingStepName } from '@mira/shared'
import { isOutage, retryDuringOutage } from '../../../platform/database/availability.ts'
import type { Database } from '../../../platform/database/client.ts'
import type { Prisma } from '../../../platform/database/generated/client.ts'
import type { Transaction } from '../../../platform/database/sql.ts'
import { tryEach } from '../../../platform/database/try-each.ts'
import type { Events } from '../../../platform/events/events.service.ts'
import type { JobData, JobHandlers } from '../../../platform/queue/jobs.ts'
import type { Queue } from '../../../platform/queue/queue.ts'
import { presentStep } from '../items/present.ts'
import { type Finish, isQuickStep, isStoredWithPrevious, MAX_ATTEMPTS, NEW_ITEM_PRIORITY, planNext } from './plan.ts'
import { createReporter } from './reporter.ts'
import type { Reprocessing } from './reprocessing.ts'
import type { Results } from './results.ts'
import { createStepRuns, type StepRunResult, type StepRunsDeps, StoppingError } from './run.ts'
import {
  type ProcessedItem,
  type ProcessingStepRow,
  RunReplacedError,
  type StepChanges,
  type StepItem,
  type WorkState,
} from './step.ts'
import type { ProcessingStore } from './store.ts'

interface ProcessingDeps extends Pick<Database, 'prisma'>, StepRunsDeps {
  store: ProcessingStore
  results: Pick<Results, 'updateFacts' | 'replaceMoments' | 'release' | 'store'>
  reprocessing: Reprocessing
  queue: Pick<Queue, 'enqueue'>
  events: Pick<Events, 'publish'>
  notifications: ItemNotifications
}

/** Library's view of the notifications. */
export interface ItemNotifications {
  /** Stores a notification about an item, merged with unread ones; the returned function shows it after the commit. */
  notifyIn(
    tx: Prisma.TransactionClient,
    userId: string,
    notification: {
      kind: 'media_done' | 'media_failed'
      params: Record<string, string>
      /** The reason as codes. */
      sentences: CodedSentence[]
      link: string
      subjectId: string
      joins: { by: 'kind'; link: string }
    },
  ): Promise<() => void>
}

export type ProcessingService = ReturnType<typeof createProcessingService>

const REQUEUE_DELAY_MS = 1000
/** Polling interval for items that another server may be processing. */
const DONE_CHECK_INTERVAL_MS = 1000
/** Time after which an item yields to others between two steps. */
const TURN_MS = 30_000
const STOP_TIMEOUT_MS = 2000
/** Users are notified of items that took at least this long. */
const LONG_MS = 60_000
/** Maximum age of a step that counts as part of this round, when the round's start is unknown. */
const ROUND_MS = 6 * 3_600_000
const SWEEP_LIMIT = 1000

/**
 * Processes items in recorded steps, run by durable jobs. The process may die at any point: each step replaces its earlier
 * results and is retried a few times, and a run that another one has replaced can't write. A step's findings, its end and
 * the start of the next step are stored in one transaction.
 */
export function createProcessingService(deps: ProcessingDeps) {
  const { prisma, store, results, steps: handlers, log, reprocessing, queue, events, notifications } = deps
  const stepRuns = createStepRuns(deps)
  const running = new Map<string, { abort: AbortController; settled: Promise<void> }>()
  const wakersByItem = new Map<string, Set<() => void>>()
  let isStopping = false

  const wakeWaiting = (itemId: string) => {
    for (const wake of wakersByItem.get(itemId) ?? []) wake()
  }

  /** Stores the end of a run and the next step; null when another run has replaced it. */
  const endStep = async (
    item: StepItem,
    step: ProcessingStepRow,
    { end, findings }: StepRunResult,
    change: StepChanges,
  ) => {
    const advance = { ...change, ended: { run: item.run, end } }
    if (findings.length === 0) return store.advance(item.id, advance)
    try {
      return await results.store(item, findings, (sql) => store.advance(item.id, advance, sql))
    } catch (error) {
      if (error instanceof RunReplacedError) return null
      if (isOutage(error)) throw error
      // Nothing was stored, so the next step is planned again.
      change.next = undefined
      return store.advance(item.id, { ended: { run: item.run, end: stepRuns.endOfFailure(error, step, item.id) } })
    }
  }

  /** Finishes an item and stores a notification, unless the user already knows of the failure. */
  const finishAndNotify = async (
    item: ProcessedItem,
    finish: Finish,
    { isKnownFailure }: { isKnownFailure: boolean },
  ): Promise<WorkState | null> => {
    let show = () => {}
    const state = await prisma.$transaction(async (tx) => {
      const after = await store.advance(item.id, { finish }, tx)
      if (!after?.isFinished) return after
      if (isKnownFailure) {
        await store.dropHookNotices(tx, item)
        return after
      }
      show = await notifications.notifyIn(tx, item.userId, {
        kind: finish.error === null ? 'media_done' : 'media_failed',
        params: { title: item.originalFilename, ...(finish.error === null ? {} : { reason: finish.error }) },
        sentences: finish.errorSentences,
        link: `/gallery/${item.id}`,
        subjectId: item.id,
        joins: { by: 'kind', link: '/gallery' },
      })
      return after
    })
    show()
    return state
  }

  /** True when this item's next step waits, because other items go first. */
  const yieldsToOthers = async (
    item: ProcessedItem,
    next: ProcessingStepName,
    last: ProcessingStepRow | undefined,
    turnEndsAt: number,
  ) => {
    if (performance.now() > turnEndsAt) return true
    // The user's new items are inspected first, so that all show up soon.
    return last?.name === 'inspect' && !isQuickStep(item, next) && (await store.hasNewItems(item.userId))
  }

  /**
   * Runs a step that takes less time than the statement that would start it, to be stored with the previous one; null when
   * it didn't succeed, so that it has to be started as usual.
   */
  const runWithPrevious = async (item: StepItem, step: ProcessingStepRow, language: string, stop: AbortSignal) => {
    const run = { step: step.name, startedAt: item.run.startedAt }
    const done = await stepRuns.run({ ...item, run }, { ...step }, { language, stop, report: () => {} })
    if (done?.end.status === 'completed') return done
    await results.release(done?.findings ?? [])
    return null
  }

  /** Takes back the attempt of a step that a database outage ended, since the file isn't to blame. */
  const uncountAfterOutage = (itemId: string, run: StepItem['run'], stop: AbortSignal) =>
    retryDuringOutage(() => store.undoStart(itemId, run), stop).catch((error: unknown) =>
      log.warn({ err: error, media_id: itemId }, 'an interrupted step counts as an attempt'),
    )

  /** Runs due steps until the item is finished or yields; null when no further job is needed. */
  const work = async (
    itemId: string,
    { since, isLongJob, stop }: { since: Date | null; isLongJob: boolean; stop: AbortSignal },
  ): Promise<{ again: Date; isLong: boolean } | null> => {
    let state = await store.claim(itemId, MAX_ATTEMPTS)
    if (state === null) return null
    const { userId } = state.item
    const turnEndsAt = performance.now() + TURN_MS
    const reporter = createReporter(() => {
      events.publish(userId, { type: 'media.progress', id: itemId, steps: state?.steps.map(presentStep) ?? [] })
    })
    try {
      for (;;) {
        const { steps, startedRun, language } = state
        reporter.report()
        const step = steps.find(({ name }) => name === startedRun?.step)
        let item = state.item
        let stepResult: StepRunResult | null = null
        if (startedRun !== null && step !== undefined) {
          stepResult = await stepRuns.run({ ...item, run: startedRun }, step, {
            language,
            stop,
            report: reporter.report,
          })
          if (stepResult === null) return null
          item = stepResult.item
          Object.assign(step, stepResult.end, { finishedAt: new Date() })
        }
        let planned = planNext(handlers, item, steps, isLongJob)
        const storedWithPrevious: NonNullable<StepChanges['settled']> = []
        const nextRow = steps.find(({ name }) => name === planned.next)
        if (
          stepResult !== null &&
          startedRun !== null &&
          nextRow !== undefined &&
          isStoredWithPrevious(item, nextRow)
        ) {
          const done = await runWithPrevious({ ...item, run: startedRun }, nextRow, language, stop)
          if (done !== null) {
            Object.assign(nextRow, done.end, { finishedAt: new Date() })
            storedWithPrevious.push({ name: nextRow.name, ...done.end })
            stepResult = { ...stepResult, findings: [...stepResult.findings, ...done.findings] }
            planned = planNext(handlers, item, steps, isLongJob)
          }
        }
        const { finish } = planned
        const settled = [...storedWithPrevious, ...(planned.settled ?? [])]
        let { next, resumeAt, isLong = isLongJob } = planned
        // An unfinished step is started by the next turn's job, once this turn is stored.
        if (next !== undefined && (next === step?.name || (await yieldsToOthers(item, next, step, turnEndsAt)))) {
          next = undefined
          resumeAt = new Date()
        }
        const isKnownFailure = finish !== undefined && hasFailedAgain(steps, since)
        const finishesSeparately =
          finish !== undefined && (isKnownFailure || finish.error !== null || roundDurationMs(steps, since) >= LONG_MS)
        const change: StepChanges = { settled, next, finish: finishesSeparately ? undefined : finish }
        if (stepResult !== null && startedRun !== null && step !== undefined) {
          state = await endStep({ ...state.item, run: startedRun }, step, stepResult, change)
        } else if (finishesSeparately && finish !== undefined && settled.length === 0) {
          state = await finishAndNotify(item, finish, { isKnownFailure })
        } else {
          state = await store.advance(itemId, change)
        }
        if (state === null) return null
        if (state.isFinished && finish !== undefined) {
          reporter.end()
          const { error, errorSentences } = finish
          events.publish(
            userId,
            isKnownFailure
              ? { type: 'media.updated', ids: [itemId] }
              : error === null
                ? { type: 'media.done', id: itemId }
                : {
                    type: 'media.failed',
                    id: itemId,
                    error,
                    ...(errorSentences.length > 0 ? { error_told: errorSentences } : {}),
                  },
          )
          wakeWaiting(itemId)
          return null
        }
        if (resumeAt !== undefined) return { again: resumeAt, isLong }
        // Changing the steps enqueued a job.
        if (change.next !== undefined && state.startedRun === null) return null
      }
    } catch (error) {
      const run = state?.startedRun
      if (run && isOutage(error)) await uncountAfterOutage(itemId, run, stop)
      throw error
    } finally {
      reporter.end()
    }
  }

  const handle = async (
    name: 'process-media' | 'process-long-media',
    { media_id, since }: JobData<'process-media'>,
    signal: AbortSignal,
  ): Promise<void> => {
    const isLongJob = name === 'process-long-media'
    const enqueueAgain = async (startAt: Date, isLong = isLongJob) => {
      // An existing job does the rest.
      if (await store.hasJobWaiting(prisma, media_id, startAt, { orLong: isLong })) return
      const startAfter = startAt.getTime() > Date.now() ? { startAfter: startAt } : {}
      await queue.enqueue(isLong ? 'process-long-media' : 'process-media', { media_id, since }, startAfter)
    }
    if (isStopping) return enqueueAgain(new Date(Date.now() + REQUEUE_DELAY_MS))
    const abort = new AbortController()
    const working = work(media_id, {
      since: since === undefined ? null : new Date(since),
      isLongJob,
      stop: AbortSignal.any([abort.signal, signal]),
    })
    const settled = working.then(
      () => {},
      () => {},
    )
    running.set(media_id, { abort, settled })
    try {
      const pause = await working
      if (pause) await enqueueAgain(pause.again, pause.isLong)
      else if (isStopping) await enqueueAgain(new Date(Date.now() + REQUEUE_DELAY_MS))
    } finally {
      running.delete(media_id)
    }
  }

  return {
    /** Handlers of short and long jobs. */
    handlers: {
      'process-media': (data, { signal }) => handle('process-media', data, signal),
      'process-long-media': (data, { signal }) => handle('process-long-media', data, signal),
    } satisfies Partial<JobHandlers>,

    /** Enqueues the processing of a new item, in the transaction that stores it. */
    async begin(tx: Transaction, { itemId, userId }: { itemId: string; userId: string }): Promise<void> {
      await queue.enqueue('process-media', { media_id: itemId }, { tx, userId, priority: NEW_ITEM_PRIORITY })
    },

    /** Resolves when an item is finished or gone, or the signal is aborted. */
    async whenDone(itemId: string, signal: AbortSignal): Promise<void> {
      const wakers = wakersByItem.get(itemId) ?? new Set()
      wakersByItem.set(itemId, wakers)
      try {
        while (!signal.aborted && !(await store.isDone(itemId))) {
          const next = new AbortController()
          const wake = () => next.abort()
          wakers.add(wake)
          const sleeping = AbortSignal.any([next.signal, signal])
          await sleep(DONE_CHECK_INTERVAL_MS, undefined, { signal: sleeping }).catch(() => {})
          wakers.delete(wake)
        }
      } finally {
        if (wakers.size === 0) wakersByItem.delete(itemId)
      }
    },

    ...reprocessing,

    queuePositions: store.queuePositions,

    /** Aborts this server's work on deleted items; other servers notice within a second. */
    cancel(itemIds: string[]): void {
      for (const id of itemIds) {
        running.get(id)?.abort.abort(new RunReplacedError('the item was deleted'))
        wakeWaiting(id)
      }
    },

    /** Enqueues unfinished items that have no job, for example after a crash. */
    async sweep(): Promise<void> {
      const lost = await store.findLost(SWEEP_LIMIT)
      await tryEach(lost, ({ id, userId }) => queue.enqueue('process-media', { media_id: id }, { userId }))
      if (lost.length > 0) log.info({ count: lost.length }, 'resuming items without a job')
    },

    /** Stops running steps, which resume later or on another server. */
    async close(): Promise<void> {
      isStopping = true
      const all = [...running.values()]
      for (const { abort } of all) abort.abort(new StoppingError('the server is stopping'))
      await Promise.race([
        Promise.all(all.map(({ settled }) => settled)),
        sleep(STOP_TIMEOUT_MS, undefined, { ref: false }),
      ])
    },
  }
}

/** Duration of this round, from the start of its first step. */
function roundDurationMs(steps: ProcessingStepRow[], since: Date | null): number {
  const now = Date.now()
  const from = since?.getTime() ?? now - ROUND_MS
  const startTimes = steps.map(({ startedAt }) => startedAt?.getTime() ?? now)
  return now - Math.min(now, ...startTimes.filter((startMs) => startMs >= from))
}

/** True when steps that had used up their attempts failed in this round, too, and none of them succeeded. */
function hasFailedAgain(steps: ProcessingStepRow[], since: Date | null): boolean {
  const retried = steps.filter(
    ({ attempts, startedAt }) => attempts > MAX_ATTEMPTS && (startedAt?.getTime() ?? 0) >= (since?.getTime() ?? 0),
  )
  return retried.some(({ status }) => status === 'failed') && retried.every(({ status }) => status !== 'completed')
}
