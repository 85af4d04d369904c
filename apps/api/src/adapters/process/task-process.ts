import { setTimeout as sleep } from 'node:timers/promises'
import { type ChildHandle, startChild } from './child.ts'
import type { TaskContext, TaskList } from './messages.ts'
import { TaskError } from './task-error.ts'

/** What is written of a process that ended before its time. */
export type ProcessLog = (fields: Record<string, unknown>, sentence: string) => void

export interface TaskProcessOptions {
  /** A module that calls serveTasks with its tasks. */
  module: URL
  /** What it is called in the log. */
  name: string
  /** It is killed when it holds more than this, natively or not. */
  memoryLimitMb: number
  /** It is ended after a task when it still holds more than this; its limit when left out. */
  keepMb?: number
  /** Of JavaScript objects alone; half of the limit when left out. */
  heapLimitMb?: number
  /** How long it may take until its module is loaded. */
  startTimeoutMs?: number
  /** How long it is kept without work. */
  idleMs?: number
  /** How many tasks may wait for the one that runs. */
  mostWaiting?: number
  /** From 0 to 19; a higher one leaves the processor to others. */
  niceness?: number
  /** How long a task that nobody waits for may take to end by itself. */
  cancelGraceMs?: number
  /** What its environment has beside the few variables that say where things are. */
  environment?: Record<string, string>
  warn?: ProcessLog | undefined
}

export interface RunOptions<Part> {
  /** It is killed after this, counted from when its turn came and the process was ready. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  onPart?: (part: Part) => void
  /** Goes before those who wait already: for what a person waits for. */
  isUrgent?: boolean
}

type Input<Task> = Task extends (input: infer I, context: never) => unknown ? I : never
type Part<Task> = Task extends (input: never, context: TaskContext<infer P>) => unknown ? P : never
type Result<Task> = Task extends (...args: never) => infer R ? Awaited<R> : never

/** A process that does tasks of one module, one after the other, and can be killed at any of them. */
export interface TaskProcess<Tasks extends TaskList> {
  /**
   * Does a task, starting the process when there is none.
   * @throws TaskError; the reason of the signal when it was aborted.
   */
  run<Name extends keyof Tasks & string>(
    task: Name,
    input: Input<Tasks[Name]>,
    options: RunOptions<Part<Tasks[Name]>>,
  ): Promise<Result<Tasks[Name]>>
  /** Of the process, null when there is none. */
  pid(): number | null
  /** Ends the process; tasks that run or wait reject. */
  close(): Promise<void>
}

interface Waiting {
  begin(): void
  refuse(error: TaskError): void
}

/** A process per capability: parsers and models that may crash, hang or grow take only themselves down. */
export function createTaskProcess<Tasks extends TaskList>(options: TaskProcessOptions): TaskProcess<Tasks> {
  const { idleMs = 5 * 60_000, mostWaiting = 50, startTimeoutMs = 30_000, cancelGraceMs = 500 } = options
  const waiting: Waiting[] = []
  let child: ChildHandle | undefined
  let isBusy = false
  let isClosed = false
  let idleTimer: NodeJS.Timeout | undefined

  const takeTurn = async (signal: AbortSignal | undefined, isUrgent: boolean) => {
    if (isClosed) throw new TaskError('closed', `${options.name} has been closed.`)
    signal?.throwIfAborted()
    if (!isBusy) {
      isBusy = true
      return
    }
    if (waiting.length >= mostWaiting) throw new TaskError('busy', `Too many tasks wait for ${options.name}.`)
    await new Promise<void>((resolve, reject) => {
      const settle = (act: () => void) => {
        signal?.removeEventListener('abort', onAbort)
        act()
      }
      const one: Waiting = { begin: () => settle(resolve), refuse: (error) => settle(() => reject(error)) }
      const onAbort = () => {
        waiting.splice(waiting.indexOf(one), 1)
        settle(() => reject(signal?.reason))
      }
      signal?.addEventListener('abort', onAbort)
      if (isUrgent) waiting.unshift(one)
      else waiting.push(one)
    })
  }

  const passTurn = () => {
    const next = waiting.shift()
    if (next) {
      next.begin()
      return
    }
    isBusy = false
    child?.rest()
    idleTimer = setTimeout(() => void child?.kill(), idleMs).unref()
  }

  /** The process that is there, or a new one, once it is ready. */
  const readyChild = async (signal: AbortSignal | undefined) => {
    if (isClosed) throw new TaskError('closed', `${options.name} has been closed.`)
    if (child === undefined || child.hasEnded()) {
      const { module, name, memoryLimitMb, heapLimitMb = memoryLimitMb / 2, niceness = 10, environment, warn } = options
      child = startChild({ module, name, memoryLimitMb, heapLimitMb, niceness, environment, warn })
    }
    child.wake()
    await child.ready(startTimeoutMs, signal)
    return child
  }

  const perform = async (task: string, input: unknown, { timeoutMs, signal, onPart }: RunOptions<never>) => {
    const ready = await readyChild(signal)
    signal?.throwIfAborted()
    const { result, cancel } = ready.request(task, input, onPart as ((part: unknown) => void) | undefined)
    let timer: NodeJS.Timeout | undefined
    let onAbort: (() => void) | undefined
    try {
      return await Promise.race([
        result,
        new Promise<never>((_resolve, reject) => {
          timer = setTimeout(
            () => reject(new TaskError('timeout', `${options.name} took longer than ${timeoutMs} ms.`)),
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
      await takeTurn(runOptions.signal, runOptions.isUrgent ?? false)
      clearTimeout(idleTimer)
      try {
        return (await perform(task, input, runOptions as RunOptions<never>)) as never
      } finally {
        const { keepMb } = options
        if (child && !child.hasEnded() && keepMb !== undefined && (await child.residentMb()) > keepMb)
          await child.kill()
        passTurn()
      }
    },
    pid: () => (child && !child.hasEnded() ? child.pid : null),
    close: async () => {
      isClosed = true
      clearTimeout(idleTimer)
      for (const one of waiting.splice(0)) one.refuse(new TaskError('closed', `${options.name} has been closed.`))
      await child?.kill('closed')
    },
  }
}
