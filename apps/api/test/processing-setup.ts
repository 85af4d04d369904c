import type { ProcessingStepName, UserEventJson } from '@mira/shared'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createProcessingService } from '../src/modules/library/pipeline/processing.service.ts'
import { createReprocessing } from '../src/modules/library/pipeline/reprocessing.ts'
import { createResultsStore } from '../src/modules/library/pipeline/results.store.ts'
import type { Step, Steps } from '../src/modules/library/pipeline/step.ts'
import { createProcessingStore } from '../src/modules/library/pipeline/store.ts'
import type { Queue } from '../src/platform/queue/queue.ts'
import { openTestDatabase, silentLog, type TestDatabase } from './database-template.ts'
import { insertMediaItem, insertUser } from './factories.ts'

const ENOUGH_BYTES = 1e12

/** A step that succeeds at once. */
export const succeed: Step = async () => ({ engine: 'built-in', model: 'test' })

export const allCompleted = {
  inspect: 'completed',
  read: 'completed',
  caption: 'completed',
  embed: 'completed',
  look: 'completed',
}

/** Sets up processing for a test file: items of one user, steps of each test, and a real database. */
export function setUpProcessing() {
  let database: TestDatabase
  let userId: string
  /** Started steps, in order. */
  const startedSteps: string[] = []
  const events: UserEventJson[] = []
  /** Notifications sent. */
  const notifications: object[] = []
  const jobs: { media_id: string; since?: string; startAfter?: Date }[] = []
  /** Items with only long steps left. */
  const leftToLongJobs = new Set<string>()
  const disk = { freeBytes: ENOUGH_BYTES }
  beforeAll(async () => {
    database = await openTestDatabase()
    userId = (await insertUser(database)).id
  })
  afterAll(() => database.close())
  beforeEach(() => {
    disk.freeBytes = ENOUGH_BYTES
    for (const list of [startedSteps, events, notifications, jobs]) list.length = 0
  })

  /** Creates a service with these steps; all others succeed at once. */
  function serviceWith(testSteps: Partial<Record<ProcessingStepName, Step>> = {}, { concurrency = 2 } = {}) {
    const recording =
      (name: ProcessingStepName): Step =>
      async (context) => {
        startedSteps.push(name)
        return (testSteps[name] ?? succeed)(context)
      }
    const all = {
      inspect: recording('inspect'),
      read: recording('read'),
      caption: recording('caption'),
      embed: recording('embed'),
    }
    const videoSteps = { ...all, playback: recording('playback') }
    const steps: Steps = {
      image: { ...all, look: recording('look') },
      video: videoSteps,
      audio: videoSteps,
      document: all,
    }
    const resultsStore = createResultsStore(database)
    const store = createProcessingStore(database)
    const queue: Pick<Queue, 'enqueue'> = {
      enqueue: async (name, data, { startAfter } = {}) => {
        const isLong = name === 'process-long-media'
        if (isLong) leftToLongJobs.add((data as { media_id: string }).media_id)
        jobs.push({ ...(data as { media_id: string }), ...(startAfter ? { startAfter } : {}) })
      },
    }
    const service = createProcessingService({
      prisma: database.prisma,
      store,
      reprocessing: createReprocessing({ prisma: database.prisma, store, queue }),
      queue,
      results: {
        store: (item, findings, then) =>
          resultsStore.withLockedItem(item, async (sql) => {
            for (const finding of findings) await finding(sql)
            return then?.(sql) as never
          }),
        replaceMoments: async () => async () => {},
        updateFacts: (item, facts) => (sql) => resultsStore.describe(sql, item.id, facts),
        release: async () => {},
      },
      steps,
      files: { useLocal: (_path, use) => use('/dev/null'), freeBytes: async () => disk.freeBytes },
      withTempFolder: (use) => use('/dev/null'),
      concurrency,
      events: { publish: (_userId, event) => void events.push(event) },
      notifications: {
        notifyIn: async (_tx, _userId, { kind, params }) => {
          notifications.push({ kind, ...params })
          return () => {}
        },
      },
      log: silentLog,
    })
    const runJob = (name: keyof typeof service.handlers, media_id: string, signal: AbortSignal, since?: string) =>
      service.handlers[name]({ media_id, since }, { id: 'job', attempt: 1, isLastAttempt: false, signal })
    /** Runs only the short steps. */
    const runShort = (media_id: string) => runJob('process-media', media_id, new AbortController().signal)
    /** Runs the short steps, and the long ones if they come next. */
    const run = async (media_id: string, signal = new AbortController().signal, since?: string) => {
      leftToLongJobs.delete(media_id)
      await runJob('process-media', media_id, signal, since)
      if (leftToLongJobs.delete(media_id)) await runJob('process-long-media', media_id, signal, since)
    }
    return { ...service, run, runShort }
  }

  const newVideo = async (durationSeconds = 60) =>
    (await insertMediaItem(database, userId, { mediaType: 'video', processingStatus: 'pending', durationSeconds })).id
  const newItem = async () => (await insertMediaItem(database, userId, { processingStatus: 'pending' })).id

  async function stateOf(itemId: string) {
    const item = await database.prisma.mediaItem.findUniqueOrThrow({ where: { id: itemId } })
    const steps = await database.prisma.mediaStep.findMany({
      where: { mediaItemId: itemId },
      orderBy: { position: 'asc' },
    })
    return {
      status: item.processingStatus,
      error: item.error,
      steps: Object.fromEntries(steps.map(({ name, status }) => [name, status])),
      step: (wanted: ProcessingStepName) => steps.find(({ name }) => name === wanted),
    }
  }

  /** Lets time pass until failed steps are due again. */
  const makeRetriesDue = () =>
    database.pool.query(`UPDATE media_steps SET finished_at = finished_at - interval '1 hour'`)

  return {
    get database() {
      return database
    },
    get userId() {
      return userId
    },
    ...{ startedSteps, events, notifications, jobs, disk, serviceWith, newVideo, newItem, stateOf, makeRetriesDue },
  }
}

/** A step that waits until `release` is called, and notes when it's aborted. */
export function createBlockingStep() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const state = { started: Promise.withResolvers<void>(), aborted: false, release }
  const step: Step = async (context) => {
    context.signal.addEventListener('abort', () => {
      state.aborted = true
    })
    state.started.resolve()
    await released
    return succeed(context)
  }
  return { state, step }
}
