import { constants } from 'node:os'
import { deserializeError } from '../../errors.ts'
import { type FromProcess, MEMORY_SIGNAL } from './process-protocol.ts'
import type { ProcessEnd, ProcessToStart, Sandbox } from './sandbox.ts'
import { TaskError, type TaskFailure } from './task-error.ts'

/** A started process, with at most one request under way. */
export interface ChildHandle {
  pid: number
  hasEnded(): boolean
  /** Resolves when it accepts tasks. @throws TaskError; the signal's reason. */
  ready(timeoutMs: number, signal: AbortSignal | undefined): Promise<void>
  request(
    task: string,
    input: unknown,
    onPart: ((part: unknown) => void) | undefined,
  ): {
    result: Promise<unknown>
    cancel(): void
  }
  /** True when no task is running. */
  isDone(): boolean
  /** Resident memory at the end of the last task. */
  residentMb(): number
  /** Lets this program exit although the process is running. */
  unref(): void
  ref(): void
  /** Kills it, and resolves when it has ended. The current task rejects with this reason. */
  kill(reason?: TaskFailure): Promise<void>
}

interface Pending {
  id: number
  resolve(result: unknown): void
  reject(error: Error): void
  onPart: ((part: unknown) => void) | undefined
}

/** Exit code by which a wrapper program reports the signal that ended the process. */
const MEMORY_CODE = 128 + constants.signals[MEMORY_SIGNAL]

/** Starts a module as a process in a sandbox; messages are structured clones. */
export function startChild(options: {
  sandbox: Sandbox
  name: string
  toStart: ProcessToStart
  warn: ((fields: Record<string, unknown>, sentence: string) => void) | undefined
}): ChildHandle {
  const { sandbox, name, toStart, warn } = options
  let reportedOutOfMemory = false
  let lastOutput = ''
  let lastId = 0
  let pending: Pending | undefined
  let killedFor: TaskFailure | undefined
  let hasEnded = false
  let residentBytes = 0
  const started = Promise.withResolvers<void>()
  const exit = Promise.withResolvers<void>()
  let endError: TaskError | undefined
  // the caller of `ready`, if there is one, handles the rejection
  started.promise.catch(() => {})

  const errorOf = ({ code, signal, errorOutput, isUnstartable }: ProcessEnd): TaskError => {
    if (isUnstartable) return new TaskError('unstartable', `${name} cannot start: ${errorOutput}`)
    // V8 reports a lack of memory in the output, the process's guard by a signal
    const isTooLarge = reportedOutOfMemory || signal === MEMORY_SIGNAL || code === MEMORY_CODE
    const reason = killedFor ?? (isTooLarge ? 'memory' : 'crashed')
    return new TaskError(reason, `${name} ended (${reason}, ${signal ?? code}).`)
  }
  const onEnd = (end: ProcessEnd) => {
    if (hasEnded) return
    hasEnded = true
    lastOutput = end.errorOutput
    const error = errorOf(end)
    endError = error
    started.reject(error)
    const interrupted = pending
    pending = undefined
    interrupted?.reject(error)
    if (killedFor === undefined)
      warn?.({ process: name, reason: error.reason, said: end.errorOutput }, 'A process ended unexpectedly')
    exit.resolve()
  }
  const onMessage = (message: FromProcess) => {
    if (message.kind === 'ready') {
      started.resolve()
      return
    }
    if (pending === undefined || pending.id !== message.id) return
    if (message.kind === 'part') {
      pending.onPart?.(message.part)
      return
    }
    const { resolve, reject } = pending
    residentBytes = Number(message.residentBytes)
    if (message.kind === 'done') resolve(message.result)
    else if (message.kind === 'refused') reject(deserializeError(message.refusal))
    else reject(new TaskError('failed', String(message.message), message.code))
    pending = undefined
  }
  const onOutput = (text: string) => {
    // checked here, because the output is truncated and a long stack trace follows
    reportedOutOfMemory ||= /out of memory/i.test(text)
  }
  const link = sandbox.start(toStart, { onMessage, onOutput, onEnd })

  const kill = async (reason: TaskFailure = 'crashed') => {
    if (hasEnded) return
    killedFor ??= reason
    link.ref()
    link.kill()
    await exit.promise
  }

  return {
    pid: link.pid,
    hasEnded: () => hasEnded,
    ready: async (timeoutMs, signal) => {
      const limit = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => limit.reject(new TaskError('unstartable', `${name} did not start within ${timeoutMs} ms.`)),
        timeoutMs,
      )
      const onAbort = () => limit.reject(signal?.reason)
      signal?.addEventListener('abort', onAbort)
      try {
        await Promise.race([started.promise, limit.promise])
      } catch (error) {
        await kill('unstartable')
        const hasDied = error instanceof TaskError && error.reason === 'crashed'
        throw hasDied ? new TaskError('unstartable', `${name} ended while it started: ${lastOutput}`) : error
      } finally {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
    },
    request: (task, input, onPart) => {
      const id = ++lastId
      // the process has ended
      if (endError !== undefined) return { result: Promise.reject(endError), cancel: () => {} }
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      pending = { id, resolve, reject, onPart }
      link.send({ kind: 'run', id, task, input })
      return { result: promise, cancel: () => link.send({ kind: 'cancel', id }) }
    },
    isDone: () => pending === undefined,
    residentMb: () => residentBytes / 1024 / 1024,
    unref: () => link.unref(),
    ref: () => link.ref(),
    kill,
  }
}
