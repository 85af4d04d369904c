import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { currentUserKey, SERVER_KEY } from '../lib/current-user.ts'
import { createSemaphore, type Semaphore } from '../lib/semaphore.ts'
import type { Caging } from './caging.ts'
import { type ChildHandle, startChild } from './child.ts'
import { openTaskFolder, type TaskFolder } from './lent-folders.ts'
import type { ProcessLog, TaskContext, TaskList } from './process-protocol.ts'
import { TaskError, type TaskFailure } from './task-error.ts'

export interface TaskProcessOptions {
  /** Decides what keeps the process from everything that it does not need. */
  caging: Caging
  /** A module that calls serveTasks with its tasks. */
  module: URL
  /** Name in the log. */
  name: string
  /** It is killed when it holds more than this, natively or not. */
  memoryLimitMb: number
  /** It is ended after a task when it still holds more than this; its limit when left out. */
  keepMb?: number
  /** Most memory for JavaScript objects alone; half of the limit when left out. */
  heapLimitMb?: number
  /** Timeout for loading the module. */
  startTimeoutMs?: number
  /** Lifetime without work. */
  idleMs?: number
  /** Maximum number of one user's tasks that wait. */
  maxWaitingPerUser?: number
  /** From 0 to 19; a higher one leaves the processor to others. */
  niceness?: number
  /** Time for a cancelled task to end before its process is killed. */
  cancelGraceMs?: number
  /** Additional environment variables; by default there are only a few with paths. */
  environment?: Record<string, string>
  /** Folders that its engine reads beside the product's own code: data of models, never files of people. */
  reads?: string[]
  /**
   * Lets one process work for several users, one after the other: for models and OCR, which take seconds to load and read
   * only text, sound and pictures that other processes have already decoded.
   */
  isForEverybody?: boolean
  /** Its tasks use what earlier ones loaded, so none is done again in a new process. */
  keepsState?: boolean
  warn?: ProcessLog | undefined
}

interface RunOptions<Part, Result = unknown> {
  /** It is killed after this, counted from when its turn came and the process was ready. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  onPart?: (part: Part) => void
  /** Takes the results from the task folder, which is cleared afterwards. */
  collect?: (result: Result, taskFolder: TaskFolder) => Promise<Result>
  /** Goes before those who wait already: for what a person waits for. */
  isUrgent?: boolean
}

type Input<Task> = Task extends (input: infer I, context: never) => unknown ? I : never
/**
 * An input without properties that its task doesn't know. A misspelled optional one would be left out in silence, as the
 * compiler checks only literals for those and not what a function returns.
 */
type Exact<Known, Given> = Given extends object
  ? Given & Record<Exclude<keyof Given, Known extends unknown ? keyof Known : never>, never>
  : Given
type Part<Task> = Task extends (input: never, context: TaskContext<infer P>) => unknown ? P : never
type Result<Task> = Task extends (...args: never) => infer R ? Awaited<R> : never

/** A process that does tasks of one module, one after the other, and can be killed at any of them. */
export interface TaskProcess<Tasks extends TaskList> {
  /**
   * Does a task, starting the process when there is none.
   * @param input value, or a function that makes it once files can be provided.
   * @throws TaskError; an AppError that the task threw; the reason of the signal when it was aborted.
   */
  run<Name extends keyof Tasks & string, Given extends Input<Tasks[Name]>>(
    task: Name,
    input: Exact<Input<Tasks[Name]>, Given> | ((taskFolder: TaskFolder) => Promise<Exact<Input<Tasks[Name]>, Given>>),
    options: RunOptions<Part<Tasks[Name]>, Result<Tasks[Name]>>,
  ): Promise<Result<Tasks[Name]>>
  /** Id of the process, null when there is none. */
  pid(): number | null
  /** True when the process has worked for the user on whose behalf the current work is done. */
  servesCurrentUser(): boolean
  /** Ends the process; tasks that run or wait reject. */
  close(): Promise<void>
}

/** All users' waiting tasks together may be this many times one user's. */
const WAITING_USERS = 4

/** Permits for the tasks of processes, in turn between users. */
export function createTaskSemaphore(
  { name, maxWaitingPerUser = 50 }: TaskProcessOptions,
  permits: number,
): Semaphore['acquire'] {
  const maxWaiting = WAITING_USERS * maxWaitingPerUser
  const semaphore = createSemaphore({ permits, maxWaitingPerUser, maxWaiting })
  return async (options) => {
    try {
      return await semaphore.acquire(options)
    } catch (error) {
      throw error instanceof AppError && error.code === 'busy'
        ? new TaskError('busy', `Too many tasks wait for ${name}.`)
        : error
    }
  }
}

/**
 * A process per capability: parsers and models that may crash, hang or grow take only themselves down. A process that has
 * read a file of one user works for no other: it is ended first, and at once when it isn't known whose file it was.
 */
export function createTaskProcess<Tasks extends TaskList>(options: TaskProcessOptions): TaskProcess<Tasks> {
  const { idleMs = 60_000, startTimeoutMs = 30_000, cancelGraceMs = 500 } = options
  const { caging, name } = options
  const acquire = createTaskSemaphore(options, 1)
  const closing = new AbortController()
  /** Tasks that run or wait. */
  let tasks = 0
  let child: ChildHandle | undefined
  /** True when `child` has done no task yet. */
  let isFresh = true
  let taskFolder: TaskFolder | undefined
  /** The user whose files the process has read. */
  let childUser: string | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const rest = () => {
    child?.rest()
    idleTimer = setTimeout(() => void endChild(), idleMs).unref()
  }

  const endChild = async (reason?: TaskFailure) => {
    const cleared = taskFolder
    taskFolder = undefined
    await child?.kill(reason)
    await cleared?.remove()
  }

  const userOfTask = () => {
    if (options.isForEverybody) return 'everybody'
    const user = currentUserKey()
    return caging.onlyUser ?? (user === SERVER_KEY ? undefined : user)
  }

  /** The process that is there, or a new one, once it is ready. */
  const readyChild = async (signal: AbortSignal | undefined) => {
    const cage = await caging.decided()
    if (!options.isForEverybody) caging.requireSandbox()
    const user = userOfTask()
    if (user !== childUser) await endChild()
    closing.signal.throwIfAborted()
    childUser = user
    if (child === undefined || child.hasEnded()) {
      // another process never sees what the one before left
      await taskFolder?.remove()
      taskFolder = await openTaskFolder(cage.directory, { isForeign: cage.kind === 'service' })
      const { module, memoryLimitMb, heapLimitMb = memoryLimitMb / 2, niceness = 10, environment = {} } = options
      const settings = { memoryLimitMb, niceness }
      const what = { module, settings, heapLimitMb, environment, reads: options.reads ?? [], taskFolder }
      child = startChild({ cage, name, what, warn: options.warn })
      isFresh = true
    }
    child.wake()
    await child.ready(startTimeoutMs, signal)
    return { child, taskFolder: taskFolder as TaskFolder }
  }

  /** Does a task once more where earlier ones may have broken the process: libraries throw when all is done, or keep memory. */
  const perform = async (task: string, taskInput: unknown, { onPart, ...runOptions }: RunOptions<never>) => {
    let wasFresh = true
    let hasParts = false
    const attempt = () =>
      performOnce(task, taskInput, {
        ...runOptions,
        onBegin: () => {
          wasFresh = isFresh
          isFresh = false
        },
        onPart: (part) => {
          hasParts = true
          onPart?.(part)
        },
      })
    try {
      return await attempt()
    } catch (error) {
      const hasEnded = error instanceof TaskError && (error.reason === 'crashed' || error.reason === 'memory')
      if (!hasEnded || wasFresh || hasParts || options.keepsState) throw error
      return attempt()
    }
  }

  const performOnce = async (task: string, taskInput: unknown, runOptions: RunOptions<never> & { onBegin(): void }) => {
    const { child, taskFolder } = await readyChild(runOptions.signal)
    runOptions.onBegin()
    try {
      const input = typeof taskInput === 'function' ? await taskInput(taskFolder) : taskInput
      const result = await waitFor(child, task, input, runOptions)
      if (runOptions.collect === undefined) return result
      return await runOptions.collect(result, taskFolder).catch(async (error: unknown) => {
        // a process that doesn't leave what it says is not to be trusted
        await child.kill()
        throw error
      })
    } finally {
      if (!child.hasEnded()) await taskFolder.clear()
    }
  }

  const waitFor = async (
    ready: ChildHandle,
    task: string,
    input: unknown,
    { timeoutMs, signal, onPart }: RunOptions<never>,
  ): Promise<unknown> => {
    signal?.throwIfAborted()
    const { result, cancel } = ready.request(task, input, onPart as ((part: unknown) => void) | undefined)
    let timer: NodeJS.Timeout | undefined
    let onAbort: (() => void) | undefined
    try {
      return await Promise.race([
        result,
        new Promise<never>((_resolve, reject) => {
          timer = setTimeout(
            () => reject(new TaskError('timeout', `${name} took longer than ${timeoutMs} ms.`)),
            timeoutMs,
          )
          onAbort = () => reject(signal?.reason)
          signal?.addEventListener('abort', onAbort)
        }),
      ])
    } catch (error) {
      // what is still at work is told to end, and killed when it does not: a turn is over only when nothing runs
      if (signal?.aborted) {
        cancel()
        await Promise.race([result.catch(() => {}), sleep(cancelGraceMs)])
      }
      if (!ready.isDone()) await ready.kill()
      throw error
    } finally {
      clearTimeout(timer)
      if (onAbort) signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    run: async (task, input, runOptions) => {
      closing.signal.throwIfAborted()
      const { signal, isUrgent } = runOptions
      tasks++
      try {
        using _permit = await acquire({
          signal: signal ? AbortSignal.any([signal, closing.signal]) : closing.signal,
          urgency: isUrgent ? 'urgent' : 'normal',
        })
        clearTimeout(idleTimer)
        try {
          return (await perform(task, input, runOptions as RunOptions<never>)) as never
        } finally {
          const { keepMb } = options
          const isTooLarge = child !== undefined && keepMb !== undefined && child.residentMb() > keepMb
          if (child?.hasEnded() || isTooLarge || childUser === undefined) await endChild()
        }
      } finally {
        if (--tasks === 0 && !closing.signal.aborted) rest()
      }
    },
    pid: () => (child && !child.hasEnded() ? child.pid : null),
    servesCurrentUser: () => child !== undefined && childUser === userOfTask(),
    close: async () => {
      closing.abort(new TaskError('closed', `${name} has been closed.`))
      clearTimeout(idleTimer)
      await endChild('closed')
    },
  }
}
