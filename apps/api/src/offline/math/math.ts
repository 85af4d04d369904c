import { Worker } from 'node:worker_threads'
import { BadRequestError, UnavailableError } from '../../errors.ts'
import { currentUserKey } from '../../platform/lib/current-user.ts'
import { createSemaphore } from '../../platform/lib/semaphore.ts'

/** A calculation. Expressions are in mathjs's language, with `.` as the decimal point. */
export type MathTask =
  | { kind: 'expression'; expression: string }
  /** An equation in one unknown, both sides apart. */
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
   * @throws BadRequestError when it cannot be understood, takes too long or grows too large.
   */
  solve(task: MathTask, signal?: AbortSignal): Promise<MathAnswer>
  close(): Promise<void>
}

export type FromMathWorker =
  | { type: 'ready' }
  | { type: 'answer'; answer: MathAnswer }
  | { type: 'refused'; reason: string }

/** Timeout of one task, without the start of the thread. */
const TASK_TIMEOUT_MS = 2_000
const START_TIMEOUT_MS = 30_000
/** Lifetime of an idle thread. */
const IDLE_MS = 60_000
const MEMORY_LIMIT_MB = 128
/** Tasks wait for each other: more would wait for longer than anybody. A user alone has one thread, others another. */
const LINE = { permits: 1, perUser: 1, reserve: 1, maxWaiting: 20, maxWaitingPerUser: 8 }
const BUSY = 'The calculator is busy. Try again in a moment.'
/** After this many calculations in a row that took too long, their user waits. */
const MAX_SLOW = 3
const PAUSE_MS = 30_000

const stopped = () => new BadRequestError('The calculation was stopped.', { code: 'calculation_stopped' })

/** mathjs in threads that are ended when a task takes too long; each user's tasks run one after the other. */
export function createMathEngine({ timeoutMs = TASK_TIMEOUT_MS } = {}): MathEngine {
  const semaphore = createSemaphore({ ...LINE, busy: BUSY })
  const threads: Thread[] = []
  const idle: Thread[] = []
  const slow = new Map<string, { count: number; at: number }>()

  /** @throws UnavailableError while the user's calculations took too long again and again. */
  const requirePatience = (user: string) => {
    const { count, at } = slow.get(user) ?? { count: 0, at: 0 }
    if (count < MAX_SLOW) return
    if (performance.now() - at < PAUSE_MS) throw new UnavailableError(BUSY, { code: 'busy', retryAfterSeconds: 30 })
    slow.delete(user)
  }

  const work = async (task: MathTask, user: string, signal?: AbortSignal): Promise<MathAnswer> => {
    requirePatience(user)
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
      requirePatience(user)
      const permit = await semaphore.acquire({ signal }).catch((error: unknown) => {
        throw signal?.aborted ? stopped() : error
      })
      const answer = work(task, user, signal).finally(() => permit[Symbol.dispose]())
      answer.catch(() => {})
      // who stops a task that waits for the thread to start waits no longer
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

/** A thread that is started with its first task, and again after it was ended; tasks run one after the other. */
function createThread(timeoutMs: number) {
  let worker: Worker | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const end = async () => {
    clearTimeout(idleTimer)
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  /** The next message of the worker, which is ended when it dies, is too slow (`late`), or nobody waits any more. */
  const nextMessage = (from: Worker, limitMs: number, late: Error, signal?: AbortSignal) =>
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
      const timer = setTimeout(() => fail(late), limitMs)
      from.on('message', onMessage).on('error', onError).on('exit', onExit)
      signal?.addEventListener('abort', onAbort, { once: true })
    })

  const start = async (): Promise<Worker> => {
    const started = new Worker(new URL('./math-worker.ts', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_LIMIT_MB, stackSizeMb: 4 },
    })
    // without a listener, an error between two tasks would end the process; the next task gets another thread
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
    const late = new BadRequestError('This calculation takes too long.', { code: 'calculation_too_large' })
    const message = await nextMessage(running, timeoutMs, late, signal)
    if (message.type === 'answer') return message.answer
    throw new BadRequestError(message.type === 'refused' ? message.reason : 'The calculator gave no answer.', {
      code: 'calculation_refused',
    })
  }

  const solve = async (task: MathTask, signal?: AbortSignal): Promise<MathAnswer> => {
    if (signal?.aborted) throw stopped()
    clearTimeout(idleTimer)
    try {
      const running = worker ?? (await start())
      // a thread started for a cancelled task serves the next one
      if (signal?.aborted) throw stopped()
      return await ask(running, task, signal)
    } finally {
      idleTimer = setTimeout(() => void end(), IDLE_MS)
      idleTimer.unref()
    }
  }

  return { solve, end }
}
