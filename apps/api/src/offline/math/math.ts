import { Worker } from 'node:worker_threads'
import { BadRequestError, UnavailableError } from '../../errors.ts'
import { currentUserKey } from '../../platform/lib/current-user.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'

/** A calculation. Expressions are in mathjs syntax, with `.` as the decimal point. */
export type MathTask =
  | { kind: 'expression'; expression: string }
  /** An equation in one unknown, as its two sides. */
  | { kind: 'equation'; left: string; right: string }
  | { kind: 'statistics'; numbers: string[] }

/** Result of a calculation, each number as text. */
export type MathAnswer =
  | { kind: 'value'; result: string; isExact: boolean; steps: string[] }
  | { kind: 'roots'; unknown: string; roots: string[]; isExact: boolean; steps: string[] }
  | {
      kind: 'statistics'
      count: number
      sum: string
      mean: string
      median: string
      minimum: string
      maximum: string
      /** Sample standard deviation; null for a single number. */
      standardDeviation: string | null
    }

export interface MathEngine {
  /**
   * Solves a task in a separate thread, bounded in time and memory.
   * @throws BadRequestError when it's invalid, takes too long or grows too large; UnavailableError when busy.
   */
  solve(task: MathTask, signal?: AbortSignal): Promise<MathAnswer>
  close(): Promise<void>
}

export type FromMathWorker =
  | { type: 'ready' }
  | { type: 'answer'; answer: MathAnswer }
  | { type: 'refused'; reason: string }

/** Timeout of one task, excluding the start of the thread. */
const TASK_TIMEOUT_MS = 2_000
const START_TIMEOUT_MS = 30_000
/** Lifetime of an idle thread. */
const IDLE_MS = 60_000
const MEMORY_LIMIT_MB = 128
/** One thread, and a second one for users without a running task. Tasks beyond `maxWaiting` would wait too long. */
const LIMITS = { permits: 1, perUser: 1, reserve: 1, maxWaiting: 20, maxWaitingPerUser: 8 }
const BUSY = 'The calculator is busy. Try again in a moment.'
/** Consecutive slow calculations after which a user has to wait. */
const MAX_SLOW = 3
const PAUSE_MS = 30_000

const stopped = () => new BadRequestError('The calculation was stopped.', { code: 'calculation_stopped' })

/** Runs mathjs in threads that are ended when a task takes too long; each user's tasks run one at a time. */
export function createMathEngine({ timeoutMs = TASK_TIMEOUT_MS } = {}): MathEngine {
  const semaphore = createSemaphore({ ...LIMITS, busy: BUSY })
  const threads: Thread[] = []
  const idle: Thread[] = []
  const slow = new Map<string, { count: number; at: number }>()

  /** Rejects a user's calculations for a while after several slow ones. @throws UnavailableError */
  const requireNotPaused = (user: string) => {
    const { count, at } = slow.get(user) ?? { count: 0, at: 0 }
    if (count < MAX_SLOW) return
    if (performance.now() - at < PAUSE_MS) throw new UnavailableError(BUSY, { code: 'busy', retryAfterSeconds: 30 })
    slow.delete(user)
  }

  const run = async (task: MathTask, user: string, signal?: AbortSignal): Promise<MathAnswer> => {
    requireNotPaused(user)
    let thread = idle.pop()
    if (thread === undefined) {
      thread = createThread(timeoutMs)
      threads.push(thread)
    }
    try {
      const answer = await thread.solve(task, signal)
      slow.delete(user)
      return answer
    } catch (error) {
      const isSlow = error instanceof BadRequestError && error.code === 'calculation_too_large'
      if (isSlow) slow.set(user, { count: (slow.get(user)?.count ?? 0) + 1, at: performance.now() })
      throw error
    } finally {
      idle.push(thread)
    }
  }

  return {
    solve: async (task, signal) => {
      if (signal?.aborted) throw stopped()
      const user = currentUserKey()
      requireNotPaused(user)
      const permit = await semaphore.acquire({ signal }).catch((error: unknown) => {
        throw signal?.aborted ? stopped() : error
      })
      const answer = run(task, user, signal).finally(() => permit[Symbol.dispose]())
      answer.catch(() => {})
      // Aborting rejects at once, even while the thread is starting.
      const stop = Promise.withResolvers<never>()
      const onAbort = () => stop.reject(stopped())
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        return await Promise.race([answer, stop.promise])
      } finally {
        signal?.removeEventListener('abort', onAbort)
      }
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.end()))
    },
  }
}

type Thread = ReturnType<typeof createThread>

/** A thread that starts with its first task, and again after it was ended; runs one task at a time. */
function createThread(timeoutMs: number) {
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const end = async () => {
    clearTimeout(idleTimer)
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  /**
   * Next message of the worker. Rejects when the worker fails, on abort, and after `limitMs`, with `timeoutError`; the worker
   * is then ended.
   */
  const nextMessage = (from: Worker, limitMs: number, timeoutError: Error, signal?: AbortSignal) =>
    new Promise<FromMathWorker>((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        from.off('message', onMessage).off('error', onError).off('exit', onExit)
        signal?.removeEventListener('abort', onAbort)
        act()
      }
      const fail = (error: Error) => settle(() => end().then(() => reject(error)))
      const onMessage = (message: FromMathWorker) => settle(() => resolve(message))
      const onError = (error: unknown) =>
        fail(
          (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new BadRequestError('This calculation is too large.', { code: 'calculation_too_large', cause: error })
            : new UnavailableError('The calculator stopped. Try again.', { cause: error }),
        )
      const onExit = () => fail(new UnavailableError('The calculator stopped. Try again.'))
      const onAbort = () => fail(stopped())
      const timer = setTimeout(() => fail(timeoutError), limitMs)
      from.on('message', onMessage).on('error', onError).on('exit', onExit)
      signal?.addEventListener('abort', onAbort, { once: true })
    })

  const start = async (): Promise<Worker> => {
    const started = new Worker(new URL('./math-worker.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB, stackSizeMb: 4 },
    })
    // Without a listener, an error between tasks would end the process; the next task starts another thread.
    started.on('error', () => {})
    started.on('exit', () => {
      if (worker === started) worker = undefined
    })
    started.unref()
    worker = started
    await nextMessage(started, START_TIMEOUT_MS, new UnavailableError('The calculator stopped. Try again.'))
    return started
  }

  const ask = async (running: Worker, task: MathTask, signal?: AbortSignal): Promise<MathAnswer> => {
    running.postMessage(task)
    const timeoutError = new BadRequestError('This calculation takes too long.', { code: 'calculation_too_large' })
    const message = await nextMessage(running, timeoutMs, timeoutError, signal)
    if (message.type === 'answer') return message.answer
    throw new BadRequestError(message.type === 'refused' ? message.reason : 'The calculator gave no result.', {
      code: 'calculation_refused',
    })
  }

  const solve = async (task: MathTask, signal?: AbortSignal): Promise<MathAnswer> => {
    if (signal?.aborted) throw stopped()
    clearTimeout(idleTimer)
    try {
      const running = worker ?? (await start())
      // A thread started for a cancelled task serves the next one.
      if (signal?.aborted) throw stopped()
      return await ask(running, task, signal)
    } finally {
      idleTimer = setTimeout(() => void end(), IDLE_MS)
      idleTimer.unref()
    }
  }

  return { solve, end }
}
