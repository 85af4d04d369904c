import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../errors.ts'
import { currentUserKey, SERVER_KEY } from '../lib/current-user.ts'
import { createSemaphore, type Semaphore } from '../lib/semaphore.ts'
import { type ChildHandle, startChild } from './child.ts'
import type { ProcessLog, TaskContext, TaskList } from './process-protocol.ts'
import type { Sandboxing } from './sandboxing.ts'
import { TaskError, type TaskFailure } from './task-error.ts'
import { openTaskFolder, type TaskFolder } from './task-folder.ts'

export interface TaskProcessOptions {
  /** Provides the sandbox of the process. */
  sandboxing: Sandboxing
  /** A module that calls serveTasks with its tasks. */
  module: URL
  /** Name in the log. */
  name: string
  /** Memory, native and JavaScript, above which the process is killed. */
  memoryLimitMb: number
  /** Memory above which the process is ended after a task; by default, only `memoryLimitMb` applies. */
  keepMb?: number
  /** Maximum JavaScript heap; defaults to half of the limit. */
  heapLimitMb?: number
  /** Timeout for loading the module. */
  startTimeoutMs?: number
  /** Idle time after which the process is ended. */
  idleMs?: number
  /** Maximum number of one user's tasks that wait. */
  maxWaitingPerUser?: number
  /** 0 to 19; a higher value means a lower priority. */
  niceness?: number
  /** Time for a cancelled task to end before its process is killed. */
  cancelGraceMs?: number
  /** Additional environment variables; by default there are only a few with paths. */
  environment?: Record<string, string>
  /** Folders that the process reads besides the product's code: models, never users' files. */
  reads?: string[]
  /**
   * Let the process work for several users in turn. For models and OCR: they take seconds to load, and only read text, sound
   * and pictures that other processes have decoded.
   */
  isForEverybody?: boolean
  /** The tasks depend on state that earlier tasks have loaded, so they aren't retried in a new process. */
  keepsState?: boolean
  warn?: ProcessLog | undefined
}

interface RunOptions<Part, Result = unknown> {
  /** Time after which the process is killed, counted from the task's start in the ready process. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  onPart?: (part: Part) => void
  /** Reads the results from the task folder, which is cleared afterwards. */
  collect?: (result: Result, taskFolder: TaskFolder) => Promise<Result>
  /** Run before other waiting tasks, because a user is waiting for the result. */
  isUrgent?: boolean
}

type Input<Task> = Task extends (input: infer I, context: never) => unknown ? I : never
/**
 * An input without properties that its task doesn't know. A misspelled optional property would be silently ignored, because
 * the compiler checks only object literals for excess properties, not the results of functions.
 */
type Exact<Known, Given> = Given extends object
  ? Given & Record<Exclude<keyof Given, Known extends unknown ? keyof Known : never>, never>
  : Given
type Part<Task> = Task extends (input: never, context: TaskContext<infer P>) => unknown ? P : never
type Result<Task> = Task extends (...args: never) => infer R ? Awaited<R> : never

/** A process that runs a module's tasks one at a time, and can be killed during any of them. */
export interface TaskProcess<Tasks extends TaskList> {
  /**
   * Runs a task, starting the process if needed.
   * @param input value, or a function that creates it once files can be provided.
   * @throws TaskError; an AppError that the task threw; the signal's reason.
   */
  run<Name extends keyof Tasks & string, Given extends Input<Tasks[Name]>>(
    task: Name,
    input: Exact<Input<Tasks[Name]>, Given> | ((taskFolder: TaskFolder) => Promise<Exact<Input<Tasks[Name]>, Given>>),
    options: RunOptions<Part<Tasks[Name]>, Result<Tasks[Name]>>,
  ): Promise<Result<Tasks[Name]>>
  /** Process id; null when there is no process. */
  pid(): number | null
  /** True when the process works for the user on whose behalf the calling code runs. */
  servesCurrentUser(): boolean
  /** Ends the process; running and waiting tasks reject. */
  close(): Promise<void>
}

/** Maximum number of all users' waiting tasks, as a multiple of one user's maximum. */
const MAX_WAITING_FACTOR = 4

/** Semaphore for the tasks of one or more processes, fair between users. @throws TaskError when too many tasks wait. */
export function createTaskSemaphore(
  { name, maxWaitingPerUser = 50 }: TaskProcessOptions,
  permits: number,
): Semaphore['acquire'] {
  const maxWaiting = MAX_WAITING_FACTOR * maxWaitingPerUser
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
 * Creates a separate process for a capability, so that parsers and models that crash, hang or leak memory take down only
 * themselves. Unless it `isForEverybody`, a process that has read one user's file never works for another user: it's
 * ended first, or right after the task if the user is unknown.
 */
export function createTaskProcess<Tasks extends TaskList>(options: TaskProcessOptions): TaskProcess<Tasks> {
  const { idleMs = 60_000, startTimeoutMs = 30_000, cancelGraceMs = 500 } = options
  const { sandboxing, name } = options
  const acquire = createTaskSemaphore(options, 1)
  const closing = new AbortController()
  /** Running and waiting tasks. */
  let tasks = 0
  let child: ChildHandle | undefined
  /** True while `child` hasn't run any task. */
  let isFresh = true
  let taskFolder: TaskFolder | undefined
  /** The user whose files the process has read. */
  let childUser: string | undefined
  let idleTimer: NodeJS.Timeout | undefined

  const rest = () => {
    child?.unref()
    idleTimer = setTimeout(() => void endChild(), idleMs).unref()
  }

  const endChild = async (reason?: TaskFailure) => {
    const endedTaskFolder = taskFolder
    taskFolder = undefined
    await child?.kill(reason)
    await endedTaskFolder?.remove()
  }

  const userOfTask = () => {
    if (options.isForEverybody) return 'everybody'
    const user = currentUserKey()
    return sandboxing.onlyUser ?? (user === SERVER_KEY ? undefined : user)
  }

  /** The existing process or a new one, once it's ready. */
  const readyChild = async (signal: AbortSignal | undefined) => {
    const sandbox = await sandboxing.choose()
    if (!options.isForEverybody) sandboxing.requireSandbox()
    const user = userOfTask()
    if (user !== childUser) await endChild()
    closing.signal.throwIfAborted()
    childUser = user
    if (child === undefined || child.hasEnded()) {
      // a new process never sees its predecessor's files
      await taskFolder?.remove()
      taskFolder = await openTaskFolder(sandbox.directory, { isForeign: sandbox.kind === 'service' })
      const { module, memoryLimitMb, heapLimitMb = memoryLimitMb / 2, niceness = 10, environment = {} } = options
      const settings = { memoryLimitMb, niceness }
      const toStart = { module, settings, heapLimitMb, environment, reads: options.reads ?? [], taskFolder }
      child = startChild({ sandbox, name, toStart, warn: options.warn })
      isFresh = true
    }
    child.ref()
    await child.ready(startTimeoutMs, signal)
    return { child, taskFolder: taskFolder as TaskFolder }
  }

  /**
   * Runs a task, and retries it once if earlier tasks may have broken the process: libraries leak memory, or throw errors after
   * their task has ended.
   */
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
        // a process that doesn't deliver what it reports can't be trusted
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
      // cancel the task, and kill the process if the task doesn't end, so that nothing runs when the permit is released
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
